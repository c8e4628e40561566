"""The end of a run, as it is printed."""

from maxin import experiments
from maxin.cli.output.run_summary import RunSummary
from maxin.tournament import Tournament
from maxin.views import Ends
from tests.helpers.leagues import alphabet


def test_a_comparison_stops_as_the_run_does(monkeypatch):
    asked = []
    monkeypatch.setattr(experiments, "plan_again", lambda strengths, **terms: asked.append(terms))
    tournament = Tournament(["anna", "bo", "cy"])
    report = tournament.run(alphabet, confidence=0.9, tolerance=30.0)
    assert RunSummary(tournament, report, Ends(None, 0.9, 30.0), True).plan is None
    assert (asked[0]["confidence"], asked[0]["tolerance"]) == (0.9, 30.0)
