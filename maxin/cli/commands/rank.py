"""`maxin rank`: ratings from a finished log."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from enum import StrEnum
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from maxin.cli.output.tables import Format, FormatOption, counted, listed, present
from maxin.core import InvalidInput

if TYPE_CHECKING:
    from maxin.ratings import Tally
    from maxin.tournament import Leaderboard, Top

CONFIDENCE = 0.95
MOST_TIES = 5  # groups of players rated the same that are told


class LogFormat(StrEnum):
    """How a log may be written."""

    CSV = "csv"
    JSONL = "jsonl"
    JSON = "json"
    PGN = "pgn"


def rank(
    file: Annotated[
        Path,
        typer.Argument(
            help="Results: CSV or JSON with columns first, second, score, or white, black, "
            "result, or model_a, model_b, winner; or PGN."
        ),
    ],
    format: FormatOption = Format.TEXT,
    input_format: Annotated[
        LogFormat | None, typer.Option(help="How the file is written, if its name does not say.")
    ] = None,
    first_advantage: Annotated[
        bool, typer.Option("--first-advantage", help="Fit what sitting first is worth.")
    ] = False,
) -> None:
    """Rate the players of a finished log, with 95 % intervals; nothing is scheduled or stored."""
    from maxin.cli.output.standings import Board, verdict
    from maxin.views.standings import leaderboard, top

    log = read(file, input_format)
    board = leaderboard(log.names, log.tally, first_advantage=first_advantage)
    leaders = top(log.names, log.tally, 1, CONFIDENCE)
    findings = found(log, board, leaders)
    notes = list(remarks(log, findings))
    present(Board(board, board, findings, [verdict(leaders, CONFIDENCE), *notes]), format)
    if format in (Format.CSV, Format.MARKDOWN):
        for note in notes:
            typer.echo(note, err=True)


class Read(NamedTuple):
    """A log's players, in the order they appear, their results, and the unfinished games."""

    names: list[str]
    tally: Tally
    n_matches: int
    n_skipped: int


def read(file: Path, format: LogFormat | None) -> Read:
    """Read a log, once, a few bytes a result."""
    from maxin.ratings import Tally
    from maxin.tournament.results import read_log

    numbers: dict[str, int] = {}
    first, second, scores = array("q"), array("q"), array("d")
    log = read_log(file, None if format is None else format.value)
    for row in log:
        first.append(numbers.setdefault(row.first, len(numbers)))
        second.append(numbers.setdefault(row.second, len(numbers)))
        scores.append(row.score)
    if not scores:
        raise InvalidInput(f"there are no finished matches in {str(file)!r}")
    tally = Tally(len(numbers))
    tally.add_many(first, second, scores)
    return Read(list(numbers), tally, len(scores), log.n_skipped)


def found(log: Read, board: Leaderboard, leaders: Top) -> dict[str, Any]:
    """What a rating alone does not tell."""
    return {
        "n_matches": log.n_matches,
        "n_skipped": log.n_skipped,
        "top": leaders._asdict(),
        "unbeaten": [row.player for row in board if row.score == 1.0],
        "winless": [row.player for row in board if row.score == 0.0],
        "tied": [
            names
            for _, rows in groupby(board, key=lambda row: row.rating)
            if len(names := [row.player for row in rows]) > 1
        ],
        "groups": groups(log),
    }


def groups(log: Read) -> list[list[str]]:
    """The players in groups that met, directly or through others; the largest first.

    >>> from maxin.ratings import Tally
    >>> tally = Tally(4)
    >>> tally.add_many([0, 2], [1, 3], [1.0, 1.0])
    >>> groups(Read(["anna", "bo", "cy", "dee"], tally, 2, 0))
    [['anna', 'bo'], ['cy', 'dee']]
    """
    from scipy.sparse.csgraph import connected_components

    count, labels = connected_components(log.tally.games > 0, directed=False)
    parts: list[list[str]] = [[] for _ in range(count)]
    for name, label in zip(log.names, labels, strict=True):
        parts[label].append(name)
    return sorted(parts, key=len, reverse=True)


def remarks(log: Read, findings: dict[str, Any]) -> Iterator[str]:
    """What a reader should know before believing the ratings, a line each."""
    skipped = f"; {counted(log.n_skipped, 'unfinished game')} left out" if log.n_skipped else ""
    yield f"{counted(len(log.names), 'player')}, {counted(log.n_matches, 'match')}{skipped}"
    for key, verb in (("unbeaten", "lost"), ("winless", "won")):
        if findings[key]:
            names = listed(findings[key])
            yield f"never {verb} a point, so that only the prior bounds their rating: {names}"
    for names in findings["tied"][:MOST_TIES]:
        yield f"rated the same: {listed(names)}"
    one, *others = findings["groups"]
    if others:
        yield (
            f"{one[0]} and {others[0][0]} never met, directly or through others, and the players "
            f"fall into {len(others) + 1} such groups: ratings in different groups are compared by "
            "the prior only"
        )
        for number, names in enumerate(findings["groups"][:MOST_TIES], start=1):
            yield f"group {number}: {listed(names)}"
