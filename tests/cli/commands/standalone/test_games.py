import numpy as np
import pytest

from maxin.games import GAMES
from tests.helpers.command import call, right


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


def test_every_game_is_listed():
    out = right("games").out
    assert all(name in out for name in GAMES)


def test_a_game_without_a_description_is_listed(monkeypatch):
    monkeypatch.setitem(GAMES.own, "plain", lambda rng: None)
    assert "plain" in right("games").out


def test_an_argument_that_nobody_can_set_is_no_option(monkeypatch):
    def plain(*, rng, sides=6):
        """A die."""

    monkeypatch.setitem(GAMES.own, "plain", plain)
    out = right("games").out
    assert "sides=6" in out
    assert "rng" not in out


def test_a_game_is_shown_with_its_size_shares_sinks_and_top():
    out = right("games", "show", "good-bad").out
    for words in ("players", "transitive share", "cyclic share", "sink components", "Top five"):
        assert words in out
    assert "Payoffs, best players first" in out
    assert "1 (of 1 player)" in right("games", "show", "elo:n_players=4").out


@pytest.mark.parametrize("game", ["elo", "elo:n_players=4"])
def test_a_game_without_show_is_an_error_that_names_the_command(game):
    done = call("games", game)
    assert done.code == 2
    assert done.err.endswith(f"to show the game: `maxin games show {game}`\n")


def test_a_payoff_file_is_a_game(folder):
    (folder / "coin, weighted.csv").write_text("0,0.5\n-0.5,0\n")
    assert "coin, weighted" in right("games", "show", "coin, weighted.csv").out


def test_a_table_of_win_probabilities_names_its_players(folder):
    (folder / "odds.csv").write_text(",[b]anna,bo\n[b]anna,0.5,0.8\nbo,0.2,0.5\n")
    assert "│ 1    │ [b]anna │ +0.693" in right("games", "show", "odds.csv").out
    arguments = ["--payoff", "odds.csv", "--store", "sqlite:///odds.db", "--quiet"]
    assert "[b]anna" in right("run", *arguments, "--budget", "3").out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["bloto"], "no game named 'bloto'; did you mean 'blotto'"),
        (["missing.npy"], "there is no file 'missing.npy'"),
        (["elo:n_players=1"], "n_players must be from 2 to 5000; got 1"),
        (["elo", "--seed", "-1"], "--seed must be a whole number of at least 0; got -1"),
        ([], "GAME is missing; see `maxin games show --help`"),
    ],
)
def test_mistakes_are_one_line(arguments, words):
    done = call("games", "show", *arguments)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("payoffs", "words"),
    [
        (np.zeros((2, 3)), "square"),
        (np.array([[0.0, 0.5], [-0.3, 0.0]]), "what one player wins the other must lose"),
        (np.array([[0.0, 0.5], [0.3, 0.0]]), "in 60.0 % of matches, and read as payoffs in 55.0 %"),
        (np.array([[0.0, 2.0], [-2.0, 0.0]]), "in [-1, 1]"),
        (np.array([[0.0, np.nan], [np.nan, 0.0]]), "finite"),
        (np.array([[None, "x"], ["y", None]]), "pickles are never loaded"),
    ],
)
def test_bad_payoff_files_are_named(folder, payoffs, words):
    np.save(folder / "bad.npy", payoffs, allow_pickle=True)
    done = call("games", "show", "bad.npy")
    assert done.code == 2
    assert words in done.err
    assert "Traceback" not in done.err
