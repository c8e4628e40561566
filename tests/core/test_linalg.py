"""Factors, solutions and inverses against NumPy."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxin.core import InvalidInput
from maxin.core.linalg import SMALL, factorised, inverted, lower_times, root_times, solved
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
    lower, columns = np.tril(factor), np.random.default_rng(seed).normal(size=(n, 3))
    for order in ("C", "F"):
        given = np.array(columns, order=order)
        for found, expected in [
            (solved(factor, given), np.linalg.solve(matrix, columns)),
            (root_times(factor, given), np.linalg.solve(lower.T, columns)),
            (lower_times(factor, given), lower @ columns),
        ]:
            np.testing.assert_allclose(found, expected, atol=1e-12)
        np.testing.assert_array_equal(given, columns)


def test_empty_matrices_are_handled():
    empty, nothing = np.empty((0, 0)), np.empty((0, 2))
    assert factorised(empty).shape == inverted(empty).shape == (0, 0)
    assert solved(empty, nothing).shape == root_times(empty, nothing).shape == (0, 2)
    assert lower_times(np.eye(2), np.empty((2, 0))).shape == (2, 0)


def test_scipy_may_be_imported_before_or_after():
    factors = "from maxin.core.linalg import factorised; print(factorised([[4.0]])[0, 0])"
    names = "import scipy.linalg; _ = scipy.linalg.cython_blas; print(scipy.linalg.det([[3.0]]))"
    for code, printed in [(f"{factors}; {names}", "2.0 3.0"), (f"{names}; {factors}", "3.0 2.0")]:
        words = [sys.executable, "-c", code]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        assert done.stdout.split() == printed.split()


@pytest.mark.parametrize("n", [3, SMALL])
def test_an_inverse_is_symmetric_to_the_last_bit(n):
    inverse = inverted(factorised(positive_definite(0, n)))
    np.testing.assert_array_equal(inverse, inverse.T)


def test_a_matrix_that_rounding_makes_indefinite_still_has_a_factor():
    matrix = np.ones((3, 3))
    matrix[2, 2] -= 1e-15
    factor = np.tril(factorised(matrix))
    np.testing.assert_allclose(factor @ factor.T, matrix, atol=1e-12)


@pytest.mark.parametrize("matrix", [-np.eye(3), np.zeros((2, 2)), np.eye(3) - 0.9])
def test_a_matrix_without_a_factor_is_refused(matrix):
    with pytest.raises(InvalidInput, match="must be positive definite"):
        factorised(matrix)


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
