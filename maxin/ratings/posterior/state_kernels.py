"""The state of a posterior, and the list of pairs that met; see `maxin.core.compile`.

The symbols, and all equations, are those of docs/notes/posterior.md. A is the advantage, r the
ratings, e the effects and t the strengths. With kappa^2 = scales[KAPPA2], a share
f = 1 / (1 + kappa^2 w) of the effect of a pair with weight w is still unknown; f = 1 for a pair
that never met.

The covariance of the ratings is not kept up to date: it is S = S0 - K'K. S0 is that of the last
refit, and every match since then has a row of K.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from maxin.core.compile import Floats, Ints, compiled

SPREAD2, KAPPA2, PRIOR_KAPPA2, PHI, SPLIT, OUTSIDERS = 0, 1, 2, 3, 4, 5  # indices of `scales`
PAIRS, ROWS = 0, 1  # the indices of `counts`
SLOPE, NOISE = 0, 1  # the columns of `row_scales`
NOBODY = -1  # ends a player's list of pairs
PAIR_ARRAYS = ("pairs", "played", "points", "weights", "effects")  # with one entry for each pair
ROW_ARRAYS = ("rows", "row_pairs", "row_scales")  # with one entry for each row of K


class PairList(Protocol):
    """Any state with a list of the pairs that met: its fields are those of `PosteriorState`."""

    @property
    def scales(self) -> Floats:
        """Kappa^2 is at its place."""
        ...

    @property
    def counts(self) -> Ints:
        """How many pairs there are, first."""
        ...

    @property
    def heads(self) -> NDArray[Any]:
        """For each player, the end of its latest pair."""
        ...

    @property
    def nexts(self) -> NDArray[Any]:
        """For each end of a pair, the same player's end of the pair before."""
        ...

    @property
    def pairs(self) -> NDArray[Any]:
        """The pairs i < j that met."""
        ...

    @property
    def played(self) -> NDArray[Any]:
        """How many matches each pair played."""
        ...

    @property
    def points(self) -> NDArray[Any]:
        """The points of the pair's first player."""
        ...

    @property
    def weights(self) -> NDArray[Any]:
        """The information in each pair's matches."""
        ...

    @property
    def effects(self) -> NDArray[Any]:
        """What each pair adds to its rating difference."""
        ...


class PosteriorState(NamedTuple):
    """The state of a posterior: the observed matches, the means and the covariances."""

    scales: Floats  # s^2, kappa^2, the prior mean of kappa^2, phi, the sum of y (1 - y), and
    # how many outsiders there are: players of the field who are not among these players
    members: Floats  # 1 for the players in the field, 0 for those who left it
    counts: Ints  # how many pairs and rows there are; their arrays may have room for more
    heads: Ints  # for each player, the end of its latest pair: 2 p if it is first in pair p
    nexts: Ints  # for each of both ends of a pair, the same player's end of the pair before
    pairs: Ints  # the pairs i < j that met
    played: Floats  # N, how many matches each pair played
    points: Floats  # W, the points of the pair's first player in these matches
    weights: Floats  # w, the information about the pair's advantage in these matches
    effects: Floats  # e, means of what each pair adds to its rating difference
    prior_means: Floats  # of the ratings; 0 unless matches with outsiders are counted in them
    prior_weights: Floats  # their precisions, times s^2; 1 unless likewise
    prior_precision: Floats  # P, of all ratings, times s^2; empty unless they have features
    ratings: Floats  # r, means of the ratings
    strengths: Floats  # t, means of the strengths, the mean advantages over the field
    rating_var: Floats  # the diagonal of S = Cov(r)
    strength_var: Floats  # the diagonal of C = Cov(t)
    base_cov: Floats  # S0, of the last refit
    factor: Floats  # lower triangular L, with L L' the inverse of S0
    rows: Floats  # K, a row for each match since then
    row_pairs: Ints  # the two players of each row
    row_scales: Floats  # for each row sqrt(eta) f and sqrt(eta (kappa^2 f + 1 / h))


@compiled
def field_size(state: PosteriorState) -> float:
    """The number n of players against whom strength is measured, outsiders included."""
    size: float = state.members.sum() + state.scales[OUTSIDERS]
    return size


