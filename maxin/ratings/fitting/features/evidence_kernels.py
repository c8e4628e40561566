"""What the results say of the ratings, for the evidence of a prior; compiled."""

from __future__ import annotations

import numpy as np

from maxin.core.compile import Floats, compiled
from maxin.ratings.posterior.advantage_kernels import prediction
from maxin.ratings.posterior.state_kernels import PAIRS, PHI, PosteriorState, open_share


@compiled
def likelihood_of(state: PosteriorState, gaps: Floats) -> tuple[Floats, Floats]:
    """L = Lap(w f), and b = L r + the slope of the log-likelihood at the ratings r.

    With the pair effects integrated out, the likelihood is about exp(b'r - r'Lr / 2).
    """
    n_players, phi = len(state.ratings), state.scales[PHI]
    laplacian, pull = np.zeros((n_players, n_players)), np.zeros(n_players)
    for pair in range(state.counts[PAIRS]):
        i, j = state.pairs[pair, 0], state.pairs[pair, 1]
        chance, _, _ = prediction(state, pair, gaps[pair])
        weight, share = state.weights[pair], open_share(state, pair)
        surprise = (state.points[pair] - state.played[pair] * chance) / phi
        tie = weight * share
        amount = share * (surprise + weight * state.effects[pair])
        amount += tie * (state.ratings[i] - state.ratings[j])
        pull[i] += amount
        pull[j] -= amount
        laplacian[i, i] += tie
        laplacian[j, j] += tie
        laplacian[i, j] -= tie
        laplacian[j, i] -= tie
    return laplacian, pull
