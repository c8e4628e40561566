"""The whole benchmark in small, from Python and as a command."""

from itertools import combinations

import pytest

from maxin.core import InvalidInput
from maxin_studies import bench
from maxin_studies.benchmarks import bench_plots
from maxin_studies.benchmarks.bench import QUESTIONS
from maxin_studies.benchmarks.judged_stops import PANELS
from studies.tests.helpers.pictures import leave_picture
from tests.helpers.command import right

FIELD = "field:n_players=5,spread=2"
SMALL = {"games": [FIELD], "seeds": 2, "rounds": 30, "schedulers": ["top-two"], "workers": 1}


def test_it_writes_tables_and_pictures_and_resumes(tmp_path, monkeypatch):
    calls = []
    report = bench(**SMALL, out=tmp_path, progress=lambda *call: calls.append(call))
    sizes = {name: total for name, _, total in calls}
    assert calls[: len(sizes)] == [(name, 0, total) for name, total in sizes.items()]
    assert {name: done for name, done, _ in calls} == sizes
    page = report.path.read_text()
    for words in ("Finding the best", "Stopping at confidence 0.95", "16 matches in flight", FIELD):
        assert words in page
    for name in ("best", "goals", "stop", "flight"):
        assert (tmp_path / "figures" / f"bench-{name}.png").stat().st_size > 5000
    assert calls[0] == ("best", 0, 60)
    assert ("best", 60, 60) in calls
    runs = sorted((tmp_path / "runs").rglob("*.parquet"))
    monkeypatch.setattr(bench_plots, "write_picture", leave_picture)
    again = bench(**SMALL, out=tmp_path)
    assert sorted((tmp_path / "runs").rglob("*.parquet")) == runs
    assert again == report


def test_an_interrupt_keeps_what_is_done(tmp_path):
    def interrupt(name, done, total):
        if 0 < done < total:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bench(["best"], **SMALL, out=tmp_path, progress=interrupt)
    calls = []
    bench(["best"], **SMALL, out=tmp_path, progress=lambda *call: calls.append(call))
    assert calls == [("best", 0, 60), ("best", 30, 60), ("best", 60, 60)]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"questions": ["bets"]}, "did you mean 'best'"),
        ({"confidence": 1.5}, r"confidence must be a number from 0\.5 to below 1; got 1\.5"),
        ({"questions": ["stop"], "schedulers": ["random"]}, "need a scheduler with a posterior"),
        ({"tolerance": float("inf")}, "tolerance must be a number of Elo points"),
        ({"questions": ["goals"], "games": ["good-bad:good=1,bad=1"]}, "top-two:k=3 on good-bad"),
        ({"questions": ["best"], "games": ["fieldd"]}, "did you mean 'field'"),
        ({"questions": ["best"], "games": [FIELD], "out": "taken"}, "cannot create the folder"),
        ({"questions": ["paper"], "paper": "nowhere"}, "there is no folder 'nowhere' of payoff"),
        ({"seeds": 0}, "seeds must be at least 1; got 0"),
        ({"first_seed": 999}, "first_seed must be at least 1000; got 999"),
        ({"in_flight": 1}, "in_flight must be from 2 to 1000; got 1"),
        ({"workers": 0}, "workers must be at least 1; got 0"),
    ],
)
def test_an_invalid_request_is_refused_before_anything_runs(wrong, message, tmp_path):
    (tmp_path / "taken").write_text("")
    arguments = {"out": "out", **wrong}
    folders = {key: tmp_path / arguments[key] for key in ("out", "paper") if key in arguments}
    with pytest.raises(InvalidInput, match=message.replace("'nowhere'", ".*")):
        bench(**arguments | folders)
    assert not list(tmp_path.rglob("*.parquet"))


def test_the_command_prints_tables(tmp_path, monkeypatch):
    options = "best --game elo:n_players=4 --seeds 2 --rounds 20 --out b --workers 1"
    monkeypatch.chdir(tmp_path)
    done = right("bench", *options.split())
    assert "elo:n_players=4" in done.out
    assert "benchmarks.md" in done.out


def test_scores_compares_draws_with_matches_that_are_won_or_lost(tmp_path):
    small = {"seeds": 2, "rounds": 40, "schedulers": ["top-two"], "workers": 1}
    report = bench(["scores"], **small, out=tmp_path)
    [section] = report.sections
    assert section.rows[0][0] == "won or lost"
    assert section.rows[0][5] == "1.00"
    assert len(section.rows) == 12


def test_judges_compares_stops_with_and_without_a_model_of_them(tmp_path):
    report = bench(["judges"], seeds=2, rounds=40, workers=1, out=tmp_path)
    [section] = report.sections
    assert [row[1] for row in section.rows] == ["plain results", "with judges"] * 4
    assert section.rows[0][5] == "1.00"
    assert [row[0] for row in section.rows[::2]] == list(PANELS)


@pytest.mark.slow
def test_a_first_look_is_short_and_answers_every_question(tmp_path):
    sizes, calls = {}, []

    def note(name, done, total):
        sizes[name] = total
        calls.append((name, done))

    report = bench(quick=True, out=tmp_path, progress=note)
    assert sum(sizes.values()) < 4_000_000
    assert {name.partition(",")[0] for name in sizes} >= {*QUESTIONS} - {"paper"}
    names = [section.name for section in report.sections]
    assert len(names) == len(set(names))
    assert all((name, size) in calls for name, size in sizes.items())  # all announced work is done


def test_every_scheduler_is_compared_with_every_other(tmp_path):
    names = ["top-two", "double-thompson", "swiss"]
    report = bench(**SMALL | {"schedulers": names}, out=tmp_path)
    tables = {one.name: one.rows for one in report.sections if one.name.endswith("-pairs")}
    assert set(tables) == {
        f"bench-{name}-pairs" for name in ("best", "loss", "goals-top", "goals-ordered", "stop")
    }
    for rows in tables.values():
        assert {frozenset(row[:2]) for row in rows} == {
            frozenset(pair) for pair in combinations(names, 2)
        }
