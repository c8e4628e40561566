"""Which games and bots of OpenSpiel can be played, and how returns become scores."""

import importlib.util

import pytest

from maxin.core import InvalidInput, UnknownName
from maxin.runners.open_spiel.bot_games import check_options, load, share

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("pyspiel") is None, reason="OpenSpiel is not installed"
)


def test_scores_of_games_that_are_not_zero_sum():
    bargaining = load("bargaining")  # each player's return is between 0 and 10
    assert share(bargaining, [10.0, 0.0]) == 1.0
    assert share(bargaining, [7.0, 7.0]) == 0.5
    assert share(bargaining, [2.0, 7.0]) == 0.25


@pytest.mark.parametrize(
    ("game", "message"),
    [
        ("matrix_rps", "players move at the same time; try turn_based_simultaneous_game"),
        ("matching_pennies_3p", r"it has 3 player\(s\)"),
        ("cliff_walking", r"it has 1 player\(s\)"),
        ("hanabi", "win and lose together"),
        ("negotiation", "ignores the seed"),
        ("go(board_size=5", "OpenSpiel cannot load 'go.board_size=5'"),
        ("go(bord_size=5)", "OpenSpiel cannot load"),
    ],
)
def test_games_that_are_not_matches_are_refused(game, message):
    with pytest.raises(InvalidInput, match=message):
        load(game)


def test_an_unknown_game_is_refused_with_a_suggestion():
    with pytest.raises(UnknownName, match="no OpenSpiel game named 'conect_four'; did you mean"):
        load("conect_four")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "player 'x' needs a bot, .* got None"),
        ({"bot": "mtcs"}, "no bot for player 'x' named 'mtcs'; did you mean 'mcts'"),
        ({"bot": "mcts", "sims": 3}, "option of player 'x', bot 'mcts', named 'sims'"),
        ({"bot": "random", "simulations": 3}, "bot 'random', named 'simulations'"),
        ({"bot": "mcts", "simulations": 0}, "player 'x': simulations must be positive"),
        ({"bot": "mcts", "simulations": 0.5}, r"simulations must be a whole number; got 0\.5"),
        ({"bot": "mcts", "uct_c": -1}, "uct_c must be positive"),
        ({"bot": "fixed_action_preference", "actions": [1]}, "actions must be a string or a num"),
        ({"bot": "uniform_restricted_actions"}, "create the bot 'uniform_restricted_actions'"),
    ],
)
def test_invalid_options_are_refused(options, message):
    with pytest.raises(InvalidInput, match=message):
        check_options(load("tic_tac_toe"), options, "player 'x'")


def test_a_search_needs_perfect_information():
    with pytest.raises(InvalidInput, match="perfect information"):
        check_options(load("kuhn_poker"), {"bot": "mcts", "simulations": 10}, "player 'x'")
