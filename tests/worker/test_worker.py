"""The loop plays in threads, stops when it should, and does not count failures as losses."""

import asyncio
import os
import signal
import threading
import time

import pytest

from maxin.core import InvalidInput
from maxin.runners import MatchFailed, RunnerLost
from maxin.tournament import Tournament
from maxin.tournament.tournament import session_of
from maxin.worker import Failed, Paused, Refused, Told, Voided, Waiting, Worker
from maxin.worker import worker as worker_module
from maxin.worker.match_pool import MatchPool
from tests.helpers.leagues import NAMES, alphabet
from tests.helpers.shaky import Shaky, aborted, plays, watched
from tests.helpers.waiting import LONG, wait_until


def test_the_budget_is_kept_to_the_match():
    tournament = Tournament(NAMES)
    for budget in (7, 20, 20):
        report = tournament.run(alphabet, budget=budget, confidence=None, workers=3)
        assert (report.reason, report.n_matches) == ("budget", budget)
    assert report.n_new == 0


@pytest.mark.parametrize("error", [asyncio.CancelledError, KeyboardInterrupt, GeneratorExit])
def test_no_exception_of_a_game_leaves_the_run_waiting(error):
    def play(first, second, seed):
        raise error

    report = aborted(Tournament(NAMES), play, budget=3)
    assert report.n_matches == 0
    assert error.__name__ in report.message


def test_more_workers_than_a_machine_has_threads_are_refused():
    with pytest.raises(InvalidInput, match="workers must be at most 10,000; got 1,000,000"):
        Tournament(NAMES).run(alphabet, budget=1, workers=1_000_000)


def test_a_finished_scheduler_ends_the_run():
    tournament = Tournament(NAMES, scheduler="round-robin")
    report = tournament.run(alphabet, confidence=None, budget=1000, workers=2)
    assert (report.reason, report.n_matches) == ("finished", 6)


def test_matches_are_played_at_the_same_time():
    together = threading.Barrier(4, timeout=LONG)

    def wait_for_all(first, second, seed):
        together.wait()
        return 0.5

    tournament = Tournament(NAMES)
    assert tournament.run(wait_for_all, budget=8, confidence=None, workers=4).n_matches == 8


def test_watchers_see_results_that_are_on_disk():
    tournament = Tournament(NAMES)
    counts = []

    def watch(event):
        if isinstance(event, Told):
            number = event.ticket.id
            score = tournament.store.transact(lambda writer: writer.handed_out(number)).score
            counts.append((number, score))

    tournament.run(alphabet, budget=5, confidence=None, watch=watch)
    assert [number for number, _ in counts] == [1, 2, 3, 4, 5]
    assert all(score is not None for _, score in counts)


# Failures


def test_a_failed_attempt_is_retried_and_is_not_a_loss():
    seen, watch = watched()
    runner = Shaky(
        lambda job, attempt: (
            MatchFailed("hiccup", log="words") if attempt == 1 and job.number > 1 else None
        )
    )
    tournament = Tournament(NAMES)
    report = tournament.run(runner, budget=5, confidence=None, backoff=0, watch=watch)
    assert report.n_matches == 5
    assert [event.reason for event in seen if isinstance(event, Failed)] == ["hiccup"] * 4
    assert {event.detail["log"] for event in tournament.store.events("failed")} == {"words"}
    assert not list(tournament.store.events("void"))


def test_a_match_that_never_works_is_void_and_the_run_continues():
    seen, watch = watched()
    runner = Shaky(lambda job, attempt: MatchFailed("broken board") if job.number == 3 else None)
    tournament = Tournament(NAMES)
    report = tournament.run(runner, budget=10, confidence=None, retries=1, backoff=0, watch=watch)
    assert report.n_matches == 10
    assert [event.ticket.id for event in seen if isinstance(event, Voided)] == [3]
    assert runner.attempts.count(3) == 2
    assert 3 not in [row.number for row in tournament.matches()]
    assert [(failure.kind, failure.match) for failure in tournament.failures()] == [
        ("failed", 3),
        ("failed", 3),
        ("void", 3),
    ]
    assert tournament.verify().problems == []


def test_a_run_in_which_nothing_works_stops_soon_with_the_programs_own_output():
    runner = Shaky(lambda job, attempt: MatchFailed("exit code 3", log="no such model: anna\n"))
    tournament = Tournament(NAMES)
    report = aborted(tournament, runner, budget=100, workers=2)
    assert "exit code 3" in report.message
    assert "no such model: anna" in report.message
    assert len(set(runner.attempts)) <= 6  # four who may share a player, and two that follow
    assert runner.is_killed
    assert tournament.n_matches == 0


def test_a_hopeless_failure_stops_the_run_after_one_attempt():
    runner = Shaky(lambda job, attempt: MatchFailed("there is no play.py", is_hopeless=True))
    aborted(Tournament(NAMES), runner, budget=100)
    assert len(runner.attempts) == 1


