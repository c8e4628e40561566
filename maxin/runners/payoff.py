"""Matches decided by a matrix of chances, for trials without a game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxin.core import Entrant, InvalidInput, check_name
from maxin.runners.threads import Threads


class Payoff(Threads):
    """Player i, seated first, beats j with chance `probabilities[i, j]`; there are no draws.

    The match's seed decides, together with who sits where: the same game ends the same way, and
    a second game with the seats swapped is another throw of the dice.

    Args:
        probabilities: of the first player's win, shape (players, players).
        names: whose row is which, in order.

    >>> runner = Payoff([[0.5, 1.0], [0.0, 0.5]], ["anna", "bo"])
    >>> from maxin.runners.base import Job
    >>> runner.play(Job(1, Entrant("anna"), Entrant("bo"), seed=7)).score
    1.0
    """

    def __init__(self, probabilities: ArrayLike, names: Sequence[str]) -> None:
        super().__init__(self._throw)
        self._chances = _matrix(probabilities)
        self._rows = {name: row for row, name in enumerate(names)}
        if self._chances.shape != (len(names), len(names)) or len(self._rows) != len(names):
            raise InvalidInput(
                f"a payoff matrix has a row and a column for each of its different names; "
                f"got shape {self._chances.shape} and {len(self._rows)} names"
            )

    def check(self, entrants: Iterable[Entrant]) -> None:
        """Every player has a row."""
        for entrant in entrants:
            check_name(entrant.name, self._rows, "row of the payoff matrix")

    def _throw(self, first: str, second: str, seed: int) -> float:
        one, two = self._rows[first], self._rows[second]
        dice = np.random.default_rng((seed, one, two))
        return float(dice.random() < self._chances[one, two])


def _matrix(probabilities: ArrayLike) -> NDArray[np.float64]:
    """A copy of the chances, for the caller's may change; or an error if they are none."""
    try:
        chances = np.array(probabilities, dtype=np.float64)
    except (TypeError, ValueError):
        chances = np.array(np.nan)
    if not ((chances >= 0.0) & (chances <= 1.0)).all():
        raise InvalidInput("the chances of a payoff matrix are numbers in [0, 1]")
    return chances
