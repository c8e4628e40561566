"""The state of a posterior, and what it predicts of a pair's matches; see `maxin.core.compile`.

Arrays of pairs (played, points, effects, weights) use only the entries [i, j] with i < j. With
kappa^2 = scales[KAPPA2], a share f = 1 / (1 + kappa^2 w) of the effect of a pair with weight w is
still unknown; f = 1 for a pair that never met. A is the advantage, r the ratings, e the effects
and t the strengths. The equations are derived in docs/notes/posterior.md.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from maxin.core.compile import Floats, compiled, sigmoid

SPREAD2, KAPPA2, PRIOR_KAPPA2, PHI, SPLIT = 0, 1, 2, 3, 4  # the indices of `scales`
PROBIT = math.pi / 8.0  # for A ~ N(m, V), E[sigmoid(A)] is about sigmoid(m / sqrt(1 + PROBIT V))


class PosteriorState(NamedTuple):
    """The state of a posterior: the observed matches, the means and the covariances."""

    scales: Floats  # s^2, kappa^2, the prior mean of kappa^2, phi, and the sum of y (1 - y)
    members: Floats  # 1 for the players in the field, 0 for those who left it
    played: Floats  # N, how many matches each pair played
    points: Floats  # W, the points of the pair's first player in these matches
    weights: Floats  # w, the information about the pair's advantage in these matches
    effects: Floats  # e, means of what each pair adds to its rating difference
    ratings: Floats  # r, means of the ratings
    strengths: Floats  # t, means of the strengths, the mean advantages over the field
    rating_cov: Floats  # S = Cov(r)
    cross_cov: Floats  # B = Cov(t, r)
    strength_cov: Floats  # C = Cov(t)
    root: Floats  # upper triangular U with U'U = C + constant


@compiled
def open_share(state: PosteriorState, i: int, j: int) -> float:
    """The unknown share f = 1 / (1 + kappa^2 w) of the effect of a pair i < j."""
    share: float = 1.0 / (1.0 + state.scales[KAPPA2] * state.weights[i, j])
    return share


@compiled
def advantage_variance(state: PosteriorState, i: int, j: int) -> float:
    """Var(A_ij) = f^2 Var(r_i - r_j) + kappa^2 f of a pair i < j."""
    share = open_share(state, i, j)
    cov = state.rating_cov
    gap = cov[i, i] - 2.0 * cov[i, j] + cov[j, j]
    variance: float = share * share * max(gap, 0.0) + state.scales[KAPPA2] * share
    return variance


@compiled
def expected_score(mean: float, variance: float) -> tuple[float, float]:
    """P(win) averaged over a normal advantage, and its slope in the mean: a coin's information."""
    shrink = 1.0 / math.sqrt(1.0 + PROBIT * variance)
    chance = sigmoid(shrink * mean)
    return chance, shrink * chance * (1.0 - chance)


@compiled
def prediction(state: PosteriorState, i: int, j: int) -> tuple[float, float, float]:
    """P(win) of a pair i < j, a match's information about A_ij, and Var(A_ij).

    The variance of a score is phi p (1 - p), so a match has 1 / phi of the information of a coin.
    """
    variance = advantage_variance(state, i, j)
    chance, slope = expected_score(pair_advantage(state, i, j), variance)
    return chance, slope / state.scales[PHI], variance


@compiled
def pair_advantage(state: PosteriorState, i: int, j: int) -> float:
    """The mean of A_ij = r_i - r_j + e_ij of a pair i < j."""
    mean: float = state.ratings[i] - state.ratings[j] + state.effects[i, j]
    return mean


@compiled
def expected_scores(state: PosteriorState) -> Floats:
    """P(win) of every player against every other."""
    n_players = len(state.ratings)
    chances = np.full((n_players, n_players), 0.5)
    for i in range(n_players):
        for j in range(i + 1, n_players):
            variance = advantage_variance(state, i, j)
            chances[i, j] = expected_score(pair_advantage(state, i, j), variance)[0]
            chances[j, i] = 1.0 - chances[i, j]
    return chances
