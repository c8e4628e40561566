"""Imported results that are taken back: one line of a source, or all of it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from maxin.core import InvalidInput
from maxin.core.text import listed
from maxin.storage import Writer
from maxin.tournament.tickets.tickets import Tickets

CHUNK = 5_000  # results written in one transaction, so that others wait for a moment only


def retract_results(
    tickets: Tickets, source: str | Path, reason: str, only: int | None = None
) -> int:
    """Take back every result of a source, or that of one line; returns how many stood.

    Who is interrupted can do it again.
    """
    origin = _known_source(source, tickets.store.sources())
    if only is not None:
        return tickets.blindly(partial(_retract_line, tickets.worker, origin, only, reason))
    total = line = 0
    while True:
        lines = tickets.blindly(partial(_retract, tickets.worker, origin, line, reason))
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


def _retract(worker: str, source: str, after: int, reason: str, writer: Writer) -> list[int]:
    """Take back the next results of a source; returns their lines."""
    found = writer.results_from(source, after, CHUNK)
    for _, result in found:
        writer.retract(result, reason, worker)
    return [line for line, _ in found]


def _retract_line(worker: str, source: str, line: int, reason: str, writer: Writer) -> int:
    """Take back the result of one line; returns 0 if that was done before."""
    found = writer.recorded_from(source, (line, line))
    if line not in found:
        raise InvalidInput(f"{source} has no result in line {line}")
    result, stands = found[line]
    if stands:
        writer.retract(result, reason, worker)
    return int(stands)
