"""The loop: plays in threads, stops when it should, and keeps failures apart from losses."""

import threading
import time

import numpy as np
import pytest

from maxin.core import InvalidInput
from maxin.runners import MatchFailed, Outcome
from maxin.tournament import Failed, Paused, Refused, Told, Tournament, Voided
from maxin.tournament.run import loop as loop_module

NAMES = ["anna", "bo", "cy", "dee"]


def alphabet(first, second, seed):
    return float(first < second)


class Shaky:
    """A runner whose games fail as its plan says; everything else goes by the alphabet."""

    def __init__(self, plan):
        self.plan = plan
        self.attempts = []
        self.is_killed = False

    def check(self, entrants):
        pass

    def play(self, job):
        self.attempts.append(job.number)
        failure = self.plan(job, self.attempts.count(job.number))
        if failure is not None:
            raise failure
        return Outcome(alphabet(job.first.name, job.second.name, job.seed))

    def kill(self):
        self.is_killed = True

    def close(self):
        pass


def watched():
    seen = []
    return seen, seen.append


def test_a_clear_champion_is_decided():
    tournament = Tournament(NAMES)
    report = tournament.run(alphabet, workers=4)
    assert report.reason == "decided"
    assert report.top.players == ("anna",)
    assert report.top.is_decided
    assert report.top.confidence >= 0.95
    assert tournament.n_out == 0
    again = tournament.run(alphabet, workers=4)
    assert (again.reason, again.n_new) == ("decided", 0)


def test_the_budget_is_kept_to_the_match():
    tournament = Tournament(NAMES)
    for budget in (7, 20, 20):
        report = tournament.run(alphabet, budget=budget, confidence=None, workers=3)
        assert (report.reason, report.n_matches) == ("budget", budget)
    assert report.n_new == 0


def test_a_finished_scheduler_finishes_the_run():
    tournament = Tournament(NAMES, scheduler="round-robin")
    report = tournament.run(alphabet, confidence=None, budget=1000, workers=2)
    assert (report.reason, report.n_matches) == ("finished", 6)


def test_matches_are_played_at_the_same_time():
    together = threading.Barrier(4, timeout=10)

    def wait_for_all(first, second, seed):
        together.wait()
        return 0.5

    tournament = Tournament(NAMES)
    assert tournament.run(wait_for_all, budget=8, confidence=None, workers=4).n_matches == 8


def test_a_failed_attempt_is_tried_again_and_is_no_loss():
    seen, watch = watched()
    runner = Shaky(
        lambda job, attempt: (
            MatchFailed("hiccup", log="words") if attempt == 1 and job.number > 1 else None
        )
    )
    tournament = Tournament(NAMES)
    report = tournament.run(runner, budget=5, confidence=None, watch=watch)
    assert report.n_matches == 5
    assert [event.reason for event in seen if isinstance(event, Failed)] == ["hiccup"] * 4
    assert {event.detail["log"] for event in tournament.events("failed")} == {"words"}
    assert not list(tournament.events("void"))


def test_a_match_that_never_works_is_void_and_the_rest_goes_on():
    seen, watch = watched()
    runner = Shaky(lambda job, attempt: MatchFailed("broken board") if job.number == 3 else None)
    tournament = Tournament(NAMES)
    report = tournament.run(runner, budget=10, confidence=None, retries=1, watch=watch)
    assert report.n_matches == 10
    assert [event.ticket.id for event in seen if isinstance(event, Voided)] == [3]
    assert runner.attempts.count(3) == 2
    assert 3 not in [row.number for row in tournament.matches()]
    assert tournament.verify().problems == []


def test_what_has_never_worked_stops_at_once_with_its_own_words():
    runner = Shaky(lambda job, attempt: MatchFailed("exit code 3", log="no such model: anna\n"))
    tournament = Tournament(NAMES)
    report = tournament.run(runner, budget=100, confidence=None, workers=2)
    assert report.reason == "aborted"
    assert "exit code 3" in report.message
    assert "no such model: anna" in report.message
    assert len(runner.attempts) <= 12
    assert runner.is_killed
    assert tournament.n_matches == 0


def test_what_is_hopeless_stops_after_one_attempt():
    runner = Shaky(lambda job, attempt: MatchFailed("there is no play.py", is_hopeless=True))
    report = Tournament(NAMES).run(runner, budget=100, confidence=None)
    assert (report.reason, len(runner.attempts)) == ("aborted", 1)


