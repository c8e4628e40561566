from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from maxin.core import InvalidInput
from maxin.evaluation import nash_average

ROCK_PAPER_SCISSORS = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])


def antisymmetric(matrix):
    return np.triu(matrix, 1) - np.triu(matrix, 1).T


def random_game(seed, n_players):
    """A game without ties, which has one equilibrium, on an odd number of players."""
    return antisymmetric(np.random.default_rng(seed).normal(size=(n_players, n_players)))


@st.composite
def tied_games(draw):
    """Games of small whole numbers, which have many equilibria."""
    n_players = draw(st.integers(1, 7))
    entries = st.lists(st.integers(-2, 2), min_size=n_players**2, max_size=n_players**2)
    return antisymmetric(np.array(draw(entries), dtype=float).reshape(n_players, n_players))


random_games = st.builds(random_game, st.integers(0, 10_000), st.integers(3, 30))
games = random_games | tied_games()


def largest(objective, advantages):
    """The largest value of a linear `objective` over all equilibria."""
    n_players = len(advantages)
    program = linprog(
        -objective,
        A_ub=advantages,
        b_ub=np.full(n_players, 1e-12),
        A_eq=np.ones((1, n_players)),
        b_eq=[1.0],
    )
    return -program.fun


def assert_most_even(advantages):
    """No equilibrium has a higher linearised entropy, with slope -log p at p: p is the maximum."""
    weights, _ = nash_average(advantages)
    inside = weights > 0.0
    slope = np.where(inside, -np.log(np.where(inside, weights, 1.0)), 0.0)
    assert largest(slope, advantages) <= weights @ slope + 1e-6
    assert largest((~inside).astype(float), advantages) <= 1e-6  # nobody is left out


@given(games)
def test_nobody_beats_the_equilibrium(advantages):
    weights, skills = nash_average(advantages)
    assert weights.sum() == pytest.approx(1.0)
    assert (weights >= 0.0).all()
    assert skills.max() <= 1e-8  # so the game's value is 0
    np.testing.assert_allclose(skills, advantages @ weights)
    np.testing.assert_allclose(weights * skills, 0.0, atol=1e-8)


@given(tied_games())
def test_no_equilibrium_is_more_even(advantages):
    assert_most_even(advantages)


@pytest.mark.parametrize("seed", range(20))
def test_unique_equilibria_are_found_by_trying_every_support(seed):
    advantages = random_game(seed, n_players=6)
    for size in (1, 3, 5):
        for support in map(list, combinations(range(6), size)):
            _, _, directions = np.linalg.svd(advantages[np.ix_(support, support)])
            weights = np.zeros(6)
            weights[support] = directions[-1] / directions[-1].sum()
            if weights.min() >= 0.0 and (advantages @ weights).max() < 1e-12:
                np.testing.assert_allclose(nash_average(advantages).weights, weights, atol=1e-9)
                return
    pytest.fail("no support holds an equilibrium")


@given(games, st.randoms(use_true_random=False))
def test_renumbering_the_players_changes_nothing(advantages, random):
    order = random.sample(range(len(advantages)), len(advantages))
    renumbered = nash_average(advantages[np.ix_(order, order)]).weights
    np.testing.assert_allclose(renumbered, nash_average(advantages).weights[order], atol=1e-6)


@given(random_games, st.integers(2, 4), st.integers(0, 2))
def test_copies_share_the_weight_of_the_player(advantages, n_copies, player):
    order = [*range(len(advantages)), *[player] * (n_copies - 1)]
    alone, copied = nash_average(advantages), nash_average(advantages[np.ix_(order, order)])
    shared = np.where(np.array(order) == player, 1.0 / n_copies, 1.0) * alone.weights[order]
    # Only the entropy decides how copies share, and it is flat: their shares are less exact.
    np.testing.assert_allclose(copied.weights, shared, atol=1e-4)
    np.testing.assert_allclose(copied.skills, alone.skills[order], atol=1e-6)


@given(tied_games(), st.integers(0, 6))
def test_copies_are_equal_even_among_many_equilibria(advantages, player):
    order = [*range(len(advantages)), player % len(advantages)]
    weights = nash_average(advantages[np.ix_(order, order)]).weights
    assert weights[-1] == pytest.approx(weights[player % len(advantages)], abs=1e-4)


@given(random_games, st.sampled_from([1e-6, 0.1, 7.0, 1e6]))
def test_the_unit_of_advantages_does_not_matter(advantages, unit):
    np.testing.assert_allclose(
        nash_average(unit * advantages).weights, nash_average(advantages).weights, atol=1e-9
    )


def test_rock_paper_scissors_is_even():
    np.testing.assert_allclose(nash_average(ROCK_PAPER_SCISSORS).weights, 1 / 3)


@pytest.mark.parametrize("n_players", [1, 2, 9])
def test_players_who_always_draw_are_even(n_players):
    level = np.zeros((n_players, n_players))
    np.testing.assert_allclose(nash_average(level).weights, 1 / n_players)


def test_a_dominated_player_has_no_weight():
    advantages = np.zeros((4, 4))
    advantages[:3, :3], advantages[:3, 3], advantages[3, :3] = ROCK_PAPER_SCISSORS, 0.1, -0.1
    weights, skills = nash_average(advantages)
    np.testing.assert_allclose(weights, [1 / 3, 1 / 3, 1 / 3, 0.0])
    np.testing.assert_allclose(skills, [0.0, 0.0, 0.0, -0.1], atol=1e-12)
    assert weights[3] == 0.0


@pytest.mark.parametrize("gap", [1e-3, 1e-5, 1e-7, 1e-9, 1e-11, 1e-13])
def test_nearly_tied_players_still_get_an_equilibrium(gap):
    rng = np.random.default_rng(0)
    for _ in range(20):
        players = rng.integers(0, 8, size=16)
        game = random_game(1, 8)[np.ix_(players, players)]
        weights, skills = nash_average(game + gap * antisymmetric(rng.normal(size=(16, 16))))
        assert weights.sum() == pytest.approx(1.0)
        assert skills.max() <= 1e-8


def test_the_papers_games_have_an_equilibrium(any_paper_game):
    payoffs = any_paper_game
    chances = np.clip((payoffs - payoffs.T + 2) / 4, 0.01, 0.99)
    advantages = np.log(chances / chances.T)
    assert nash_average(advantages).skills.max() <= 1e-9
    assert_most_even(advantages)


@pytest.mark.parametrize(
    ("advantages", "message"),
    [
        (np.array([[0.0, 1.0], [1.0, 0.0]]), r"antisymmetric.*\(0, 1\) and \(1, 0\) are 1.0 and 1"),
        (np.array([[1.0]]), r"antisymmetric.*\(0, 0\)"),
        (np.zeros((2, 3)), r"square matrix.*\(2, 3\)"),
        (np.array([[0.0, np.inf], [-np.inf, 0.0]]), r"finite; entry \(0, 1\) is inf"),
    ],
)
def test_errors_name_the_invalid_advantages(advantages, message):
    with pytest.raises(InvalidInput, match=message):
        nash_average(advantages)
