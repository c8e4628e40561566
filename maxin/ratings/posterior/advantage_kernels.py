"""What a posterior predicts of matches, and what else it says of two players; compiled."""

from __future__ import annotations

import math

import numpy as np

from maxin.core.compile import Floats, compiled, sigmoid
from maxin.ratings.posterior.state_kernels import (
    KAPPA2,
    NOBODY,
    PHI,
    ROWS,
    PosteriorState,
    field_size,
    fill_cov_row,
    fill_mean_advantage,
    open_effects,
    open_share,
)

PROBIT = math.pi / 8.0  # for A ~ N(m, V), E[sigmoid(A)] is about sigmoid(m / sqrt(1 + PROBIT V))


@compiled
def expected_score(mean: float, variance: float) -> tuple[float, float]:
    """P(win) averaged over a normal advantage, and its slope in the mean: a coin's information."""
    shrink = 1.0 / math.sqrt(1.0 + PROBIT * variance)
    chance = sigmoid(shrink * mean)
    return chance, shrink * chance * (1.0 - chance)


@compiled
def prediction(state: PosteriorState, pair: int, gap: float) -> tuple[float, float, float]:
    """P(win) of a pair, a match's information about A, and Var(A) = f^2 Var(r_i - r_j) + kappa^2 f.

    `gap` is Var(r_i - r_j). The variance of a score is phi p (1 - p), so a match has 1 / phi of the
    information of a coin.
    """
    i, j = state.pairs[pair, 0], state.pairs[pair, 1]
    share = open_share(state, pair)
    variance = share * share * gap + state.scales[KAPPA2] * share
    mean = state.ratings[i] - state.ratings[j] + state.effects[pair]
    chance, slope = expected_score(mean, variance)
    return chance, slope / state.scales[PHI], variance


@compiled
def advantages(state: PosteriorState, x: int) -> tuple[Floats, Floats]:
    """Mean and variance of the advantage of x over every player."""
    kappa2 = state.scales[KAPPA2]
    means: Floats = state.ratings[x] - state.ratings
    variances: Floats = np.empty_like(means)
    fill_cov_row(state, x, variances)
    for y in range(len(means)):
        gap = state.rating_var[x] + state.rating_var[y] - 2.0 * variances[y]
        variances[y] = max(gap, 0.0) + kappa2
    end = state.heads[x]
    while end != NOBODY:
        pair, sign = end // 2, 1.0 - 2.0 * (end % 2)
        y = state.pairs[pair, 1 - end % 2]
        share = open_share(state, pair)
        means[y] += sign * state.effects[pair]
        variances[y] = share * share * (variances[y] - kappa2) + kappa2 * share
        end = state.nexts[end]
    variances[x] = 0.0
    return means, variances


@compiled
def expected_scores(state: PosteriorState) -> Floats:
    """P(win) of every player against every other."""
    n_players = len(state.ratings)
    chances = np.full((n_players, n_players), 0.5)
    for x in range(n_players):
        means, variances = advantages(state, x)
        for y in range(x + 1, n_players):
            chances[x, y] = expected_score(means[y], variances[y])[0]
            chances[y, x] = 1.0 - chances[x, y]
    return chances


@compiled
def add_field_row(state: PosteriorState, x: int, amount: float, row: Floats) -> None:
    """Add row x of G to a row, times `amount`, but for its common part, -1 / n per member."""
    n_members = field_size(state)
    row[x] += amount
    end = state.heads[x]
    while end != NOBODY:
        pair = end // 2
        y = state.pairs[pair, 1 - end % 2]
        known = amount * (1.0 - open_share(state, pair)) * state.members[y] / n_members
        row[x] -= known
        row[y] += known
        end = state.nexts[end]


@compiled
def cov_times(state: PosteriorState, vector: Floats) -> Floats:
    """S v, for a vector that has few entries other than 0."""
    product: Floats = np.zeros_like(vector)
    for x in range(len(vector)):
        if vector[x] != 0.0:
            for z in range(len(vector)):
                product[z] += vector[x] * state.base_cov[x, z]
    for k in range(state.counts[ROWS]):
        amount = 0.0
        for x in range(len(vector)):
            amount += state.rows[k, x] * vector[x]
        for z in range(len(vector)):
            product[z] -= amount * state.rows[k, z]
    return product


@compiled
def contrast(state: PosteriorState, x: int, y: int) -> Floats:
    """G'(e_x - e_y), by which t_x - t_y depends on the ratings."""
    vector: Floats = np.zeros_like(state.ratings)
    add_field_row(state, x, 1.0, vector)
    add_field_row(state, y, -1.0, vector)
    return vector


@compiled
def strength_row(state: PosteriorState, x: int) -> Floats:
    """Cov(t, t_x) = G S G'e_x + kappa^2 / n^2 of the Laplacian of f."""
    members, n_members = state.members, field_size(state)
    vector: Floats = -members / n_members
    add_field_row(state, x, 1.0, vector)
    row: Floats = np.empty_like(vector)
    fill_mean_advantage(state, cov_times(state, vector), row)
    unit = state.scales[KAPPA2] / (n_members * n_members)
    row -= unit * members[x] * members
    row[x] += unit * (members[x] + open_effects(state)[x])
    end = state.heads[x]
    while end != NOBODY:
        y = state.pairs[end // 2, 1 - end % 2]
        row[y] += unit * (1.0 - open_share(state, end // 2)) * members[x] * members[y]
        end = state.nexts[end]
    return row


@compiled
def difference_variances(state: PosteriorState, variances: Floats, x: int) -> Floats:
    """Var(t_x - t_y) for every y, kept above zero, given the variances of all strengths."""
    differences: Floats = variances[x] + variances - 2.0 * strength_row(state, x)
    return np.maximum(differences, 1e-300)
