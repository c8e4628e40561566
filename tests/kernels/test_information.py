"""The choices of the posterior's schedulers, against updates of the state."""

import copy
import itertools
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import log_ndtr, ndtr
from scipy.stats import norm

from maxin.core import Match
from maxin.kernels import information
from maxin.kernels.posterior import contrast, cov_times, drawn, observe
from maxin.ratings import Posterior
from maxin.ratings.posterior.pending import WithPending
from tests.helpers.dense_posterior import difference_variance, some_posterior

N = 6
seeds = st.integers(0, 10_000)


@given(seed=seeds)
@settings(max_examples=30)
def test_the_variance_reduction_is_that_of_a_pending_match(seed):
    posterior = some_posterior(seed, N)
    state = posterior.state
    x, y = np.random.default_rng(seed).choice(N, size=2, replace=False).tolist()
    before, drops = difference_variance(state, x, y), {}
    cov = cov_times(state, contrast(state, x, y))
    for i in range(N):
        found = information.variance_reductions(state, cov, x, y, i)
        for j in range(N):
            if i != j:
                after = WithPending(posterior).state([Match(i, j)])
                drops[i, j] = before - difference_variance(after, x, y)
                assert found[j] == pytest.approx(drops[i, j], abs=1e-12)
    first, second = information.most_informative_match(state, x, y)
    assert drops[first, second] == pytest.approx(max(drops.values()), abs=1e-12)


@given(seed=seeds)
@settings(max_examples=30)
def test_the_nearest_rival_has_the_best_chance_to_be_better(seed):
    state, x = some_posterior(seed, N).state, seed % N
    rival = information.nearest_rival(state, state.strength_var, x)
    gaps = {
        y: (state.strengths[y] - state.strengths[x]) / np.sqrt(difference_variance(state, x, y))
        for y in range(N)
        if y != x
    }
    assert gaps[rival] == pytest.approx(max(gaps.values()), abs=1e-12)


def plain_value(state, i, j):
    """By how much a match is expected to lower P(i and j are misordered)."""

    def misorder(state):
        gap = state.strengths[i] - state.strengths[j]
        return information.misorder(gap, difference_variance(state, i, j))

    posterior = Posterior(N)
    posterior.state = copy.deepcopy(state)
    chance = posterior.chance(Match(i, j))
    value = misorder(state)
    for outcome, odds in ((1.0, chance), (0.0, 1.0 - chance)):
        after = copy.deepcopy(state)
        # Scores are less far from their mean than a coin, by the dispersion.
        observe(after, i, j, chance + np.sqrt(posterior.phi) * (outcome - chance))
        value -= odds * misorder(after)
    return value


CERTAIN = 1e-3  # how little a match may lower P(misordered) to count for nothing


@given(seed=seeds)
@settings(max_examples=30)
def test_doubtful_neighbours_are_those_a_look_ahead_finds(seed):
    state = some_posterior(seed, N).state
    order = np.argsort(-state.strengths)
    neighbours = [sorted(pair) for pair in pairwise(order.tolist())]
    values = [plain_value(state, i, j) for i, j in neighbours]
    found = sorted(information.doubtful_neighbours(state, order))
    if max(values) > CERTAIN:
        assert values[neighbours.index(found)] == pytest.approx(max(values), abs=1e-12)
    else:
        leads = [
            abs(state.strengths[i] - state.strengths[j]) / np.sqrt(difference_variance(state, i, j))
            for i, j in neighbours
        ]
        assert leads[neighbours.index(found)] == pytest.approx(min(leads))


@given(seed=seeds, k=st.integers(1, N - 1))
def test_a_boundary_pair_has_one_player_in_the_top_and_one_outside(seed, k):
    first, second = np.random.default_rng(seed).standard_normal((2, N))
    x, y = information.boundary_pair(first, second, k)
    tops = [set(np.argsort(-draw)[:k].tolist()) for draw in (first, second)]
    if tops[0] == tops[1]:
        assert (x, y) == (-1, -1)
    else:
        assert x == max(tops[0] - tops[1], key=first.__getitem__)
        assert y == max(tops[1] - tops[0], key=second.__getitem__)


