"""Tournaments that are too large for a covariance of all players: `top-two` is a sieve there."""

import functools
import re

import numpy as np
import pytest

from maxin.core import InvalidInput, Stop
from maxin.evaluation import Verdict
from maxin.schedulers import SieveTopTwo
from maxin.tournament import Tournament
from maxin.tournament.record.session import Session
from maxin.tournament.settings import Settings
from maxin.tournament.state.state import TournamentState
from maxin.tournament.stopping import Decider, StopEngine
from maxin.views import BeliefCache
from maxin.worker import Worker
from tests.helpers.inside import record_of, state_of

N = 2_100


class NoBelief(BeliefCache):
    """Fails if anybody wants the covariance of all players."""

    def get(self, names, tally, states):
        raise AssertionError("a fit of all players was asked for")


def names(n_players=N):
    return [f"player {number}" for number in range(n_players)]


@functools.cache
def strength(name):
    return 3.0 * np.random.default_rng(int(name.split()[1])).standard_normal()


def play(first, second, seed):
    lead = strength(first) - strength(second)
    return float(np.random.default_rng(seed).random() < 1.0 / (1.0 + np.exp(-lead)))


def run(tournament, budget, **options):
    """A run without the table at its end."""
    session = Session(record_of(tournament), NoBelief, Stop(budget, tolerance=0.0))
    return Worker(session, play, **options).run()


def ask_and_tell(tournament, times):
    asked = []
    for _ in range(times):
        ticket = tournament.ask()
        asked.append(ticket.players)
        tournament.tell(ticket, play(ticket.first, ticket.second, ticket.seed))
    return asked


def add_random_results(tournament, count, seed=0):
    known, rng = tournament.names, np.random.default_rng(seed)
    first = rng.integers(len(known), size=count)
    second = (first + rng.integers(1, len(known), size=count)) % len(known)
    rows = [(known[i], known[j]) for i, j in zip(first.tolist(), second.tolist(), strict=True)]
    tournament.add_results(
        [(*pair, play(*pair, seed)) for seed, pair in enumerate(rows)], source="elsewhere"
    )


def test_a_run_stops_at_its_budget_and_is_resumed(url):
    with Tournament(names(), url, seed=1) as tournament:
        end = run(tournament, budget=60, workers=4)
        assert (end.reason, end.n_new) == ("budget", 60)
        assert isinstance(state_of(tournament).pairing.scheduler, SieveTopTwo)
    with Tournament(store=url) as tournament:
        assert run(tournament, budget=120).n_new == 60
        assert tournament.verify().problems == []


@pytest.mark.slow
def test_every_process_asks_the_same_matches(url, monkeypatch):
    with Tournament(names(), url, seed=1) as tournament:
        add_random_results(tournament, 12_000)
        ask_and_tell(tournament, 40)
        assert not state_of(tournament).pairing.scheduler.is_screening
        state = state_of(tournament)
        expected = [state.next_match()]
    found = []
    for resumed in (TournamentState.resumed, lambda settings, store: TournamentState(settings)):
        monkeypatch.setattr(TournamentState, "resumed", resumed)
        with Tournament(store=url) as tournament:
            record_of(tournament).prepare()
            assert state_of(tournament).seq == state.seq
            found.append(state_of(tournament).next_match())
            assert tournament.verify().problems == []
    assert found == expected * 2


def test_players_join_pause_and_leave(url):
    with Tournament(names(), url, seed=1) as tournament:
        ask_and_tell(tournament, 10)
        tournament.pause("player 3")
        tournament.add("player 9000", "player 9001")
        ask_and_tell(tournament, 10)
        tournament.retire("player 4")
        tournament.resume("player 3")
        ask_and_tell(tournament, 10)
        scheduler = state_of(tournament).pairing.scheduler
        assert (scheduler.n_players, scheduler.n_told) == (N + 1, tournament.n_matches)
        tournament.retract(1, "it was wrong")
        ask_and_tell(tournament, 10)
        assert tournament.verify().problems == []
        expected = state_of(tournament).next_match()
    with Tournament(store=url) as tournament:
        record_of(tournament).prepare()
        assert state_of(tournament).next_match() == expected


