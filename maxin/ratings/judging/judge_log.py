"""Who judged the games of a log."""

from __future__ import annotations

from array import array

import numpy as np

from maxin.core.arrays import Ints
from maxin.ratings.base import Array
from maxin.ratings.judging.judged_tally import JudgedTally


class JudgeLog:
    """The judges of some games of a log, with a few bytes per game.

    >>> log = JudgeLog()
    >>> log.add(1, "ann", is_swapped=True)
    >>> tally = JudgedTally(2)
    >>> games = np.array([[0, 0], [1, 1]]), np.array([1.0, 0.0]), np.ones(2), np.array([1.0, 0.0])
    >>> log.note(tally, *games)
    >>> tally.judged["ann"].first, tally.judged["ann"].points
    (array([1]), array([1.]))
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}  # the judges by name
        self._games, self._judges, self._is_swapped = array("q"), array("q"), array("b")

    def add(self, game: int, judge: str, *, is_swapped: bool) -> None:
        """Note the judge of a game, by its place in the log; see `JudgedTally.add_judged`."""
        self._games.append(game)
        self._judges.append(self._numbers.setdefault(judge, len(self._numbers)))
        self._is_swapped.append(is_swapped)

    def note(
        self,
        tally: JudgedTally,
        players: Ints,
        scores: Array,
        weights: Array,
        means: Array,
        start: int = 0,
    ) -> None:
        """Count games in the tallies of their judges; the tally itself has them already.

        Args:
            tally: whose judges.
            players: who sat first and who sat second in each game, shape (2, games).
            scores: of who sat first.
            weights: the shares of their matches that the games make up.
            means: the scores of the whole matches.
            start: the place of the first of these games in the log.
        """
        games = np.array(self._games, dtype=np.int64)
        rows = slice(*np.searchsorted(games, [start, start + len(scores)]).tolist())
        order = np.argsort(np.array(self._judges, dtype=np.int64)[rows], kind="stable")
        judges = np.array(self._judges, dtype=np.int64)[rows][order]
        is_swapped = np.array(self._is_swapped, dtype=np.bool_)[rows][order]
        games = games[rows][order] - start
        first, second = np.where(is_swapped, players[::-1, games], players[:, games])
        shown = np.where(is_swapped, 1.0 - scores[games], scores[games])
        for name, number in self._numbers.items():
            own = slice(*np.searchsorted(judges, [number, number + 1]).tolist())
            if own.stop > own.start:
                part, some = tally.of(name), games[own]
                counts = (first[own], second[own], shown[own], weights[some])
                part.add_many(*counts, means=means[some])
