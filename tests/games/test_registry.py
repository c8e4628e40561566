import inspect

import numpy as np
import pytest

import maxin.games
from maxin.core import InvalidInput, UnknownName
from maxin.games import GAMES, Game, make_game

DRAWN = ["elo", "transitive", "triangular", "disc", "tic-tac-toe", "hex", "connect-four"]
DRAWN += ["spinning-top", "checkpoints"]
SMALL = {
    "tic-tac-toe": "tic-tac-toe:n_players=5",
    "hex": "hex:n_players=5,board=2",
    "connect-four": "connect-four:n_players=5",
}


def small(name, seed=0):
    return make_game(SMALL.get(name, name), np.random.default_rng(seed))


@pytest.mark.parametrize("name", GAMES)
class TestEveryGame:
    def test_is_fair(self, name):
        game = small(name)
        assert isinstance(game, Game)
        np.testing.assert_array_equal(game.probabilities + game.probabilities.T, 1.0)
        assert abs(game.ratings.sum()) < 1e-9

    def test_is_the_same_for_the_same_seed(self, name):
        np.testing.assert_array_equal(small(name, 7).payoffs, small(name, 7).payoffs)

    def test_has_a_first_line_that_is_a_sentence(self, name):
        first_line = inspect.getdoc(GAMES[name]).splitlines()[0]
        assert first_line.endswith(".")

    def test_takes_the_generator_first_and_then_only_keywords(self, name):
        first, *others = inspect.signature(GAMES[name]).parameters.values()
        assert first.name == "rng"
        assert all(other.kind is other.KEYWORD_ONLY for other in others)


@pytest.mark.parametrize("name", DRAWN)
def test_another_seed_gives_another_game(name):
    assert not np.array_equal(small(name, 1).payoffs, small(name, 2).payoffs)


def test_options_reach_the_builder():
    assert make_game("elo:n_players=7,noise=0.1", np.random.default_rng(0)).n_players == 7
    assert make_game("blotto:soldiers=4,fields=2", np.random.default_rng(0)).n_players == 5
    assert make_game("good-bad:good=1,bad=3", np.random.default_rng(0)).n_players == 4


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("ello", "did you mean 'elo'"),
        ("tictactoe", "did you mean 'tic-tac-toe'"),
        ("elo:n_player=5", "did you mean 'n_players'"),
        ("rock-paper-scissors:n_players=4", "no option"),
        ("table.npy.bak", "no game named"),
        ("table.npy:average=1", "did you mean 'average_seats'"),
    ],
)
def test_the_nearest_name_is_suggested(text, hint):
    with pytest.raises(UnknownName, match=hint):
        make_game(text, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("elo:n_players=1", "n_players must be from 2 to 5000; got 1"),
        ("elo:n_players=1000000000", "n_players must be from 2"),
        ("elo:n_players=many", "must be int"),
        ("elo:spread=0", "spread must be above 0"),
        ("elo:spread=nan", "spread must be from 0"),
        ("elo:spread=inf", "spread must be from 0"),
        ("elo:noise=-0.1", "noise must be from 0"),
        ("elo:noise=nan", "noise must be from 0"),
        ("elo:noise_kind=loud", "no kind of noise named 'loud'"),
        ("elo:noise=0.1,noise_kind=pool", "'pool' needs a pool of players; got pool=0"),
        ("elo:pool=99", "pool must be from 100 to 5000; got 99"),
        ("transitive:pool=6000", "pool must be from 100 to 5000; got 6000"),
        ("kuhn-poker:habits=odd", "no kind of habits named 'odd'"),
        ("kuhn-poker:games=-1", "games must be from 0 to 1000000; got -1"),
        ("blotto:payoff=fields", "no payoff of Blotto named 'fields'"),
        ("blotto:n_players=22", "n_players must be from 2 to 21; got 22"),
        ("hex:pure=2", "pure must be from 0 to 1; got 2"),
        ("transitive:n_players=0", "n_players must be from 2"),
        ("triangular:n_players=-3", "n_players must be from 2"),
        ("disc:n_players=1", "n_players must be from 2"),
        ("good-bad:good=0", "good must be from 1"),
        ("good-bad:bad=-1", "bad must be from 1"),
        ("blotto:soldiers=0", "soldiers must be from 1"),
        ("blotto:fields=1", "fields must be from 2"),
        ("blotto:soldiers=50,fields=5", "more than 5000 players"),
        ("blotto:soldiers=1000000000,fields=1000000000", "soldiers must be from 1"),
        ("tic-tac-toe:n_players=1", "n_players must be from 2 to 1000"),
        ("hex:board=1", "board must be from 2 to 3; got 1"),
        ("hex:board=4", "board must be from 2 to 3; got 4"),
        ("hex:n_players=1001", "n_players must be from 2 to 1000"),
        ("parity:moves=5", "moves must be from 2 to 4; got 5"),
        ("parity:n_players=33", "n_players must be from 2 to 32; got 33"),
        ("pig:target=9", "target must be from 10 to 1000; got 9"),
        ("pig:n_players=200", "n_players must be from 2 to 100; got 200"),
        ("connect-four:games=0", "games must be from 1 to 1000; got 0"),
        ("connect-four:pure=2", "pure must be from 0 to 1; got 2"),
        ("spinning-top:cycle=-1", "cycle must be from 0 to 20; got -1"),
        ("checkpoints:window=0", "window must be from 1 to 60; got 0"),
        ("checkpoints:memory=2", "memory must be from 0 to 1; got 2"),
        ("table.npy", "there is no file 'table.npy'"),
        ("a:b,c=d.csv", "there is no file 'a:b,c=d.csv'"),
        ("table.npy:average_seats=2", "average_seats must be 0 or 1"),
    ],
)
def test_options_out_of_range_are_refused(text, message):
    with pytest.raises(InvalidInput, match=message):
        make_game(text, np.random.default_rng(0))


def test_files_with_awkward_names_load(tmp_path):
    for name in ["5,3-Blotto.npy", "Elo game + noise=0.1.npy", "C: drive, n=3.npy"]:
        np.save(tmp_path / name, np.array([[0, 1], [-1, 0]]))
        assert make_game(str(tmp_path / name), np.random.default_rng(0)).name == name[:-4]


def test_all_public_names_exist():
    assert sorted(maxin.games.__all__, key=str) == sorted(set(maxin.games.__all__))
    assert all(hasattr(maxin.games, name) for name in maxin.games.__all__)
