"""The scales of a posterior, learnt from its own means and variances.

They are the spread s of the ratings, the spread kappa of the pair effects, and the dispersion phi
of the scores. The symbols are those of `state_kernels`.
"""

from __future__ import annotations

import math

import numpy as np

from maxin.core.compile import Floats, compiled
from maxin.ratings.posterior.advantage_kernels import prediction
from maxin.ratings.posterior.state_kernels import (
    KAPPA2,
    OUTSIDERS,
    PAIRS,
    PHI,
    PRIOR_KAPPA2,
    SPLIT,
    SPREAD2,
    PairList,
    PosteriorState,
    open_share,
)

LEAST_SPREAD2, MOST_SPREAD2 = 0.04, 9.0  # bounds of s^2 when it is refitted
LEAST_KAPPA, MOST_KAPPA, N_KAPPAS = 0.05, 3.0, 12  # the grid of kappas for its posterior mean
N_GRIDS = 4  # each spans what is likely in the last one
REACH = 3.5  # how many standard deviations of log kappa a grid extends
LEAST_PHI = 0.02  # no match counts for more than 50 coin flips
PRIOR_INFORMATION = 2.5  # of the prior of phi: ten coin flips between equal players


@compiled
def likely_kappa2(state: PairList, gaps: Floats) -> float:
    """The posterior mean of kappa^2, given the effects of the pairs that met and their gaps.

    Dividing the prior N(0, kappa^2) out of a pair's posterior leaves a noisy observation of its
    effect, which is N(0, k^2 + noise) for any other k. The prior of k is half-normal, with the
    mean of k^2 that `scales` holds. The mean is taken on a grid of log k; each next grid spans
    what the last one found likely, so that the outcome is smooth however many pairs there are.
    """
    squares, noises = seen_effects(state, gaps)
    least, most = math.log(LEAST_KAPPA), math.log(MOST_KAPPA)
    low, high, kappa2 = least, most, 1.0
    for _ in range(N_GRIDS):
        step = (high - low) / (N_KAPPAS - 1.0)
        kappas = np.exp(low + step * np.arange(N_KAPPAS))
        logs = np.log(kappas) - 0.5 * kappas * kappas / state.scales[PRIOR_KAPPA2]
        for k in range(N_KAPPAS):
            logs[k] += effects_log_likelihood(squares, noises, kappas[k] * kappas[k])
        odds = np.exp(logs - logs.max())
        odds /= odds.sum()
        kappa2 = (odds * kappas * kappas).sum()
        centre = (odds * np.log(kappas)).sum()
        variance = (odds * (np.log(kappas) - centre) ** 2).sum()
        reach = REACH * math.sqrt(variance + 0.25 * step * step)
        low, high = max(least, centre - reach), min(most, centre + reach)
    return float(kappa2)


@compiled
def seen_effects(state: PairList, gaps: Floats) -> tuple[Floats, Floats]:
    """The squares of what was seen of the effects, and the variances of its noise."""
    kappa2, n_seen = state.scales[KAPPA2], 0
    squares, noises = np.empty(len(gaps)), np.empty(len(gaps))
    for pair in range(len(gaps)):
        share = open_share(state, pair)
        variance = kappa2 * share + (1.0 - share) ** 2 * gaps[pair]
        precision = 1.0 / variance - 1.0 / kappa2
        if precision > 1e-9:
            seen = state.effects[pair] / (variance * precision)
            squares[n_seen], noises[n_seen] = seen * seen, 1.0 / precision
            n_seen += 1
    return squares[:n_seen], noises[:n_seen]


@compiled
def effects_log_likelihood(squares: Floats, noises: Floats, kappa2: float) -> float:
    """The sum of the log densities N(0, kappa^2 + noise) of what was seen, up to a constant.

    Logarithms take most of the time, so there is one for every eight pairs.
    """
    log, n_pairs, start = 0.0, len(squares), 0
    while start < n_pairs:
        product = 1.0
        for pair in range(start, min(start + 8, n_pairs)):
            total = kappa2 + noises[pair]
            product *= total
            log -= squares[pair] / total
        log -= math.log(product)
        start += 8
    return 0.5 * log


@compiled
def likely_phi(state: PosteriorState, gaps: Floats) -> float:
    """The dispersion phi of scores, from E[y (1 - y)] = (1 - phi) E[p (1 - p)].

    A coin has y (1 - y) = 0, so phi is 1 if every match was won or lost. The prior acts like ten
    more coins.
    """
    information = PRIOR_INFORMATION
    for pair in range(state.counts[PAIRS]):
        _, weight, _ = prediction(state, pair, gaps[pair])
        information += state.played[pair] * weight * state.scales[PHI]
    phi: float = 1.0 - state.scales[SPLIT] / information
    return max(phi, LEAST_PHI)


@compiled
def expected_squares(state: PosteriorState, gaps: Floats) -> float:
    """The sum r'P r + trace(P S), the expected square of the ratings in units of their prior.

    S is the inverse of P / s^2 + Lap(w f), so trace(P S) = s^2 (n - trace(Lap(w f) S)), and the
    last trace is the sum over pairs of w f Var(r_i - r_j).
    """
    n_free = float(len(state.ratings))
    for pair in range(len(gaps)):
        n_free -= state.weights[pair] * open_share(state, pair) * gaps[pair]
    squares = (state.ratings * np.dot(state.prior_precision, state.ratings)).sum()
    found: float = squares + state.scales[SPREAD2] * max(n_free, 0.0)
    return found


@compiled
def fit_scales(state: PosteriorState, gaps: Floats, pace: float) -> float:
    """Refit s^2 and kappa^2 to the ratings and effects, and phi to the scores.

    s^2 = (1 + sum of r_i^2 + Var(r_i)) / (n + 1): the prior acts like one more player, rated 1.
    With features the sum is that of `expected_squares`.
    If the field has outsiders, these players are not a sample of it, and only kappa^2 is refitted.
    All scales move by the share `pace` of their whole step; returns that step's relative size.
    """
    scales = state.scales
    if len(state.prior_precision) > 0:
        total = 1.0 + expected_squares(state, gaps)
    else:
        total = 1.0 + state.rating_var.sum() + (state.ratings**2).sum()
    spread2 = min(max(total / (len(state.ratings) + 1.0), LEAST_SPREAD2), MOST_SPREAD2)
    kappa2 = likely_kappa2(state, gaps)
    phi = likely_phi(state, gaps)
    if scales[OUTSIDERS] > 0.0:
        spread2, phi = scales[SPREAD2], scales[PHI]
    change = abs(spread2 / scales[SPREAD2] - 1.0) + abs(kappa2 / scales[KAPPA2] - 1.0)
    change += abs(phi / scales[PHI] - 1.0)
    scales[SPREAD2] += pace * (spread2 - scales[SPREAD2])
    scales[KAPPA2] += pace * (kappa2 - scales[KAPPA2])
    scales[PHI] += pace * (phi - scales[PHI])
    return float(change)