def test_after_an_abort_the_same_tickets_are_played():
    broken = Shaky(lambda job, attempt: MatchFailed("nothing works"))
    tournament = Tournament(NAMES)
    aborted(tournament, broken, budget=4, workers=2)
    pending = {ticket.id for ticket in tournament.pending()}
    assert pending
    tournament.store.transact(lambda writer: writer.lease(pending, "gone", -1.0))
    report = tournament.run(alphabet, budget=4, confidence=None)
    assert report.n_matches == 4
    assert pending <= {row.number for row in tournament.matches()}


def test_a_player_whose_matches_keep_failing_is_paused():
    seen, watch = watched()
    runner = Shaky(lambda job, attempt: MatchFailed("cy fell over") if plays(job, "cy") else None)
    tournament = Tournament([*NAMES, "eve", "fay"], scheduler="random")
    report = tournament.run(runner, budget=60, confidence=None, retries=0, watch=watch)
    assert report.n_matches == 60
    assert [event.player for event in seen if isinstance(event, Paused)] == ["cy"]
    assert tournament.states["cy"] == "paused"
    assert "cy fell over" in next(iter(tournament.store.events("paused"))).detail["reason"]


def test_a_broken_player_in_the_first_match_does_not_stop_the_others():
    runner = Shaky(lambda job, attempt: MatchFailed("cy fell") if plays(job, "cy") else None)
    tournament = Tournament([*NAMES, "eve", "fay"], scheduler="random")
    tournament.request("cy", "anna")
    report = tournament.run(runner, budget=30, confidence=None, backoff=0)
    assert report.n_matches == 30


@pytest.mark.parametrize("player", [None, "cy"])
def test_a_broken_player_in_the_first_matches_does_not_stop_the_others(player):
    failure = MatchFailed("cy fell", player=player, is_hopeless=player is not None)
    runner = Shaky(lambda job, attempt: failure if plays(job, "cy") else None)
    tournament = Tournament(NAMES, scheduler="random")
    for rival in ("anna", "bo", "dee"):
        tournament.request("cy", rival)
    report = tournament.run(runner, budget=9, confidence=None, retries=0)
    assert report.n_matches == 9
    assert report.paused == ("cy",)
    assert report.sentence.endswith("; paused, because matches kept failing: cy")


def test_a_player_who_is_not_to_blame_is_not_paused():
    failure = MatchFailed("cy fell", player="cy")
    runner = Shaky(lambda job, attempt: failure if plays(job, "cy") else None)
    tournament = Tournament(NAMES)
    tournament.request("cy", "anna", times=3)
    assert tournament.run(runner, budget=9, confidence=None, retries=0).paused == ("cy",)
    assert tournament.states["anna"] == "active"


def test_nobody_is_left_paused_if_nothing_works_at_all():
    runner = Shaky(lambda job, attempt: MatchFailed("nothing works"))
    tournament = Tournament(NAMES)
    for rival in ("anna", "bo", "dee"):
        tournament.request("cy", rival)
    report = aborted(tournament, runner, budget=9, retries=0)
    assert "no match of this run has worked; the last failure: nothing works" in report.message
    assert len(runner.attempts) == 4
    assert set(tournament.states.values()) == {"active"}


def test_a_player_who_joins_but_cannot_be_played_is_paused():
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


def test_too_many_failures_in_a_row_abort():
    runner = Shaky(
        lambda job, attempt: MatchFailed("the network is down") if job.number > 5 else None
    )
    names = [f"p{number:02}" for number in range(40)]
    tournament = Tournament(names, scheduler="random")
    report = aborted(tournament, runner, budget=99, retries=0)
    assert "10 times in a row" in report.message
    assert "the network is down" in report.message


@pytest.mark.parametrize("workers", [1, 3])
def test_after_too_many_failures_nothing_starts_and_the_report_names_who_is_paused(workers):
    runner = Shaky(lambda job, attempt: MatchFailed("down") if job.number > 3 else None)
    tournament = Tournament([f"p{number}" for number in range(30)], seed=0)
    tournament.request("p19", "p18", times=4)
    for rival in ("p1", "p2"):
        tournament.request("p19", rival)
    report = aborted(tournament, runner, budget=99, retries=0, workers=workers)
    if workers == 1:
        assert len(runner.attempts) == 3 + 10
    paused = [name for name, state in tournament.states.items() if state == "paused"]
    assert sorted(report.paused) == sorted(paused) != []
    assert tournament.ask() is not None  # given back, or new


def test_failures_that_pause_everyone_abort():
    runner = Shaky(lambda job, attempt: MatchFailed("no network") if job.number > 5 else None)
    report = aborted(Tournament(["anna", "bo", "cy"]), runner, budget=99, retries=0)
    assert "no network" in report.message


# Several processes


def test_a_refused_result_is_recorded_and_the_run_continues(url):
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
    assert len(list(tournament.store.events("refused"))) == 1


