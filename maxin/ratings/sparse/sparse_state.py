"""The state of a posterior of very many players: about 50 bytes per player and 40 per pair."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxin.core.stored import LARGEST, Arrays, StoredArrays, Unusable, floats, wholes
from maxin.kernels.posterior import NOBODY, PAIRS, SPLIT
from maxin.kernels.sparse import SparseState, list_pairs
from maxin.ratings.posterior.state import PAIR_ARRAYS

N_SCALES = 6
LEAST_ROOM = 64  # for how many pairs a new state has room


def empty_state(n_players: int, kappa2: float) -> SparseState:
    """The state before any match."""
    return SparseState(
        scales=np.array([1.0, kappa2, kappa2, 1.0, 0.0, 0.0]),
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


def stored_sparse(state: SparseState) -> Arrays:
    """What is stored of the state."""
    n_pairs = state.counts[PAIRS]
    arrays = {name: floats(getattr(state, name)) for name in ("scales", "ratings", "precisions")}
    for name in PAIR_ARRAYS[1:]:
        arrays[name] = floats(getattr(state, name)[:n_pairs])
    arrays["messages"] = floats(state.messages[: 2 * n_pairs])
    members = wholes(state.members)
    return arrays | {"members": members, "pairs": wholes(state.pairs[:n_pairs])}


def restored_sparse(stored: StoredArrays, n_players: int) -> SparseState:
    """The state, or `Unusable`."""
    state = empty_state(n_players, 1.0)
    pairs = stored.wholes("pairs", (None, 2), 0, n_players - 1)
    n_pairs = len(pairs)
    state = roomy_state(state, n_pairs)
    list_pairs(state, pairs)
    for name in PAIR_ARRAYS[1:]:
        low = -LARGEST if name == "effects" else 0.0
        getattr(state, name)[:n_pairs] = stored.floats(name, (n_pairs,), low=low)
    state.gap_scales[:n_pairs] = 1.0
    state.messages[: 2 * n_pairs] = stored.floats("messages", (2 * n_pairs,), low=0.0)
    state.ratings[:] = stored.floats("ratings", (n_players,))
    state.precisions[:] = stored.floats("precisions", (n_players,), low=1e-12)
    state.scales[:] = stored.floats("scales", (N_SCALES,), low=0.0)
    state.members[:] = stored.wholes("members", (n_players,), 0, 1)
    np.add.at(state.degrees, pairs.ravel(), 1)
    is_sorted = (pairs[:, 0] < pairs[:, 1]).all()
    if state.counts[PAIRS] != n_pairs or not is_sorted or not (state.scales[:SPLIT] > 0.0).all():
        raise Unusable("these are not the pairs and scales of a sparse posterior")
    return state
