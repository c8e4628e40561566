"""What features alone say about ratings: the part that players with similar features share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maxin.core.linalg import one_blas_thread
from maxin.kernels.posterior import ROWS, SPREAD2, PosteriorState
from maxin.ratings.base import Array
from maxin.ratings.fitting.features.prior import FeaturePrior
from maxin.ratings.fitting.features.table import Features


def shared_part(
    state: PosteriorState, prior: FeaturePrior, others: Features, base: NDArray[np.int64]
) -> tuple[Array, Array]:
    """Mean and variance of g(x) - mean of r over `base`, for each x of `others`, in nats.

    A rating is r = g(x) + what is the player's own, with g ~ N(0, s^2 G) and
    R = G + (1 - rho) I. The posterior is r ~ N(m, S). With k = G(x, players), B = k R^-1 and w
    the weights of the mean over `base`:

        E = (B - w) m,    Var = s^2 (G(x, x) - B k') + (B - w) S (B - w)'

    Args:
        state: the posterior of the players.
        prior: theirs.
        others: features at which g is wanted; they need not be those of players.
        base: the players with whom g is compared.

    >>> from maxin.core import Match, Result
    >>> from maxin.ratings import Posterior
    >>> posterior = Posterior(3, features=[0.0, 1.0, 2.0])
    >>> posterior.tell_all([Result(Match(2, 1), 1.0), Result(Match(1, 0), 1.0)] * 20)
    >>> halfway = Features([0.5, 1.5])
    >>> shared_part(posterior.state, posterior.prior, halfway, np.arange(3))[0]
    array([-0.939,  0.939])
    """
    n_players, spread2 = len(state.ratings), float(state.scales[SPREAD2])
    joined = prior.joined_by(others).correlation()
    cross = joined[n_players:, :n_players]
    own = np.diagonal(joined)[n_players:] - (1.0 - prior.explained)
    with one_blas_thread():
        by_players = cross @ state.prior_precision
        rows = state.rows[: state.counts[ROWS]]
        cov = state.base_cov - rows.T @ rows
        left = spread2 * (own - (by_players * cross).sum(axis=1))
        by_players[:, base] -= 1.0 / len(base)
        variances = np.maximum(left, 0.0) + ((by_players @ cov) * by_players).sum(axis=1)
        return by_players @ state.ratings, variances
