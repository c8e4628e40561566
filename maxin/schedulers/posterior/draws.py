"""Draws from the posterior by position: the same for a match whatever was drawn before."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from maxin.core.linalg import root_times
from maxin.kernels.posterior import ROWS, PosteriorState
from maxin.ratings.base import Array
from maxin.ratings.posterior.fitting import most_rows
from maxin.schedulers.base import Draws

BLOCK = 16  # positions whose first draws are prepared together, in one solution
N_DRAWS = 22  # of a position
FEW = 64  # for fewer players than this, all draws are prepared together
PARTS = (2, 4, 16)  # draws that are prepared together for more players: most need the first alone
NUMBERS = 640  # later draws of several positions are prepared together up to this many numbers
SMALL = 1e-3  # nats: no difference of strengths that matters
N_PENDING = 16  # rows of pending matches for which numbers are prepared

Numbers = tuple[Array, Array, Array]  # draws from N(0, S0); numbers for rows and for effects


class StrengthDraws:
    """The numbers of draws of the strengths: they depend on the position and on S0 alone.

    See `drawn` in `maxin.kernels.posterior`. A position has 22 draws; the first two are cheap.

    Args:
        n_players: how many players there are.
        rng: gives the key of all draws.
    """

    def __init__(self, n_players: int, rng: np.random.Generator) -> None:
        parts = (N_DRAWS,) if n_players < FEW else PARTS
        n_positions = (BLOCK, *(max(NUMBERS // (n_players * part), 1) for part in parts[1:]))
        self._pools = [
            _Pool(n_players, rng, count, part)
            for count, part in zip(n_positions, parts, strict=True)
        ]

    def two(self, position: int, state: PosteriorState) -> Numbers:
        """The first two draws."""
        bases, row_noise, effect_noise = self._pools[0].at(position, state)
        return bases[:2], row_noise[:2], effect_noise[:2]

    def tries(self, position: int, state: PosteriorState) -> Iterator[Numbers]:
        """The first draws, and then the first with ever more of the others."""
        found = self._pools[0].at(position, state)
        yield found
        for pool in self._pools[1:]:
            parts = zip(found, pool.at(position, state), strict=True)
            bases, row_noise, effect_noise = (np.concatenate(both) for both in parts)
            found = bases, row_noise, effect_noise
            yield found


class Ties:
    """A small number per player and position, which decides among equal strengths.

    Args:
        n_players: how many players there are.
        rng: gives the key of all numbers.
    """

    def __init__(self, n_players: int, rng: np.random.Generator) -> None:
        self._shape, self._draws = (BLOCK, n_players), Draws(rng)
        self._block = -1
        self._numbers: Array = np.empty((0, 0))

    def __getitem__(self, position: int) -> Array:
        block, place = divmod(position, BLOCK)
        if block != self._block:
            self._block = block
            self._numbers = SMALL * self._draws.generator(block).random(self._shape)
        row: Array = self._numbers[place]
        return row


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
        self._factor: Array | None = None  # the S0 that the bases were computed from

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