def test_after_an_abort_the_same_tickets_are_played():
    broken = Shaky(lambda job, attempt: MatchFailed("nothing works"))
    tournament = Tournament(NAMES)
    tournament.run(broken, budget=4, confidence=None, workers=2)
    out = {ticket.id for ticket in tournament.out()}
    assert out
    tournament.desk.store.transact(lambda writer: writer.lease(out, "gone", -1.0))
    report = tournament.run(alphabet, budget=4, confidence=None)
    assert report.n_matches == 4
    assert out <= {row.number for row in tournament.matches()}


def test_a_player_whose_matches_keep_failing_is_set_aside():
    seen, watch = watched()
    runner = Shaky(
        lambda job, attempt: (
            MatchFailed("cy fell over") if "cy" in (job.first.name, job.second.name) else None
        )
    )
    names = [*NAMES, "eve", "fay"]
    tournament = Tournament(names, scheduler="random")
    report = tournament.run(runner, budget=60, confidence=None, retries=0, watch=watch)
    assert report.n_matches == 60
    assert [event.player for event in seen if isinstance(event, Paused)] == ["cy"]
    assert tournament.states["cy"] == "paused"
    assert "cy fell over" in next(iter(tournament.events("paused"))).detail["reason"]


def test_too_many_failures_in_a_row_abort():
    runner = Shaky(
        lambda job, attempt: MatchFailed("the network is down") if job.number > 5 else None
    )
    names = [f"p{number:02}" for number in range(40)]
    report = Tournament(names, scheduler="random").run(
        runner, budget=99, confidence=None, retries=0
    )
    assert report.reason == "aborted"
    assert "10 matches in a row" in report.message
    assert "the network is down" in report.message


def test_a_refused_result_is_noted_and_the_run_goes_on(tmp_path):
    url = f"sqlite:///{tmp_path / 'league.db'}"
    tournament, rival = Tournament(NAMES, url), Tournament(NAMES, url)
    seen, watch = watched()

    def overtaken(first, second, seed):
        if not rival.n_matches:
            rival.tell(1, 0.25)
        return alphabet(first, second, seed)

    report = tournament.run(overtaken, budget=5, confidence=None, watch=watch)
    assert report.n_matches == 5
    (refused,) = [event for event in seen if isinstance(event, Refused)]
    assert "score 0.25" in refused.reason
    assert len(list(tournament.events("refused"))) == 1


def test_two_runs_share_a_tournament_and_no_ticket(tmp_path):
    url = f"sqlite:///{tmp_path / 'league.db'}"
    played = []
    both, go = threading.Barrier(2, timeout=60), threading.Event()

    def work():
        is_first = iter([True])

        def play(first, second, seed):
            played.append(seed)
            if next(is_first, False):
                both.wait()  # so that neither plays it all alone
                go.set()
            go.wait(60)
            return alphabet(first, second, seed)

        reports.append(Tournament(NAMES, url).run(play, budget=60, confidence=None, workers=3))

    reports = []
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {(report.reason, report.n_matches) for report in reports} == {("budget", 60)}
    assert sum(report.n_new for report in reports) == 60
    assert all(report.n_new for report in reports)
    assert len(set(played)) == len(played) == 60


def test_leases_are_renewed_while_a_match_lasts(tmp_path, monkeypatch):
    monkeypatch.setattr(loop_module, "LEASE", 0.3)
    url = f"sqlite:///{tmp_path / 'league.db'}"
    tournament, rival = Tournament(NAMES, url), Tournament(NAMES, url)
    stolen = []

    def long_game(first, second, seed):
        end = time.monotonic() + 1.0
        while time.monotonic() < end:
            time.sleep(0.05)
            rival.desk._next_look = 0.0
            ticket = rival.transact(
                lambda writer: rival.desk.ask(writer, lease=60.0, only_lapsed=True)
            )
            stolen.extend([ticket] if ticket else [])
        return 0.5

    tournament.run(long_game, budget=1, confidence=None)
    assert stolen == []


def test_runs_without_an_end_and_other_nonsense_are_refused():
    tournament = Tournament(NAMES)
    for wrong, words in [
        ({"confidence": None}, "a run needs an end"),
        ({"budget": 0}, "budget must be at least 1"),
        ({"workers": 0}, "workers must be at least 1"),
        ({"retries": -1}, "retries must be at least 0"),
        ({"confidence": 1.0}, "confidence is between 0 and 1"),
        ({"confidence": 0.3}, "confidence must be from 0.5 to below 1"),
    ]:
        with pytest.raises(InvalidInput, match=words):
            tournament.run(alphabet, **wrong)


