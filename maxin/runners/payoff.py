"""Simulate matches from a payoff matrix, without a real game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxin.core import Entrant, InvalidInput, check_name
from maxin.runners.threads import Threads


class Payoff(Threads):
    """Player i, seated first, beats j with probability `probabilities[i, j]`, without draws.

    The result depends on the seed and the seats only: the same game always ends the same way,
    and a game with the seats swapped is drawn independently.

    Args:
        probabilities: the first player's chances of winning, of shape (players, players).
        names: the players' names, in the order of the rows.

    >>> runner = Payoff([[0.5, 1.0], [0.0, 0.5]], ["anna", "bo"])
    >>> from maxin.runners.base import Job
    >>> runner.play(Job(1, Entrant("anna"), Entrant("bo"), seed=7)).score
    1.0
    """

    def __init__(self, probabilities: ArrayLike, names: Sequence[str]) -> None:
        super().__init__(self._draw)
        self._chances = _matrix(probabilities)
        self._rows = {name: row for row, name in enumerate(names)}
        if self._chances.shape != (len(names), len(names)) or len(self._rows) != len(names):
            raise InvalidInput(
                f"a payoff matrix must have one row and one column per name, all different; "
                f"got shape {self._chances.shape} and {len(self._rows)} different names"
            )

    def check(self, entrants: Iterable[Entrant]) -> None:
        """Raise unless every player has a row."""
        for entrant in entrants:
            check_name(entrant.name, self._rows, "row of the payoff matrix")

    def _draw(self, first: str, second: str, seed: int) -> float:
        one, two = self._rows[first], self._rows[second]
        rng = np.random.default_rng((seed, one, two))
        return float(rng.random() < self._chances[one, two])


def _matrix(probabilities: ArrayLike) -> NDArray[np.float64]:
    """A copy of the probabilities, since the caller may change theirs; raise if any is invalid."""
    try:
        chances = np.array(probabilities, dtype=np.float64)
    except (TypeError, ValueError):
        chances = np.array(np.nan)
    if not ((chances >= 0.0) & (chances <= 1.0)).all():
        raise InvalidInput("the entries of a payoff matrix must be probabilities, in [0, 1]")
    return chances
