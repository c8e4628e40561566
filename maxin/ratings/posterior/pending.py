"""The posterior with pending matches counted."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from maxin.core import Match
from maxin.core.arrays import Floats, Ints
from maxin.core.linalg import one_blas_thread
from maxin.kernels.posterior import (
    PAIRS,
    ROWS,
    PosteriorState,
    list_pairs,
    lower_strength_var,
    narrow,
)
from maxin.ratings.posterior.posterior import Posterior
from maxin.ratings.posterior.state import PAIR_ARRAYS, ROW_ARRAYS, roomy, with_room

NARROWED = ("counts", "heads", "nexts", *PAIR_ARRAYS, "rating_var", "mean_cov")


class WithPending:
    """The posterior's state with pending matches counted: narrower, with the same means.

    Results are told to the posterior alone, which never sees a pending match. So the pending ones
    are counted again after each result, all at once; and one by one as more are asked.

    >>> counting = WithPending(Posterior(3))
    >>> counting.state([]).rating_var, counting.state([Match(0, 1)]).rating_var
    (array([1., 1., 1.]), array([0.869, 0.869, 1.       ]))
    """

    def __init__(self, posterior: Posterior) -> None:
        self._posterior = posterior
        self.forget()

    def forget(self) -> None:
        """Count all pending matches again next time."""
        self._narrowed: PosteriorState | None = None
        self._counted: list[Match] = []  # in this order
        self._asked: Ints = np.empty(0, dtype=np.int64)  # their pairs
        self._found: Floats = np.empty((0, 2))  # what `narrow` returned of each
        self._lowered: PosteriorState | None = None  # `strength_var` for the first `_n_lowered`
        self._n_lowered = 0

    def state(self, pending: Sequence[Match]) -> PosteriorState:
        """The state with these matches counted; its `strength_var` is that without them."""
        if self._narrowed is None or self._counted != pending[: len(self._counted)]:
            self.forget()
        if not pending:
            return self._posterior.state
        if new := pending[len(self._counted) :]:
            self._count(new)
        assert self._narrowed is not None
        return self._narrowed

    def _count(self, new: Sequence[Match]) -> None:
        """Count these matches as well."""
        state = self._narrowed or self._posterior.state
        players = np.fromiter(chain.from_iterable(new), np.int64, 2 * len(new)).reshape(-1, 2)
        pairs = np.sort(players[players[:, 0] != players[:, 1]], axis=1)
        if self._narrowed is None:
            copies = {name: getattr(state, name).copy() for name in NARROWED}
            for name in ROW_ARRAYS:
                copies[name] = roomy(getattr(state, name)[: state.counts[ROWS]], 2 * len(pairs))
            state = state.replace(**copies)
        state = with_room(state, n_pairs=len(pairs), n_rows=len(pairs))
        asked = list_pairs(state, pairs)
        with one_blas_thread():
            found = narrow(state, asked)
        self._narrowed = state
        self._counted.extend(new)
        self._asked = np.concatenate([self._asked, asked])
        self._found = np.concatenate([self._found, found])

    def strength_var(self) -> Floats:
        """The variances of all strengths, given the pending matches counted last."""
        now, state = self._posterior.state, self._narrowed
        if state is None:
            return now.strength_var
        before, start = self._lowered or now, self._n_lowered
        weights, known = np.zeros_like(state.weights), before.weights[: before.counts[PAIRS]]
        weights[: len(known)] = known
        state = state.replace(weights=weights, strength_var=before.strength_var.copy())
        rows = int(now.counts[ROWS]) + start
        lower_strength_var(state, rows, self._asked[start:], self._found[start:])
        self._lowered, self._n_lowered = state, len(self._asked)
        return state.strength_var
