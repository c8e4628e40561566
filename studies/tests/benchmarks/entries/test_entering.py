"""Entering the leaderboard: what is played, what is written, and what is refused."""

import json
import sys

import numpy as np
import pytest

from maxin.simulation.simulation import start_simulation
from maxin_studies.benchmarks.entries.entering import enter
from maxin_studies.benchmarks.entries.entry_race import EntryRace
from maxin_studies.benchmarks.entries.frozen_set import SET
from maxin_studies.benchmarks.entries.result_file import EntryResult
from maxin_studies.benchmarks.races import Race, game_of
from maxin_studies.benchmarks.stops import StopRace
from tests.helpers.command import call, right

FEW = SET.smaller(2, 3)
ENTRY = """
import math

from maxin.schedulers import Random
from maxin.ratings import BradleyTerry


class Steady(Random):
    def __init__(self, n_players, *, rng):
        super().__init__(BradleyTerry(n_players), rng=rng)


class Broken(Steady):
    def _learn(self, result):
        if self.n_told > 7:
            raise RuntimeError("lost the\\nthread")
        super()._learn(result)


class Elsewhere(Steady):
    def _choose(self):
        return (0, 99)


class Unknown(Steady):
    def ratings(self):
        ratings = super().ratings().copy()
        ratings[3] = math.nan
        return ratings


def other_size(n_players, rng):
    return Steady(3, rng=rng)


LIST = []
"""


@pytest.fixture
def entry_module(tmp_path, monkeypatch):
    """A module of somebody else, which can be imported."""
    (tmp_path / "somebodys.py").write_text(ENTRY)
    monkeypatch.syspath_prepend(tmp_path)
    yield "somebodys"
    sys.modules.pop("somebodys", None)


@pytest.mark.parametrize("workers", [1, 2])
def test_the_same_entry_gives_the_same_file(entry_module, tmp_path, workers):
    entry = f"{entry_module}:Steady"
    one = enter(entry, out=tmp_path / "one", workers=1, frozen_set=FEW)
    other = enter(entry, out=tmp_path / "other", workers=workers, frozen_set=FEW)
    assert one.path.name == "somebodys-Steady.json"
    assert one.path.read_bytes() == other.path.read_bytes()
    assert [row[0] for row in one.sections[0].rows] == [*FEW.games, "all"]


def test_the_same_scheduler_under_another_name_shares_the_players_of_the_public_half(
    entry_module, tmp_path
):
    paths = [
        enter(name, out=tmp_path, workers=1, frozen_set=FEW).path
        for name in ("random+bradley-terry", f"{entry_module}:Steady")
    ]
    one, other = (json.loads(path.read_text())["first_seeds"] for path in paths)
    assert one["public"] == other["public"]
    assert one["own"] != other["own"]


def test_the_losses_and_the_stop_are_those_of_the_other_questions():
    """The same simulator: a race and a stopped tournament of the same seed find the same."""
    game, rounds = "field:n_players=10,spread=2", 600
    for seed in range(4):
        found = EntryRace(game, "", "top-two", rounds, seed).run()
        curves = Race(game, "", "top-two", 100, seed).run()
        assert found.losses[-1] == pytest.approx(float(curves.loss[-1]) * 173.7178, abs=0.06)
        assert found.found == curves.found[-1]
        times = StopRace(game, "", "top-two", rounds, seed).run()
        assert found.stop == (times.matches[0] if times.matches[0] > 0 else None)
        assert found.is_wrong == times.is_wrong[0]


def test_a_loss_is_that_of_the_player_on_top():
    found = EntryRace("field:n_players=10", "", "swiss", 100, 5).run()
    simulation = start_simulation(game_of("field:n_players=10", 5), "swiss", 5)
    for loss, rounds in zip(found.losses, (10, 30, 100), strict=True):
        simulation.advance(rounds - simulation.n_rounds)
        truth, ratings = simulation.game.ratings, simulation.scheduler.ratings()
        missed = truth.max() - truth[ratings == ratings.max()].mean()
        assert loss == pytest.approx(400.0 / np.log(10.0) * missed, abs=0.06)


def test_a_schedule_that_ends_early_is_judged_by_its_last_ratings(tmp_path):
    entry = "knockout:cycles=1"
    report = enter(entry, out=tmp_path, workers=1, frozen_set=FEW)
    runs = EntryResult.read(report.path, FEW).runs
    assert all(run.stop is None for some in runs.values() for run in some)
    assert all(run.losses[0] == run.losses[2] for run in runs[FEW.games[0], "public"])


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("toptwo", "did you mean 'top-two'?"),
        ("top-two:kapa=2", "did you mean 'kappa'?"),
        ("somebodys", "as module:Class; there is no scheduler named 'somebodys'; known: "),
        ("nowhere_to_be_found:Class", "No module named 'nowhere_to_be_found'"),
        ("somebodys:Steddy", "has no attribute 'Steddy'"),
        ("somebodys:LIST", "a scheduler must be a function or a class; got []"),
        ("fractions:Fraction", "the scheduler Fraction cannot be made for 10 players: TypeError"),
        ("somebodys:other_size", "was made for 3 players"),
        ("maxin:alone=self", "a player cannot play itself in a tournament"),
        ("somebodys:Broken", "'somebodys:Broken' failed: RuntimeError: lost the thread, in "),
        (
            "somebodys:Unknown",
            "somebodys:Unknown on field:n_players=10 with seed 20000: a rating must be a number; "
            "after match 10, that of player 3 is nan",
        ),
        ("somebodys:Elsewhere", "n_players=10 with seed 20000: players are numbered 0..9; (0, 99)"),
    ],
)
def test_an_entry_that_cannot_play_is_one_clear_line(entry_module, tmp_path, entry, words):
    done = call("bench", "--entry", entry, "--out", tmp_path / "out", "--workers", 1)
    assert done.code == 2
    assert words in done.err
    assert done.err.count("\n") == 1
    assert not list(tmp_path.glob("out/*.json"))


def test_an_error_of_a_worker_process_is_as_clear(entry_module, tmp_path):
    out = ("--out", tmp_path, "--workers", 2)
    done = call("bench", "--entry", "somebodys:Broken", *out)
    assert done.code == 2
    assert "failed: RuntimeError: lost the thread, in " in done.err


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["loss"], "not loss"),
        (["--game", "elo", "--seeds", 3], "not --game, --seeds"),
        (["--quick"], "not --quick"),
        (["--first-seed", 2000], "not --first-seed"),
    ],
)
def test_an_entry_takes_no_other_options(more, words):
    done = call("bench", *more, "--entry", "random")
    assert done.code == 2
    assert done.err.strip().endswith(words)


def test_the_command_prints_the_table_and_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr("maxin_studies.commands.bench.enter", with_few)
    out = right("bench", "--entry", "random", "--out", tmp_path, "--workers", 1).out
    assert "matches to the stop" in out
    assert out.strip().endswith(f"Results: {tmp_path / 'random.json'}")


def with_few(entry, **options):
    return enter(entry, frozen_set=FEW, **options)
