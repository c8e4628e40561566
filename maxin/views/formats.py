"""Numbers and texts as a page writes them: filters, beside those in `core.text`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from markupsafe import Markup, escape

from maxin.core.text import visible

LONGEST_WHOLE = 20  # characters of a word that fits a phone
MINUS, DASH, SPACE = "\N{MINUS SIGN}", "\N{EN DASH}", "\N{NO-BREAK SPACE}"


def chance(probability: float) -> str:
    """A probability in per cent, which never claims more certainty than there is.

    >>> [chance(one).replace(SPACE, " ") for one in (0.973, 0.9999, 0.0004, 0.042)]
    ['97.3 %', '> 99.9 %', '< 0.1 %', '4.2 %']
    """
    percent = 100.0 * probability
    if percent > 99.9:
        return f">{SPACE}99.9{SPACE}%"
    if percent < 0.1:
        return f"<{SPACE}0.1{SPACE}%"
    return f"{percent:.1f}{SPACE}%"


def share(part: float) -> str:
    """A measured share in whole per cent.

    >>> share(1.0).replace(SPACE, " ")
    '100 %'
    """
    return f"{100.0 * part:.0f}{SPACE}%"


def exact(part: float) -> str:
    """A share in per cent with as many digits as it has, up to four.

    >>> exact(0.99).replace(SPACE, " "), exact(0.998).replace(SPACE, " ")
    ('99 %', '99.8 %')
    """
    return f"{100.0 * part:.4g}{SPACE}%"


def signed(elo: float) -> str:
    """Elo points with their sign, written with a true minus.

    >>> signed(12.4), signed(-7.6) == f"{MINUS}8", signed(0.2)
    ('+12', True, '0')
    """
    whole = round(elo)
    return f"{whole:+,}".replace("-", MINUS) if whole else "0"


def points(value: float) -> str:
    """Points with at most two decimals, a half as ½.

    >>> points(2.5), points(0.5), points(3.0), points(0.125)
    ('2½', '½', '3', '0.12')
    """
    if value % 1.0 == 0.5:
        return f"{value - 0.5:g}½" if value > 1.0 else "½"
    return f"{value:.2f}".rstrip("0").rstrip(".")


def number(value: float) -> str:
    """A count, with commas between the thousands.

    >>> number(12345)
    '12,345'
    """
    return f"{round(value):,}"


def chosen(settings: Iterable[tuple[str, object]]) -> list[tuple[str, object]]:
    """The settings that are not None, 0, false or an empty text.

    A seed of 0 is a seed like any other.

    >>> chosen([("goal", "best"), ("seed", 0), ("anchor", None), ("tolerance", 0.0)])
    [('goal', 'best'), ('seed', 0)]
    """
    return [(label, value) for label, value in settings if value or label == "seed"]


def setting(value: object) -> object:
    """The value of a setting: yes for a truth value, an anchor as its name and rating.

    >>> setting(True), setting(2), setting({"stockfish": 3500.0})
    ('yes', 2, 'stockfish 3500')
    """
    if isinstance(value, Mapping):
        return ", ".join(f"{visible(name)} {rating:g}" for name, rating in value.items())
    return "yes" if value is True else value


def expected_score(elo: float) -> float:
    """The expected score of a player who is ahead by `elo` points: 1 / (1 + 10^(-elo / 400)).

    >>> expected_score(100.0)
    0.64
    """
    return float(1.0 / (1.0 + 10.0 ** (-elo / 400.0)))


def unbroken(text: str) -> Markup:
    """A text whose short words with hyphens, such as model-278, do not break at the end of a line.

    >>> unbroken("model-278 <leads>")
    Markup('<span class="whole">model-278</span> &lt;leads&gt;')
    """
    words = [
        Markup('<span class="whole">{}</span>').format(word)
        if "-" in word and len(word) <= LONGEST_WHOLE
        else escape(word)
        for word in text.split(" ")
    ]
    return Markup(" ").join(words)


def visible_lines(text: str) -> str:
    r"""Text of any origin: its lines stay, other control characters are escaped.

    >>> visible_lines("one\n\x1b[31mtwo")
    'one\n\\x1b[31mtwo'
    """
    return "\n".join(map(visible, text.expandtabs().split("\n")))
