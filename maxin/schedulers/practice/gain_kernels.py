"""How much a match reveals about the ratings; compiled. See `state_kernels` for the symbols."""

from __future__ import annotations

import math

import numpy as np

from maxin.core.compile import Floats, compiled
from maxin.ratings.posterior.advantage_kernels import advantages, expected_score
from maxin.ratings.posterior.state_kernels import (
    KAPPA2,
    NOBODY,
    PHI,
    PosteriorState,
    open_share,
)


@compiled
def rating_gains(state: PosteriorState) -> Floats:
    """The expected information of a match of each pair about the ratings, in nats.

    It is what the match reveals about the advantage A, minus what it would reveal about the
    effect of the pair if the ratings were known:

        (log(1 + h Var(A)) - log(1 + h kappa^2 f)) / 2,

    where h is the information of the match about A.
    """
    n_players, kappa2 = len(state.ratings), state.scales[KAPPA2]
    gains: Floats = np.zeros((n_players, n_players))
    shares = np.empty(n_players)
    for x in range(n_players):
        means, variances = advantages(state, x)
        shares[:] = 1.0
        end = state.heads[x]
        while end != NOBODY:
            shares[state.pairs[end // 2, 1 - end % 2]] = open_share(state, end // 2)
            end = state.nexts[end]
        for y in range(x + 1, n_players):
            weight = expected_score(means[y], variances[y])[1] / state.scales[PHI]
            own = math.log1p(weight * kappa2 * shares[y])
            gains[x, y] = 0.5 * (math.log1p(weight * variances[y]) - own)
            gains[y, x] = gains[x, y]
    return gains
