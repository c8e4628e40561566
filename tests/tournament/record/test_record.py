"""The record: one transaction at a time on a state that never holds what is not on disk."""

import time
from types import SimpleNamespace

import pytest

from maxin.core import Entrant, Stop
from maxin.runners import Outcome
from maxin.storage import StoreFailed, StoreLost, open_store
from maxin.storage.database import outage
from maxin.tournament import Tournament
from maxin.tournament.budgets import Budgets
from maxin.tournament.opening import start_or_resume
from maxin.tournament.record import record as record_module
from maxin.tournament.record.failures import FailureCounts
from maxin.tournament.record.record import Needs, Record
from maxin.tournament.record.session import Session
from maxin.tournament.record.transaction import Transaction
from maxin.tournament.state.state import TournamentState
from maxin.views import BeliefCache
from maxin.worker.source import Ask, ScoreConflict, Tell
from tests.helpers.inside import change_record
from tests.helpers.leagues import NAMES


@pytest.fixture
def session(url):
    store = open_store(url)
    settings = start_or_resume(store, [Entrant(name) for name in NAMES], {})
    yield session_of(store, settings, "me")
    store.close()


def session_of(store, settings, worker, stop=Stop(confidence=None)):
    return Session(Record(store, settings, worker), BeliefCache, stop)


def ask(session, **stop):
    within = Session(session.record, BeliefCache, Stop(confidence=None, **stop))
    return next(iter(within.answer(Ask(1, 60.0)).tickets), None)


def tell(session, ticket, score=1.0):
    return session.apply([Tell(ticket.id, Outcome(score), ticket.fence)])[0]


def handed_out(session, writer):
    budgets = Budgets(Stop(), session.record.store)
    transaction = Transaction(session.record, writer, budgets, FailureCounts())
    return transaction.hand_out(60.0, "me")


def pending(session):
    return list(session.record.state.pending)


def test_a_ticket_is_pending_until_its_result_is_recorded(session):
    ticket = ask(session)
    assert pending(session) == [ticket.id]
    assert session.record.state.pending == {ticket.id: ticket.players}
    assert tell(session, ticket)
    assert pending(session) == []


def test_a_process_that_is_alone_asks_in_one_transaction(session, monkeypatch):
    calls, transact = [], session.record.store.transact
    monkeypatch.setattr(
        session.record.store, "transact", lambda work: calls.append(1) or transact(work)
    )
    for _ in range(3):
        tell(session, ask(session))
    assert len(calls) == 6


def test_processes_see_what_the_others_wrote(session, url):
    other = session_of(open_store(url), session.record.settings, "you")
    ticket = ask(session)
    other.record.refresh()
    assert pending(other) == [ticket.id]
    assert tell(other, ticket)
    assert ask(session).id == 2
    assert session.record.state.n_told == 1


def test_a_budget_is_spent_by_results_and_pending_matches(session):
    ticket = ask(session, budget=1)
    assert ask(session, budget=1) is None
    tell(session, ticket)
    assert ask(session, budget=1) is None
    assert ask(session, budget=2).id == 2


def test_work_that_fails_leaves_the_state_as_the_record_has_it(session):
    def fail(writer):
        assert handed_out(session, writer).id == 1
        raise RuntimeError("the lights went out")

    with pytest.raises(RuntimeError, match="the lights went out"):
        session.record.transact(fail, Needs.SCHEDULER)
    assert pending(session) == []
    assert ask(session).id == 1


def test_a_refused_result_does_not_discard_the_state(session):
    ticket = ask(session)
    tell(session, ticket)
    state = session.record.state
    assert isinstance(tell(session, ticket, 0.0), ScoreConflict)
    assert session.record.state is state
    assert [event.detail["score"] for event in session.record.store.events("refused")] == [0.0]


def test_work_is_done_again_when_the_server_comes_back(session):
    attempts = []

    def work(writer):
        attempts.append(handed_out(session, writer).id)
        if len(attempts) == 1:
            raise StoreLost("the server went away")
        return attempts[-1]

    assert session.record.transact(work, Needs.SCHEDULER) == 1
    assert attempts == [1, 1]
    assert len(pending(session)) == 1


def test_a_process_that_was_suspended_for_long_tries_again(session, monkeypatch):
    """The time before the loss does not count: the server ended the session in the meantime."""
    clock = SimpleNamespace(now=0.0, sleep=lambda seconds: None)
    clock.monotonic = lambda: clock.now
    monkeypatch.setattr(outage, "time", clock)
    monkeypatch.setattr(record_module, "time", clock)

    def work(writer):
        if clock.now == 0.0:
            clock.now = 3600.0
            raise StoreLost("the server ended the session")
        return "done"

    assert session.record.transact(work, Needs.PLAYERS) == "done"


def test_a_server_that_stays_away_is_an_error(session, monkeypatch):
    monkeypatch.setattr(record_module, "PATIENCE", -1.0)

    def work(writer):
        raise StoreLost("the server went away")

    with pytest.raises(StoreLost, match="the server went away"):
        session.record.transact(work, Needs.PLAYERS)


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


def test_a_store_that_was_replaced_by_an_older_one_is_refused(session):
    ask(session)
    change_record(session.record.store, "UPDATE maxin_head SET seq = 3")
    with pytest.raises(StoreFailed, match=r"has 3 entries, and had 6: it was replaced"):
        ask(session)


def test_who_only_looks_sees_what_is_known_while_the_server_is_away(session, monkeypatch):
    ticket = ask(session)
    tell(session, ticket)
    assert session.record.state.n_told == 1
    ask(session)

    def lost(after):
        raise StoreLost("the server went away")

    with monkeypatch.context() as patch:
        patch.setattr(session.record.store, "entries", lost)
        assert session.record.state.n_told == 1
    assert len(pending(session)) == 1


def test_an_entry_that_was_interrupted_is_applied_again(session, monkeypatch):
    tell(session, ask(session))
    take = TournamentState.take

    def interrupted(state, entry):
        take(state, entry)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(TournamentState, "take", interrupted)
        with pytest.raises(KeyboardInterrupt):
            session.record.refresh()
    assert session.record.state.n_told == 1
    assert float(session.record.state.tally.games.sum()) == 1.0
    assert ask(session).id == 2
