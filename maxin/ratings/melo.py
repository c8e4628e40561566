"""mElo: a rating and 2k cyclic coordinates per player, for games with cycles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from maxin.core import InvalidInput, check_whole
from maxin.ratings.base import Array
from maxin.ratings.elo import Elo

START_SCALE = 1.0 / 8.0  # of the random start; zero is a saddle point that no gradient step leaves
MOST_DIMENSIONS = 1024


def check_dimensions(dimensions: int) -> int:
    """Return 2k, or raise unless it is an even number from 0 to 1024."""
    count = check_whole(dimensions, "dimensions")
    if count % 2 or not 0 <= count <= MOST_DIMENSIONS:
        raise InvalidInput(
            f"dimensions (2k) must be an even number from 0 to {MOST_DIMENSIONS}; "
            f"got {dimensions!r}"
        )
    return count


@dataclass(frozen=True)
class MElo(Elo):
    """P(i beats j) = sigmoid(r_i - r_j + c_i' Omega c_j)  (paper, Eq. melo_qhat).

    Args:
        n_players: how many players are rated.
        prior_scale: see `Elo`.
        dimensions: 2k, the length of c; Omega rotates each of its k planes by a right angle.

    >>> melo = MElo(n_players=3, dimensions=2)
    >>> circle = np.array([[0.0, 1.0, 0.0], [0.0, -0.5, 0.866], [0.0, -0.5, -0.866]])
    >>> melo.advantages(circle)[0]  # beats the second as often as it loses to the third
    array([ 0.   ,  0.866, -0.866])
    """

    dimensions: int = 8

    def __post_init__(self) -> None:
        super().__post_init__()
        check_dimensions(self.dimensions)

    def start(self, rng: np.random.Generator) -> Array:
        """Equal ratings and small random c, shape (players, 1 + 2k)."""
        cyclic = rng.normal(0.0, START_SCALE, (self.n_players, self.dimensions))
        return np.hstack([np.zeros((self.n_players, 1)), cyclic])

    def advantages(self, parameters: Array) -> Array:
        """Log-odds of every player against every other, shape (players, players)."""
        even, odd = parameters[:, 1::2], parameters[:, 2::2]
        turned = even @ odd.T
        return super().advantages(parameters) + turned - turned.T
