"""Pairs as places in a list, and random numbers by position."""

import itertools

import numpy as np

from maxin.schedulers.base import Draws, n_pairs, nth_free, pair_of, place_of


def rng(seed=0):
    return np.random.default_rng(seed)


def test_places_number_the_pairs_without_gaps():
    pairs = [pair_of(place) for place in range(n_pairs(50))]
    assert sorted(pairs) == sorted(itertools.combinations(range(50), 2))
    assert [place_of(match) for match in pairs] == list(range(n_pairs(50)))
    assert place_of(pair_of(n_pairs(100_000) - 1)) == n_pairs(100_000) - 1


def test_nth_free_is_uniform_among_the_free():
    draws = (np.arange(3000) + 0.5) / 3000
    counts = np.bincount([nth_free(u, 6, taken=[0, 3, 3, 5]) for u in draws], minlength=6)
    np.testing.assert_array_equal(counts, [0, 1000, 1000, 0, 1000, 0])
    assert {nth_free(u, 2, taken=[0, 1]) for u in draws} == {0, 1}


def test_draws_depend_on_the_position_only():
    forward, backward = Draws(rng()), Draws(rng())
    positions = [0, 1, 255, 256, 5000]
    assert [forward[p] for p in positions] == [backward[p] for p in positions[::-1]][::-1]
    numbers = np.array([forward[p] for p in range(5000)])
    assert abs(numbers.mean() - 0.5) < 0.02
    assert len(set(numbers.tolist())) == 5000
