"""Workers: they play what a service hands out, deliver what they played, and end with it."""

import asyncio
import io
import sys
import threading
from types import SimpleNamespace

import pytest

from maxin import Entrant, InvalidInput, MatchesFailed, MatchFailed, Threads
from maxin.runners import RunnerLost
from maxin.worker import Asked, Failed, Interrupted, Told, limited
from maxin.worker import worker as work
from tests.helpers.waiting import LONG


def by_name(first, second, seed):
    return float(first < second)


def test_a_worker_plays_until_the_budget_is_spent(serve):
    client, seen = serve(budget=20), []
    report = client.run(by_name, workers=3, watch=seen.append)
    assert report.reason == "budget"
    assert report.message == "the budget of 20 matches is spent"
    assert report.n_new == 20
    assert report.n_failed == 0
    assert client.tournament.n_matches == 20
    assert client.tournament.n_pending == 0
    assert client.tournament.verify().problems == []
    assert sum(isinstance(event, Asked) for event in seen) == 20
    assert sum(isinstance(event, Told) for event in seen) == 20


def test_a_worker_ends_when_the_goal_is_reached(serve):
    report = serve(confidence=0.95).run(by_name, workers=2)
    assert report.reason == "decided"
    assert report.message.startswith("decided")
    assert report.sentence.startswith("the tournament is over: decided")


def test_a_worker_ends_when_the_scheduler_has_nothing_more_to_ask(serve):
    client = serve(scheduler="round-robin:cycles=1")
    report = client.run(by_name, workers=8)
    assert report.message == "the scheduler has nothing more to ask"
    assert client.tournament.n_matches == 6


def test_matches_are_played_at_the_same_time(serve):
    all_there = threading.Barrier(4)

    def play(first, second, seed):
        all_there.wait(LONG)
        return 0.5

    assert serve(budget=4).run(play, workers=4).n_new == 4


def test_an_async_function_is_awaited(serve):
    async def play(first, second, seed):
        await asyncio.sleep(0)
        return first < second

    assert serve(budget=3).run(play).n_new == 3


def test_players_come_with_their_options(serve):
    seen = set()

    def play(first: Entrant, second: Entrant, seed: int):
        seen.update((entrant.name, entrant.options["depth"]) for entrant in (first, second))
        return 1.0

    serve(players=[Entrant("anna", {"depth": 3}), Entrant("bo", {"depth": 5})], budget=2).run(play)
    assert seen == {("anna", 3), ("bo", 5)}


def test_a_match_of_several_games_swaps_the_seats(serve):
    client = serve(budget=2, games_per_match=2)
    client.run(by_name)
    (one, two) = client.tournament.matches()
    assert {one.games, two.games} <= {(1.0, 1.0), (0.0, 0.0)}


def test_errors_and_data_of_a_result_arrive(serve):
    client = serve(budget=1)
    client.run(lambda first, second, seed: {"score": 1, "errors": ["slow"], "data": {"moves": 9}})
    (played,) = client.tournament.matches()
    assert played.errors == ("slow",)
    assert played.data == {"moves": 9}


def test_a_failed_match_is_reported_and_played_again(serve):
    client, seen, failed = serve(budget=6), [], []

    def play(first, second, seed):
        if not failed:
            failed.append(first)
            raise ValueError("the board\nfell over")
        return float(first < second)

    report = client.run(play, workers=1, watch=seen.append)
    assert (report.n_new, report.n_failed) == (6, 1)
    (event,) = [event for event in seen if isinstance(event, Failed)]
    assert event.reason.startswith("ValueError: the board fell over (test_run.py, line ")
    assert client.tournament.failures()[0].reason.startswith("ValueError: the board fell over")


def test_a_worker_whose_matches_all_fail_stops(serve):
    client = serve(players=["anna", "bo"])

    def play(first, second, seed):
        raise MatchFailed("no board here")

    with pytest.raises(
        MatchesFailed, match="played 0 matches here, and 2 attempts failed: no match"
    ):
        client.run(play, workers=1)
    with pytest.warns(RuntimeWarning, match="no board here"):
        report = client.run(play, workers=1, raises=False)
    assert report.reason == "aborted"


