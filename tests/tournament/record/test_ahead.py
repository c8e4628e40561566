"""One process chooses matches for all who share a store."""

from __future__ import annotations

import math
from threading import Event, Thread, current_thread
from time import sleep

import pytest

from maxin import Tournament
from maxin.core import Stop
from maxin.runners import Outcome
from maxin.schedulers import SCHEDULERS
from maxin.storage import ahead
from maxin.tournament.record import session as sessions
from maxin.tournament.record import transaction as transactions
from maxin.tournament.record.session import Session
from maxin.tournament.state.state import TournamentState
from maxin.tournament.tournament import session_of
from maxin.worker.source import Ask, Tell
from tests.helpers.inside import prepare, state_of
from tests.helpers.waiting import LONG

NAMES = ["anna", "bo", "cy", "di", "ed", "fay"]


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    if request.param == "postgresql":
        return request.getfixturevalue("postgres_url")
    return f"sqlite:///{tmp_path / 'league.db'}"


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """Matches that were chosen ahead do not get old, however slow the machine is."""
    monkeypatch.setattr(ahead, "FRESH_SECONDS", math.inf)
    monkeypatch.setattr(sessions, "FRESH_SECONDS", math.inf)
    monkeypatch.setattr(transactions, "FRESH_SECONDS", math.inf)


@pytest.fixture
def pair(url):
    """Two processes' views of one tournament; the first has chosen ahead for the second."""
    with Tournament(NAMES, url, seed=1) as one, Tournament(store=url) as other:
        for _ in range(3):  # the first time each thinks that it is alone
            play(one)
            play(other, 3)
        play(one)
        play(other)  # the first is its own choice; with its result it sees what was left for it
        yield one, other


def play(tournament, n=1):
    for _ in range(n):
        ticket = tournament.ask()
        tournament.tell(ticket, ticket.seed % 3 / 2)


def left(tournament):
    """The matches that were chosen ahead and are not handed out yet."""
    found, asked = tournament.store.transact(lambda writer: (writer.ahead, writer.asked))
    return [] if found is None else found.matches[asked - found.asked :]


def run_together(url, budget, n_runs=4):
    """Runs of one tournament at a time, each with a connection of its own."""

    def run():
        with Tournament(store=url) as tournament:
            tournament.run(lambda first, second, seed: seed % 2, budget=budget, confidence=None)

    threads = [Thread(target=run) for _ in range(n_runs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def refuse(*_):
    raise AssertionError("nobody has to choose")


def test_who_chooses_leaves_matches_for_the_others(pair, monkeypatch):
    one, other = pair
    expected = left(one)[:2]
    assert len(expected) == 2
    monkeypatch.setattr(TournamentState, "next_match", refuse)
    for match in expected:
        ticket = other.ask()
        assert ticket.players == match
        other.tell(ticket, 1.0)
    assert one.verify().problems == []


def test_whoever_chose_takes_its_own_until_half_are_gone(pair, monkeypatch):
    one, other = pair
    chosen = one.store.ahead()
    n_gone = len(chosen.matches) - len(left(one))
    n_own = (len(chosen.matches) + 1) // 2 - n_gone
    expected = left(one)[:n_own]
    monkeypatch.setattr(TournamentState, "next_match", refuse)
    for match in expected:
        ticket = one.ask()
        assert ticket.players == match
        one.tell(ticket, 1.0)
    with pytest.raises(AssertionError, match="nobody has to choose"):
        one.ask()
    assert n_own > 0
    assert other.ask().players == chosen.matches[n_gone + n_own]


@pytest.fixture
def choosers(monkeypatch):
    """Which threads choose; each waits until the event is set."""
    names, may_end = [], Event()
    next_matches = TournamentState.next_matches

    def choose(state, n):
        names.append(current_thread().name)
        assert may_end.wait(LONG)
        return next_matches(state, n)

    monkeypatch.setattr(TournamentState, "next_matches", choose)
    return names, may_end


def looks_of(tournament, monkeypatch):
    """An event that is set when a tournament looks whether somebody else has chosen."""
    looks, ahead_of = Event(), tournament.store.ahead
    monkeypatch.setattr(tournament.store, "ahead", lambda: looks.set() or ahead_of())
    return looks


def test_while_one_chooses_the_others_wait_for_its_matches(pair, choosers, monkeypatch):
    names, may_end = choosers
    one, other = pair
    play(other, len(left(one)))
    first, second = (Thread(target=play, args=[each]) for each in pair)
    first.start()
    while not names:
        sleep(0.01)
    looks = looks_of(other, monkeypatch)
    second.start()
    assert looks.wait(LONG)
    may_end.set()
    first.join()
    second.join()
    assert names == [first.name]
    assert one.verify().problems == []


def test_if_whoever_is_choosing_is_gone_the_others_choose(pair, monkeypatch):
    _, other = pair
    gone = other.store.ahead()._replace(by="somebody", matches=[])
    other.store.transact(lambda writer: writer.choose_ahead(gone.by, gone.terms, gone.matches))
    looks = looks_of(other, monkeypatch)
    for module in (ahead, transactions):
        monkeypatch.setattr(module, "FRESH_SECONDS", 0.1)
    play(other)
    assert looks.is_set()


def test_nobody_waits_for_whoever_found_nothing_to_choose(pair, monkeypatch):
    one, other = pair
    play(other, len(left(one)))
    monkeypatch.setattr(TournamentState, "next_matches", lambda *_: [])
    assert one.ask() is None
    looks = looks_of(other, monkeypatch)
    assert other.ask() is None
    assert not looks.is_set()


def test_a_result_and_an_ask_are_one_transaction(pair, monkeypatch):
    one, other = pair
    ticket = other.ask()
    expected = left(one)[:2]
    transact, n_transactions = other.store.transact, []
    monkeypatch.setattr(
        other.store, "transact", lambda work: n_transactions.append(1) or transact(work)
    )
    done = Tell(ticket.id, Outcome(0.5), worker="here")
    _, offers = session_of(other).apply([done, Ask(2, 600.0, worker="here")])
    assert [ticket.players for ticket in offers.tickets] == expected
    assert len(n_transactions) == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda tournament: tournament.request("ed", "fay"),
        lambda tournament: tournament.pause("di"),
        lambda tournament: tournament.add("gus"),
        lambda tournament: tournament.add_results([("anna", "bo", 1.0)]),
    ],
)
def test_a_change_of_what_may_be_asked_ends_them(change, pair, monkeypatch):
    one, other = pair
    expected = left(one)
    change(one)
    assert expected
    other.n_matches  # noqa: B018 - it reads the change, and still does not take what was left
    monkeypatch.setattr(TournamentState, "next_match", refuse)
    with pytest.raises(AssertionError, match="nobody has to choose"):
        other.ask()


