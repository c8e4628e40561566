"""The Bradley-Terry learner against plain NumPy."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from maxin.kernels import learner as kernels

N = 5
seeds = st.integers(0, 10_000)


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
