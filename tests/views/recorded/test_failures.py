import json

from maxin.core import Match
from maxin.storage import StoredEvent
from maxin.tournament import Tournament
from maxin.views.recorded.failures import FAILURES, read_failures
from tests.helpers.shaky import aborted

NAMES = ["anna", "bo", "cy"]


def test_a_failed_attempt_names_its_players_and_keeps_its_log():
    detail = {"attempt": 1, "reason": "exit code 3", "log": "Traceback"}
    [failure] = read_failures(
        [StoredEvent("failed", 4, None, detail, 12.5)], NAMES, {4: Match(2, 0)}
    )
    assert (failure.first, failure.second, failure.player) == ("cy", "anna", None)
    assert (failure.time, failure.attempt) == (12.5, 1)
    assert (failure.reason, failure.log) == ("exit code 3", "Traceback")


def test_a_paused_player_has_no_match():
    [failure] = read_failures([StoredEvent("paused", None, 1, {"reason": "slow"}, 0.0)], NAMES, {})
    assert failure.player == "bo"
    assert failure.match is failure.first is failure.second is failure.attempt is None
    assert failure.log == ""


def test_a_match_whose_players_are_not_given_is_listed_without_them():
    [failure] = read_failures([StoredEvent("void", 9, None, {}, 0.0)], NAMES, {})
    assert (failure.match, failure.first, failure.reason) == (9, None, "")


def test_the_failures_of_a_run_are_read_in_order():
    tournament = Tournament(NAMES, "sqlite://")

    def play(first, second, seed):
        raise RuntimeError("no board")

    aborted(tournament, play, budget=5, retries=1)
    failures = tournament.failures()
    assert [failure.kind for failure in failures][:3] == ["failed", "failed", "void"]
    assert {failure.kind for failure in failures} <= set(FAILURES)
    assert all("no board" in failure.reason for failure in failures)
    assert all({failure.first, failure.second} <= set(NAMES) for failure in failures)
    json.dumps([failure.document() for failure in failures])