def test_old_matches_are_not_handed_out(pair, monkeypatch):
    _, other = pair
    monkeypatch.setattr(ahead, "FRESH_SECONDS", 0.0)
    monkeypatch.setattr(TournamentState, "next_match", refuse)
    with pytest.raises(AssertionError, match="nobody has to choose"):
        other.ask()


def test_who_stops_by_other_terms_chooses_for_itself(pair, monkeypatch):
    _, other = pair
    play(other)
    session = session_of(other, Stop(confidence=0.8))
    monkeypatch.setattr(TournamentState, "next_match", refuse)
    with pytest.raises(AssertionError, match="nobody has to choose"):
        session.apply([Ask(1, 600.0, worker="here")])


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_choosing_ahead_changes_nothing(scheduler):
    one, twin = (Tournament(NAMES, seed=2, scheduler=scheduler) for _ in range(2))
    with one, twin:
        for n in range(1, 7):
            prepare(one)
            state_of(one).next_matches(n)
            tickets = [each.ask_many(2) for each in (one, twin)]
            seated = [[ticket.players for ticket in held] for held in tickets]
            assert seated[0] == seated[1]
            for each, held in zip((one, twin), tickets, strict=True):
                for ticket in held[: len(held) - n % 2]:
                    each.tell(ticket, ticket.seed % 3 / 2)


def test_the_budget_is_kept_to_the_match(url):
    Tournament(NAMES, url, seed=1).close()

    run_together(url, budget=60)
    with Tournament(store=url) as tournament:
        assert tournament.n_matches == 60
        assert tournament.verify().problems == []


@pytest.mark.parametrize(
    ("scheduler", "n_matches"), [("round-robin", 15), ("knockout", 5), ("round-robin:cycles=2", 30)]
)
def test_a_plan_is_played_once_by_many(scheduler, n_matches, url):
    Tournament(NAMES, url, seed=1, scheduler=scheduler).close()

    run_together(url, budget=99)
    with Tournament(store=url) as tournament:
        assert tournament.n_matches == n_matches


@pytest.mark.parametrize("n_runs", [1, 4])
def test_short_matches_are_taken_ahead_where_others_ask_too(n_runs, url, monkeypatch):
    asks, apply = [], Session.apply

    def noted(session, commands):
        asks.extend(one for one in commands if isinstance(one, Ask))
        return apply(session, commands)

    monkeypatch.setattr(Session, "apply", noted)
    Tournament(NAMES, url, seed=1).close()
    run_together(url, budget=200, n_runs=n_runs)
    assert any(ask.n_more for ask in asks) == (n_runs > 1)
    with Tournament(store=url) as tournament:
        assert tournament.n_matches == 200
