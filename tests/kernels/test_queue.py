"""Local relaxation and belief propagation, against dense algebra."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from maxin.kernels.sparse import add_results, pair_gap, queue_everyone, queue_players, relax
from maxin.ratings.sparse.sparse_state import empty_state, roomy_state
from tests.helpers.dense_graph import dense_fixed_point

seeds = st.integers(0, 10_000)


def settled(n_players, matches, scores, spread2=1.3, kappa2=0.4, phi=0.8):
    """The state of these results, relaxed as far as single precision allows."""
    state = roomy_state(empty_state(n_players, 1.0), len(matches))
    state.scales[[0, 1, 3]] = spread2, kappa2, phi
    state.precisions[:] = 1.0 / spread2
    add_results(state, matches, scores)
    for _ in range(60):
        relax(state, queue_everyone(state), 1e-9, 100_000)
    return state


def some_tree(rng, n_players):
    """A match of every player with an earlier one; some meet several times."""
    rows = [(int(rng.integers(player)), player) for player in range(1, n_players)]
    rows += [rows[int(rng.integers(len(rows)))] for _ in range(n_players // 2)]
    swapped = [row if rng.random() < 0.5 else row[::-1] for row in rows]
    return np.array(swapped, dtype=np.int64), rng.choice([0.0, 0.5, 1.0], len(rows))


def some_graph(rng, n_players, n_matches):
    matches = [rng.choice(n_players, size=2, replace=False) for _ in range(n_matches)]
    return np.array(matches), rng.choice([0.0, 1.0], n_matches)


@given(seed=seeds, n_players=st.integers(2, 12))
@settings(max_examples=30, deadline=None)
def test_on_a_tree_means_and_variances_are_exact(seed, n_players):
    state = settled(n_players, *some_tree(np.random.default_rng(seed), n_players))
    ratings, effects, weights, cov = dense_fixed_point(state, n_steps=60)
    n_pairs = state.counts[0]
    np.testing.assert_allclose(state.ratings, ratings, atol=2e-4)
    np.testing.assert_allclose(state.effects[:n_pairs], effects, atol=2e-4)
    np.testing.assert_allclose(state.weights[:n_pairs], weights, atol=2e-4)
    np.testing.assert_allclose(1.0 / state.precisions, np.diagonal(cov), rtol=2e-4)
    for pair in range(n_pairs):
        i, j = state.pairs[pair]
        gap = cov[i, i] + cov[j, j] - 2.0 * cov[i, j]
        np.testing.assert_allclose(pair_gap(state, pair), gap, rtol=2e-4)


@given(seed=seeds)
@settings(max_examples=10, deadline=None)
def test_on_a_sparse_graph_they_are_close(seed):
    rng = np.random.default_rng(seed)
    state = settled(60, *some_graph(rng, 60, 100))
    ratings, _, _, cov = dense_fixed_point(state, n_steps=30)
    np.testing.assert_allclose(state.ratings, ratings, atol=0.05)
    np.testing.assert_allclose(1.0 / state.precisions, np.diagonal(cov), rtol=0.08)


def test_results_of_a_pair_are_one_entry_whoever_sits_first():
    state = roomy_state(empty_state(4, 1.0), 3)
    add_results(state, np.array([[2, 1], [1, 2], [0, 3]]), np.array([1.0, 0.5, 0.0]))
    assert state.counts[0] == 2
    assert state.pairs[:2].tolist() == [[1, 2], [0, 3]]
    assert state.played[:2].tolist() == [2.0, 1.0]
    assert state.points[:2].tolist() == [0.5, 0.0]
    assert state.degrees.tolist() == [1, 1, 1, 1]
    assert state.scales[4] == 0.25


def test_everyone_is_queued_once_and_nobody_is_left_in_the_queue():
    state = roomy_state(empty_state(5, 1.0), 3)
    matches = np.array([[0, 1], [1, 2], [0, 2]])
    add_results(state, matches, np.ones(3))
    assert queue_players(state, matches) == 3
    assert relax(state, 3, 1e-6, 4) == 4  # too few visits to settle
    assert not state.is_queued.any()


def test_certain_results_settle():
    state = settled(3, np.array([[0, 1], [1, 2]] * 200), np.ones(400), phi=1.0)
    before = state.ratings.copy()
    relax(state, queue_everyone(state), 1e-9, 10_000)
    np.testing.assert_allclose(state.ratings, before, atol=1e-5)
    assert state.ratings[0] > state.ratings[1] > state.ratings[2]
