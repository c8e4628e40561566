"""Tickets: one transaction at a time on the state, which never holds what is not on disk."""

import time
from types import SimpleNamespace

import pytest

from maxin.runners import Outcome
from maxin.storage import StoreFailed, StoreLost, open_store
from maxin.storage.database import outage
from maxin.tournament import ScoreConflict, Tournament
from maxin.tournament.opening import start_or_resume
from maxin.tournament.state.state import TournamentState
from maxin.tournament.tickets import ledger
from maxin.tournament.tickets.tickets import Tickets
from tests.helpers.inside import change_record
from tests.helpers.leagues import NAMES


@pytest.fixture
def tickets(url):
    store = open_store(url)
    settings = start_or_resume(store, NAMES, {})
    yield Tickets(store, settings, "me")
    store.close()


def ask(tickets, **options):
    return tickets.ask(lease=60.0, **options)


def tell(tickets, ticket, score=1.0):
    outcome = Outcome(score)
    return tickets.blindly(lambda writer: tickets.tell(writer, ticket.id, outcome, ticket.fence))


def test_a_ticket_is_pending_until_its_result_is_recorded(tickets):
    ticket = ask(tickets)
    assert tickets.pending() == [ticket._replace(fence=0)]
    assert tickets.state.pending == {ticket.id: ticket.players}
    assert tell(tickets, ticket)
    assert tickets.pending() == []


def test_a_process_that_is_alone_asks_in_one_transaction(tickets, monkeypatch):
    calls, transact = [], tickets.store.transact
    monkeypatch.setattr(tickets.store, "transact", lambda work: calls.append(1) or transact(work))
    for _ in range(3):
        tell(tickets, ask(tickets))
    assert len(calls) == 6


def test_processes_see_what_the_others_wrote(tickets, url):
    other = Tickets(open_store(url), tickets.settings, "you")
    ticket = ask(tickets)
    other.refresh()
    assert other.pending() == [ticket._replace(fence=0)]
    assert tell(other, ticket)
    assert ask(tickets).id == 2
    assert tickets.state.n_told == 1


def test_a_budget_is_spent_by_results_and_pending_matches(tickets):
    assert not tickets.is_spent(1)
    ticket = ask(tickets)
    assert tickets.is_spent(1)
    assert ask(tickets, budget=1) is None
    tell(tickets, ticket)
    assert tickets.is_spent(1)
    assert not tickets.is_spent(2)


def test_a_lapsed_ticket_that_the_caller_holds_is_not_given_to_it_again(tickets):
    ticket = ask(tickets)
    tickets.store.transact(lambda writer: writer.lease([ticket.id], "elsewhere", -1.0))
    assert ask(tickets, held={ticket.id}, budget=1) is None
    tickets._next_lease_check = 0.0  # look for lapsed leases now
    assert ask(tickets, budget=1).id == ticket.id


def test_work_that_fails_leaves_the_state_as_the_record_has_it(tickets):
    def fail(writer):
        assert tickets.hand_out(60.0, None, writer).id == 1
        raise RuntimeError("the lights went out")

    with pytest.raises(RuntimeError, match="the lights went out"):
        tickets.exactly(fail)
    assert tickets.pending() == []
    assert ask(tickets).id == 1


def test_a_refused_result_does_not_discard_the_state(tickets):
    ticket = ask(tickets)
    tell(tickets, ticket)
    state = tickets.state
    assert isinstance(tell(tickets, ticket, 0.0), ScoreConflict)
    assert tickets.state is state
    assert [event.detail["score"] for event in tickets.store.events("refused")] == [0.0]


def test_work_is_done_again_when_the_server_comes_back(tickets):
    attempts = []

    def work(writer):
        attempts.append(tickets.hand_out(60.0, None, writer).id)
        if len(attempts) == 1:
            raise StoreLost("the server went away")
        return attempts[-1]

    assert tickets.exactly(work) == 1
    assert attempts == [1, 1]
    assert len(tickets.pending()) == 1


def test_a_process_that_was_suspended_for_long_tries_again(tickets, monkeypatch):
    """The time before the loss does not count: the server ended the session in the meantime."""
    clock = SimpleNamespace(now=0.0, sleep=lambda seconds: None)
    clock.monotonic = lambda: clock.now
    monkeypatch.setattr(outage, "time", clock)
    monkeypatch.setattr(ledger, "time", clock)

    def work(writer):
        if clock.now == 0.0:
            clock.now = 3600.0
            raise StoreLost("the server ended the session")
        return "done"

    assert tickets.transact(work) == "done"


def test_a_server_that_stays_away_is_an_error(tickets, monkeypatch):
    monkeypatch.setattr(ledger, "PATIENCE", -1.0)

    def work(writer):
        raise StoreLost("the server went away")

    with pytest.raises(StoreLost, match="the server went away"):
        tickets.transact(work)


def test_a_snapshot_that_fails_does_not_lose_the_result(monkeypatch):
    def fail(*_):
        raise StoreFailed("the disk is full")

    tournament = Tournament(NAMES)
    monkeypatch.setattr(ledger, "SNAPSHOT_EVERY", 1)
    monkeypatch.setattr(tournament.store, "save_snapshot", fail)
    assert tournament.tell(tournament.ask(), 1.0)
    assert tournament.n_matches == 1


@pytest.mark.parametrize(("hours", "words"), [(2, "2.0 h ahead of"), (-2, "2.0 h behind")])
def test_a_clock_that_is_wrong_is_named_and_doubles_no_work(url, monkeypatch, hours, words):
    with Tournament(NAMES, url) as right, Tournament(store=url) as wrong:
        tickets = [right.ask() for _ in range(3)]
        said = []
        wrong.store.notice = said.append
        monkeypatch.setattr(time, "time", lambda real=time.time: real() + hours * 3600.0)
        tickets += [wrong.ask(), wrong.ask()]
        monkeypatch.undo()
        tickets.append(right.ask())
        assert [ticket.id for ticket in tickets] == [1, 2, 3, 4, 5, 6]
        assert len(said) == 1
        assert words in said[0]


def test_a_store_that_was_replaced_by_an_older_one_is_refused(tickets):
    ask(tickets)
    change_record(tickets.store, "UPDATE maxin_head SET seq = 3")
    with pytest.raises(StoreFailed, match=r"has 3 entries, and had 6: it was replaced"):
        ask(tickets)


def test_who_only_looks_sees_what_is_known_while_the_server_is_away(tickets, monkeypatch):
    ticket = ask(tickets)
    tell(tickets, ticket)
    assert tickets.state.n_told == 1
    ask(tickets)

    def lost(after):
        raise StoreLost("the server went away")

    with monkeypatch.context() as patch:
        patch.setattr(tickets.store, "entries", lost)
        assert tickets.state.n_told == 1
    assert len(tickets.pending()) == 1


def test_an_entry_that_was_interrupted_is_applied_again(tickets, monkeypatch):
    tell(tickets, ask(tickets))
    take = TournamentState.take

    def interrupted(state, entry):
        take(state, entry)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(TournamentState, "take", interrupted)
        with pytest.raises(KeyboardInterrupt):
            tickets.refresh()
    assert tickets.state.n_told == 1
    assert float(tickets.state.tally.games.sum()) == 1.0
    assert ask(tickets).id == 2