@given(seed=seeds, k=st.integers(1, N - 1))
@settings(max_examples=30)
def test_a_drawn_match_is_about_the_first_two_draws_that_differ(seed, k):
    state = some_posterior(seed, N).state
    normals = np.random.default_rng(seed).standard_normal((3, 5, N))
    numbers = normals[0], np.tile(normals[1], 5), normals[2]
    scales = float(normals[0, 0, 0]) % 1.0, 0.75
    first, others = drawn(state, *numbers, scales[0])[0], drawn(state, *numbers, scales[1])[1:]
    pairs = [information.boundary_pair(first, other, k) for other in others]
    pair = next((pair for pair in pairs if pair != (-1, -1)), None)
    expected = (-1, -1) if pair is None else information.most_informative_match(state, *pair)
    assert information.drawn_match(state, *numbers, k, scales) == expected


@given(seed=seeds, k=st.integers(1, N - 1))
@settings(max_examples=30)
def test_the_nearest_boundary_is_where_a_change_is_most_likely(seed, k):
    state = some_posterior(seed, N).state
    x, y = information.nearest_boundary(state, state.strength_var, k)
    strengths = state.strengths
    order = np.argsort(-strengths).tolist()
    gaps = {
        pair: (strengths[pair[1]] - strengths[pair[0]]) / np.sqrt(difference_variance(state, *pair))
        for pair in itertools.product(order[:k], order[k:])
    }
    assert gaps[x, y] == pytest.approx(max(gaps.values()), abs=1e-12)


@given(z=st.floats(-5.0, 25.0), deviation=st.floats(1e-3, 10.0))
def test_the_logarithm_of_the_mean_excess(z, deviation):
    """E[(X - gap)+] = sd (density(z) - z P(X > z)) with z = gap / sd."""
    found = information.log_mean_excess(z * deviation, deviation**2)
    expected = np.log(deviation * (norm.pdf(z) - z * ndtr(-z)))
    assert found == pytest.approx(expected, abs=1e-8)


def test_the_mean_excess_does_not_underflow():
    """It is an integral of the tail: with P(X > x) falling as exp(-z (x - z)), about tail / z."""
    for z in (29.9, 30.1, 1000.0):
        found = information.log_mean_excess(z, 1.0)
        assert found == pytest.approx(log_ndtr(-z) - np.log(z), abs=5e-3)
    assert information.log_mean_excess(1.0, 0.0) < information.log_mean_excess(1.0, 1e-6)


def plain_improving_match(state, strengths, k, n_swaps):
    """The best match for the best of the likeliest swaps, by plain loops over all of them."""
    order = np.argsort(-strengths).tolist()
    swaps = list(itertools.product(order[:k], order[k:]))

    def gain(swap, variance):
        x, y = swap
        return information.log_mean_excess(strengths[x] - strengths[y], variance)

    swaps.sort(key=lambda swap: -gain(swap, difference_variance(state, *swap)))
    gains = {}
    for x, y in swaps[:n_swaps]:
        cov = cov_times(state, contrast(state, x, y))
        match = information.most_informative_match(state, x, y)
        drop = information.variance_reductions(state, cov, x, y, match[0])[match[1]]
        gains[match] = max(gain((x, y), drop), gains.get(match, -np.inf))
    return max(gains, key=gains.__getitem__)


@given(seed=seeds, k=st.integers(1, N - 1), n_swaps=st.integers(1, 10))
@settings(max_examples=30)
def test_the_most_improving_match_has_the_largest_expected_gain(seed, k, n_swaps):
    state = some_posterior(seed, N).state
    found = information.most_improving_match(state, state.strengths, state.strength_var, k, n_swaps)
    assert found == plain_improving_match(state, state.strengths, k, n_swaps)
