"""The state of a posterior of very many players: about 50 bytes per player and 40 per pair."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxin.kernels.posterior import NOBODY, PAIRS
from maxin.kernels.sparse import SparseState
from maxin.ratings.posterior.state import PAIR_ARRAYS, first_scales

LEAST_ROOM = 64  # for how many pairs a new state has room


def empty_state(n_players: int, kappa2: float) -> SparseState:
    """The state before any match."""
    return SparseState(
        scales=first_scales(kappa2),
        counts=np.zeros(2, dtype=np.int64),
        members=np.ones(n_players, dtype=np.bool_),
        heads=np.full(n_players, NOBODY, dtype=np.int32),
        nexts=np.empty(2 * LEAST_ROOM, dtype=np.int32),
        pairs=np.empty((LEAST_ROOM, 2), dtype=np.int32),
        **{name: np.empty(LEAST_ROOM, dtype=np.float32) for name in PAIR_ARRAYS[1:]},
        gap_scales=np.ones(LEAST_ROOM, dtype=np.float32),
        messages=np.empty(2 * LEAST_ROOM, dtype=np.float32),
        ratings=np.zeros(n_players),
        precisions=np.ones(n_players),
        degrees=np.zeros(n_players, dtype=np.int32),
        queue=np.empty(n_players, dtype=np.int32),
        is_queued=np.zeros(n_players, dtype=np.bool_),
    )


def roomy_state(state: SparseState, n_new: int) -> SparseState:
    """The state with room for this many more pairs; it grows by half, so that this is rare."""
    room = len(state.pairs)
    if state.counts[PAIRS] + n_new <= room:
        return state
    more = max(n_new, room // 2)
    grown = {name: _longer(getattr(state, name), more) for name in (*PAIR_ARRAYS, "gap_scales")}
    grown |= {name: _longer(getattr(state, name), 2 * more) for name in ("nexts", "messages")}
    return state.replace(**grown)


def _longer(array: NDArray[Any], n_more: int) -> NDArray[Any]:
    """A copy of an array with room for this many more entries."""
    return np.concatenate([array, np.empty((n_more, *array.shape[1:]), dtype=array.dtype)])


def joined_state(state: SparseState, n_new: int) -> SparseState:
    """The state with new players, about whom nothing is known."""
    empty = empty_state(n_new, 1.0)
    names = ("members", "heads", "ratings", "precisions", "degrees", "queue", "is_queued")
    grown = {name: np.append(getattr(state, name), getattr(empty, name)) for name in names}
    grown["precisions"][len(state.ratings) :] = 1.0 / state.scales[0]
    return state.replace(**grown)
