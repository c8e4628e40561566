"""The compiled loops of pair widths against a plain matrix inverse."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxin.schedulers.paper import width_kernels as kernels

N = 5
seeds = st.integers(0, 10_000)


def plain_squares(inverse):
    diagonal = np.diag(inverse)
    return diagonal[:, None] + diagonal[None, :] - 2.0 * inverse


@given(seed=seeds)
def test_steps_and_rows_follow_the_plain_inverse(seed):
    rng = np.random.default_rng(seed)
    matrix = 0.3 * np.eye(N)
    base = kernels.resistances(np.linalg.inv(matrix))
    np.testing.assert_allclose(base, plain_squares(np.linalg.inv(matrix)), atol=1e-12)
    rows, version, reach = np.empty((N, N)), np.full(N, -1), np.full(N, np.inf)
    steps = np.empty((20, N))
    for n_steps in range(20):
        a, b = rng.choice(N, size=2, replace=False).tolist()
        kernels.add_step(a, b, base, rows, version, steps, n_steps, reach)
        x = np.eye(N)[a] - np.eye(N)[b]
        matrix += np.outer(x, x)
        looked_at = int(rng.integers(N))
        kernels.refresh_row(looked_at, base, rows, version, steps, n_steps + 1, reach)
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
def test_the_widest_pair_is_found_however_few_rows_are_up_to_date(seed):
    rng = np.random.default_rng(seed)
    matrix = 1e-3 * np.eye(N)
    base = kernels.resistances(np.linalg.inv(matrix))
    rows, version = np.empty((N, N)), np.full(N, -1)
    steps, touched = np.empty((40, N)), np.zeros(1, dtype=np.int64)
    reach, bounds = np.full(N, np.inf), np.full(N, np.inf)
    floors = np.square(rng.normal(0.0, 0.4, size=(N, N)))
    floors[rng.random((N, N)) < 0.5] = -1.0
    np.fill_diagonal(floors, -1.0)
    for n_steps in range(40):
        if rng.random() < 0.2:
            np.copyto(bounds, reach)  # considering everyone again finds the same candidates
        found = kernels.widest_pair(
            base, rows, version, steps, n_steps, reach, floors, bounds, touched
        )
        squares = plain_squares(np.linalg.inv(matrix))
        expected = plain_widest_pair(squares, floors)
        if found != expected:  # rounding may break a tie the other way
            assert squares[found] == pytest.approx(squares[expected], rel=1e-6)
        a, b = rng.choice(N, size=2, replace=False).tolist()
        kernels.add_step(a, b, base, rows, version, steps, n_steps, reach)
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
def test_the_widest_rival_has_a_bound_and_ties_go_to_the_lowest(squares, bounds, expected):
    assert kernels.widest_rival(np.array(squares), np.array(bounds)) == expected


@given(seed=seeds)
def test_a_floor_is_the_width_at_which_a_player_is_ruled_out(seed):
    rng = np.random.default_rng(seed)
    ratings = rng.normal(size=N).round(1)
    advantages = np.subtract.outer(ratings, ratings)
    others = ~np.eye(N, dtype=bool)
    for exploration in (0.0, 0.5, 2.0):
        floors = kernels.floors_below(advantages, exploration)
        np.testing.assert_array_equal(floors, kernels.floors_of_ratings(ratings, exploration))
        for width in (0.01, 0.31, 0.77, 3.3):
            is_open = advantages + exploration * width > 0.0
            np.testing.assert_array_equal((width**2 > floors)[others], is_open[others])
        assert (np.diag(floors) == -1.0).all()


def test_comparisons_include_equal_and_infinite_values():
    assert kernels.is_beaten(np.array([1.0, 2.0]), np.array([-1.0, 2.0]))
    assert not kernels.is_beaten(np.array([1.0, 2.0]), np.array([-1.0, 1.9]))
    assert kernels.largest(np.array([0.5, np.inf])) == np.inf
    assert kernels.largest(np.array([-1.0, -1.0])) == -1.0
    assert kernels.rounded_width(2.25) == 1_500_000_000.0
