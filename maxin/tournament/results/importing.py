"""Results that were played elsewhere: added to a tournament, and taken back."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any, Unpack

from maxin.core import InvalidInput, check_result
from maxin.core.half_life import HalfLife
from maxin.core.text import listed
from maxin.storage import Entry, PlayedMatch, Store
from maxin.tournament.players import entrants
from maxin.tournament.record.commands import AddPlayers, Change, apply
from maxin.tournament.record.session import Session
from maxin.tournament.record.transaction import Transaction, correction
from maxin.tournament.results.columns import as_it_was
from maxin.tournament.results.fingerprints import CopyCheck, Fingerprint
from maxin.tournament.results.reading import ReadingTerms, Results, read_results
from maxin.worker.source import ScoreConflict

CHUNK = 5_000  # results written in one transaction, so that others wait for a moment only


def read_source(
    results: Any, source: str | None, **how: Unpack[ReadingTerms]
) -> tuple[Results, str]:
    """Results that can be read several times, and their source's name.

    Without a name, the source of a file is its path, and that of a list is a new one.
    """
    found = read_results(results, **how)
    if found.path is not None:
        return found, source_of(found.path, source)
    return found, source or f"results-{secrets.token_hex(6)}"


def source_of(path: str | Path, source: str | None = None) -> str:
    """The name under which a file is imported: its path, unless another one is given."""
    return source or str(Path(path).resolve())


@dataclass(frozen=True)
class ImportResults(Change):
    """Record the results of a source that are new; the answer is how many.

    Args:
        chunk: results, with their lines.
        source: where they come from.
        numbers: the players by name.
        kept: what was retracted up to this line is not recorded again.
        mark: of the file up to here, if it is one.
    """

    chunk: Sequence[PlayedMatch[str]]
    source: str
    numbers: Mapping[str, int]
    kept: int = 0
    mark: Fingerprint | None = None


@dataclass(frozen=True)
class RetractNext(Change):
    """Take back the next results of a source, those after a line; the answer is their lines."""

    source: str
    after: int
    reason: str


@dataclass(frozen=True)
class RetractLine(Change):
    """Take back the result of one line; the answer is 0 if that was done before."""

    source: str
    line: int
    reason: str


def import_results(
    session: Session,
    results: Results,
    source: str,
    *,
    add_players: bool,
    again: bool = False,
) -> int:
    """Record the results of `source` that are new, by line; returns how many there were.

    A line whose result stands must hold the same result again. One whose result was retracted is
    new, unless the file is as it was, or the line says that it was retracted. Everything is
    checked before anything is written, some thousand results at a time. Who is interrupted can
    import again. A file that is a copy of another one is refused, except with `again`, which also
    adds again what was retracted.
    """
    if not source.isprintable():
        raise InvalidInput(f"a source must have no control characters; got {source!r}")
    record = session.record
    record.refresh()
    names = before = list(record.state.names)
    if add_players:
        joining = entrants(_unknown_players(names, results))
        names = [*before, *(entrant.name for entrant in joining)]
    numbers = _by_name(names)
    check = CopyCheck(record.store, source) if results.path is not None else None
    marks: list[Fingerprint] = []  # after every chunk of a file
    half_life = record.settings.half_life
    for chunk in _chunks(results):
        if half_life is not None:
            _check_times(chunk, source, HalfLife.of(half_life))
        recorded = record.store.recorded_from(source, _lines(chunk))
        _changes(record.store, chunk, source, numbers, recorded, 0)
        if check is not None:
            for result in chunk:
                check.add(result)
            marks.append(check.fingerprint())
    if check is not None and not again:
        check.finish()
    if len(names) > len(record.state.names):
        numbers = _by_name(session.answer(AddPlayers(joining)))
    kept = 0 if check is None or again else check.unchanged_until
    n_new: int = sum(
        session.answer(ImportResults(chunk, source, numbers, kept, mark))
        for chunk, mark in zip_longest(_chunks(results), marks)
        if chunk
    )
    for name in before:
        results.problems.check_name(name)
    return n_new


def _check_times(chunk: Iterable[PlayedMatch[str]], source: str, half_life: HalfLife) -> None:
    """Raise if results fade with time, and one has a time that cannot be read."""
    for match in chunk if half_life.is_time else ():
        given = (as_it_was(match).data or {}).get("time")  # left there if it is not a time
        if given is not None:
            raise InvalidInput(
                f"{source}, line {match.line}: a result that fades with time needs one in seconds "
                f"since 1970, or like 2026-11-16T21:00:00Z; got {given!r:.80}"
            )


def _by_name(names: Iterable[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(names)}


def _chunks(results: Iterable[PlayedMatch[str]]) -> Iterator[list[PlayedMatch[str]]]:
    rows = iter(results)
    while chunk := list(islice(rows, CHUNK)):
        yield chunk


def _lines(chunk: Sequence[PlayedMatch[str]]) -> tuple[int, int]:
    """The first and the last line of a chunk."""
    lines = [match.line or 0 for match in chunk]
    return min(lines), max(lines)


def _unknown_players(names: Iterable[str], results: Iterable[PlayedMatch[str]]) -> list[str]:
    """Names that are not players yet, in the order they occur."""
    known = set(names)
    found = dict.fromkeys(name for row in results for name in (row.first, row.second))
    return [name for name in found if name not in known]


@apply.register
def _(command: ImportResults, transaction: Transaction) -> int:
    writer, record, source = transaction.writer, transaction.record, command.source
    recorded = writer.recorded_from(source, _lines(command.chunk))
    new, retracted = _changes(
        record.store, command.chunk, source, command.numbers, recorded, command.kept
    )
    for match in new:
        entry = writer.tell(match, record.worker)
        if match.retracted is not None:
            writer.retract(entry, match.retracted, record.worker)
    for entry, reason in retracted:
        writer.retract(entry, reason, record.worker)
    if new and command.mark is not None:
        command.mark.record(writer, source)
    return len(new)


def _changes(
    store: Store,
    chunk: Sequence[PlayedMatch[str]],
    source: str,
    numbers: Mapping[str, int],
    recorded: Mapping[int, tuple[Entry, bool]],
    kept: int,
) -> tuple[list[PlayedMatch[int]], list[tuple[Entry, str]]]:
    """The results that are to be recorded, and those that are to be retracted, with the reasons.

    What was retracted up to line `kept` is not recorded again.
    """
    new, retracted = [], []
    for result in chunk:
        match = _numbered(numbers, result, source)
        assert match.line is not None
        entry, stands = recorded.get(match.line, (None, False))
        if entry is None:
            new.append(match)
        elif stands:
            _check_same(store, match, entry, numbers)
            if match.retracted is not None:
                retracted.append((entry, match.retracted))
        elif match.retracted is None and match.line > kept:
            new.append(match)
    return new, retracted


def _numbered(
    numbers: Mapping[str, int], result: PlayedMatch[str], source: str
) -> PlayedMatch[int]:
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
    return PlayedMatch(
        None,
        *pair,
        checked.score,
        result.games,
        result.errors,
        result.data,
        source,
        result.line,
        retracted=result.retracted,
    )


def _check_same(
    store: Store, match: PlayedMatch[int], recorded: Entry, numbers: Mapping[str, int]
) -> None:
    here, there = ((row.first or 0, row.second or 0, row.score or 0.0) for row in (match, recorded))
    if here != there:
        names = list(numbers)
        before, now = (f"{names[i]} - {names[j]} {score:g}" for i, j, score in (there, here))
        command = correction(store, "retract", "--source", match.source or "")
        raise ScoreConflict(
            f"{match.source}, line {match.line}: was imported as {before}, and is now {now}; "
            f"{command} takes back the old file, so that the corrected one can be imported"
        )


# Taken back


def retract_results(
    session: Session, source: str | Path, reason: str, only: int | None = None
) -> int:
    """Take back every result of a source, or that of one line; returns how many stood.

    An interrupted call can be repeated.
    """
    origin = _known_source(source, session.record.store.sources())
    if only is not None:
        n_taken: int = session.answer(RetractLine(origin, only, reason))
        return n_taken
    total = line = 0
    while True:
        lines = session.answer(RetractNext(origin, line, reason))
        if not lines:
            return total
        total, line = total + len(lines), lines[-1]


def _known_source(source: str | Path, known: list[str]) -> str:
    """The name under which a source was imported: as it is given, or the path of the file."""
    for name in (str(source), str(Path(source).resolve())):
        if name in known:
            return name
    there = f"imported: {listed(known)}" if known else "nothing was imported"
    raise InvalidInput(f"there is no source {str(source)!r}; {there}")


@apply.register
def _(command: RetractNext, transaction: Transaction) -> list[int]:
    writer = transaction.writer
    found = writer.results_from(command.source, command.after, CHUNK)
    for _, result in found:
        writer.retract(result, command.reason, transaction.record.worker)
    return [line for line, _ in found]


@apply.register
def _(command: RetractLine, transaction: Transaction) -> int:
    line = command.line
    found = transaction.writer.recorded_from(command.source, (line, line))
    if line not in found:
        raise InvalidInput(f"{command.source} has no result in line {line}")
    result, stands = found[line]
    if stands:
        transaction.writer.retract(result, command.reason, transaction.record.worker)
    return int(stands)
