import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxin.core import InvalidInput
from maxin.ratings import MElo, cyclic_factor, hodge_decomposition


def antisymmetric(seed, n=7):
    matrix = np.random.default_rng(seed).normal(size=(n, n))
    return matrix - matrix.T


@given(st.integers(0, 999))
def test_the_two_parts_add_up_and_are_orthogonal(seed):
    matrix = antisymmetric(seed)
    split = hodge_decomposition(matrix)
    order = np.subtract.outer(split.ratings, split.ratings)
    np.testing.assert_allclose(order + split.cyclic, matrix, atol=1e-12)
    assert (order * split.cyclic).sum() == pytest.approx(0.0, abs=1e-9)
    np.testing.assert_allclose(split.cyclic.sum(axis=1), 0.0, atol=1e-12)


def test_the_cyclic_part_is_the_papers_rotation():
    matrix = antisymmetric(3, n=5)
    n = len(matrix)
    rot = np.zeros_like(matrix)
    for i, j, k in np.ndindex(n, n, n):
        rot[i, j] += (matrix[i, j] + matrix[j, k] - matrix[i, k]) / n
    np.testing.assert_allclose(hodge_decomposition(matrix).cyclic, rot, atol=1e-12)


@given(st.integers(0, 999))
def test_full_rank_factor_gives_the_matrix_back(seed):
    cyclic = hodge_decomposition(antisymmetric(seed)).cyclic
    rebuilt = advantages_of(cyclic_factor(cyclic, dimensions=6))
    np.testing.assert_allclose(rebuilt, cyclic, atol=1e-9)


@given(st.integers(0, 999), st.sampled_from([0, 2, 4]))
def test_low_rank_factor_is_the_best_one(seed, dimensions):
    """By Eckart and Young, the error consists of the smallest singular values."""
    cyclic = hodge_decomposition(antisymmetric(seed, n=8)).cyclic
    left = cyclic - advantages_of(cyclic_factor(cyclic, dimensions))
    singular = np.linalg.svd(cyclic, compute_uv=False)
    assert np.square(left).sum() == pytest.approx(np.square(singular[dimensions:]).sum(), rel=1e-6)


def advantages_of(factor):
    parameters = np.hstack([np.zeros((len(factor), 1)), factor])
    return MElo(len(factor), dimensions=factor.shape[1]).advantages(parameters)


def test_a_ranking_and_a_level_game_are_fully_transitive():
    ranking = np.subtract.outer([1.0, 2.0, 4.0], [1.0, 2.0, 4.0])
    assert hodge_decomposition(ranking).transitive_share == 1.0
    assert hodge_decomposition(np.zeros((3, 3))).transitive_share == 1.0


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda: hodge_decomposition([[0.0, 1.0]]), r"square matrix; got shape \(1, 2\)"),
        (lambda: hodge_decomposition([[0.0, 1.0], [1.0, 0.0]]), r"antisymmetric; \[0, 1\]"),
        (lambda: hodge_decomposition([[0.0, np.inf], [-np.inf, 0.0]]), r"finite; \[0, 1\]"),
        (lambda: cyclic_factor([[0.0, 1.0], [-1.0, 0.0]], 3), "even number from 0 to 1024; got 3"),
    ],
)
def test_errors_name_the_invalid_input(act, words):
    with pytest.raises(InvalidInput, match=words):
        act()
