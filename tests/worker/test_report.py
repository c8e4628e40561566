"""The report of a run: one sentence for people, the standings, and HTML for notebooks."""

import dataclasses
import re
import traceback

import pytest

from maxin.runners import MatchFailed
from maxin.tournament import Tournament
from maxin.worker import MatchesFailed, Report
from tests.helpers.leagues import NAMES, alphabet
from tests.helpers.shaky import Shaky, aborted


def report_of(tournament, reason, message=""):
    return Report(
        reason, message, 0, 0, 0.0, n_matches=tournament.n_matches, known=tournament.overview()
    )


def test_a_report_shows_the_standings_and_how_the_run_ended():
    tournament = Tournament(NAMES)
    report = tournament.run(alphabet)
    assert report.reason == "decided"
    assert report.n_new == report.n_matches == tournament.n_matches
    assert report.seconds > 0.0
    assert list(report.leaderboard) == list(tournament.leaderboard())
    assert report.top == tournament.top()
    assert report.sentence == f"{tournament.overview().verdict}, after {report.n_matches} matches"
    assert report.sentence.startswith("decided: anna is the best, give or take 10 Elo: 9")
    assert str(report) == f"{report.leaderboard}\n\n{report.sentence}"


def test_a_budget_that_is_spent_is_named_with_what_is_known():
    report = Tournament(NAMES).run(alphabet, budget=3, confidence=None)
    headline, details = report.lines
    assert headline.startswith("the budget is spent after 3 matches; too early to say: ")
    assert details.startswith("anna")
    assert report.sentence == f"{headline}; {details}"
    assert str(report).endswith(f"\n\n{headline}\n{details}")


def test_a_finished_scheduler_is_named_with_what_is_known():
    report = Tournament(NAMES, scheduler="round-robin").run(alphabet, budget=99, confidence=None)
    start = "the scheduler has nothing more to ask after 6 matches; too early to say: "
    assert report.sentence.startswith(start)
    assert re.match(r"anna leads, [\d.]+ % sure to be the best, give or take 10", report.lines[1])


def test_paused_players_that_prevent_a_decision_are_named():
    tournament = Tournament([*NAMES, "zed"])
    tournament.pause("zed")
    report = tournament.run(alphabet)
    assert "only paused players stand in the way: zed (resume or retire them)" in report.sentence


def test_a_tolerance_is_explained():
    report = Tournament(["anna", "bo", "cy"], seed=1).run(
        lambda first, second, seed: 0.5, budget=3000, tolerance=150.0
    )
    assert "is the best, give or take 150 Elo: 9" in report.sentence
    assert report.sentence.endswith(f" beyond those 150, after {report.n_matches} matches")


def test_an_abort_is_explained_by_its_failure():
    runner = Shaky(lambda job, attempt: MatchFailed("exit code 3"))
    report = aborted(Tournament(NAMES), runner, budget=9)
    assert report.sentence.startswith("aborted after 0 matches: no match of this run has worked")
    assert report.sentence.endswith("exit code 3")


@pytest.mark.parametrize("reason", ["interrupted", "budget", "finished"])
def test_a_run_without_a_match_is_told_apart(reason):
    assert report_of(Tournament(NAMES), reason).sentence == (
        f"{reason} before any match was played"
    )


def test_a_run_without_a_match_says_what_is_in_its_way():
    tournament = Tournament(["anna", "bo"])
    tournament.pause("bo")
    assert tournament.run(alphabet).sentence == (
        "finished before any match was played: only paused players stand in the way: bo "
        "(resume or retire them)"
    )


def test_a_notebook_shows_sentence_and_standings_with_names_escaped():
    tournament = Tournament(["<b>anna</b>", "bo & co"])
    tournament.add_results([("<b>anna</b>", "bo & co", 1.0)] * 3)
    shown = report_of(tournament, "interrupted")._repr_html_()
    assert shown.startswith("<p>interrupted after 3 matches; too early to say: 2 may still")
    assert "<p><small>&lt;b&gt;anna&lt;/b&gt; leads" in shown
    assert shown.endswith(tournament.leaderboard()._repr_html_())
    assert "<b>" not in shown
    assert "bo &amp; co" in shown


def test_a_report_is_a_record_that_cannot_be_changed():
    report = report_of(Tournament(NAMES), "interrupted")
    with pytest.raises(dataclasses.FrozenInstanceError):
        report.reason = "decided"


def no_model(first, second, seed):
    raise KeyError("no such model")


def test_an_abort_raises_with_the_traceback_of_the_last_failure():
    with pytest.raises(MatchesFailed) as caught:
        Tournament(NAMES).run(no_model, budget=9, backoff=0)
    assert str(caught.value).startswith("aborted after 0 matches: no match of this run has worked")
    assert "\n" not in str(caught.value)  # the traceback follows below
    text = "".join(traceback.format_exception(caught.value))
    assert text.count("in no_model") == 1
    assert 'raise KeyError("no such model")' in text
    assert isinstance(caught.value.__cause__.__cause__, KeyError)


def test_an_abort_quotes_the_output_of_another_program():
    runner = Shaky(lambda job, attempt: MatchFailed("exit code 3", log="Traceback: no GPU\n"))
    with pytest.raises(MatchesFailed, match="exit code 3\nTraceback: no GPU"):
        Tournament(NAMES).run(runner, budget=9, backoff=0)


def test_an_abort_warns_if_it_is_not_to_raise():
    tournament = Tournament(NAMES)
    with pytest.warns(RuntimeWarning, match="(?s)aborted after 0 matches.*in no_model") as caught:
        report = tournament.run(no_model, budget=9, backoff=0, raises=False)
    assert report.reason == "aborted"
    assert caught[0].filename == __file__
    assert repr(report).startswith("<Report: aborted after 0 matches: ")
    assert "\n" not in repr(report)