def test_one_player_that_fails_does_not_stop_a_worker_before_the_others_have_played(serve):
    client = serve(budget=4)
    for name in ("bo", "cy", "di"):
        client.tournament.request("anna", name)
    client.tournament.request("bo", "cy")

    def play(first, second, seed):
        if "anna" in (first, second):
            raise MatchFailed("anna does not start")
        return 0.5

    report = client.run(play, workers=1)
    assert report.reason == "budget"
    assert report.n_new == 4


def test_ten_failures_in_a_row_stop_a_worker(serve):
    client, played = serve(), []

    def play(first, second, seed):
        played.append(seed)
        if len(played) > 1:
            raise MatchFailed("no board here")
        return 0.5

    with pytest.raises(
        MatchesFailed,
        match="10 attempts failed: there was no score 10 times in a row",
    ):
        client.run(play, workers=1)


def test_a_program_that_does_not_exist_stops_a_worker_at_once(serve):
    def play(first, second, seed):
        raise MatchFailed("cannot run 'play'", is_hopeless=True)

    with pytest.raises(MatchesFailed, match=r"1 attempt failed: .*cannot run 'play'"):
        serve().run(play, workers=1)


def test_a_runner_that_is_lost_in_mid_run_stops_a_worker_at_once(serve):
    client, calls = serve(budget=20), []

    def play(first, second, seed):
        calls.append(seed)
        if len(calls) == 4:
            raise RunnerLost("the executor is broken")
        return 1.0

    with pytest.raises(
        MatchesFailed, match="played 3 matches here, and 1 attempt failed: the exec"
    ):
        client.run(play, workers=1)
    assert client.run(by_name).reason == "budget"
    assert client.tournament.n_matches == 20


def test_long_matches_keep_their_lease(serve, monkeypatch):
    monkeypatch.setattr(work, "LEASE", 0.6)
    client, renewed = serve(budget=1), threading.Event()
    renew = client._channel.api.renew

    def noted(renewal):
        lost = renew(renewal)
        renewed.set()
        return lost

    monkeypatch.setattr(client._channel.api, "renew", noted)
    report = client.run(lambda first, second, seed: float(renewed.wait(LONG)))
    assert report.n_new == client.tournament.n_matches == 1


def test_short_matches_need_no_renewal(serve, monkeypatch):
    client = serve(budget=3)
    monkeypatch.setattr(client._channel.api, "renew", None)
    assert client.run(by_name, workers=2).n_new == 3


def test_an_interrupted_worker_delivers_what_it_plays(serve):
    client, seen, can_end = serve(), [], threading.Event()

    def play(first, second, seed):
        loop._interrupts.times = 1
        loop._pool.wake()
        assert can_end.wait(LONG)
        return 1.0

    def watch(event):
        seen.append(event)
        if isinstance(event, Interrupted):
            can_end.set()

    loop = work.Worker(client, play, watch=watch)
    report = loop.run()
    assert report.reason == "interrupted"
    assert report.n_new == client.tournament.n_matches == 1
    assert [event.n_running for event in seen if isinstance(event, Interrupted)] == [1]


def test_the_second_interrupt_kills_the_games(serve):
    client, is_killed = serve(), threading.Event()

    class Endless(Threads):
        def kill(self):
            super().kill()
            is_killed.set()

    def play(first, second, seed):
        loop._interrupts.times = 2
        loop._pool.wake()
        assert is_killed.wait(LONG)
        return 1.0

    loop = work.Worker(client, Endless(play))
    assert loop.run().n_new == 0
    assert client.tournament.n_pending == 1


def test_workers_must_be_a_number_above_zero(serve):
    with pytest.raises(InvalidInput, match="workers must be at least 1; got 0"):
        serve().run(by_name, workers=0)