def test_watchers_see_results_that_are_on_disk():
    tournament = Tournament(NAMES)
    counts = []

    def watch(event):
        if isinstance(event, Told):
            counts.append(
                (
                    event.ticket.id,
                    tournament.store.transact(lambda w: w.told_score(event.ticket.id)),
                )
            )

    tournament.run(alphabet, budget=5, confidence=None, watch=watch)
    assert [number for number, _ in counts] == [1, 2, 3, 4, 5]
    assert all(score is not None for _, score in counts)


def test_the_stop_keeps_its_promise_on_transitive_fields():
    """At 95 %, wrong stops are well below 1 in 20 on Bradley-Terry fields."""
    wrong = 0
    for seed in range(30):
        rng = np.random.default_rng([99, seed])
        skill = dict(zip("abcdef", rng.normal(size=6), strict=True))

        def play(first, second, match_seed, skill=skill):
            chance = 1.0 / (1.0 + np.exp(skill[second] - skill[first]))
            return float(np.random.default_rng(match_seed).random() < chance)

        report = Tournament(list("abcdef"), seed=seed).run(play, budget=400)
        best = max(skill, key=skill.get)
        wrong += report.reason == "decided" and report.top.players != (best,)
    assert wrong <= 4


def test_a_player_who_joins_and_cannot_be_played_is_set_aside():
    class Picky(Shaky):
        def check(self, entrants):
            for entrant in entrants:
                if entrant.name == "zed":
                    raise InvalidInput("zed has no command")

    seen, watch = watched()
    tournament = Tournament(NAMES, scheduler="random")

    def plan(job, attempt):
        if job.number == 5:
            tournament.add("zed")

    report = tournament.run(Picky(plan), budget=60, confidence=None, watch=watch)
    assert report.n_matches == 60
    assert [event.player for event in seen if isinstance(event, Paused)] == ["zed"]
    assert {event.reason for event in seen if isinstance(event, Voided)} == {"zed has no command"}


def test_a_decision_that_late_results_undo_is_not_the_end():
    """Whoever looks best is beaten by results that were still out when it looked decided."""
    tournament = Tournament(["anna", "bo"], scheduler="random")
    gate = threading.Event()

    def play(first, second, seed):
        if threading.current_thread().name in slow:
            gate.wait(10)
            return float(first == "bo")
        return float(first == "anna")

    slow = set()

    def watch(event):
        if isinstance(event, Told) and tournament.top(confidence=0.95).is_decided:
            gate.set()

    def slow_play(first, second, seed):
        if len(slow) < 7:
            slow.add(threading.current_thread().name)
        return play(first, second, seed)

    report = tournament.run(slow_play, budget=400, workers=8, watch=watch)
    assert report.top.is_decided == (report.reason == "decided")


def test_paused_players_do_not_keep_it_going_for_ever():
    tournament = Tournament([*NAMES, "zed"])
    tournament.pause("zed")
    report = tournament.run(alphabet, workers=2)
    assert report.reason == "finished"
    assert report.message == "only paused players stand in the way: zed"
    tournament.retire("zed")
    assert tournament.run(alphabet, workers=2).reason == "decided"


def test_an_outage_that_pauses_everyone_is_an_abort():
    runner = Shaky(lambda job, attempt: MatchFailed("no network") if job.number > 5 else None)
    report = Tournament(["anna", "bo", "cy"]).run(runner, budget=99, confidence=None, retries=0)
    assert report.reason == "aborted"
    assert "no network" in report.message


def test_a_first_match_with_a_broken_player_does_not_stop_the_others():
    def plan(job, attempt):
        return MatchFailed("cy fell") if "cy" in (job.first.name, job.second.name) else None

    tournament = Tournament([*NAMES, "eve", "fay"], scheduler="random")
    tournament.demand("cy", "anna")
    report = tournament.run(Shaky(plan), budget=30, confidence=None)
    assert report.n_matches == 30


def test_an_indifference_that_is_no_number_is_refused_before_anything_is_played():
    for wrong in (-1.0, float("nan"), "ten"):
        with pytest.raises(InvalidInput, match="indifference is a number of Elo points"):
            Tournament(NAMES).run(alphabet, indifference=wrong)


def test_players_as_good_as_equal_end_in_a_tie():
    def even(first, second, seed):
        return float(np.random.default_rng(seed).random() < 0.5)

    report = Tournament(["anna", "bo"]).run(even, budget=3000, indifference=150.0)
    assert report.reason == "tied"
    assert report.message.endswith("are within 150 Elo points")
