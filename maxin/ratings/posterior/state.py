"""How a posterior's state is made and grown."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from maxin.core import InvalidInput, check_whole
from maxin.core.arrays import Floats
from maxin.core.linalg import factorised, inverted, solved
from maxin.kernels.posterior import (
    MAY_CYCLE,
    NOBODY,
    PAIRS,
    ROWS,
    SPLIT,
    SPREAD2,
    PosteriorState,
    known_pairs,
    list_pairs,
    update_strengths,
)
from maxin.ratings.fitting.features.prior import FeaturePrior
from maxin.ratings.posterior.fitting import based_on, folded, most_rows

Number = TypeVar("Number", bound=np.generic)
FORGOTTEN = 1e-9  # of a match: what is left of the results of a pair when they are forgotten
ROOM = 64  # for how many pairs a new state has room
PAIR_ARRAYS = ("pairs", "played", "points", "weights", "effects")  # with one entry for each pair
ROW_ARRAYS = ("rows", "row_pairs", "row_scales")  # with one entry for each row of K


def first_scales(kappa2: float) -> Floats:
    """The scales before any match; `kappa2` is the mean of kappa^2 in a field with cycles."""
    return np.array([1.0, MAY_CYCLE * kappa2, kappa2, 1.0, 0.0, 0.0])


def before_any_match(n_players: int, kappa2: float) -> PosteriorState:
    """The state before any match: everyone at 0, with the scales of the prior."""
    n_rows = most_rows(n_players)
    state = PosteriorState(
        scales=first_scales(kappa2),
        members=np.ones(n_players),
        counts=np.zeros(2, dtype=np.int64),
        heads=np.full(n_players, NOBODY),
        nexts=np.empty(2 * ROOM, dtype=np.int64),
        pairs=np.empty((ROOM, 2), dtype=np.int64),
        played=np.empty(ROOM),
        points=np.empty(ROOM),
        weights=np.empty(ROOM),
        effects=np.empty(ROOM),
        prior_means=np.zeros(n_players),
        prior_weights=np.ones(n_players),
        prior_precision=np.empty((0, 0)),
        ratings=np.zeros(n_players),
        strengths=np.zeros(n_players),
        rating_var=np.ones(n_players),
        strength_var=np.zeros(n_players),
        mean_cov=np.zeros(n_players),
        base_cov=np.eye(n_players),
        factor=np.eye(n_players),
        rows=np.empty((n_rows, n_players)),
        row_pairs=np.empty((n_rows, 2), dtype=np.int64),
        row_scales=np.empty((n_rows, 2)),
    )
    update_strengths(state)
    return state


def members_of(field: Iterable[int], n_players: int) -> Floats:
    """1 for the players in the field, 0 for the others; or an error."""
    marks = np.zeros(n_players)
    for player in field:
        if not 0 <= check_whole(player, "a player's number") < n_players:
            raise InvalidInput(f"players are numbered 0..{n_players - 1}; got {player}")
        marks[player] = 1.0
    if marks.sum() < 2.0:
        raise InvalidInput("a field must have at least two players: strength is relative")
    return marks


def with_room(state: PosteriorState, *, n_pairs: int, n_rows: int) -> PosteriorState:
    """The state with room for this many more pairs and rows."""
    grown: dict[str, NDArray[Any]] = {}
    if state.counts[PAIRS] + n_pairs > len(state.pairs):
        more = len(state.pairs) + n_pairs
        grown = {name: roomy(getattr(state, name), more) for name in PAIR_ARRAYS}
        grown["nexts"] = roomy(state.nexts, 2 * more)
    if state.counts[ROWS] + n_rows > len(state.rows):
        grown |= {name: roomy(getattr(state, name), n_rows) for name in ROW_ARRAYS}
    return state.replace(**grown) if grown else state


def roomy(array: NDArray[Number], n_more: int) -> NDArray[Number]:
    """A copy of an array with room for this many more entries."""
    return np.concatenate([array, np.empty((n_more, *array.shape[1:]), dtype=array.dtype)])


def with_results(state: PosteriorState, table: Floats) -> PosteriorState:
    """The state with all results replaced by a crosstable; what is known of pairs stays."""
    played = np.triu(table + table.T, 1)
    pairs = np.ascontiguousarray(np.argwhere(played > 0.0))
    known = known_pairs(state, pairs)
    state.counts[PAIRS], state.heads[:] = 0, NOBODY
    state = with_room(state, n_pairs=len(pairs), n_rows=0)
    n_pairs = len(pairs)
    list_pairs(state, pairs)
    state.played[:n_pairs] = played[tuple(pairs.T)]
    state.points[:n_pairs] = table[tuple(pairs.T)]
    state.weights[:n_pairs], state.effects[:n_pairs] = known
    return state


def with_faded(state: PosteriorState, share: float) -> PosteriorState:
    """The state in which all results count a share of what they did, to be refitted.

    Pairs whose results are as good as forgotten are listed no longer.
    """
    n_pairs = state.counts[PAIRS]
    for name in ("played", "points", "weights"):
        getattr(state, name)[:n_pairs] *= share
    state.scales[SPLIT] *= share
    is_gone = state.played[:n_pairs] < FORGOTTEN
    if not is_gone.any():
        return state
    pairs, table = state.pairs[:n_pairs][~is_gone], np.zeros((len(state.ratings),) * 2)
    points, played = state.points[:n_pairs][~is_gone], state.played[:n_pairs][~is_gone]
    table[tuple(pairs.T)], table[tuple(pairs.T[::-1])] = points, played - points
    return with_results(state, table)


def with_prior(state: PosteriorState, prior: FeaturePrior) -> PosteriorState:
    """The state before any match, with a prior by features: S = s^2 R."""
    correlation, precision = prior.correlation(), prior.precision()
    state = state.replace(prior_precision=precision)
    return based_on(state, factorised(precision / state.scales[SPREAD2]), correlation)


def with_predicted(state: PosteriorState, prior: FeaturePrior) -> PosteriorState:
    """The state with players predicted from their features; the prior has theirs, at its end.

    Given the old ratings r, new ones are N(B r, s^2 (R_nn - B R_on)), with B = R_no R_oo^-1.
    """
    n_old, spread2 = len(state.ratings), float(state.scales[SPREAD2])
    correlation = prior.correlation()
    old, cross = correlation[:n_old, :n_old], correlation[n_old:, :n_old]
    by_old = solved(factorised(old), np.asfortranarray(cross.T)).T
    state = with_players(state, len(cross))
    cov, known = state.base_cov, state.base_cov[:n_old, :n_old]
    cov[n_old:, :n_old] = by_old @ known
    cov[:n_old, n_old:] = cov[n_old:, :n_old].T
    rest = spread2 * (correlation[n_old:, n_old:] - by_old @ cross.T)
    cov[n_old:, n_old:] = rest + by_old @ known @ by_old.T
    cov = 0.5 * (cov + cov.T)
    state.ratings[n_old:] = by_old @ state.ratings[:n_old]
    state = state.replace(prior_precision=prior.precision())
    return based_on(state, factorised(inverted(factorised(cov))), cov)


def with_players(state: PosteriorState, n_new: int) -> PosteriorState:
    """The state with new players, about whom nothing is known, and the present field."""
    state, n_players = folded(state), len(state.ratings) + n_new
    n_rows = most_rows(n_players)
    grown = state.replace(
        members=np.append(state.members, np.ones(n_new)),
        heads=np.append(state.heads, np.full(n_new, NOBODY)),
        prior_means=np.append(state.prior_means, np.zeros(n_new)),
        prior_weights=np.append(state.prior_weights, np.ones(n_new)),
        ratings=np.append(state.ratings, np.zeros(n_new)),
        strengths=np.append(state.strengths, np.zeros(n_new)),
        rating_var=np.append(state.rating_var, np.zeros(n_new)),
        strength_var=np.append(state.strength_var, np.zeros(n_new)),
        mean_cov=np.append(state.mean_cov, np.zeros(n_new)),
        rows=np.empty((n_rows, n_players)),
        row_pairs=np.empty((n_rows, 2), dtype=np.int64),
        row_scales=np.empty((n_rows, 2)),
    )
    spread2 = state.scales[SPREAD2]
    cov = _bordered(state.base_cov, spread2, n_new)
    return based_on(grown, _bordered(np.tril(state.factor), 1.0 / math.sqrt(spread2), n_new), cov)


def _bordered(matrix: Floats, entry: float, n_new: int) -> Floats:
    """The matrix with `n_new` more rows and columns, which are 0 but for the diagonal."""
    larger = entry * np.eye(len(matrix) + n_new)
    larger[: len(matrix), : len(matrix)] = matrix
    return larger
