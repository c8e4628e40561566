"""Games between the real bots of OpenSpiel."""

import importlib.util
import subprocess
import sys
import threading

import pytest

from maxin.core import Entrant, InvalidInput, UnknownName
from maxin.runners import Job, MatchFailed, OpenSpiel
from maxin.runners.open_spiel_bots import check_options, load, share
from tests.helpers.processes import cpu_seconds, own_processes
from tests.helpers.waiting import LONG, wait_until, with_more_time

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
    """Makes runners, and closes them at the end."""
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
def test_a_search_beats_random_moves_from_either_seat(open_spiel, game):
    runner = open_spiel(game)
    points = scores(runner, mcts(100), RANDOM, n_games=5)
    points += [1.0 - score for score in scores(runner, RANDOM, mcts(100), n_games=5)]
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
def test_the_seed_determines_the_game(open_spiel, game, pair):
    runner, again = open_spiel(game), open_spiel(game)
    outcomes = [runner.play(Job(1, *pair, seed)) for seed in range(20)]
    assert outcomes == [again.play(Job(2, *pair, seed)) for seed in reversed(range(20))][::-1]
    assert len({outcome.score for outcome in outcomes}) > 1


def test_data_holds_the_returns(open_spiel):
    outcome = open_spiel("kuhn_poker").play(Job(1, RANDOM, RANDOM, seed=3))
    first, second = outcome.data["returns"]
    assert first == -second
    assert outcome.score == (first + 2.0) / 4.0
    assert outcome.data["plies"] >= 4  # two cards are dealt, and there are at least two moves


@pytest.mark.parametrize("actions", ["0:1:2:3:4:5:6:7:8", "8:0:1:2"])
def test_registered_bots_can_play(open_spiel, actions):
    runner = open_spiel("tic_tac_toe")
    fixed = Entrant("fixed", {"bot": "fixed_action_preference", "actions": actions})
    last = Entrant("last", {"bot": "fixed_action_preference", "actions": "5:7:6:3:4:0:1:2:8"})
    runner.check([fixed, last])
    assert runner.play(Job(1, fixed, last, seed=0)).score == 1.0


def test_turn_based_simultaneous_games_can_be_played(open_spiel):
    runner = open_spiel("turn_based_simultaneous_game(game=matrix_rps())")
    assert set(scores(runner, RANDOM, RANDOM)) == {0.0, 0.5, 1.0}


def test_check_names_the_player_with_invalid_options(open_spiel):
    with pytest.raises(InvalidInput, match="player 'x' needs a bot"):
        open_spiel("tic_tac_toe").check([RANDOM, Entrant("x", {})])


def test_running_games_can_be_killed(open_spiel):
    runner, failures = open_spiel("go"), []
    runner.play(Job(1, RANDOM, RANDOM, seed=0))
    (worker,) = own_processes()
    before = cpu_seconds(worker)

    def game():
        try:
            runner.play(Job(2, mcts(10**8), RANDOM, seed=0))
        except MatchFailed as failure:
            failures.append(failure)

    thread = threading.Thread(target=game)
    thread.start()
    wait_until(lambda: cpu_seconds(worker) > before + 0.2)  # the search is running
    runner.kill()
    thread.join(LONG)
    assert [failure.reason for failure in failures] == ["the game was stopped"]
    with pytest.raises(MatchFailed):
        runner.play(Job(3, RANDOM, RANDOM, seed=0))


def test_a_game_that_times_out_fails(open_spiel):
    def test(timeout):  # within which the second game must end
        runner = open_spiel("go", timeout=timeout)
        with pytest.raises(MatchFailed, match=f"timed out after {timeout:g} s"):
            runner.play(Job(1, mcts(10**8), RANDOM, seed=0))
        assert runner.play(Job(2, RANDOM, RANDOM, seed=0)).score in (0.0, 1.0)

    with_more_time(test, (0.5, 5.0, LONG))


def test_without_open_spiel_the_error_names_the_extra():
    code = (
        "import sys; sys.modules['pyspiel'] = None\n"
        "from maxin.runners.open_spiel_bots import OpenSpiel\n"
        "try: OpenSpiel('tic_tac_toe')\n"
        "except ImportError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'maxin[open-spiel]'" in done.stdout


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