def test_everyone_gets_a_match_first():
    known, others = names()[:-100], range(N - 100, N)
    tournament = Tournament(names(), seed=1, min_matches=1)
    tournament.add_results(
        [(one, two, 1.0) for one, two in zip(known[::2], known[1::2], strict=True)]
    )
    asked = ask_and_tell(tournament, 50)
    assert sorted(player for match in asked for player in match) == list(others)
    assert not state_of(tournament).is_anyone_starved()


class AnyBelief(BeliefCache):
    """The fit is not looked at."""

    def get(self, names, tally, states):
        return None


def rule(goal="best", confidence=0.95, beliefs=NoBelief):
    stop = Stop(confidence=confidence, tolerance=0.0)
    return StopEngine(Settings(goal=goal), stop, beliefs())


def test_the_verdict_is_that_of_the_scheduler_if_a_fit_confirms_it(monkeypatch):
    tournament = Tournament(names(), seed=1)
    ask_and_tell(tournament, 1)
    state = state_of(tournament)
    assert rule().is_due(state, -1)
    assert rule().check(state) is None
    assert rule(confidence=None).check(state) is None
    decided = Verdict("decided", (0,), 0.999)
    monkeypatch.setattr(SieveTopTwo, "verdict", lambda self, confidence: decided)
    monkeypatch.setattr(Decider, "is_decided", lambda self, belief: False)
    assert rule(beliefs=AnyBelief).check(state) is None
    monkeypatch.setattr(Decider, "is_decided", lambda self, belief: True)
    assert rule(beliefs=AnyBelief).check(state) == ("decided", "")
    assert rule(beliefs=AnyBelief).still_holds(state)
    assert rule("top-3").check(state) is None  # the scheduler looks for another top
    tournament.pause("player 7")
    ask_and_tell(tournament, 1)
    reason = "only paused players stand in the way: player 7"
    assert rule(beliefs=AnyBelief).check(state_of(tournament)) == ("finished", reason)


def test_without_a_scheduler_that_judges_there_is_no_decision():
    tournament = Tournament(names(), seed=1, scheduler="random")
    end = run(tournament, budget=20)
    assert (end.reason, end.n_new) == ("budget", 20)


def test_a_top_that_a_large_field_cannot_have_is_refused_at_once():
    with pytest.raises(InvalidInput, match="k, the size of the top, must be from 1 to 128 with"):
        Tournament(names(), goal="top-129")
    assert Tournament(names(2_000), goal="top-129").goal.k == 129


@pytest.mark.slow
def test_a_hundred_thousand_players(url):
    with Tournament(names(100_000), url, seed=1) as tournament:
        assert run(tournament, budget=500).reason == "budget"
        add_random_results(tournament, 100_000)
        ask_and_tell(tournament, 500)
        tournament.pause("player 3")
        tournament.add("player 100000")
        ask_and_tell(tournament, 100)
        expected = state_of(tournament).next_match()
    with Tournament(store=url) as tournament:
        record_of(tournament).prepare()
        assert state_of(tournament).next_match() == expected
        assert tournament.verify().problems == []


@pytest.mark.parametrize("goal", ["best", "top-5"])
def test_a_run_of_few_matches_names_no_leader(goal):
    report = Tournament(names(), seed=1, goal=goal).run(play, budget=40)
    assert "rated highest, but P(" in report.sentence
    assert "0.0 %" not in report.sentence
    assert "2,020 of 2,100 players have not played yet" in report.sentence
    assert re.search(
        r"too early to say: \d,\d{3} may still be (the best|in the top 5);", report.sentence
    )


def test_a_run_ends_with_a_leaderboard_of_everyone():
    report = Tournament(names(), seed=1).run(play, budget=40)
    assert len(report.leaderboard) == N
    assert len(report.top.players) == 1
    assert not report.top.is_decided
