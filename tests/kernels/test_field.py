"""A relaxed field: its equations against dense algebra, and one fixed point whatever the start."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import trapezoid
from scipy.special import expit
from scipy.stats import multivariate_normal, norm

from maxin.kernels import posterior as kernels
from maxin.kernels.posterior import (
    KAPPA2,
    MAY_CYCLE,
    NO_KAPPA,
    balance,
    fill_relaxed_gaps,
    gaps_of,
    likely_kappa2,
    pass_messages,
    precision_of,
)
from maxin.ratings import Posterior
from maxin.ratings.posterior.fitting import relaxation_of

seeds = st.integers(0, 10_000)


def random_table(rng, n_players, n_matches, kappa=0.0):
    """Points of random matches between players with normal ratings and pair effects."""
    ratings = rng.normal(size=n_players)
    effects = kappa * np.triu(rng.normal(size=(n_players, n_players)), 1)
    chances = expit(np.subtract.outer(ratings, ratings) + effects - effects.T)
    table = np.zeros((n_players, n_players))
    for _ in range(n_matches):
        i, j = rng.choice(n_players, 2, replace=False)
        winner, loser = (i, j) if rng.random() < chances[i, j] else (j, i)
        table[winner, loser] += 1.0
    return table


def fitted(table):
    posterior = Posterior(len(table))
    posterior.fit(table)
    return posterior


@given(seed=seeds, n_players=st.integers(2, 9))
def test_the_solution_on_the_graph_is_that_of_dense_algebra(seed, n_players):
    rng = np.random.default_rng(seed)
    state = fitted(random_table(rng, n_players, 30)).state
    prior, ties, slope, _ = balance(state, gaps_of(state), 1.0)
    slope = rng.normal(size=n_players)
    lower = np.tril(precision_of(state, prior, ties))
    dense = np.linalg.solve(lower + np.tril(lower, -1).T, slope)
    found = kernels.graph_solution(state, prior, ties, slope)
    np.testing.assert_allclose(found, dense, atol=1e-3 * np.abs(dense).max())


def test_belief_propagation_is_exact_on_a_tree():
    table = np.zeros((5, 5))
    for child, parent in ((1, 0), (2, 0), (3, 1), (4, 1)):
        table[child, parent], table[parent, child] = 2.0, 3.0
    state = fitted(table).state
    graph, gaps = relaxation_of(state), gaps_of(state)
    prior, ties, _, _ = balance(state, gaps, 1.0)
    for _ in range(5):
        pass_messages(graph, prior, ties)
    relaxed = np.empty_like(gaps)
    fill_relaxed_gaps(graph, relaxed)
    lower = np.tril(precision_of(state, prior, ties))
    cov = np.linalg.inv(lower + np.tril(lower, -1).T)
    np.testing.assert_allclose(1.0 / graph.precisions, np.diagonal(cov), rtol=1e-12)
    pairs = state.pairs[: len(gaps)]
    exact = [cov[i, i] + cov[j, j] - 2.0 * cov[i, j] for i, j in pairs]
    np.testing.assert_allclose(relaxed, exact, rtol=1e-12)


def plain_kappa2(state, gaps):
    """The posterior mean of kappa^2: dense normal densities at many values of log kappa."""
    n_pairs, (spread2, kappa2, scale2, phi) = len(gaps), state.scales[:4]
    i, j = state.pairs[:n_pairs].T
    played, points, weights, effects = (
        np.array(values[:n_pairs])
        for values in (state.played, state.points, state.weights, state.effects)
    )
    design = np.zeros((n_pairs, len(state.ratings)))
    design[np.arange(n_pairs), i], design[np.arange(n_pairs), j] = 1.0, -1.0
    shares = 1.0 / (1.0 + kappa2 * weights)
    means = design @ state.ratings + effects
    chances = expit(means / np.sqrt(1.0 + math.pi / 8.0 * (shares**2 * gaps + kappa2 * shares)))
    seen = means + (points - played * chances) / phi / weights
    ratings = spread2 * design @ design.T

    def log_density(kappa):
        shown = kappa**2 * (1.0 - phi / played)
        return multivariate_normal.logpdf(seen, cov=ratings + np.diag(shown + 1.0 / weights))

    kappas = np.exp(np.linspace(math.log(0.02), math.log(3.0), 201))
    logs = np.array([log_density(kappa) for kappa in (NO_KAPPA, *kappas)])
    odds = np.exp(logs - logs.max())
    densities = 2.0 * norm.pdf(kappas, scale=math.sqrt(scale2)) * odds[1:]
    without = (1.0 - MAY_CYCLE) * odds[0]
    total = MAY_CYCLE * trapezoid(densities, kappas) + without
    squares = MAY_CYCLE * trapezoid(densities * kappas**2, kappas) + without * NO_KAPPA**2
    return squares / total


@pytest.mark.parametrize("kappa", [0.0, 0.3, 1.0])
@pytest.mark.parametrize(
    ("n_players", "n_matches"), [(2, 10), (4, 10), (60, 200), (10, 200), (30, 1500)]
)
def test_kappa_is_its_posterior_mean(n_players, n_matches, kappa):
    table = random_table(np.random.default_rng(n_players), n_players, n_matches, kappa)
    state = fitted(table).state
    gaps = gaps_of(state)
    assert likely_kappa2(state, gaps) == pytest.approx(plain_kappa2(state, gaps), rel=0.02)


def test_pairs_that_met_once_do_not_show_whether_there_are_cycles():
    table = np.triu(np.ones((8, 8)), 1)
    state = fitted(table).state
    unseen = MAY_CYCLE * 0.98 + (1.0 - MAY_CYCLE) * NO_KAPPA**2  # the grid ends at 3
    assert state.scales[KAPPA2] == pytest.approx(unseen, rel=0.02)


def test_a_fit_of_many_pairs_does_not_depend_on_the_first_kappa():
    """With one coarse grid of kappas, several values on it held themselves in place."""
    posterior = fitted(random_table(np.random.default_rng(0), 600, 9_000, kappa=0.5))
    kappa, ratings = posterior.kappa, posterior.ratings()
    for first in (0.25, 2.0):
        posterior.state.scales[1] = first
        posterior.settle()
        assert posterior.kappa == pytest.approx(kappa, abs=1e-6)
        np.testing.assert_allclose(posterior.ratings(), ratings, atol=1e-6)


def test_a_mixture_does_not_move_a_scale_against_its_step():
    scales = np.array([1.0, 0.5, 1.0, 0.9, 0.0, 0.0])
    before = kernels.log_scales(scales) - np.array([0.1, -0.1])
    kernels.set_ahead(scales, before, before + np.array([0.3, 0.1]))
    assert scales[[0, 3]].tolist() == [1.0, 0.9]
    kernels.set_ahead(scales, before, before + np.array([0.3, -0.3]))
    np.testing.assert_allclose(np.log(scales[[0, 3]]), [0.2, math.log(0.9) - 0.2])
