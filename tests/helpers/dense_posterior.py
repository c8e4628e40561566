"""A posterior's state as whole matrices, and the same numbers by plain linear algebra."""

import numpy as np

from maxin.core import Match, Result
from maxin.ratings import Posterior


def pair_table(state, name):
    """What each pair has, at [i, j] with i < j; 0 for pairs that never met."""
    table, n_pairs = np.zeros((len(state.ratings),) * 2), state.counts[0]
    table[tuple(state.pairs[:n_pairs].T)] = getattr(state, name)[:n_pairs]
    return table


def rating_cov(state):
    """S = S0 - K'K."""
    rows = state.rows[: state.counts[1]]
    return state.base_cov - rows.T @ rows


def everything_cov(state):
    """The covariance of all ratings and effects by one large inverse; and what maps them to t."""
    n, weights = len(state.ratings), pair_table(state, "weights")
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    spread2, kappa2 = state.scales[:2]
    precision = np.diag([*(state.prior_weights / spread2), *([1 / kappa2] * len(pairs))])
    if len(state.prior_precision):
        precision[:n, :n] = state.prior_precision / spread2
    n_field = state.members.sum() + state.scales[5]
    to_strengths = np.zeros((n, len(precision)))
    to_strengths[:, :n] = np.eye(n) * state.scales[5] / n_field
    for place, (i, j) in enumerate(pairs):
        advantage = np.zeros(len(precision))
        advantage[[i, j, n + place]] = 1.0, -1.0, 1.0
        precision += weights[i, j] * np.outer(advantage, advantage)
        to_strengths[i] += state.members[j] * advantage / n_field
        to_strengths[j] -= state.members[i] * advantage / n_field
    return np.linalg.inv(precision), to_strengths


def strength_cov(state):
    """C, the covariance of the strengths."""
    everything, to_strengths = everything_cov(state)
    n_field = state.members.sum() + state.scales[5]
    outside = state.scales[1] * state.scales[5] / n_field**2  # effects against outsiders
    return to_strengths @ everything @ to_strengths.T + outside * np.eye(len(state.ratings))


def difference_variance(state, x, y):
    """Var(t_x - t_y)."""
    cov = strength_cov(state)
    return cov[x, x] + cov[y, y] - 2.0 * cov[x, y]


def some_posterior(seed, n_players, n_matches=30):
    """A posterior after random results: wins, draws and losses."""
    rng, posterior = np.random.default_rng(seed), Posterior(n_players)
    for _ in range(n_matches):
        match = Match(*rng.choice(n_players, size=2, replace=False).tolist())
        posterior.tell(Result(match, float(rng.choice([0.0, 0.5, 1.0]))))
    return posterior
