"""Groups of players that results connect, compared with SciPy; a fit handles each by itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

from maxin.ratings import Posterior
from maxin.ratings.posterior import advantage_kernels as kernels
from maxin.ratings.posterior.group_kernels import groups_of

tables = st.integers(2, 9).flatmap(
    lambda n: st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=n).map(
        lambda pairs: played_of(n, pairs)
    )
)


def played_of(n_players, pairs):
    played = np.zeros((n_players, n_players))
    for i, j in pairs:
        if i != j:
            played[min(i, j), max(i, j)] += 1.0
    return played


@given(played=tables)
def test_groups_are_connected_components(played):
    groups = groups_of(played)
    n_groups, labels = connected_components(played, directed=False)
    parts = np.split(groups.order, groups.ends[:-1])
    assert sorted(map(sorted, parts)) == sorted(
        sorted(np.flatnonzero(labels == label)) for label in range(n_groups)
    )
    met = np.split(groups.pairs, groups.pair_ends[:-1])
    for players, pairs in zip(parts, met, strict=True):
        assert [groups.places[player] for player in players] == list(range(len(players)))
        assert set(pairs.ravel().tolist()) <= set(players.tolist())
    assert sorted(map(tuple, groups.pairs)) == list(zip(*np.nonzero(played), strict=True))


@given(played=tables, seed=st.integers(0, 99))
def test_the_covariance_is_the_inverse_of_the_whole_precision(played, seed):
    rng = np.random.default_rng(seed)
    upper = np.floor(rng.random(played.shape) * (played + 1.0))
    posterior = Posterior(len(played))
    posterior.fit(upper + (played - upper).T)
    state = posterior.state
    precision = np.eye(len(played)) / state.scales[kernels.SPREAD2]
    for i, j in zip(*np.nonzero(played), strict=True):
        tie = state.weights[i, j] * kernels.open_share(state, i, j)
        precision[[i, j], [i, j]] += tie
        precision[[i, j], [j, i]] -= tie
    np.testing.assert_allclose(state.rating_cov, np.linalg.inv(precision), atol=1e-6)


def test_a_field_of_strangers_inverts_no_large_matrix():
    """A step of 300 pairs of strangers handles pairs: its covariance has no other entries."""
    n_players = 600
    points = np.zeros((n_players, n_players))
    points[np.arange(0, n_players, 2), np.arange(1, n_players, 2)] = 1.0
    posterior = Posterior(n_players)
    posterior.fit(points)
    cov = posterior.state.rating_cov
    assert np.count_nonzero(cov) == 2 * n_players
    assert groups_of(posterior.state.played).ends.tolist() == list(range(2, n_players + 1, 2))
    winners, losers = posterior.ratings()[::2], posterior.ratings()[1::2]
    assert np.ptp(winners) == pytest.approx(0.0, abs=1e-9)
    assert winners == pytest.approx(-losers)
