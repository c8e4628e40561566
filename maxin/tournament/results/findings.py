"""What a reader should know about a finished log before believing its ratings."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any, NamedTuple

from maxin.core.text import counted, listed, visible
from maxin.ratings import Tally
from maxin.ratings.judging.control_log import ControlLog
from maxin.tournament.results.problems import RowProblems
from maxin.views import Overview

MOST_SHOWN = 5  # ties and groups that are named


class FinishedLog(NamedTuple):
    """The players of a log, in the order they appear, and their results."""

    names: list[str]
    tally: Tally
    n_matches: int
    n_skipped: int  # unfinished games
    problems: RowProblems
    is_chess: bool = False
    controls: ControlLog | None = None


def findings(log: FinishedLog, overview: Overview) -> dict[str, Any]:
    """What ratings alone do not show."""
    board = overview.leaderboard
    return {
        "n_matches": log.n_matches,
        "n_skipped": log.n_skipped,
        "top": None if overview.top is None else overview.top._asdict(),
        "duel": None if overview.duel is None else overview.duel.document(),
        "unbeaten": [row.player for row in board if row.score == 1.0],
        "winless": [row.player for row in board if row.score == 0.0],
        "tied": [
            names
            for _, rows in groupby(board, key=lambda row: row.rating)
            if len(names := [row.player for row in rows]) > 1
        ],
        "groups": groups(log),
        "invalid": dict(log.problems.counts),
        "alike": log.problems.alike,
    }


def groups(log: FinishedLog) -> list[list[str]]:
    """The players in groups that met, directly or through others; the largest group first.

    >>> tally = Tally(4)
    >>> tally.add_many([0, 2], [1, 3], [1.0, 1.0])
    >>> groups(FinishedLog(["anna", "bo", "cy", "dee"], tally, 2, 0, RowProblems("league.csv")))
    [['anna', 'bo'], ['cy', 'dee']]
    """
    group_of = [[player] for player in range(len(log.names))]
    for one, two in zip(log.tally.first.tolist(), log.tally.second.tolist(), strict=True):
        if group_of[one] is not group_of[two]:
            smaller, larger = sorted((group_of[one], group_of[two]), key=len)
            larger += smaller
            for player in smaller:
                group_of[player] = larger
    distinct = {id(group): sorted(group) for group in group_of}.values()
    found = [[log.names[player] for player in group] for group in distinct]
    return sorted(found, key=len, reverse=True)


def remarks(log: FinishedLog, found: dict[str, Any]) -> Iterator[str]:
    """The findings as sentences, one line each."""
    skipped = f"; {counted(log.n_skipped, 'unfinished game')} left out" if log.n_skipped else ""
    yield f"{counted(len(log.names), 'player')}, {counted(log.n_matches, 'match')}{skipped}"
    yield from log.problems.notes
    for key, verb in (("unbeaten", "lost"), ("winless", "won")):
        if found[key]:
            yield f"never {verb} a point, so only the prior bounds the rating: {listed(found[key])}"
    for names in found["tied"][:MOST_SHOWN]:
        yield f"rated the same: {listed(names)}"
    one, *others = found["groups"]
    if others:
        yield (
            f"{visible(one[0])} and {visible(others[0][0])} never met, directly or through others. "
            f"The players form {len(others) + 1} such groups, and only the prior compares ratings "
            "of different groups"
        )
        for number, names in enumerate(found["groups"][:MOST_SHOWN], start=1):
            yield f"group {number}: {listed(names)}"
