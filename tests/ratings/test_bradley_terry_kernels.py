"""The compiled loops of the Bradley-Terry fits against plain NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

from maxin.ratings import bradley_terry_kernels as kernels

N = 5
seeds = st.integers(0, 10_000)


def random_log(rng, n_matches=12):
    pairs = np.array([rng.choice(N, size=2, replace=False) for _ in range(n_matches)])
    scores = rng.choice([0.0, 0.5, 1.0], size=n_matches)
    return pairs[:, 0].copy(), pairs[:, 1].copy(), scores


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


@given(seed=seeds)
def test_the_slope_is_the_gradient_and_minus_the_hessian(seed):
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 4, size=(N, N)) / 2.0
    np.fill_diagonal(points, 0.0)
    ratings, precision = rng.normal(size=N), 0.7
    slope, curvature = np.empty(N), np.zeros((N, N))
    kernels.bradley_terry_slope(ratings, points, precision, slope, curvature)
    chances = expit(np.subtract.outer(ratings, ratings))
    played = points + points.T
    expected = (points - played * chances).sum(1) - precision * ratings
    np.testing.assert_allclose(slope, expected, atol=1e-12)
    weights = played * chances * (1.0 - chances)
    expected = np.diag(weights.sum(1) + precision) - weights
    np.testing.assert_allclose(np.tril(curvature), np.tril(expected), atol=1e-12)


@given(seed=seeds)
def test_a_nudge_is_a_newton_step_with_the_corrected_inverse(seed):
    rng = np.random.default_rng(seed)
    ratings, hessian = rng.normal(size=N), np.eye(N) + np.diag(rng.random(N))
    inverse = np.linalg.inv(hessian)
    chance = expit(ratings[1] - ratings[3])
    x = np.eye(N)[1] - np.eye(N)[3]
    expected = np.linalg.inv(hessian + chance * (1.0 - chance) * np.outer(x, x))
    stepped = ratings + expected @ x * (1.0 - chance)
    kernels.bradley_terry_nudge(ratings, inverse, 1, 3, 1.0)
    np.testing.assert_allclose(inverse, expected, atol=1e-12)
    np.testing.assert_allclose(ratings, stepped, atol=1e-12)


def test_refining_stops_where_the_gradient_is_zero():
    pairs, tallies = np.array([[0, 1], [1, 2]]), np.array([[3.0, 4.0], [0.5, 1.0]])
    ratings = np.zeros(3)
    hessian = np.array([[2.0, -1.0, 0.0], [-1.0, 2.25, -0.25], [0.0, -0.25, 1.25]])
    inverse = np.linalg.inv(hessian)
    assert kernels.bradley_terry_refine(ratings, inverse, pairs, tallies, 2, 1.0, 1e-12)
    points = np.array([[0.0, 3.0, 0.0], [1.0, 0.0, 0.5], [0.0, 0.5, 0.0]])
    chances = expit(np.subtract.outer(ratings, ratings))
    gradient = (points - (points + points.T) * chances).sum(1) - ratings
    np.testing.assert_allclose(gradient, 0.0, atol=1e-10)
    poor = 3.0 * inverse
    assert not kernels.bradley_terry_refine(np.zeros(3), poor, pairs, tallies, 2, 1.0, 1e-12)


def test_the_symmetric_product_is_a_matrix_product():
    matrix = np.random.default_rng(0).normal(size=(N, N))
    matrix, vector = matrix + matrix.T, np.arange(float(N))
    np.testing.assert_allclose(kernels.symmetric_product(matrix, vector), matrix @ vector)


@given(seed=seeds)
def test_connected_groups_agree_with_scipy(seed):
    rng = np.random.default_rng(seed)
    points = np.triu(rng.random((8, 8)) < 0.15, 1).astype(float)
    points = points[rng.permutation(8)][:, rng.permutation(8)]
    count, labels = connected_components(points, directed=False)
    found = kernels.connected_groups(points)
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
def test_the_first_seats_advantage_is_the_best_and_is_eliminated_from_the_slope(seed):
    rng = np.random.default_rng(seed)
    games = rng.integers(0, 4, size=(N, N)).astype(float)
    np.fill_diagonal(games, 0.0)
    points, ratings, precisions = (
        games * rng.random((N, N)).round(1),
        rng.normal(size=N),
        (0.7, 0.3),
    )
    a = kernels.first_seat_advantage(ratings, games, points, 0.3, rng.normal() * 20.0, 1e-13)
    expected, hessian = plain_seats(ratings, a, games, points, precisions)
    assert expected[N] == pytest.approx(0.0, abs=1e-9)
    slope, curvature, pull = np.empty(N), np.zeros((N, N)), np.empty(N)
    stiffness = kernels.seats_slope(ratings, a, games, points, precisions, slope, curvature, pull)
    np.testing.assert_allclose(slope, expected[:N], atol=1e-12)
    assert stiffness == pytest.approx(hessian[N, N])
    np.testing.assert_allclose(pull, hessian[:N, N] / hessian[N, N], atol=1e-12)
    schur = np.linalg.inv(np.linalg.inv(hessian)[:N, :N])
    np.testing.assert_allclose(np.tril(curvature), np.tril(schur), atol=1e-9)
