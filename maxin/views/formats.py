"""Numbers and texts as people read them, in sentences, in tables and on pages.

Per cent have a space before their sign everywhere; a page does not break lines there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import wraps

from markupsafe import Markup, escape

from maxin.core.text import visible

LONGEST_WHOLE = 20  # characters of a word that fits a phone
LEAST, MOST = 0.001, 0.99999  # probabilities beyond are not given as a number
UNIT = re.compile(r"(?<=\d) (?=%|Elo\b)|(?<=[<>±]) (?=\d)")  # a space that ends no line
MINUS, DASH, SPACE = "\N{MINUS SIGN}", "\N{EN DASH}", "\N{NO-BREAK SPACE}"


def chance(probability: float) -> str:
    """A probability in per cent: the nearer to certainty, the more digits, but never 0 or 100 %.

    >>> [chance(one) for one in (0.973, 0.99937, 0.999963, 1.0, 0.0004, 0.042)]
    ['97.3 %', '99.94 %', '99.996 %', '99.999 %', '< 0.1 %', '4.2 %']
    """
    if probability < LEAST:
        return f"< {100.0 * LEAST:g} %"
    digits = 1 + (probability >= 0.9985) + (probability >= 0.99985)
    return f"{100.0 * min(probability, MOST):.{digits}f} %"


def chance_in_words(probability: float) -> str:
    """The same in a sentence.

    >>> chance_in_words(0.0), chance_in_words(0.9746)
    ('under 0.1 %', '97.5 %')
    """
    return chance(probability).replace("<", "under")


def share(part: float) -> str:
    """A share in whole per cent.

    >>> share(1.0)
    '100 %'
    """
    return f"{100.0 * part:.0f} %"


def tenths(part: float) -> str:
    """A share in per cent with one decimal, such as a score.

    >>> tenths(0.716)
    '71.6 %'
    """
    return f"{100.0 * part:.1f} %"


def exact(part: float) -> str:
    """A share in per cent with as many digits as it has, up to six.

    >>> exact(0.99), exact(0.998)
    ('99 %', '99.8 %')
    """
    return f"{100.0 * part:.6g} %"


def whole(text: str) -> str:
    """A text of a page, in which a number stays on the line of its unit.

    >>> whole("99.2 % sure, give or take 10 Elo").count(SPACE)
    2
    """
    return UNIT.sub(SPACE, text)


def on_page(written: Callable[[float], str]) -> Callable[[float], str]:
    """The same format for a page.

    >>> on_page(share)(0.5) == f"50{SPACE}%"
    True
    """

    @wraps(written)
    def shown(value: float) -> str:
        return whole(written(value))

    return shown


def signed(elo: float) -> str:
    """Elo points with their sign, written with a true minus.

    >>> signed(12.4), signed(-7.6) == f"{MINUS}8", signed(0.2)
    ('+12', True, '0')
    """
    rounded = round(elo)
    return f"{rounded:+,}".replace("-", MINUS) if rounded else "0"


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


def setting(value: object) -> str:
    """The value of a setting in words; the description of a match may hold settings as JSON.

    >>> setting(True), setting(10.0), setting({"stockfish": 3500.0})
    ('yes', '10', 'stockfish 3500')
    >>> setting('uci: {"max_plies": 200, "draw": {"score": 10}}')
    'uci: max plies 200, draw score 10'
    """
    kind, _, text = value.partition(": ") if isinstance(value, str) else ("", "", "")
    if text.startswith("{"):
        with suppress(ValueError, RecursionError):
            return visible(f"{kind}: {words_of(json.loads(text)).replace('_', ' ')}".rstrip(": "))
    return words_of(value)


def words_of(value: object) -> str:
    """A value of JSON in words: the names and values of a table, the parts of a list.

    >>> words_of({"command": ["bot", "--fast"], "options": {"Hash": 16, "Ponder": False}})
    'command bot --fast, options Hash 16, Ponder no'
    """
    if isinstance(value, Mapping):
        return ", ".join(f"{visible(str(key))} {words_of(part)}" for key, part in value.items())
    if isinstance(value, Iterable) and not isinstance(value, str):
        return " ".join(map(words_of, value))
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    return f"{value:g}" if isinstance(value, float) else str(value)


def worker_name(worker: str) -> str:
    """Who a worker is, for people: the name of its token, its machine, or what it calls itself.

    >>> worker_name("http|k3x9|lab-2"), worker_name("box/4a1c|311|9f"), worker_name("shell:office")
    ('lab-2', 'box', 'shell:office')
    """
    place, _, rest = worker.partition("|")
    if place == "http":
        return rest.partition("|")[2] or "local"
    if place == "vote":
        return "a vote"
    return place.partition("/")[0]


def expected_score(elo: float) -> float:
    """The expected score of a player who is ahead by `elo` points: 1 / (1 + 10^(-elo / 400)).

    >>> expected_score(100.0)
    0.64
    """
    return float(1.0 / (1.0 + 10.0 ** (-elo / 400.0)))


def unbroken(text: str) -> Markup:
    """A text that does not break within 10 Elo, nor in a short word such as model-278.

    >>> unbroken("model-278 <leads>")
    Markup('<span class="whole">model-278</span> &lt;leads&gt;')
    """
    words = [
        Markup('<span class="whole">{}</span>').format(word)
        if "-" in word and len(word) <= LONGEST_WHOLE
        else escape(word)
        for word in whole(text).split(" ")
    ]
    return Markup(" ").join(words)


def columns(n_items: int, most: int) -> int:
    """How many items to put in a row, at most so many, so that the rows are about equal.

    >>> [columns(n_items, 6) for n_items in (5, 7, 9, 12)]
    [5, 4, 5, 6]
    """
    return -(-n_items // -(-n_items // most)) if n_items else 1


def visible_lines(text: str) -> str:
    r"""Text of any origin: its lines stay, other control characters are escaped.

    >>> visible_lines("one\n\x1b[31mtwo")
    'one\n\\x1b[31mtwo'
    """
    return "\n".join(map(visible, text.expandtabs().split("\n")))
