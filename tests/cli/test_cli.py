"""The command as a person runs it: a process of its own, its exit code, and what it prints."""

import subprocess
import sys

import numpy as np
import pytest

import maxin


def run(*arguments, cwd=None):
    return subprocess.run(
        [sys.executable, "-m", "maxin", *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=120,
        check=False,
    )


def test_version():
    done = run("--version")
    assert (done.returncode, done.stdout.strip()) == (0, f"maxin {maxin.__version__}")


def test_no_arguments_shows_help():
    assert "simulate" in run().stdout


def test_games_lists_every_game():
    from maxin.games import GAMES

    done = run("games")
    assert done.returncode == 0
    for name in GAMES:
        assert name in done.stdout


def test_games_show_tells_size_shares_sinks_and_top():
    done = run("games", "show", "good-bad")
    assert done.returncode == 0
    for words in (
        "players",
        "4",
        "transitive share",
        "cyclic share",
        "sink components",
        "Top five",
    ):
        assert words in done.stdout
    assert "Payoffs, best players first" in done.stdout


def test_simulate_is_the_same_for_the_same_seed(tmp_path):
    first, again, other = (
        run("simulate", "elo:n_players=20", "--rounds", "150", "--seed", seed, cwd=tmp_path)
        for seed in ("1", "1", "2")
    )
    assert first.returncode == 0, first.stderr
    assert first.stdout == again.stdout
    assert first.stdout != other.stdout
    assert "rank of the truly best player" in first.stdout


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_simulate_draws_a_picture(tmp_path, suffix):
    pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")
    done = run(
        "simulate", "blotto", "--scheduler", "random+melo", "--scheduler", "knockout",
        "--rounds", "60", "--picture", f"curves.{suffix}", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (tmp_path / f"curves.{suffix}").stat().st_size > 5000


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["games", "show", "bloto"], "no game named 'bloto'; did you mean 'blotto'"),
        (["games", "show", "missing.npy"], "there is no file 'missing.npy'"),
        (["games", "show", "elo:n_players=1"], "n_players must be from 2 to 5000; got 1"),
        (["simulate", "elo", "--scheduler", "randm"], "did you mean 'random'"),
        (["simulate", "elo", "--scheduler", "maxin:batch_size=0"], "at least 1; got 0"),
        (["simulate", "elo", "--picture", "curves.bmp"], "a picture ends in .png, .svg, .pdf"),
        (["simulate", "elo", "--picture", "no/where.png"], "there is no folder 'no'"),
        (
            ["simulate", "elo", "--scheduler", "random", "--scheduler", "random"],
            "every --scheduler once",
        ),
        (["simulate", "elo", "--rounds", "0"], "greater than or equal to 1"),
        (["simulate", "elo", "--seed", "-1"], "greater than or equal to 0"),
    ],
)
def test_wrong_usage_is_one_clear_line_and_exit_code_2(tmp_path, arguments, words):
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert words in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("payoffs", "words"),
    [
        (np.zeros((2, 3)), "square"),
        (np.array([[0.0, 0.5], [0.5, 0.0]]), "what one player wins the other must lose"),
        (np.array([[0.0, 2.0], [-2.0, 0.0]]), "in [-1, 1]"),
        (np.array([[0.0, np.nan], [np.nan, 0.0]]), "finite"),
        (np.array([[None, "x"], ["y", None]]), "pickles are never loaded"),
    ],
)
def test_bad_payoff_files_are_named(tmp_path, payoffs, words):
    np.save(tmp_path / "bad.npy", payoffs, allow_pickle=True)
    done = run("games", "show", "bad.npy", cwd=tmp_path)
    assert done.returncode == 2
    assert words in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_a_payoff_file_is_a_game(tmp_path):
    (tmp_path / "coin, weighted.csv").write_text("0,0.5\n-0.5,0\n")
    done = run("games", "show", "coin, weighted.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "coin, weighted" in done.stdout
