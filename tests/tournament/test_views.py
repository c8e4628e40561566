"""A tournament at the end of a notebook's cell, and the ends of its runs."""

from maxin.core import Stop
from maxin.storage import open_store
from maxin.tournament import Tournament
from tests.helpers.leagues import NAMES, alphabet
from tests.helpers.markup import Page

MANY = [f"<b>player {number}" for number in range(60)]


def test_reprs_are_short():
    tournament = Tournament(MANY)
    tournament.add_results([(MANY[0], MANY[1], 1.0)])
    assert repr(tournament) == "<Tournament of 60 players with 1 match, sqlite://>"
    assert repr(tournament.overview()) == "<Overview: 60 players; 1 match>"
    assert repr(tournament.belief()) == "<Belief of 60 players>"
    assert len(repr(tournament.run(alphabet, budget=2, confidence=None))) < 400


def test_a_notebook_shows_the_verdict_and_the_best_players():
    tournament = Tournament(MANY)
    tournament.add_results([(MANY[0], MANY[1], 1.0)])
    tournament.tell(tournament.ask(), 1.0, data={"cost": 0.5})
    shown = tournament._repr_html_()
    page = Page(shown)
    assert "<b>" not in shown
    assert page.words["p"][0] == "60 players; 2 matches"
    assert page.words["p"][1].startswith("too early to say: ")
    assert "… and 30 more; to_dataframe() has all" in page.words["p"]
    assert page.words["p"][-1] == "cost: 0.5 for 1 match, 0.5 per match"
    assert page.count("tr") == 1 + 30


def test_an_empty_tournament_is_shown():
    assert "no match has been played" not in Tournament(NAMES)._repr_html_()
    assert "4 players; 0 matches" in Tournament(NAMES)._repr_html_()


def test_the_stop_of_the_last_run_is_recorded_once(url):
    tournament = Tournament(NAMES, url)
    assert tournament.last_stop() == Stop(None, 0.95, 10.0)
    for _ in range(2):
        tournament.run(alphabet, budget=3, confidence=None)
    tournament.run(alphabet, budget=4, confidence=0.998, tolerance=10)
    with Tournament(store=open_store(url, reads=True)) as later:
        assert later.last_stop() == Stop(4, 0.998, 10.0)
        assert len(list(later.store.events("run"))) == 2
        assert later.verify().problems == []


def test_views_decide_by_the_terms_of_the_last_run():
    tournament = Tournament(["anna", "bo"], seed=1)
    assert (tournament.overview().stop, tournament.top().tolerance) == (Stop(), 10.0)
    report = tournament.run(lambda first, second, seed: 0.5, budget=400, tolerance=150.0)
    assert report.reason == "decided"
    assert tournament.top() == report.top
    assert tournament.top().tolerance == 150.0
    assert tournament.overview().verdict == report.overview.verdict
    assert tournament.overview().stop == tournament.last_stop()
    assert tournament.top(tolerance=10.0).is_decided is False
    assert tournament.overview(Stop()).status == "undecided"
