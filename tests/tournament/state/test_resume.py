"""Whoever resumes counts the results up to the last restart, and asks the same matches."""

import random

import numpy as np
import pytest

from maxin.schedulers import SCHEDULERS
from maxin.storage import StoreFailed
from maxin.tournament import Tournament
from maxin.tournament.state import state as module
from maxin.tournament.state.state import TournamentState, restart_step
from tests.helpers.inside import refresh, state_of
from tests.helpers.leagues import NAMES, play_some, results_of


def endless(name):
    """A scheduler that always has a match to ask."""
    return f"{name}:cycles=none" if name in ("round-robin", "knockout") else name


@pytest.fixture
def often(monkeypatch):
    """Schedulers start again every 20 entries."""
    monkeypatch.setattr(module, "RESTART_EVERY", 20)


def read_through(tournament):
    """The state of a process that reads every entry, with its scheduler."""
    state = TournamentState(tournament.settings)
    for entry in tournament.store.entries():
        state.take(entry)
    state.weigh_in(tournament.store)
    if len(state.active()) >= 2:
        state.restart_pairing(tournament.store)
    return state


def counted(tournament):
    """The state of a process that resumes, with its scheduler."""
    state = TournamentState.resumed(tournament.settings, tournament.store)
    start = state.seq
    for entry in tournament.store.entries(start):
        state.take(entry)
    state.weigh_in(tournament.store)
    if len(state.active()) >= 2:
        state.restart_pairing(tournament.store)
    return state, start


def assert_same(one, two):
    assert (one.seq, one.names, one.states) == (two.seq, two.names, two.states)
    assert (one.n_told, one.n_asked) == (two.n_told, two.n_asked)
    assert list(one.pending.items()) == list(two.pending.items())
    assert one.requests == two.requests
    assert one.tally.is_like(two.tally, 1e-9)
    assert np.array_equal(one.played(), two.played())
    if one.pairing is not None and two.pairing is not None:
        for side in (one, two):
            side.known()  # with a lag, they learn when they have to
        schedulers = [side.pairing.scheduler for side in (one, two)]
        ratings = [scheduler.ratings() for scheduler in schedulers]
        np.testing.assert_allclose(*ratings, rtol=0.0, atol=1e-6)
        assert list(schedulers[0].in_flight) == list(schedulers[1].in_flight)
        assert one.next_match() == two.next_match()


@pytest.mark.parametrize("scheduler", SCHEDULERS)
@pytest.mark.parametrize("lag", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_a_stopped_tournament_asks_the_same_matches(scheduler, lag, url, often):
    whole = Tournament(NAMES, seed=3, scheduler=endless(scheduler), lag=lag)
    play_some(whole, 36)
    parts = Tournament(NAMES, url, seed=3, scheduler=endless(scheduler), lag=lag)
    for _ in range(4):
        play_some(parts, 9)
        assert parts.verify().problems == []
        parts.close()
        parts = Tournament(store=url)
    assert results_of(parts) == results_of(whole)
    assert list(parts.leaderboard()) == list(whole.leaderboard())
    assert parts.settings == whole.settings
    state, start = counted(parts)
    assert start > 20
    assert_same(state, state_of(whole))


def test_below_the_first_restart_nothing_is_counted(url):
    with Tournament(NAMES, url) as tournament:
        play_some(tournament, 5)
        assert TournamentState.resumed(tournament.settings, tournament.store).seq == 0


def do_anything(tournament, rng):
    """One of the things that can happen in a tournament."""
    state = state_of(tournament)
    names = [state.names[player] for player in state.active()]  # only they can be requested
    kind = rng.choice(
        ["ask", "ask", "ask", "tell", "tell", "void", "late", "request", "add", "pause", "retract"]
    )
    pending = tournament.pending()
    if kind == "ask":
        tournament.ask()
    elif kind == "tell" and pending:
        judge = rng.choice([None, "ann", "bob"])
        tournament.tell(rng.choice(pending), rng.choice([0.0, 0.5, 1.0]), judge=judge)
    elif kind == "void" and pending:
        tournament.void(rng.choice(pending), "it was boring")
    elif kind == "late":
        void = [event.match for event in tournament.store.events("void")]
        told = {row.number for row in tournament.matches()}
        if late := [number for number in void if number not in told]:
            tournament.tell(rng.choice(late), 1.0)
    elif kind == "retract":
        if told := [row.number for row in tournament.matches() if row.number is not None]:
            tournament.retract(rng.choice(told), "it was wrong")
    elif kind == "request":
        tournament.request(*rng.sample(names, 2))
    elif kind == "add":
        tournament.add_results([(*rng.sample(names, 2), 0.5)])
    elif rng.random() < 0.3:
        name = rng.choice(names)
        if len(names) > 3:
            tournament.pause(name)
        else:
            for paused in set(tournament.names) - set(names):
                tournament.resume(paused)


@pytest.mark.parametrize(
    ("seed", "lag", "half_life"),
    [
        *[(0, 0, None), (1, 1, None), (1, 3, None), (2, 0, 10)],
        *[
            pytest.param(seed, lag, None, marks=pytest.mark.slow)
            for seed, lag in [(1, 0), (0, 1), (0, 3)]
        ],
    ],
)
def test_whatever_happened_counting_equals_reading(url, seed, lag, half_life, often):
    rng, starts = random.Random(seed), set()
    with Tournament(
        [*NAMES, "eve", "fay"], url, seed=seed, lag=lag, half_life=half_life
    ) as tournament:
        for _ in range(60):
            do_anything(tournament, rng)
            refresh(tournament)
            state, start = counted(tournament)
            starts.add(start)
            assert_same(state, read_through(tournament))
            assert_same(state, state_of(tournament))
        assert tournament.verify().problems == []
    assert len(starts) > 2


def test_a_damaged_row_among_the_counted_ones_is_named(url, often):
    with Tournament(NAMES, url) as tournament:
        play_some(tournament, 30)
        with tournament.store._connected() as connection:
            connection.exec_driver_sql("UPDATE maxin_told SET score = 7.0 WHERE match = 2")
    with Tournament(store=url) as tournament, pytest.raises(StoreFailed, match="score"):
        tournament.ask()


def test_players_who_join_move_the_restarts(url, monkeypatch):
    """A field that grows has restarts further apart from then on; earlier ones stay."""
    monkeypatch.setattr(module, "RESTART_EVERY", 4)
    assert (restart_step(8), restart_step(9)) == (4, 8)
    with Tournament(NAMES, url, seed=2) as tournament:
        for number in range(12):
            play_some(tournament, 3)
            tournament.add(f"new {number}")
            refresh(tournament)
            assert_same(counted(tournament)[0], read_through(tournament))


def test_an_ask_across_restarts_hands_out_every_match_that_it_records(often):
    tournament = Tournament(NAMES, seed=1)
    tickets = tournament.ask_many(90)
    assert [ticket.id for ticket in tickets] == list(range(1, 91))
    assert tournament.n_pending == 90
