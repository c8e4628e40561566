"""Results that were played elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from maxin.core import Entrant, InvalidInput, check_result
from maxin.storage import Telling, Writer
from maxin.tournament import roster
from maxin.tournament.enrolment import entrants
from maxin.tournament.state.state import League
from maxin.tournament.tickets.tickets import Desk, ScoreConflict

Result = tuple[str, str, float]


def add_results(
    desk: Desk,
    writer: Writer,
    results: Sequence[tuple[int, Result]],
    source: str,
    *,
    add_players: bool,
) -> int:
    """Write the results of `source` that are new, by line; returns how many there were.

    A line that was added before must say the same again.
    """
    if not source.isprintable():
        raise InvalidInput(f"a source has no control characters; got {source!r}")
    league = desk.league
    if add_players:
        roster.add(league, writer, _strangers(league, results, source))
    numbers = {name: player for player, name in enumerate(league.names)}
    known = writer.told_from(source)
    n_new = 0
    for line, result in results:
        telling = _telling(numbers, result, source, line)
        if line in known:
            _check_same(telling, known[line], league.names)
            continue
        league.take(writer.tell(telling, desk.worker))
        n_new += 1
    return n_new


def _strangers(league: League, results: Sequence[tuple[int, Result]], source: str) -> list[Entrant]:
    """Names that are not players yet, in the order they come up."""
    names = dict.fromkeys(name for line, row in results for name in _parts(row, source, line)[:2])
    return entrants(name for name in names if name not in league.names)


def _parts(result: Result, source: str, line: int) -> Result:
    """First, second and score of a line."""
    try:
        first, second, score = result
    except (TypeError, ValueError):
        raise InvalidInput(
            f"{source}, line {line}: a result is first, second and score; got {result!r}"
        ) from None
    if not (isinstance(first, str) and isinstance(second, str)):
        raise InvalidInput(f"{source}, line {line}: players are named by texts; got {result!r}")
    return first, second, score


def _telling(numbers: dict[str, int], result: Result, source: str, line: int) -> Telling:
    first, second, score = _parts(result, source, line)
    for name in (first, second):
        if name not in numbers:
            raise InvalidInput(
                f"{source}, line {line}: {name!r} is not a player; "
                "add it first, or have unknown players added"
            )
    pair = (numbers[first], numbers[second])
    if first == second:
        raise InvalidInput(f"{source}, line {line}: {first!r} cannot play itself")
    try:
        checked = check_result((pair, score), len(numbers))
    except InvalidInput:
        raise InvalidInput(
            f"{source}, line {line}: a score is the first player's share of the win, in [0, 1]; "
            f"{first!r} - {second!r} has {score!r}"
        ) from None
    return Telling(None, *pair, checked.score, source=source, line=line)


def _check_same(telling: Telling, known: tuple[int, int, float], names: list[str]) -> None:
    here = (telling.first, telling.second, telling.score)
    if here != known:
        before, now = (f"{names[i]} - {names[j]} {score:g}" for i, j, score in (known, here))
        raise ScoreConflict(
            f"{telling.source}, line {telling.line}: was added as {before}, and is now {now}"
        )
