"""Events that carry ratings, and the live table of a notebook."""

import sys
import types

import pytest

from maxin.core import InvalidInput
from maxin.evaluation.stop_checks import check_every
from maxin.ratings import Posterior
from maxin.runners import MatchFailed
from maxin.tournament import Tournament
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


def test_nothing_is_shown_elsewhere():
    Tournament(NAMES).run(alphabet, budget=3, confidence=None)
    with pytest.raises(InvalidInput, match="progress=True shows a table in a notebook"):
        Tournament(NAMES).run(alphabet, budget=3, progress=True)
