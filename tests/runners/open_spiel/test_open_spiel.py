"""OpenSpiel's games and bots, the real ones."""

import importlib.util
import subprocess
import sys
import threading
import time

import pytest

from maxin.core import Entrant, InvalidInput, UnknownName
from maxin.runners.base import Job, MatchFailed
from maxin.runners.open_spiel.games import load, share
from maxin.runners.open_spiel.runner import OpenSpiel

pytestmark = [
    pytest.mark.skipif(
        importlib.util.find_spec("pyspiel") is None, reason="OpenSpiel is not installed"
    ),
    pytest.mark.usefixtures("nothing_left"),
]

RANDOM = Entrant("random", {"bot": "random"})


def mcts(simulations, **options):
    return Entrant(f"mcts-{simulations}", {"bot": "mcts", "simulations": simulations, **options})


@pytest.fixture
def open_spiel():
    """Makes runners and closes them."""
    made = []

    def make(game, **arguments):
        made.append(OpenSpiel(game, **arguments))
        return made[-1]

    yield make
    for runner in made:
        runner.close()


def scores(runner, first, second, n_games=20):
    return [runner.play(Job(seed, first, second, seed)).score for seed in range(n_games)]


@pytest.mark.parametrize("game", ["tic_tac_toe", "connect_four", "go(board_size=5)"])
def test_a_search_beats_chance_from_either_seat(open_spiel, game):
    runner = open_spiel(game)
    points = scores(runner, mcts(100), RANDOM, n_games=10)
    points += [1.0 - score for score in scores(runner, RANDOM, mcts(100), n_games=10)]
    assert sum(points) / len(points) > 0.75


def test_wins_draws_and_losses(open_spiel):
    runner = open_spiel("tic_tac_toe")
    assert set(scores(runner, RANDOM, RANDOM, n_games=40)) == {0.0, 0.5, 1.0}
    assert scores(runner, mcts(1000), mcts(1000), n_games=3) == [0.5] * 3


@pytest.mark.parametrize(
    ("game", "pair"),
    [
        ("connect_four", (mcts(20), mcts(30, uct_c=1.0))),
        ("backgammon", (RANDOM, RANDOM)),
        ("kuhn_poker", (RANDOM, Entrant("uniform", {"bot": "uniform_random"}))),
    ],
)
def test_the_seed_decides_the_game(open_spiel, game, pair):
    runner, again = open_spiel(game), open_spiel(game)
    outcomes = [runner.play(Job(1, *pair, seed)) for seed in range(20)]
    assert outcomes == [again.play(Job(2, *pair, seed)) for seed in reversed(range(20))][::-1]
    assert len({outcome.score for outcome in outcomes}) > 1


def test_data_tell_the_returns(open_spiel):
    outcome = open_spiel("kuhn_poker").play(Job(1, RANDOM, RANDOM, seed=3))
    first, second = outcome.data["returns"]
    assert first == -second
    assert outcome.score == (first + 2.0) / 4.0
    assert outcome.data["plies"] >= 4  # two cards are dealt, two moves are the least


def test_scores_of_other_sums():
    bargaining = load("bargaining")  # returns from 0 to 10, to each
    assert share(bargaining, [10.0, 0.0]) == 1.0
    assert share(bargaining, [7.0, 7.0]) == 0.5
    assert share(bargaining, [2.0, 7.0]) == 0.25


@pytest.mark.parametrize(
    ("options", "score"),
    [
        ({"bot": "fixed_action_preference", "actions": "0:1:2:3:4:5:6:7:8"}, 1.0),
        ({"bot": "fixed_action_preference", "actions": "8:0:1:2"}, 1.0),
    ],
)
def test_registered_bots_play(open_spiel, options, score):
    runner = open_spiel("tic_tac_toe")
    fixed = Entrant("fixed", options)
    last = Entrant("last", {"bot": "fixed_action_preference", "actions": "5:7:6:3:4:0:1:2:8"})
    runner.check([fixed, last])
    outcome = runner.play(Job(1, fixed, last, seed=0))
    assert outcome.score == score


