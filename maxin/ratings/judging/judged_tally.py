"""A tally that also counts the results of each judge."""

from __future__ import annotations

from collections.abc import Sequence

from maxin.ratings.tally import SUMS, Tally


class JudgedTally(Tally):
    """A tally of all results, and one of each judge's.

    Attributes:
        judged: the results of each judge, by name; all of them are among the tally's own. Who sits
            first is who the judge saw first.

    >>> tally = JudgedTally(2)
    >>> tally.add(0, 1, 0.0)
    >>> tally.add_judged("ann", 0, 1, [1.0])
    >>> tally.games, tally.judged["ann"].games
    (array([2.]), array([1.]))
    """

    def __init__(self, n_players: int) -> None:
        super().__init__(n_players)
        self.judged: dict[str, Tally] = {}

    def add_judged(
        self,
        judge: str,
        first: int,
        second: int,
        games: Sequence[float],
        times: int = 1,
        *,
        is_swapped: bool = False,
    ) -> None:
        """Add a match that a judge decided; see `add_match`.

        Args:
            judge: the name of the judge.
            first: who sat first.
            second: the other one.
            games: the first player's scores.
            times: how often the match was played.
            is_swapped: whether the judge saw the second player first.
        """
        self.add_match(first, second, games, times)
        self.of(judge).add_match(*_shown(first, second, games, is_swapped=is_swapped), times)

    def remove_judged(
        self,
        judge: str,
        first: int,
        second: int,
        games: Sequence[float],
        *,
        is_swapped: bool = False,
    ) -> None:
        """Take back a match that was added.

        >>> tally = JudgedTally(2)
        >>> tally.add_judged("ann", 0, 1, [1.0])
        >>> tally.remove_judged("ann", 0, 1, [1.0])
        >>> tally.games.sum(), len(tally.judged)
        (np.float64(0.0), 0)
        """
        self.remove_match(first, second, games)
        own = self.of(judge)
        own.remove_match(*_shown(first, second, games, is_swapped=is_swapped))
        if not own.games.any():
            del self.judged[judge]

    def of(self, judge: str) -> Tally:
        """The tally of a judge, a new one at first."""
        if judge not in self.judged:
            self.judged[judge] = Tally(self.n_players)
        return self.judged[judge]

    def add_tally(self, other: Tally) -> None:
        """See `Tally.add_tally`."""
        super().add_tally(other)
        if isinstance(other, JudgedTally):
            for judge, own in other.judged.items():
                self.of(judge).add_tally(own)

    def is_like(self, other: Tally, tolerance: float = 0.0) -> bool:
        """See `Tally.is_like`."""
        theirs = other.judged if isinstance(other, JudgedTally) else {}
        return (
            self.judged.keys() == theirs.keys()
            and super().is_like(other, tolerance)
            and all(own.is_like(theirs[judge], tolerance) for judge, own in self.judged.items())
        )

    def copy(self) -> JudgedTally:
        """See `Tally.copy`."""
        copied = JudgedTally(self.n_players)
        copied._take(self._keys[: self._n_rows].copy(), [getattr(self, x).copy() for x in SUMS])
        copied.judged = {judge: own.copy() for judge, own in self.judged.items()}
        return copied

    def grow(self, n_players: int) -> None:
        """See `Tally.grow`."""
        super().grow(n_players)
        for own in self.judged.values():
            own.grow(n_players)


def _shown(
    first: int, second: int, games: Sequence[float], *, is_swapped: bool
) -> tuple[int, int, Sequence[float]]:
    """A match as its judge saw it."""
    return (
        (second, first, [1.0 - score for score in games]) if is_swapped else (first, second, games)
    )
