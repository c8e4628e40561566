"""Every compiled kernel against a plain twin that says the same in the obvious way."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

from maxin.core.compile import sigmoid
from maxin.core.linalg import mirror_lower
from maxin.ratings import bradley_terry_kernels, elo_kernels
from maxin.schedulers.paper import width_kernels as widths

N = 5
seeds = st.integers(0, 10_000)


def plain_advantage(parameters, i, j):
    half = (parameters.shape[1] - 1) // 2
    omega = np.kron(np.eye(half), np.array([[0.0, 1.0], [-1.0, 0.0]]))
    cyclic = parameters[i, 1:] @ omega @ parameters[j, 1:]
    return parameters[i, 0] - parameters[j, 0] + cyclic


def plain_sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def random_log(rng, n_matches=12):
    pairs = np.array([rng.choice(N, size=2, replace=False) for _ in range(n_matches)])
    scores = rng.choice([0.0, 0.5, 1.0], size=n_matches)
    return pairs[:, 0].copy(), pairs[:, 1].copy(), scores


@pytest.mark.parametrize("x", [-800.0, -3.0, 0.0, 1e-9, 2.5, 800.0])
def test_sigmoid(x):
    with np.errstate(over="ignore"):
        assert sigmoid(x) == pytest.approx(plain_sigmoid(x), abs=1e-15)


@pytest.mark.parametrize("dimensions", [0, 2, 8])
@given(seed=seeds)
def test_advantage_and_gradient(dimensions, seed):
    rng = np.random.default_rng(seed)
    parameters = rng.normal(size=(N, 1 + dimensions))
    first, second, scores = random_log(rng)
    gradient = np.zeros_like(parameters)
    for i, j, score in zip(first, second, scores, strict=True):
        assert elo_kernels.advantage(parameters, i, j) == pytest.approx(
            plain_advantage(parameters, i, j), abs=1e-12
        )
        for player, column in np.ndindex(*parameters.shape):
            bump = np.zeros_like(parameters)
            bump[player, column] = 1e-6
            rise = plain_advantage(parameters + bump, i, j) - plain_advantage(
                parameters - bump, i, j
            )
            surprise = score - plain_sigmoid(plain_advantage(parameters, i, j))
            gradient[player, column] += surprise * rise / 2e-6
    found = elo_kernels.log_likelihood_gradient(parameters, first, second, scores)
    np.testing.assert_allclose(found, gradient, atol=1e-7)


@given(seed=seeds)
def test_count_points_and_first_bad_match(seed):
    rng = np.random.default_rng(seed)
    first, second, scores = random_log(rng)
    expected = np.zeros((N, N))
    for i, j, score in zip(first, second, scores, strict=True):
        expected[i, j] += score
        expected[j, i] += 1.0 - score
    points = np.zeros((N, N))
    bradley_terry_kernels.count_points(first, second, scores, points)
    np.testing.assert_array_equal(points, expected)
    assert bradley_terry_kernels.first_bad_match(first, second, scores, N) == -1
    for bad, (i, j, score) in enumerate([(N, 0, 1.0), (0, -1, 1.0), (2, 2, 1.0), (0, 1, np.nan)]):
        first[bad], second[bad], scores[bad] = i, j, score
        assert (
            bradley_terry_kernels.first_bad_match(first[bad:], second[bad:], scores[bad:], N) == 0
        )


@given(seed=seeds)
def test_bradley_terry_slope(seed):
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 4, size=(N, N)) / 2.0
    np.fill_diagonal(points, 0.0)
    ratings, precision = rng.normal(size=N), 0.7
    slope, curvature = np.empty(N), np.zeros((N, N))
    bradley_terry_kernels.bradley_terry_slope(ratings, points, precision, slope, curvature)
    chances = plain_sigmoid(np.subtract.outer(ratings, ratings))
    played = points + points.T
    expected = (points - played * chances).sum(1) - precision * ratings
    np.testing.assert_allclose(slope, expected, atol=1e-12)
    weights = played * chances * (1.0 - chances)
    expected = np.diag(weights.sum(1) + precision) - weights
    np.testing.assert_allclose(np.tril(curvature), np.tril(expected), atol=1e-12)


@given(seed=seeds)
def test_bradley_terry_nudge_is_a_newton_step_with_the_corrected_inverse(seed):
    rng = np.random.default_rng(seed)
    ratings, hessian = rng.normal(size=N), np.eye(N) + np.diag(rng.random(N))
    inverse = np.linalg.inv(hessian)
    chance = plain_sigmoid(ratings[1] - ratings[3])
    x = np.eye(N)[1] - np.eye(N)[3]
    expected = np.linalg.inv(hessian + chance * (1.0 - chance) * np.outer(x, x))
    stepped = ratings + expected @ x * (1.0 - chance)
    bradley_terry_kernels.bradley_terry_nudge(ratings, inverse, 1, 3, 1.0)
    np.testing.assert_allclose(inverse, expected, atol=1e-12)
    np.testing.assert_allclose(ratings, stepped, atol=1e-12)


def test_bradley_terry_refine_stops_where_the_gradient_is_zero():
    pairs, tallies = np.array([[0, 1], [1, 2]]), np.array([[3.0, 4.0], [0.5, 1.0]])
    ratings = np.zeros(3)
    hessian = np.array([[2.0, -1.0, 0.0], [-1.0, 2.25, -0.25], [0.0, -0.25, 1.25]])
    inverse = np.linalg.inv(hessian)
    assert bradley_terry_kernels.bradley_terry_refine(
        ratings, inverse, pairs, tallies, 2, 1.0, 1e-12
    )
    points = np.array([[0.0, 3.0, 0.0], [1.0, 0.0, 0.5], [0.0, 0.5, 0.0]])
    chances = plain_sigmoid(np.subtract.outer(ratings, ratings))
    gradient = (points - (points + points.T) * chances).sum(1) - ratings
    np.testing.assert_allclose(gradient, 0.0, atol=1e-10)
    poor = 3.0 * inverse
    assert not bradley_terry_kernels.bradley_terry_refine(
        np.zeros(3), poor, pairs, tallies, 2, 1.0, 1e-12
    )


def plain_squares(inverse):
    diagonal = np.diag(inverse)
    return diagonal[:, None] + diagonal[None, :] - 2.0 * inverse


@given(seed=seeds)
def test_steps_and_rows_follow_the_plain_inverse(seed):
    rng = np.random.default_rng(seed)
    matrix = 0.3 * np.eye(N)
    base = widths.resistances(np.linalg.inv(matrix))
    np.testing.assert_allclose(base, plain_squares(np.linalg.inv(matrix)), atol=1e-12)
    rows, version, reach = np.empty((N, N)), np.full(N, -1), np.full(N, np.inf)
    steps = np.empty((20, N))
    for n_steps in range(20):
        a, b = rng.choice(N, size=2, replace=False).tolist()
        widths.add_step(a, b, base, rows, version, steps, n_steps, reach)
        x = np.eye(N)[a] - np.eye(N)[b]
        matrix += np.outer(x, x)
        looked_at = int(rng.integers(N))
        widths.refresh_row(looked_at, base, rows, version, steps, n_steps + 1, reach)
        expected = plain_squares(np.linalg.inv(matrix))[looked_at]
        np.testing.assert_allclose(rows[looked_at], expected, atol=1e-12)
        assert reach[looked_at] == pytest.approx(1e9 * np.sqrt(expected.max()), abs=1.0)


def plain_widest_pair(squares, floors):
    """All candidates, then the widest pair among them, ties to the lowest players."""
    n = len(squares)
    others = ~np.eye(n, dtype=bool)
    candidates = [x for x in range(n) if (squares[x] > floors[x])[others[x]].all()]
    if len(candidates) < 2:
        return (candidates[0], candidates[0]) if candidates else (-1, -1)
    pairs = [(x, y) for x in candidates for y in candidates if x < y]
    return max(pairs, key=lambda pair: (round(np.sqrt(squares[pair]), 9), -pair[0], -pair[1]))


@given(seed=seeds)
def test_widest_pair_is_found_however_lazily(seed):
    rng = np.random.default_rng(seed)
    matrix = 1e-3 * np.eye(N)
    base = widths.resistances(np.linalg.inv(matrix))
    rows, version = np.empty((N, N)), np.full(N, -1)
    steps, touched = np.empty((40, N)), np.zeros(1, dtype=np.int64)
    reach, bounds = np.full(N, np.inf), np.full(N, np.inf)
    floors = np.square(rng.normal(0.0, 0.4, size=(N, N)))
    floors[rng.random((N, N)) < 0.5] = -1.0
    np.fill_diagonal(floors, -1.0)
    for n_steps in range(40):
        if rng.random() < 0.2:
            np.copyto(bounds, reach)  # starting the candidates anew finds the same ones
        found = widths.widest_pair(
            base, rows, version, steps, n_steps, reach, floors, bounds, touched
        )
        squares = plain_squares(np.linalg.inv(matrix))
        expected = plain_widest_pair(squares, floors)
        if found != expected:  # a tie that rounding decides otherwise is no error
            assert squares[found] == pytest.approx(squares[expected], rel=1e-6)
        a, b = rng.choice(N, size=2, replace=False).tolist()
        widths.add_step(a, b, base, rows, version, steps, n_steps, reach)
        x = np.eye(N)[a] - np.eye(N)[b]
        matrix += np.outer(x, x)


@pytest.mark.parametrize(
    ("squares", "bounds", "expected"),
    [
        ([0.0, 4.0, 4.0, 1.0], [0.0, 0.0, 0.0, 0.0], 1),
        ([0.0, 4.0, 4.0 + 1e-15, 1.0], [0.0, 0.0, 0.0, 0.0], 1),
        ([0.0, 4.0, 5.0, 1.0], [0.0, 0.0, -1.0, 0.0], 1),
        ([0.0, 4.0, 5.0, 1.0], [0.0, -1.0, -1.0, -1.0], -1),
    ],
)
def test_widest_rival(squares, bounds, expected):
    assert widths.widest_rival(np.array(squares), np.array(bounds)) == expected


@given(seed=seeds)
def test_floors_are_where_optimism_ends(seed):
    rng = np.random.default_rng(seed)
    ratings = rng.normal(size=N).round(1)
    advantages = np.subtract.outer(ratings, ratings)
    others = ~np.eye(N, dtype=bool)
    for exploration in (0.0, 0.5, 2.0):
        floors = widths.floors_below(advantages, exploration)
        np.testing.assert_array_equal(floors, widths.floors_of_ratings(ratings, exploration))
        for width in (0.01, 0.31, 0.77, 3.3):
            is_open = advantages + exploration * width > 0.0
            np.testing.assert_array_equal((width**2 > floors)[others], is_open[others])
        assert (np.diag(floors) == -1.0).all()


def test_symmetric_product():
    matrix = np.random.default_rng(0).normal(size=(N, N))
    matrix, vector = matrix + matrix.T, np.arange(float(N))
    np.testing.assert_allclose(
        bradley_terry_kernels.symmetric_product(matrix, vector), matrix @ vector
    )


@given(seed=seeds)
def test_connected_groups(seed):
    rng = np.random.default_rng(seed)
    points = np.triu(rng.random((8, 8)) < 0.15, 1).astype(float)
    points = points[rng.permutation(8)][:, rng.permutation(8)]
    count, labels = connected_components(points, directed=False)
    found = bradley_terry_kernels.connected_groups(points)
    assert found.max() + 1 == count
    assert len(set(zip(labels.tolist(), found.tolist(), strict=True))) == count


def test_add_to_groups():
    matrix = np.zeros((3, 3))
    bradley_terry_kernels.add_to_groups(matrix, np.array([0, 1, 0]), np.array([2.0, 5.0]))
    np.testing.assert_array_equal(matrix, [[2, 0, 0], [0, 5, 0], [2, 0, 2]])


def test_mirror_lower():
    matrix = np.arange(9.0).reshape(3, 3)
    mirror_lower(matrix)
    np.testing.assert_array_equal(matrix, [[0, 3, 6], [3, 4, 7], [6, 7, 8]])


def test_is_beaten_and_largest():
    assert widths.is_beaten(np.array([1.0, 2.0]), np.array([-1.0, 2.0]))
    assert not widths.is_beaten(np.array([1.0, 2.0]), np.array([-1.0, 1.9]))
    assert widths.largest(np.array([0.5, np.inf])) == np.inf
    assert widths.largest(np.array([-1.0, -1.0])) == -1.0
    assert widths.rounded_width(2.25) == 1_500_000_000.0


def test_add_surprise_adds_one_results_gradient():
    rng = np.random.default_rng(0)
    parameters, target = rng.normal(size=(N, 3)), np.zeros((N, 3))
    elo_kernels.add_surprise(target, parameters, 1, 4, 1.0, 0.5)
    one = elo_kernels.log_likelihood_gradient(
        parameters, np.array([1]), np.array([4]), np.array([1.0])
    )
    np.testing.assert_allclose(target, 0.5 * one)


def plain_seats(ratings, a, games, points, precisions):
    """Gradient and minus the Hessian of the log-posterior of the ratings and the advantage."""
    slope = np.append(-precisions[0] * ratings, -precisions[1] * a)
    hessian = np.diag(np.append(np.full(N, precisions[0]), precisions[1]))
    for i, j in np.ndindex(N, N):
        x = np.append(np.eye(N)[i] - np.eye(N)[j], 1.0)
        chance = plain_sigmoid(ratings[i] - ratings[j] + a)
        slope += (points[i, j] - games[i, j] * chance) * x
        hessian += games[i, j] * chance * (1.0 - chance) * np.outer(x, x)
    return slope, hessian


@given(seed=seeds)
def test_first_seat_advantage_and_seats_slope(seed):
    rng = np.random.default_rng(seed)
    games = rng.integers(0, 4, size=(N, N)).astype(float)
    np.fill_diagonal(games, 0.0)
    points, ratings, precisions = (
        games * rng.random((N, N)).round(1),
        rng.normal(size=N),
        (0.7, 0.3),
    )
    a = bradley_terry_kernels.first_seat_advantage(
        ratings, games, points, 0.3, rng.normal() * 20.0, 1e-13
    )
    expected, hessian = plain_seats(ratings, a, games, points, precisions)
    assert expected[N] == pytest.approx(0.0, abs=1e-9)
    slope, curvature, pull = np.empty(N), np.zeros((N, N)), np.empty(N)
    stiffness = bradley_terry_kernels.seats_slope(
        ratings, a, games, points, precisions, slope, curvature, pull
    )
    np.testing.assert_allclose(slope, expected[:N], atol=1e-12)
    assert stiffness == pytest.approx(hessian[N, N])
    np.testing.assert_allclose(pull, hessian[:N, N] / hessian[N, N], atol=1e-12)
    schur = np.linalg.inv(np.linalg.inv(hessian)[:N, :N])
    np.testing.assert_allclose(np.tril(curvature), np.tril(schur), atol=1e-9)
