"""Results that were played elsewhere, added to a tournament."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from maxin.core import InvalidInput, check_result
from maxin.storage import PlayedMatch, Writer
from maxin.tournament.players import add_players as join
from maxin.tournament.players import entrants
from maxin.tournament.results.reading import read_results
from maxin.tournament.tickets.tickets import ScoreConflict, Tickets

CHUNK = 5_000  # results written in one transaction, so that others wait for a moment only


def read_source(
    results: Iterable[tuple[str, str, float]] | str | Path, source: str | None
) -> tuple[Iterable[PlayedMatch[str]], str]:
    """The results of a file or a list, which can be read several times, and their source's name.

    Without a name, the source of a file is its path, and that of a list is a new one.

    >>> read_source([("anna", "bo", 1.0)], "last year")[1]
    'last year'
    """
    if isinstance(results, str | Path):
        return read_results(results), source or str(Path(results).resolve())
    origin = source or f"results-{secrets.token_hex(6)}"
    return named_results(results, origin), origin


def named_results(results: Iterable[Any], source: str) -> list[PlayedMatch[str]]:
    """Rows (first, second, score) as matches, numbered by line from 1 on.

    >>> named_results([("anna", "bo", 1.0)], "here")[0].line
    1
    """
    return [_named(row, source, line) for line, row in enumerate(results, start=1)]


def _named(row: Any, source: str, line: int) -> PlayedMatch[str]:
    try:
        first, second, score = row
    except (TypeError, ValueError):
        raise InvalidInput(
            f"{source}, line {line}: a result must be first, second and score; got {row!r}"
        ) from None
    if not (isinstance(first, str) and isinstance(second, str)):
        raise InvalidInput(f"{source}, line {line}: players must be given by name; got {row!r}")
    return PlayedMatch(None, first, second, score, line=line)


def import_results(
    tickets: Tickets, results: Iterable[PlayedMatch[str]], source: str, *, add_players: bool
) -> int:
    """Record the results of `source` that are new, by line; returns how many there were.

    A line that was imported before must hold the same result again. Everything is checked before
    anything is written, some thousand results at a time. Who is interrupted can import again.
    """
    if not source.isprintable():
        raise InvalidInput(f"a source must have no control characters; got {source!r}")
    tickets.refresh()
    names = list(tickets.state.names)
    if add_players:
        joining = entrants(_unknown_players(names, results))
        names += [entrant.name for entrant in joining]
    for chunk in _chunks(results):
        recorded = tickets.store.recorded_from(source, _lines(chunk))
        _new_matches(chunk, source, names, recorded)
    if len(names) > len(tickets.state.names):
        names = tickets.transact(lambda writer: join(tickets.state, writer, joining))
    return sum(
        tickets.blindly(partial(_write, tickets.worker, chunk, source, names))
        for chunk in _chunks(results)
    )


def _chunks(results: Iterable[PlayedMatch[str]]) -> Iterator[list[PlayedMatch[str]]]:
    rows = iter(results)
    while chunk := list(islice(rows, CHUNK)):
        yield chunk


def _lines(chunk: list[PlayedMatch[str]]) -> tuple[int, int]:
    """The first and the last line of a chunk."""
    lines = [match.line or 0 for match in chunk]
    return min(lines), max(lines)


def _unknown_players(names: Iterable[str], results: Iterable[PlayedMatch[str]]) -> list[str]:
    """Names that are not players yet, in the order they occur."""
    known = set(names)
    found = dict.fromkeys(name for row in results for name in (row.first, row.second))
    return [name for name in found if name not in known]


def _write(
    worker: str, chunk: list[PlayedMatch[str]], source: str, names: list[str], writer: Writer
) -> int:
    new = _new_matches(chunk, source, names, writer.recorded_from(source, _lines(chunk)))
    for match in new:
        writer.tell(match, worker)
    return len(new)


def _new_matches(
    chunk: list[PlayedMatch[str]],
    source: str,
    names: list[str],
    recorded: Mapping[int, tuple[int, int, float]],
) -> list[PlayedMatch[int]]:
    """The results that are not recorded yet, with the players' numbers."""
    numbers = {name: player for player, name in enumerate(names)}
    new = []
    for result in chunk:
        match = _numbered(numbers, result, source)
        assert match.line is not None
        if match.line in recorded:
            _check_same(match, recorded[match.line], names)
        else:
            new.append(match)
    return new


def _numbered(numbers: dict[str, int], result: PlayedMatch[str], source: str) -> PlayedMatch[int]:
    first, second, place = result.first, result.second, f"{source}, line {result.line}"
    for name in (first, second):
        if name not in numbers:
            raise InvalidInput(
                f"{place}: {name!r} is not a player; add it first, or add all new names with "
                f"--add-players (add_players=True in Python)"
            )
    pair = (numbers[first], numbers[second])
    if first == second:
        raise InvalidInput(f"{place}: {first!r} cannot play itself")
    try:
        checked = check_result((pair, result.score), len(numbers))
    except InvalidInput:
        raise InvalidInput(
            f"{place}: a score must be the first player's share of the win, in [0, 1]; "
            f"{first!r} - {second!r} has {result.score!r}"
        ) from None
    return PlayedMatch(None, *pair, checked.score, source=source, line=result.line)


def _check_same(
    match: PlayedMatch[int], recorded: tuple[int, int, float], names: list[str]
) -> None:
    here = (match.first, match.second, match.score)
    if here != recorded:
        before, now = (f"{names[i]} - {names[j]} {score:g}" for i, j, score in (recorded, here))
        raise ScoreConflict(
            f"{match.source}, line {match.line}: was imported as {before}, and is now {now}"
        )
