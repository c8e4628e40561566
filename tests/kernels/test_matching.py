"""Matchings against NetworkX, and against every way to pair a few players."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxin.kernels.matching import heavy_matching, largest_matching, preferred_matching
from maxin.schedulers.practice.information import by_falling_weight

seeds = st.integers(0, 10_000)


def random_graph(seed, n_players, share):
    rng = np.random.default_rng(seed)
    allowed = np.triu(rng.random((n_players, n_players)) < share, 1)
    return allowed | allowed.T


def pairs_of(partners):
    return {(a, b) for a, b in enumerate(partners.tolist()) if a < b}


def is_mutual(partners):
    return all(partners[b] == a for a, b in enumerate(partners.tolist()) if b >= 0)


def pairings(players):
    """Every way to pair these players."""
    if not players:
        yield []
        return
    first, *others = players
    for partner in others:
        rest = [player for player in others if player != partner]
        yield from ([(first, partner), *more] for more in pairings(rest))


@given(seed=seeds, n_players=st.integers(2, 25), share=st.sampled_from([0.05, 0.1, 0.2, 0.5]))
@settings(max_examples=150)
def test_as_many_players_as_possible_are_paired(seed, n_players, share):
    allowed = random_graph(seed, n_players, share)
    partners = largest_matching(allowed)
    expected = nx.max_weight_matching(nx.from_numpy_array(allowed), maxcardinality=True)
    assert is_mutual(partners)
    assert all(allowed[pair] for pair in pairs_of(partners))
    assert len(pairs_of(partners)) == len(expected)


def plain_preferred(costs, allowed, order):
    """The pairing that is best for the first player, then for the next, and so on."""
    possible = [
        pairs for pairs in pairings(list(range(len(order)))) if all(allowed[pair] for pair in pairs)
    ]
    for player in order.tolist():
        by_pairing = [
            next(costs[player, sum(pair) - player] for pair in pairs if player in pair)
            for pairs in possible
        ]
        # A player whom an earlier one chose has no choice of its own: all costs are equal.
        least = min(by_pairing)
        possible = [
            pairs for pairs, cost in zip(possible, by_pairing, strict=True) if cost == least
        ]
    return set(possible[0])


@given(seed=seeds, n_players=st.sampled_from([2, 4, 6, 8]), share=st.sampled_from([0.3, 0.6, 1.0]))
@settings(max_examples=100)
def test_each_in_turn_gets_the_cheapest_partner_with_whom_all_can_be_paired(seed, n_players, share):
    rng = np.random.default_rng(seed)
    allowed = random_graph(seed, n_players, share)
    if (largest_matching(allowed) < 0).any():
        return
    costs, order = rng.random((n_players, n_players)), rng.permutation(n_players)
    partners = preferred_matching(costs, allowed, order)
    assert pairs_of(partners) == plain_preferred(costs, allowed, order)


def plain_heavy(weights, heaviest):
    """Greedy pairs, then exchanges until none is heavier."""
    partners = {}
    for first, second in heaviest.tolist():
        if first not in partners and second not in partners:
            partners[first], partners[second] = second, first
    while True:
        before = dict(partners)
        for a in range(len(weights)):
            for c in range(a + 1, len(weights)):
                b, d = partners[a], partners[c]
                after = weights[a, c] + weights[b, d]
                if c != b and after - weights[a, b] - weights[c, d] > 1e-12:
                    partners |= {a: c, c: a, b: d, d: b}
        if partners == before:
            return {(a, b) for a, b in partners.items() if a < b}


def random_weights(seed, n_players):
    weights = np.triu(np.random.default_rng(seed).random((n_players, n_players)), 1)
    return weights + weights.T


@given(seed=seeds, n_players=st.sampled_from([2, 4, 10, 16]))
@settings(max_examples=60)
def test_heavy_pairs_are_those_of_the_plain_loop(seed, n_players):
    weights = random_weights(seed, n_players)
    heaviest = by_falling_weight(weights, np.random.default_rng(seed))
    partners = heavy_matching(weights, heaviest)
    assert is_mutual(partners)
    assert pairs_of(partners) == plain_heavy(weights, heaviest)


def test_heavy_pairs_are_almost_as_heavy_as_possible():
    shares = []
    for seed in range(40):
        weights = random_weights(seed, 20)
        heaviest = by_falling_weight(weights, np.random.default_rng(seed))
        ours = sum(weights[pair] for pair in pairs_of(heavy_matching(weights, heaviest)))
        most = sum(weights[pair] for pair in nx.max_weight_matching(nx.from_numpy_array(weights)))
        assert ours <= most + 1e-9
        shares.append(ours / most)
    assert np.mean(shares) == pytest.approx(0.98, abs=0.01)
