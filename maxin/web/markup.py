"""Text and numbers on their way into a page: escaped, and written the same way everywhere."""

from __future__ import annotations

import html
from datetime import UTC, datetime

MINUS, DASH, SPACE = "\N{MINUS SIGN}", "\N{EN DASH}", "\N{NO-BREAK SPACE}"


def text(words: object) -> str:
    """`words` as text of a page or of an attribute, whatever they hold.

    >>> text('<b> & "b"')
    '&lt;b&gt; &amp; &quot;b&quot;'
    """
    # A file's name may hold bytes that are no text; a page cannot.
    whole = str(words).encode("utf-8", "backslashreplace").decode("utf-8")
    return html.escape(whole)


def short(name: str, length: int = 40) -> str:
    """`name`, or its beginning where it is longer than `length`.

    >>> short("abcdefgh", 5)
    'abcd…'
    """
    return name if len(name) <= length else name[: length - 1] + "…"


def chance(part: float) -> str:
    """A probability as a percentage that never claims certainty it does not have.

    >>> [chance(part).replace(SPACE, " ") for part in (0.973, 0.9999, 0.0004, 0.042)]
    ['97 %', '> 99.9 %', '< 0.1 %', '4.2 %']
    """
    percent = 100.0 * part
    if percent > 99.9:
        return f">{SPACE}99.9{SPACE}%"
    if percent < 0.1:
        return f"<{SPACE}0.1{SPACE}%"
    return f"{percent:.{1 if percent < 10.0 or percent >= 99.0 else 0}f}{SPACE}%"


def share(part: float) -> str:
    """A measured share as a whole percentage.

    >>> share(1.0).replace(SPACE, " ")
    '100 %'
    """
    return f"{100.0 * part:.0f}{SPACE}%"


def signed(elo: float) -> str:
    """Elo points with a sign, a true minus among them.

    >>> signed(12.4), signed(-7.6) == f"{MINUS}8", signed(0.2)
    ('+12', True, '0')
    """
    whole = round(elo)
    return f"{whole:+,}".replace("-", MINUS) if whole else "0"


def duration(seconds: float) -> str:
    """A length of time in the two largest units that fit.

    >>> duration(42.31), duration(192), duration(100_000)
    ('42.3 s', '3 min 12 s', '1 d 3 h')
    """
    if seconds < 60.0:
        return f"{seconds:.1f} s"
    for size, unit, small, smaller in ((86400, "d", 3600, "h"), (3600, "h", 60, "min")):
        if seconds >= size:
            return f"{int(seconds // size)} {unit} {int(seconds % size // small)} {smaller}"
    return f"{int(seconds // 60)} min {int(seconds % 60)} s"


def moment(unix: float) -> str:
    """A time in UTC, to the second.

    >>> moment(0)
    '1970-01-01 00:00:00 UTC'
    """
    return datetime.fromtimestamp(unix, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def count(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun.

    >>> count(1, "match", "matches"), count(1200, "player")
    ('1 match', '1,200 players')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"
