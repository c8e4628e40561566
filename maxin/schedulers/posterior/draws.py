"""Draws from the posterior by position: the same for a match whatever was drawn before."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from maxin.core.linalg import root_times
from maxin.ratings.base import Array
from maxin.ratings.posterior.fitting import most_rows
from maxin.ratings.posterior.state_kernels import ROWS, PosteriorState
from maxin.schedulers.base import Draws

BLOCK = 16  # positions whose first draws are prepared together, in one solution
N_DRAWS = 22  # of a position
FEW = 64  # for fewer players than this, all draws are prepared, and otherwise two at first
NUMBERS = 320  # for fewer players than this, later draws of several positions are prepared together
N_PENDING = 16  # rows of pending matches for which numbers are prepared

Numbers = tuple[Array, Array, Array]  # draws from N(0, S0); numbers for rows and for effects


class StrengthDraws:
    """The numbers of draws of the strengths: they depend on the position and on S0 alone.

    See `maxin.ratings.posterior.draw_kernels`. A position has 22 draws; the first two are cheap.

    Args:
        n_players: how many players there are.
        rng: gives the key of all draws.
    """

    def __init__(self, n_players: int, rng: np.random.Generator) -> None:
        n_first = N_DRAWS if n_players < FEW else 2
        self._first = _Pool(n_players, rng, BLOCK, n_first)
        n_positions = min(max(NUMBERS // n_players, 1), BLOCK)
        self._later = _Pool(n_players, rng, n_positions, N_DRAWS - n_first)
        self._is_whole = n_first == N_DRAWS

    def two(self, position: int, state: PosteriorState) -> Numbers:
        """The first two draws."""
        bases, row_noise, effect_noise = self._first.at(position, state)
        return bases[:2], row_noise[:2], effect_noise[:2]

    def tries(self, position: int, state: PosteriorState) -> Iterator[Numbers]:
        """The first draws, and then all of them, if these are not all."""
        first = self._first.at(position, state)
        yield first
        if not self._is_whole:
            parts = zip(first, self._later.at(position, state), strict=True)
            bases, row_noise, effect_noise = (np.concatenate(both) for both in parts)
            yield bases, row_noise, effect_noise


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

    def at(self, position: int, state: PosteriorState) -> Numbers:
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
        effect_noise = np.ascontiguousarray(self._normals[rows, n_players : 2 * n_players])
        row_noise = np.ascontiguousarray(self._normals[rows, 2 * n_players :])
        if n_rows > self._most_rows:
            generator = self._extra.generator(position)
            row_noise = generator.standard_normal((self._n_draws, n_rows))
        return self._bases[rows], row_noise, effect_noise
