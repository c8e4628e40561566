"""Draws from the posterior by position: the same for a match whatever was drawn before."""

from __future__ import annotations

import numpy as np

from maxin.core.linalg import root_times
from maxin.ratings.base import Array
from maxin.ratings.posterior.draw_kernels import drawn
from maxin.ratings.posterior.fitting import most_rows
from maxin.ratings.posterior.state_kernels import ROWS, PosteriorState
from maxin.schedulers.base import Draws

BLOCK = 16  # positions whose first draws are prepared together, in one solution
N_FIRST, N_LATER = 2, 20  # how many draws a position has: those always needed, and the others
NUMBERS = 320  # of later draws, about how many are prepared together for each draw
N_PENDING = 16  # rows of pending matches for which numbers are prepared


class StrengthDraws:
    """Draws of the strengths; those of a position depend on it and on the posterior alone.

    Args:
        n_players: how many players there are.
        rng: gives the key of all draws.
    """

    def __init__(self, n_players: int, rng: np.random.Generator) -> None:
        self._first = _Pool(n_players, rng, BLOCK, N_FIRST)
        n_positions = min(max(NUMBERS // n_players, 1), BLOCK)
        self._later = _Pool(n_players, rng, n_positions, N_LATER)

    def first(self, position: int, state: PosteriorState, scale: float = 1.0) -> Array:
        """The first two draws, as rows: strengths + scale * noise."""
        return drawn(state, *self._first.at(position, state), scale)

    def later(self, position: int, state: PosteriorState) -> Array:
        """Twenty other draws, as rows."""
        return drawn(state, *self._later.at(position, state), 1.0)


class _Pool:
    """The random numbers of draws, and their part that depends on S0 alone, for some positions."""

    def __init__(
        self, n_players: int, rng: np.random.Generator, n_positions: int, n_draws: int
    ) -> None:
        self._n_players, self._draws, self._extra = n_players, Draws(rng), Draws(rng)
        self._n_positions, self._n_draws = n_positions, n_draws
        self._most_rows = most_rows(n_players) + N_PENDING
        self._block = -1  # of positions, whose numbers are kept
        self._normals = np.empty((0, 0))
        self._bases = np.empty((0, 0))
        self._factor: Array | None = None  # of the S0 by which the bases were made

    def at(self, position: int, state: PosteriorState) -> tuple[Array, Array, Array]:
        """Draws from N(0, S0), and numbers for the rows of K and for the effects."""
        block, place = divmod(position, self._n_positions)
        n_players, n_rows = self._n_players, int(state.counts[ROWS])
        if block != self._block:
            shape = (self._n_positions * self._n_draws, 2 * n_players + self._most_rows)
            self._normals = self._draws.generator(block).standard_normal(shape)
            self._block, self._factor = block, None
        if state.factor is not self._factor:
            columns = np.asfortranarray(self._normals[:, :n_players].T)
            self._bases = np.ascontiguousarray(root_times(state.factor, columns).T)
            self._factor = state.factor
        rows = slice(place * self._n_draws, (place + 1) * self._n_draws)
        effects = np.ascontiguousarray(self._normals[rows, n_players : 2 * n_players])
        row_noise = np.ascontiguousarray(self._normals[rows, 2 * n_players :])
        if n_rows > self._most_rows:
            generator = self._extra.generator(position)
            row_noise = generator.standard_normal((self._n_draws, n_rows))
        return self._bases[rows], row_noise, effects
