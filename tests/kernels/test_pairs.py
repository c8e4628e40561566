"""Loops over pairs against plain NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

from maxin.kernels import pairs as kernels
from maxin.ratings.fitting.pairs import Pairs

N = 5
seeds = st.integers(0, 10_000)


def random_log(rng, n_matches=12):
    pairs = np.array([rng.choice(N, size=2, replace=False) for _ in range(n_matches)])
    scores = rng.choice([0.0, 0.5, 1.0], size=n_matches)
    return pairs[:, 0].copy(), pairs[:, 1].copy(), scores


def random_tally(rng):
    """Games and points by seat."""
    games = rng.integers(0, 4, size=(N, N)).astype(float)
    np.fill_diagonal(games, 0.0)
    return games, games * rng.random((N, N)).round(1)


def table_of(pairs):
    """The crosstable of pairs, entry by entry."""
    points = np.zeros((pairs.n_players, pairs.n_players))
    for i in range(pairs.n_players):
        for place in range(pairs.begins[i], pairs.begins[i + 1]):
            j = pairs.others[place]
            points[i, j] += pairs.points[place]
            points[j, i] += pairs.games[place] - pairs.points[place]
    return points


@given(seed=seeds)
def test_points_are_counted_and_the_first_bad_match_is_found(seed):
    rng = np.random.default_rng(seed)
    first, second, scores = random_log(rng)
    expected = np.zeros((N, N))
    for i, j, score in zip(first, second, scores, strict=True):
        expected[i, j] += score
        expected[j, i] += 1.0 - score
    points = np.zeros((N, N))
    kernels.count_points(first, second, scores, points)
    np.testing.assert_array_equal(points, expected)
    assert kernels.first_bad_match(first, second, scores, N) == -1
    for bad, (i, j, score) in enumerate([(N, 0, 1.0), (0, -1, 1.0), (2, 2, 1.0), (0, 1, np.nan)]):
        first[bad], second[bad], scores[bad] = i, j, score
        assert kernels.first_bad_match(first[bad:], second[bad:], scores[bad:], N) == 0


@given(seed=seeds, n_matches=st.integers(0, 40))
def test_pairs_of_a_log_and_of_a_table_hold_its_crosstable_without_zeros(seed, n_matches):
    rng = np.random.default_rng(seed)
    log = (np.empty(0, np.int64),) * 2 + (np.empty(0),)
    if n_matches:
        log = random_log(rng, n_matches)
    points = np.zeros((N, N))
    kernels.count_points(*log, points)
    for pairs in (Pairs.of_log(*log, n_players=N), Pairs.of_table(points)):
        np.testing.assert_array_equal(table_of(pairs), points)
        assert len(pairs.others) == np.count_nonzero(np.triu(points + points.T))
        assert (np.repeat(np.arange(N), np.diff(pairs.begins)) < pairs.others).all()
        won, lost = pairs.totals()
        np.testing.assert_array_equal(won, points.sum(1))
        np.testing.assert_array_equal(lost, points.sum(0))


@given(seed=seeds)
def test_pairs_by_seat_hold_a_tally(seed):
    games, points = random_tally(np.random.default_rng(seed))
    pairs = Pairs.by_seat(points, games)
    np.testing.assert_allclose(table_of(pairs), points + (games - points).T, atol=1e-12)
    assert len(pairs.others) == np.count_nonzero(games)


@given(seed=seeds)
def test_connected_groups_agree_with_scipy(seed):
    rng = np.random.default_rng(seed)
    points = np.triu(rng.random((8, 8)) < 0.15, 1).astype(float)
    points = points[rng.permutation(8)][:, rng.permutation(8)]
    np.fill_diagonal(points, 0.0)
    count, labels = connected_components(points, directed=False)
    pairs = Pairs.of_table(np.ascontiguousarray(points))
    found = kernels.connected_groups(pairs)
    assert found.max() + 1 == count
    assert len(set(zip(labels.tolist(), found.tolist(), strict=True))) == count


def test_amounts_are_added_within_groups_only():
    matrix = np.zeros((3, 3))
    kernels.add_to_groups(matrix, np.array([0, 1, 0]), np.array([2.0, 5.0]))
    np.testing.assert_array_equal(matrix, [[2, 0, 0], [0, 5, 0], [2, 0, 2]])


def plain_seats(ratings, a, games, points, precisions):
    """Gradient and minus the Hessian of the log-posterior of the ratings and the advantage."""
    slope = np.append(-precisions[0] * ratings, -precisions[1] * a)
    hessian = np.diag(np.append(np.full(N, precisions[0]), precisions[1]))
    for i, j in np.ndindex(N, N):
        x = np.append(np.eye(N)[i] - np.eye(N)[j], 1.0)
        chance = expit(ratings[i] - ratings[j] + a)
        slope += (points[i, j] - games[i, j] * chance) * x
        hessian += games[i, j] * chance * (1.0 - chance) * np.outer(x, x)
    return slope, hessian


@given(seed=seeds)
def test_the_slope_is_the_gradient_and_the_curvature_minus_the_hessian(seed):
    """With the most probable first-seat advantage, which is eliminated from both."""
    rng = np.random.default_rng(seed)
    (games, points), ratings, precisions = random_tally(rng), rng.normal(size=N), (0.7, 0.3)
    pairs = Pairs.by_seat(points, games)
    a = kernels.first_seat_advantage(ratings, pairs, 0.3, rng.normal() * 20.0, 1e-13)
    expected, hessian = plain_seats(ratings, a, games, points, precisions)
    assert expected[N] == pytest.approx(0.0, abs=1e-9)
    slope, given, taken, weights = *np.empty((3, N)), np.empty(len(pairs.games))
    kernels.log_likelihood_slope(ratings, a, pairs, slope, weights, given, taken)
    np.testing.assert_allclose(slope - 0.7 * ratings, expected[:N], atol=1e-12)
    np.testing.assert_allclose(given - taken, hessian[:N, N], atol=1e-12)
    stiffness = 0.3 + given.sum()
    assert stiffness == pytest.approx(hessian[N, N])
    arrays = (pairs, weights, 0.7 + given + taken, given - taken, stiffness)
    schur = np.linalg.inv(np.linalg.inv(hessian)[:N, :N])
    np.testing.assert_allclose(kernels.dense_curvature(*arrays), np.tril(schur), atol=1e-9)
    vector, product = rng.normal(size=N), np.empty(N)
    kernels.curvature_product(*arrays, vector, product)
    np.testing.assert_allclose(product, schur @ vector, atol=1e-9)
    solution, is_near = kernels.conjugate_gradients(*arrays, vector, 1e-13, 100)
    assert is_near
    np.testing.assert_allclose(solution, np.linalg.solve(schur, vector), atol=1e-9)
    assert not kernels.conjugate_gradients(*arrays, vector, 1e-13, 1)[1] or not games.any()


@pytest.mark.parametrize("gap", [-800.0, -40.0, 0.0, 40.0, 800.0])
def test_extreme_ratings_give_chances_and_weights_without_overflow(gap):
    pairs = Pairs.of_log([0], [1], [1.0], n_players=2)
    slope, given, taken, weights = *np.empty((3, 2)), np.empty(1)
    kernels.log_likelihood_slope(np.array([gap, 0.0]), 0.0, pairs, slope, weights, given, taken)
    np.testing.assert_allclose(slope[0], expit(-gap), rtol=1e-12, atol=1e-16)
    weight = np.exp(-abs(gap)) / (1 + np.exp(-abs(gap))) ** 2
    np.testing.assert_allclose(weights[0], weight, rtol=1e-12, atol=1e-299)
