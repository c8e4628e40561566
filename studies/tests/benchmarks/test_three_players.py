"""The best policy of three players, against brute force and against other policies."""

import functools
import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from maxin.core import InvalidInput
from maxin_studies.benchmarks.three_players import PAIRS, BestPolicy, ThreePlayers

SPREADS = [0.5, 1.0, 2.0]


@functools.cache
def three(spread):
    return ThreePlayers(spread)


@functools.cache
def nodes(spread):
    """Ratings of all three players and their prior weights, by a product of quadratures."""
    values, weights = np.polynomial.hermite_e.hermegauss(40)
    ratings = spread * np.array(list(itertools.product(values, repeat=3)))
    chances = np.array([np.prod(some) for some in itertools.product(weights, repeat=3)])
    return ratings, chances / chances.sum()


def brute_force(spread, n_matches, ratings, weights):
    """The largest expected rating of the player named, by trying every match and result."""
    if n_matches == 0:
        return (weights @ ratings).max()
    values = []
    for x, y in PAIRS:
        chances = expit(ratings[:, x] - ratings[:, y])
        values.append(
            brute_force(spread, n_matches - 1, ratings, weights * chances)
            + brute_force(spread, n_matches - 1, ratings, weights * (1.0 - chances))
        )
    return max(values)


@pytest.mark.parametrize("spread", SPREADS)
@pytest.mark.parametrize("n_matches", [0, 1, 2, 3])
def test_the_least_loss_is_that_of_brute_force(spread, n_matches):
    named = brute_force(spread, n_matches, *nodes(spread))
    expected = 1.5 * spread / np.sqrt(np.pi) - named
    assert three(spread).least_loss(n_matches) == pytest.approx(expected, abs=1e-4)


@given(st.integers(0, 2**32 - 1))
def test_no_policy_has_less_loss(seed):
    rng = np.random.default_rng(seed)

    def choose(options, played):
        """Any pair, at random but fixed, in each state."""
        pairs = rng.integers(3, size=options.shape[1:])
        return np.take_along_axis(options, pairs[None], axis=0)[0]

    assert three(1.0).expected_loss(6, choose) >= three(1.0).least_loss(6)


@pytest.mark.parametrize("spread", SPREADS)
def test_each_pair_in_turn_and_random_pairs_have_more_loss(spread):
    least = three(spread).least_loss(9)
    in_turn = three(spread).expected_loss(9, lambda options, played: options[played % 3])
    random = three(spread).expected_loss(9, lambda options, played: options.mean(axis=0))
    assert 1.15 * least < in_turn < random


def costs_in_turn(policy, wins, ratings, weights):
    """The expected costs of each pair in turn from here on, times the chance of the results."""
    played = int(wins.sum())
    if played == policy.n_matches:
        return 0.0
    x, y = PAIRS[played % 3]
    chances = expit(ratings[:, x] - ratings[:, y])
    total = weights.sum() * policy.cost(wins, x, y)
    for winner, loser, some in ((x, y, chances), (y, x, 1.0 - chances)):
        after = wins.copy()
        after[winner, loser] += 1
        total += costs_in_turn(policy, after, ratings, weights * some)
    return total


@pytest.mark.parametrize("spread", SPREADS)
def test_the_loss_of_a_policy_is_the_least_one_plus_its_costs(spread):
    policy = BestPolicy(three(spread), 5)
    costs = costs_in_turn(policy, np.zeros((3, 3)), *nodes(spread))
    in_turn = three(spread).expected_loss(5, lambda options, played: options[played % 3])
    assert policy.loss == three(spread).least_loss(5)
    assert policy.loss + costs == pytest.approx(in_turn, abs=1e-5)


def test_a_match_after_the_last_one_costs_nothing():
    wins = np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]])
    assert BestPolicy(three(1.0), 2).cost(wins, 0, 1) == 0.0


def test_more_matches_lower_the_loss():
    losses = [three(1.0).least_loss(n_matches) for n_matches in range(8)]
    assert losses == sorted(losses, reverse=True)
    assert losses[0] == pytest.approx(three(1.0).best)


@given(st.lists(st.integers(0, 4), min_size=6, max_size=6))
def test_the_loss_of_naming_a_player_is_that_of_a_finer_grid(counts):
    wins = np.zeros((3, 3))
    for (x, y), (won, lost) in zip(PAIRS, np.reshape(counts, (3, 2)), strict=True):
        wins[x, y], wins[y, x] = won, lost
    points = np.arange(-7.0, 7.0, 0.04) + 0.013
    u, v = (some.ravel() for some in np.meshgrid(points, points))
    ratings = np.stack([u, v, np.zeros_like(u)]) - (u + v) / 3.0
    weights = np.exp(-(ratings**2).sum(axis=0) / 2.0)
    for x, y in itertools.permutations(range(3), 2):
        weights *= expit(ratings[x] - ratings[y]) ** wins[x, y]
    weights /= weights.sum()
    losses = (ratings.max(axis=0) - ratings) @ weights
    assert three(1.0).naming_losses(wins) == pytest.approx(losses, abs=3e-4)


def test_the_expected_largest_rating_is_known_without_results():
    for spread in SPREADS:
        losses = three(spread).naming_losses(np.zeros((3, 3)))
        assert losses == pytest.approx(three(spread).best, abs=2e-5)


@pytest.mark.parametrize("n_matches", [-1, 41])
def test_the_number_of_matches_is_limited(n_matches):
    with pytest.raises(InvalidInput, match=f"n_matches must be from 0 to 40; got {n_matches}"):
        three(1.0).least_loss(n_matches)