def test_two_runs_share_a_tournament_and_no_ticket(url):
    played = []
    both, go = threading.Barrier(2, timeout=LONG), threading.Event()

    def work():
        is_first = iter([True])

        def play(first, second, seed):
            played.append(seed)
            if next(is_first, False):
                both.wait()  # so that neither plays everything alone
                go.set()
            go.wait(LONG)
            return alphabet(first, second, seed)

        reports.append(Tournament(NAMES, url).run(play, budget=60, confidence=None, workers=3))

    reports = []
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {report.reason for report in reports} == {"budget"}
    assert max(report.n_matches for report in reports) == 60  # the other may have ended before
    assert sum(report.n_new for report in reports) == 60
    assert all(report.n_new for report in reports)
    assert len(set(played)) == len(played) == 60


def test_a_run_waits_for_the_matches_of_others_if_more_may_follow(url):
    tournament = Tournament(NAMES[:2], url, scheduler="swiss")
    other = Tournament(store=url)
    seen, watch = watched()
    ticket = other.ask()

    def note(event):
        watch(event)
        if isinstance(event, Waiting):
            other.tell(ticket, 1.0)

    report = tournament.run(alphabet, budget=2, confidence=None, watch=note)
    assert (report.n_matches, report.n_new) == (2, 1)
    assert [event for event in seen if isinstance(event, Waiting)] == [Waiting(1)]


def test_leases_are_renewed_while_a_match_lasts(url, monkeypatch):
    monkeypatch.setattr(worker_module, "LEASE", 0.3)  # renewed after a third of it
    tournament, other = Tournament(NAMES, url), Tournament(NAMES, url)
    seen = []

    def long_game(first, second, seed):
        """Lasts until the lease was renewed twice."""
        give_up = time.monotonic() + LONG
        while len(seen) < 3 and time.monotonic() < give_up:
            (lease,) = other.store.leases()
            if lease not in seen:
                seen.append(lease)
            time.sleep(0.01)
        return 0.5

    tournament.run(long_game, budget=1, confidence=None)
    assert len(seen) == 3
    assert seen[0].until < seen[1].until < seen[2].until
    assert len({(lease.match, lease.worker) for lease in seen}) == 1
    assert other.store.leases() == []


@pytest.mark.parametrize("is_interrupted", [False, True])
def test_matches_taken_ahead_are_given_back_if_one_takes_long(is_interrupted, url, monkeypatch):
    tournament, other = Tournament(NAMES, url), Tournament(NAMES, url)
    held, pools = [], []

    class Pool(MatchPool):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            if threading.current_thread() is threading.main_thread():
                pools.append(self)

    monkeypatch.setattr(worker_module, "MatchPool", Pool)

    def is_given_back():
        now = other.store.now()
        us = session_of(tournament).record.worker
        ours = [lease for lease in other.store.leases() if lease.worker == us]
        return sum(lease.until > now for lease in ours) == 1

    def play(first, second, seed):
        """Lasts long for the first time that others are waiting behind it."""
        (pool,) = pools
        if pool.n_waiting and not held:
            held.append(pool.n_waiting)
            if is_interrupted:
                os.kill(os.getpid(), signal.SIGINT)
            wait_until(is_given_back)
        return 0.5

    def play_beside():
        with Tournament(NAMES, url) as beside:
            beside.run(lambda first, second, seed: seed % 2, budget=400, confidence=None)

    thread = threading.Thread(target=play_beside)
    thread.start()
    report = tournament.run(play, budget=400, confidence=None)
    thread.join()
    assert held
    assert report.reason == ("interrupted" if is_interrupted else "budget")
    assert other.n_matches == 400 or is_interrupted
    assert other.verify().problems == []


@pytest.mark.parametrize(
    ("answer_takes", "match_takes", "n_more"),
    [(0.1, 0.0, 0), (0.1, 0.2, 0), (0.1, 0.03, 3), (0.1, 0.001, 8), (0.0, 0.001, 0)],
)
def test_as_many_matches_are_taken_ahead_as_end_while_we_ask(answer_takes, match_takes, n_more):
    worker = Worker(Tournament(NAMES), alphabet)
    worker._ask_seconds, worker._pool.seconds = answer_takes, match_takes  # 0: none has ended yet
    assert worker._ask().n_more == n_more


def test_a_lost_runner_ends_the_run_and_its_match_is_played_by_the_next():
    tournament = Tournament(NAMES, seed=1)
    lost = Shaky(lambda job, attempt: RunnerLost("no cluster") if job.number == 5 else None)
    report = aborted(tournament, lost, budget=9)
    assert (report.message, report.n_matches, report.paused) == ("no cluster", 4, ())
    assert lost.attempts == [1, 2, 3, 4, 5]
    assert lost.is_killed
    again = Shaky()
    tournament.run(again, budget=9, confidence=None)
    assert again.attempts == [5, 6, 7, 8, 9]  # at once: its lease does not have to lapse
