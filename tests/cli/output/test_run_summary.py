"""The end of a run, as it is printed."""

from rich.console import Console

from maxin import simulation
from maxin.cli.output.run_summary import RunSummary
from maxin.core import Stop
from maxin.tournament import Tournament
from tests.helpers.leagues import alphabet


def test_a_comparison_stops_as_the_run_does(monkeypatch):
    asked = []
    monkeypatch.setattr(simulation, "plan_again", lambda strengths, **terms: asked.append(terms))
    tournament = Tournament(["anna", "bo", "cy"])
    report = tournament.run(alphabet, confidence=0.9, tolerance=30.0)
    assert RunSummary(tournament, report, Stop(None, 0.9, 30.0), True).plan is None
    assert (asked[0]["confidence"], asked[0]["tolerance"]) == (0.9, 30.0)


def test_a_large_field_ends_with_its_leaders(capsys):
    names = [f"p{number:03}" for number in range(120)]
    tournament = Tournament(names, scheduler="random", seed=1)
    report = tournament.run(alphabet, budget=150, confidence=None)
    summary = RunSummary(tournament, report, Stop(150, None, 10.0), False)
    summary.print_leaderboard(Console(width=100))
    lines = capsys.readouterr().out.splitlines()
    assert 30 < len(lines) < 70
    assert lines[-2].startswith("shown: the best 30 of 120 players, and ")
    assert lines[-2].endswith("`maxin show --top 120` lists all")
    assert "shown: the best 30 of 120 players" in str(report)
    low = Console(width=100, height=20, force_terminal=True)
    summary.print_leaderboard(low)
    assert "… and 106 more; `maxin show` lists them" in capsys.readouterr().out
