"""Plans: how many matches a tournament will probably take."""

import csv
import functools
import io
import math

import pytest

from maxin.cli.commands.tournaments import plan as command
from maxin.cli.output.tables.plan_table import plan_table
from maxin.core import Stop
from maxin.simulation import Forecast, TournamentPlan, plan
from maxin.simulation.planned_tournament import PlannedEnd
from maxin.tournament import Goal
from tests.helpers.command import call, right


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(command, "n_cores", lambda: 1)  # the start of a process costs seconds
    return tmp_path


QUICK = ("--tournaments", 3, "--spread", 400)


@functools.cache
def timed(*flags):
    """A plan with hours, which is simulated once."""
    return right("plan", 4, *QUICK, "--seconds-per-match", 90, "--workers", 4, *flags)


def test_the_numbers_are_those_of_the_plan():
    found = plan(4, spread=400.0, n_tournaments=3, seed=1)
    document = right("plan", 4, *QUICK, "--seed", 1, "--format", "json").document
    assert (document["n_players"], document["goal"], document["confidence"]) == (4, "best", 0.95)
    assert document["n_tournaments"] == 3
    for forecast, row in zip(found.forecasts, document["schedulers"], strict=True):
        assert row["scheduler"] == forecast.scheduler
        assert row["matches_median"] == forecast.n_matches(0.5)
        assert row["hours_median"] is None
        assert row["undecided"] == forecast.undecided


def test_the_uncertainty_of_the_median_is_shown():
    six = ("--tournaments", 6, "--tolerance", 150)  # the fewest that have an interval
    text = right("plan", 4, *six).out
    assert "± 95 %: the 95 % interval of the matches" in text
    document = right("plan", 4, *six, "--format", "json").document
    for row in document["schedulers"]:
        median, high = (row[key] or math.inf for key in ("matches_median", "median_to"))
        assert row["median_from"] <= median <= high
    assert "3 tournaments cannot show how uncertain the matches are" in timed().out


def test_hours_are_matches_by_seconds_and_workers():
    document = timed("--format", "json").document
    for row in document["schedulers"]:
        assert row["hours_median"] == pytest.approx(row["matches_median"] * 90 / 4 / 3600)
    assert "hours: at 90 seconds per match, 4 at a time" in timed().out


def test_the_scheduler_is_compared_with_a_round_robin_and_random_matches():
    text = right("plan", 4, *QUICK, "--scheduler", "maxinp").out
    table = text.split("\n\n")[1].splitlines()
    assert [line.split()[0] for line in table[1:]] == [
        "maxinp",
        "round-robin:cycles=none",
        "random",
    ]
    assert max(map(len, table)) <= 80
    assert text.startswith(
        "4 players, the best, give or take 10 Elo, with 95 % confidence; 3 simulated"
    )


def test_a_config_file_or_a_glob_names_the_players(folder):
    for number in range(3):
        (folder / f"bot{number}.py").touch()
    (folder / "league.toml").write_text(
        'players = "bot*.py"\ngoal = "top-2"\nconfidence = 0.8\nworkers = 3\n'
    )
    quick = ("--tournaments", 1, "--spread", 400, "--format", "json")
    by_file = right("plan", "league.toml", *quick).document
    by_glob = right("plan", "--players", "bot*.py", *quick).document
    assert (by_file["n_players"], by_file["goal"], by_file["confidence"]) == (3, "top-2", 0.8)
    assert by_file["workers"] == 3
    assert (by_glob["n_players"], by_glob["goal"]) == (3, "best")
    flag = right("plan", "league.toml", *quick, "--goal", "best").document
    assert flag["goal"] == "best"


def test_a_tolerance_of_the_file_or_the_flag_is_respected(folder):
    (folder / "league.toml").write_text('players = ["a", "b", "c"]\ntolerance = 150\n')
    quick = ("--tournaments", 2, "--spread", 30)
    by_file = right("plan", "league.toml", *quick, "--format", "json").document
    by_flag = right("plan", 3, *quick, "--tolerance", 150, "--format", "json").document
    assert by_file == by_flag
    assert by_file["tolerance"] == 150
    assert all(row["undecided"] == 0.0 for row in by_file["schedulers"])
    text = right("plan", "league.toml", *quick).out
    assert "the best, give or take 150 Elo, with 95 % confidence" in text


def test_progress_is_printed_where_there_is_no_terminal():
    done = timed("--format", "json")
    assert done.err.splitlines() == [f"plan: {n} of 9 done" for n in (3, 5, 7, 9)]
    assert done.document["n_tournaments"] == 3


def forecasts(seconds=None):
    ends = (PlannedEnd(10, True, True), PlannedEnd(30, True, False), PlannedEnd(99, False, True))
    never = (PlannedEnd(99, False, False),) * 3
    found = TournamentPlan(
        4, Goal(), Stop(budget=99), 3, (Forecast("maxin", ends), Forecast("random", never))
    )
    return plan_table(found, seconds, workers=2)


def test_an_undecided_value_is_null():
    shown = forecasts(3600.0)
    first, second = shown.document()["schedulers"]
    assert (first["matches_low"], first["matches_median"], first["matches_high"]) == (10, 30, None)
    assert (first["hours_median"], first["hours_high"], first["right"]) == (15.0, None, 0.5)
    assert (second["matches_low"], second["right"], second["undecided"]) == (None, None, 1.0)
    text = shown.text(80)
    assert "10 to >99" in text
    assert "undecided: not decided after 99 matches" in text
    rows = list(csv.DictReader(io.StringIO(shown.csv())))
    assert (rows[0]["matches_median"], rows[1]["matches_median"]) == ("30", "")
    assert "| random | >99 |" in shown.markdown()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "a plan needs players"),
        (["1"], "at least two players; got 1"),
        (["4", "--goal", "top-4"], "top-4"),
        (["4", "--confidence", "0.2"], "--confidence must be"),
        (["4", "--confidence", "none"], "a plan needs a confidence"),
        (["4", "--scheduler", "maxi"], "did you mean 'maxin'"),
        (["4", "--seconds-per-match", "0"], "--seconds-per-match must be a positive number"),
        (["4", "--spread", "-1"], "--spread must be a positive number of Elo points; got -1"),
        (["4", "--workers", "0"], "--workers must be"),
        (["nothing.toml"], "there is no file 'nothing.toml'"),
        (["--players", "*.bot"], "no file matches the glob"),
    ],
)
def test_mistakes_are_named(arguments, words):
    done = call("plan", *arguments)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert "Traceback" not in done.err


def test_a_wide_table_keeps_the_names_of_schedulers():
    ends = (PlannedEnd(200, True, True), PlannedEnd(1_280, True, True)) * 9
    found = TournamentPlan(
        16,
        Goal(),
        Stop(budget=1_600),
        18,
        (Forecast("top-two", ends), Forecast("round-robin:cycles=none", ends)),
    )
    table = plan_table(found, 30.0, workers=1).text(80).split("\n\n")[1].splitlines()
    assert table[1].startswith("top-two ")
    assert max(map(len, table)) <= 80
