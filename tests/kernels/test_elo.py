"""Elo and mElo against plain NumPy."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from maxin.kernels import elo as kernels

N = 5
seeds = st.integers(0, 10_000)


@cache
def omega(dimensions):
    return np.kron(np.eye(dimensions // 2), np.array([[0.0, 1.0], [-1.0, 0.0]]))


def plain_advantage(parameters, i, j):
    cyclic = parameters[i, 1:] @ omega(parameters.shape[1] - 1) @ parameters[j, 1:]
    return parameters[i, 0] - parameters[j, 0] + cyclic


def random_log(rng, n_matches=12):
    pairs = np.array([rng.choice(N, size=2, replace=False) for _ in range(n_matches)])
    scores = rng.choice([0.0, 0.5, 1.0], size=n_matches)
    return pairs[:, 0].copy(), pairs[:, 1].copy(), scores


@pytest.mark.parametrize("dimensions", [0, 2, 8])
@given(seed=seeds)
def test_advantages_and_gradients_equal_plain_algebra(dimensions, seed):
    rng = np.random.default_rng(seed)
    parameters = rng.normal(size=(N, 1 + dimensions))
    first, second, scores = random_log(rng)
    gradient = np.zeros_like(parameters)
    for i, j, score in zip(first, second, scores, strict=True):
        advantage = plain_advantage(parameters, i, j)
        assert kernels.advantage(parameters, i, j) == pytest.approx(advantage, abs=1e-12)
        for player, column in np.ndindex(*parameters.shape):
            bump = np.zeros_like(parameters)
            bump[player, column] = 1e-6
            rise = plain_advantage(parameters + bump, i, j) - plain_advantage(
                parameters - bump, i, j
            )
            gradient[player, column] += (score - expit(advantage)) * rise / 2e-6
    found = kernels.log_likelihood_gradient(parameters, first, second, scores)
    np.testing.assert_allclose(found, gradient, atol=1e-7)


def test_add_surprise_adds_the_gradient_of_one_result():
    rng = np.random.default_rng(0)
    parameters, target = rng.normal(size=(N, 3)), np.zeros((N, 3))
    kernels.add_surprise(target, parameters, 1, 4, 1.0, 0.5)
    one = kernels.log_likelihood_gradient(parameters, np.array([1]), np.array([4]), np.array([1.0]))
    np.testing.assert_allclose(target, 0.5 * one)