def test_a_runner_that_refuses_a_player_fails_its_matches(serve):
    class Picky(Threads):
        def check(self, entrants):
            for entrant in entrants:
                if entrant.name == "bo":
                    raise InvalidInput("bo has no engine")

    client, seen = serve(players=["anna", "bo"]), []
    with pytest.raises(MatchesFailed, match="bo has no engine"):
        client.run(Picky(by_name), workers=1, watch=seen.append)
    assert client.tournament.n_matches == 0


def costly(first, second, seed):
    return {"score": float(first < second), "data": {"cost": 0.5}}


def test_a_service_hands_out_no_match_that_would_exceed_its_cost(serve):
    client = serve(budget=30, budget_cost=4.0)
    report = client.run(costly, workers=2)
    assert (report.reason, report.n_new) == ("budget", 8)
    assert report.message == "the budget of a cost of 4 is spent"
    assert client.tournament.cost().total == 4.0
    assert client.service.board._overview().over == "the budget of a cost of 4 is spent"


@pytest.mark.parametrize(
    ("terms", "n_played", "budget"),
    [
        ({"budget": 5}, 5, "5 matches"),
        ({"budget_cost": 2}, 4, "a cost of 2"),
        ({"budget_time": "1h"}, 3, "1 hour"),
    ],
)
def test_a_worker_ends_by_a_budget_of_its_own(serve, monkeypatch, terms, n_played, budget):
    client, seconds = serve(budget=30), [0.0]
    monkeypatch.setattr(limited, "time", SimpleNamespace(monotonic=lambda: seconds[0]))

    def play(first, second, seed):
        seconds[0] += 1200.0
        return costly(first, second, seed)

    report = client.run(play, workers=1, **terms)
    assert (report.reason, report.n_new) == ("budget", n_played)
    assert report.sentence == (
        f"the budget of {budget} is spent by this worker; played {n_played} matches here"
    )
    assert client.tournament.n_pending == 0
    assert client.run(by_name, workers=1).n_new == 30 - n_played  # the others continue


def test_workers_ask_for_no_more_matches_than_their_budget_allows(serve):
    client = serve(budget=30)
    assert client.run(by_name, workers=8, budget=5).n_new == 5
    assert client.tournament.n_pending == 0


def test_a_worker_whose_matches_report_no_cost_ends(serve):
    with pytest.raises(MatchesFailed, match="none of 10 results has a cost"):
        serve(budget=30).run(by_name, workers=1, budget_cost=1.0)


def test_a_worker_shows_its_progress_on_a_terminal(serve, monkeypatch):
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", terminal)
    serve(budget=4).run(by_name, progress=True)
    assert terminal.getvalue().split("\r\x1b[K")[-1].startswith("4 matches · ")


def test_what_is_larger_than_a_service_takes_is_not_sent(serve, monkeypatch):
    client, large = serve(), {"answer": "x" * 270_000}
    http, sent = client._channel.api.http, []
    send = http.send
    monkeypatch.setattr(
        http, "send", lambda *given, **how: sent.append(given) or send(*given, **how)
    )
    ticket = client.ask()
    sent.clear()
    with pytest.raises(InvalidInput, match="at most 262,144 bytes as JSON; got 270,0"):
        client.tell(ticket, 1.0, data=large)
    assert sent == []
    client.tell(ticket, 1.0)


def test_a_match_with_more_data_than_a_service_takes_fails(serve):
    client, seen = serve(players=["anna", "bo"], budget=1), []

    def play(first, second, seed):
        is_large = len([event for event in seen if isinstance(event, Failed)]) < 2
        return {"score": 1.0, "data": {"answer": "x" * (270_000 if is_large else 10)}}

    report = client.run(play, watch=seen.append)
    assert (report.n_new, report.reason) == (1, "budget")
    failures = [event for event in seen if isinstance(event, Failed)]
    assert len(failures) == 2
    assert all("at most 262,144 bytes" in event.reason for event in failures)
    assert client.tournament.failures()[0].reason == failures[0].reason
