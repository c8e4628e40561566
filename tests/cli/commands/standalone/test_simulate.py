import numpy as np
import pytest

from maxin.simulation import start_simulations
from maxin.simulation.plotting import STYLES
from tests.helpers.command import call, right


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


def test_the_same_seed_gives_the_same_run():
    first, again, other = (
        right("simulate", "elo:n_players=8", "--rounds", 60, "--seeds", 2, "--seed", seed).out
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other
    assert "rank of the truly best player" in first


def test_the_mean_of_ten_seeds_is_shown_by_default():
    done = right("simulate", "elo:n_players=5", "--scheduler", "random", "--rounds", 20).out
    assert "elo:n_players=5, 20 rounds, mean of seeds 0 to 9" in done
    ends = []
    for seed in range(10):
        [run] = start_simulations("elo:n_players=5", ["random"], seed)
        run.advance(20)
        ends.append(run.regret)
    error = np.std(ends, ddof=1) / 10**0.5
    assert f"{np.mean(ends):.2f} ± {error:.2f}" in done.replace("│", " ")


def test_one_seed_has_no_error():
    done = right("simulate", "elo:n_players=5", "--rounds", 20, "--seeds", 1, "--seed", 3).out
    assert "20 rounds, seed 3" in done
    long = right("simulate", "elo:n_players=2", "--rounds", 2000, "--seeds", 1).out
    assert "2,000 rounds, seed 0" in long
    assert " 2,000 │" in long
    once = right("simulate", "elo:n_players=2", "--rounds", 1, "--seeds", 1).out
    assert "1 round, seed 0" in once
    assert "±" not in done


def test_a_schedule_that_ends_early_shows_its_matches():
    done = right("simulate", "elo:n_players=8", "--scheduler", "knockout", "--seeds", 2).out
    assert [cell.strip() for cell in done.splitlines()[4].split("│")][1:3] == ["knockout", "7"]


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_a_picture_is_drawn(folder, suffix):
    pytest.importorskip("matplotlib")
    right(
        "simulate", "blotto", "--scheduler", "random+melo", "--scheduler", "knockout",
        "--rounds", 20, "--seeds", 2, "--picture", f"curves.{suffix}",
    )  # fmt: skip
    assert (folder / f"curves.{suffix}").stat().st_size > 5000


def test_the_lines_of_a_picture_look_different():
    assert len({colour for colour, _ in STYLES}) == len(STYLES) >= 9


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--scheduler", "randm"], "did you mean 'random'"),
        (["--scheduler", "maxin:batch_size=0"], "at least 1; got 0"),
        (["--picture", "curves.bmp"], "a picture must end in .png, .svg, .pdf"),
        (["--picture", "no/where.png"], "there is no folder 'no'"),
        (["--scheduler", "random", "--scheduler", "random"], "give every --scheduler once"),
        (["--rounds", "0"], "--rounds must be a whole number of at least 1; got 0"),
        (["--seeds", "0"], "--seeds must be a whole number of at least 1; got 0"),
        (["--seed", "-1"], "--seed must be a whole number of at least 0; got -1"),
    ],
)
def test_mistakes_are_one_line(arguments, words):
    done = call("simulate", "elo", *arguments)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert done.err.count("\n") == 1
