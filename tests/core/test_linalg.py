"""Factors, solutions and inverses against NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxin.core.linalg import SMALL, factorised, inverted, solved
from maxin.kernels.core import mirror_lower, transposed


def positive_definite(seed, n):
    root = np.random.default_rng(seed).normal(size=(n, n))
    return root @ root.T + n * np.eye(n)


@given(seed=st.integers(0, 10_000), n=st.integers(1, 8))
def test_factors_solutions_and_inverses_agree_with_numpy(seed, n):
    matrix, right = positive_definite(seed, n), np.arange(float(n))
    factor = factorised(np.tril(matrix))
    np.testing.assert_allclose(np.tril(factor), np.linalg.cholesky(matrix), atol=1e-12)
    np.testing.assert_allclose(solved(factor, right), np.linalg.solve(matrix, right), atol=1e-12)
    np.testing.assert_allclose(inverted(factor), np.linalg.inv(matrix), atol=1e-12)


@pytest.mark.parametrize("n", [3, SMALL])
def test_an_inverse_is_symmetric_to_the_last_bit(n):
    inverse = inverted(factorised(positive_definite(0, n)))
    np.testing.assert_array_equal(inverse, inverse.T)


def test_a_matrix_that_rounding_makes_indefinite_still_has_a_factor():
    matrix = np.ones((3, 3))
    matrix[2, 2] -= 1e-15
    factor = np.tril(factorised(matrix))
    np.testing.assert_allclose(factor @ factor.T, matrix, atol=1e-12)


def test_the_lower_triangle_is_copied_onto_the_upper_one():
    matrix = np.arange(9.0).reshape(3, 3)
    mirror_lower(matrix)
    np.testing.assert_array_equal(matrix, [[0, 3, 6], [3, 4, 7], [6, 7, 8]])


@given(n=st.integers(1, 70))
def test_tiles_of_any_size_are_copied(n):
    matrix = np.random.default_rng(n).normal(size=(n, n))
    np.testing.assert_array_equal(transposed(matrix), matrix.T)
    expected = np.tril(matrix) + np.tril(matrix, -1).T
    mirror_lower(matrix)
    np.testing.assert_array_equal(matrix, expected)