@compiled
def open_share(state: PairList, pair: int) -> float:
    """The unknown share f = 1 / (1 + kappa^2 w) of the effect of a pair that met."""
    share: float = 1.0 / (1.0 + state.scales[KAPPA2] * state.weights[pair])
    return share


@compiled
def pair_place(state: PairList, i: int, j: int) -> int:
    """The place of a pair i < j in the list; -1 if it is not listed."""
    end = state.heads[j]
    while end != NOBODY:
        if state.pairs[end // 2, 0] == i and state.pairs[end // 2, 1] == j:
            return int(end // 2)
        end = state.nexts[end]
    return NOBODY


@compiled
def list_pair(state: PairList, i: int, j: int) -> int:
    """The place of a pair i < j, which is listed if it is not yet and if there is room."""
    pair = pair_place(state, i, j)
    if pair == NOBODY:
        pair = state.counts[PAIRS]
        state.counts[PAIRS] += 1
        state.pairs[pair, 0], state.pairs[pair, 1] = i, j
        state.nexts[2 * pair], state.nexts[2 * pair + 1] = state.heads[i], state.heads[j]
        state.heads[i], state.heads[j] = 2 * pair, 2 * pair + 1
        state.played[pair] = state.points[pair] = 0.0
        state.weights[pair] = state.effects[pair] = 0.0
    return pair


@compiled
def list_pairs(state: PairList, pairs: Ints) -> Ints:
    """The places of pairs i < j, given as rows, that there is room for."""
    places: Ints = np.empty(len(pairs), dtype=np.int64)
    for pair in range(len(pairs)):
        places[pair] = list_pair(state, pairs[pair, 0], pairs[pair, 1])
    return places


@compiled
def fill_cov_row(state: PosteriorState, x: int, row: Floats) -> None:
    """Fill in Cov(r, r_x)."""
    row[:] = state.base_cov[x]
    for k in range(state.counts[ROWS]):
        amount = state.rows[k, x]
        for z in range(len(row)):
            row[z] -= amount * state.rows[k, z]


@compiled
def fill_gap_row(state: PosteriorState, i: int, j: int, row: Floats) -> None:
    """Fill in Cov(r, r_i - r_j)."""
    for z in range(len(row)):
        row[z] = state.base_cov[i, z] - state.base_cov[j, z]
    for k in range(state.counts[ROWS]):
        amount = state.rows[k, i] - state.rows[k, j]
        for z in range(len(row)):
            row[z] -= amount * state.rows[k, z]


@compiled
def gaps_of(state: PosteriorState) -> Floats:
    """Var(r_i - r_j) for each pair that met."""
    gaps: Floats = np.empty(state.counts[PAIRS])
    for pair in range(len(gaps)):
        i, j = state.pairs[pair, 0], state.pairs[pair, 1]
        cov = state.base_cov[i, j]
        for k in range(state.counts[ROWS]):
            cov -= state.rows[k, i] * state.rows[k, j]
        gaps[pair] = max(state.rating_var[i] + state.rating_var[j] - 2.0 * cov, 0.0)
    return gaps


@compiled
def fill_mean_advantage(state: PosteriorState, vector: Floats, means: Floats) -> None:
    """Fill in G v: for each player i, the mean over the field of f_ij (v_i - v_j)."""
    members, n_members = state.members, field_size(state)
    mean = (members * vector).sum() / n_members
    for x in range(len(vector)):
        means[x] = vector[x] - mean
    for pair in range(state.counts[PAIRS]):
        i, j = state.pairs[pair, 0], state.pairs[pair, 1]
        known = (1.0 - open_share(state, pair)) * (vector[i] - vector[j]) / n_members
        means[i] -= members[j] * known
        means[j] += members[i] * known


@compiled
def open_effects(state: PosteriorState) -> Floats:
    """For each player i, the sum over the field of f_ij: n^2 / kappa^2 of Var(mean effect)."""
    members = state.members
    sums: Floats = field_size(state) - members
    for pair in range(state.counts[PAIRS]):
        i, j = state.pairs[pair, 0], state.pairs[pair, 1]
        known = 1.0 - open_share(state, pair)
        sums[i] -= members[j] * known
        sums[j] -= members[i] * known
    return sums