@pytest.mark.parametrize(
    ("game", "words"),
    [
        ("matrix_rps", "players move at the same time; try turn_based_simultaneous_game"),
        ("matching_pennies_3p", r"it has 3 player\(s\)"),
        ("cliff_walking", r"it has 1 player\(s\)"),
        ("hanabi", "win and lose together"),
        ("negotiation", "whatever the seed"),
        ("go(board_size=5", "OpenSpiel cannot load 'go.board_size=5'"),
        ("go(bord_size=5)", "OpenSpiel cannot load"),
    ],
)
def test_games_that_are_no_matches_are_refused(game, words):
    with pytest.raises(InvalidInput, match=words):
        OpenSpiel(game)


def test_turn_based_simultaneous_games_are_taken(open_spiel):
    runner = open_spiel("turn_based_simultaneous_game(game=matrix_rps())")
    assert set(scores(runner, RANDOM, RANDOM)) == {0.0, 0.5, 1.0}


def test_unknown_games_are_refused_by_name():
    with pytest.raises(UnknownName, match="no OpenSpiel game named 'conect_four'; did you mean"):
        OpenSpiel("conect_four")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "player 'x' needs a bot, .* got None"),
        ({"bot": "mtcs"}, "no bot for player 'x' named 'mtcs'; did you mean 'mcts'"),
        ({"bot": "mcts", "sims": 3}, "option of player 'x', bot 'mcts', named 'sims'"),
        ({"bot": "random", "simulations": 3}, "bot 'random', named 'simulations'"),
        ({"bot": "mcts", "simulations": 0}, "player 'x': simulations must be positive"),
        ({"bot": "mcts", "simulations": 0.5}, r"simulations must be a whole number; got 0\.5"),
        ({"bot": "mcts", "uct_c": -1}, "uct_c must be positive"),
        ({"bot": "fixed_action_preference", "actions": [1]}, r"actions is a text or a number"),
        ({"bot": "uniform_restricted_actions"}, "'uniform_restricted_actions' cannot be made"),
    ],
)
def test_entrants_that_cannot_play_are_refused(open_spiel, options, words):
    with pytest.raises(InvalidInput, match=words):
        open_spiel("tic_tac_toe").check([RANDOM, Entrant("x", options)])


def test_a_search_may_not_look_at_hidden_cards(open_spiel):
    with pytest.raises(InvalidInput, match="would see what the game hides"):
        open_spiel("kuhn_poker").check([mcts(10)])


def test_running_games_are_ended_at_once(open_spiel):
    runner, became = open_spiel("go"), []

    def game():
        try:
            runner.play(Job(1, mcts(10**8), RANDOM, seed=0))
        except MatchFailed as failure:
            became.append(failure)

    thread = threading.Thread(target=game)
    thread.start()
    time.sleep(1.0)
    start = time.monotonic()
    runner.kill()
    thread.join()
    assert time.monotonic() - start < 2.0
    assert len(became) == 1
    with pytest.raises(MatchFailed):
        runner.play(Job(2, RANDOM, RANDOM, seed=0))


def test_a_game_that_takes_too_long_fails(open_spiel):
    runner = open_spiel("go", timeout=0.5)
    with pytest.raises(MatchFailed, match=r"0\.5 s"):
        runner.play(Job(1, mcts(10**8), RANDOM, seed=0))
    assert runner.play(Job(2, RANDOM, RANDOM, seed=0)).score in (0.0, 1.0)


def test_without_open_spiel_the_extra_is_named():
    code = (
        "import sys; sys.modules['pyspiel'] = None\n"
        "from maxin.runners.open_spiel.runner import OpenSpiel\n"
        "try: OpenSpiel('tic_tac_toe')\n"
        "except ImportError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'maxin[open-spiel]'" in done.stdout
