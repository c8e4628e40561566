"""Events that carry ratings, and the live table of a notebook."""

import io
import itertools
import sys
import types

import pytest

from maxin.evaluation.stop_checks import check_every
from maxin.ratings import Posterior
from maxin.runners import MatchFailed
from maxin.tournament import Tournament
from maxin.tournament.record.record import Record
from maxin.worker import Rated, Told
from tests.helpers.leagues import NAMES, alphabet
from tests.helpers.markup import Page
from tests.helpers.shaky import Shaky, watched


def test_ratings_come_after_every_few_results_and_at_the_end():
    seen, watch = watched()
    names = [f"p{number:02}" for number in range(12)]
    tournament = Tournament(names)
    tournament.run(alphabet, budget=16, confidence=None, watch=watch)
    assert check_every(12, 16) == 3
    rated = [event.n_matches for event in seen if isinstance(event, Rated)]
    assert rated == [3, 6, 9, 12, 15, 16]
    assert isinstance(seen[-1], Rated)


@pytest.mark.parametrize(("step", "expected"), [(0, [10]), (2, [3, 6, 9, 10])])
def test_a_run_that_shares_its_store_looks_once_a_second(monkeypatch, step, expected):
    clock = itertools.count(1, step)  # so many seconds pass between two readings
    stopped = types.SimpleNamespace(monotonic=lambda: next(clock))
    monkeypatch.setattr("maxin.tournament.watching.time", stopped)
    monkeypatch.setattr(Record, "is_alone", False)
    seen, watch = watched()
    tournament = Tournament([f"p{number:02}" for number in range(12)])
    tournament.run(alphabet, budget=10, confidence=None, watch=watch)
    assert [event.n_matches for event in seen if isinstance(event, Rated)] == expected


def test_an_event_carries_the_ratings_of_its_moment():
    boards = {}

    def watch(event):
        if isinstance(event, Rated):
            overview = event.overview()
            assert overview.n_matches == event.n_matches
            boards[event.n_matches] = overview.leaderboard

    tournament = Tournament(NAMES)
    tournament.run(alphabet, budget=9, confidence=None, watch=watch)
    assert list(boards) == list(range(1, 10))
    assert list(boards[9]) == list(tournament.leaderboard())
    assert list(boards[4]) != list(boards[9])


def test_ratings_that_nobody_reads_cost_no_fit(monkeypatch):
    fits, fit = [], Posterior.fit

    def noted(*given, **named):
        fits.append(1)
        fit(*given, **named)

    monkeypatch.setattr(Posterior, "fit", noted)
    counts = []
    for watch in (None, lambda event: None):
        fits.clear()
        Tournament(NAMES, scheduler="random").run(alphabet, budget=20, confidence=None, watch=watch)
        counts.append(len(fits))
    assert counts[0] == counts[1]


class Kernel:
    """A notebook: it keeps what is displayed and how often it was replaced."""

    kernel = object()

    def __init__(self):
        self.outputs, self.n_updates = [], 0

    def display(self, output, display_id):
        self.outputs.append(output)
        return self

    def update(self, output):
        self.n_updates += 1
        self.outputs[-1] = output


@pytest.fixture
def kernel(monkeypatch):
    made = Kernel()
    ipython = types.ModuleType("IPython")
    ipython.get_ipython = lambda: made
    ipython.display = types.ModuleType("IPython.display")
    ipython.display.display, ipython.display.HTML = made.display, str
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", ipython.display)
    return made


def test_a_notebook_shows_one_output_with_a_bar(kernel):
    shown = []
    tournament = Tournament(NAMES)

    def watch(event):
        if isinstance(event, Told):
            shown.extend(kernel.outputs)

    tournament.run(alphabet, budget=9, confidence=None, watch=watch)
    assert len(kernel.outputs) == 1
    assert "<table>" in shown[0]  # while it is played
    page = Page(kernel.outputs[0])
    assert page.count("progress", max="9", value="9") == 1
    assert "9 of 9 matches" in page.words["div"][0]
    assert page.count("table") == 0  # the report has it


def test_a_notebook_shows_failures_and_names_as_text(kernel):
    names = ["<b>anna</b>", "bo"]
    runner = Shaky(lambda job, attempt: MatchFailed("<i>busy") if attempt == 1 else None)
    Tournament(names).run(runner, budget=3, confidence=None, backoff=0, workers=1)
    assert "3 attempts failed; the last: &lt;i&gt;busy" in kernel.outputs[0]
    assert "<b>" not in kernel.outputs[0]


def test_nothing_is_shown_if_it_is_not_wanted(kernel):
    Tournament(NAMES).run(alphabet, budget=3, confidence=None, progress=False)
    assert kernel.outputs == []


class Terminal(io.StringIO):
    """Standard error on a terminal."""

    def isatty(self):
        return True


def test_a_script_shows_one_line_that_is_replaced(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr("maxin.worker.progress.REDRAWN", 0.0)
    monkeypatch.setattr("maxin.worker.progress.REST", 0.0)
    report = Tournament(NAMES).run(alphabet, budget=9, confidence=None, progress=True)
    lines = terminal.getvalue().split("\r\x1b[K")
    assert lines[0] == ""
    assert len(lines) > 10  # every event
    assert all(len(line) < 100 and "\n" not in line for line in lines[1:-1])
    assert lines[-1].startswith("9/9 matches · ")
    n_left = len(report.top.candidates)
    assert lines[-1].endswith(f" · 0 running · {n_left} candidates left\n")


@pytest.mark.parametrize("columns", [20, 40, 60, 80])
def test_a_narrow_line_misses_whole_parts(monkeypatch, columns):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setenv("COLUMNS", str(columns))
    terms = {"budget": 9, "budget_time": "2h", "confidence": None}
    Tournament(NAMES).run(alphabet, **terms, progress=True)
    last = terminal.getvalue().split("\r\x1b[K")[-1].strip("\n")
    assert last.startswith("9/9 matches")
    assert len(last) < columns
    assert "…" not in last


def test_the_line_says_what_is_left_of_cost_and_time(monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setenv("COLUMNS", "200")

    def play(first, second, seed):
        return {"score": 0.5, "data": {"cost": 0.5}}

    terms = {"budget_cost": 4.0, "budget_time": "2h", "confidence": None}
    tournament = Tournament(NAMES)
    tournament.run(play, **terms | {"budget_cost": 1.0}, progress=True)
    tournament.run(play, **terms, progress=True)
    first, last = (run.split("\r\x1b[K")[-1] for run in terminal.getvalue().strip("\n").split("\n"))
    assert first.startswith("2 matches · cost 1/1 · under 1 s of 2h · ")
    assert last.startswith("8 matches · cost 4/4 · under 1 s of 2h · ")


def test_failures_are_in_the_line(monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setenv("COLUMNS", "200")
    runner = Shaky(lambda job, attempt: MatchFailed("busy") if attempt == 1 else None)
    Tournament(NAMES).run(runner, budget=3, confidence=None, backoff=0, progress=True)
    assert terminal.getvalue().endswith(" · 3 failed\n")


def test_nothing_is_shown_where_no_terminal_is(capsys):
    Tournament(NAMES).run(alphabet, budget=3, confidence=None)
    Tournament(NAMES).run(alphabet, budget=3, confidence=None, progress=True)
    assert capsys.readouterr() == ("", "")
