"""Many callers at once: what one transaction applies, and in which order."""

import pytest

from maxin.core import InvalidInput, Stop
from maxin.runners import MatchFailed, Outcome
from maxin.tournament import Tournament
from maxin.tournament.record import leases
from maxin.tournament.record.commands import apply
from maxin.tournament.record.failures import ATTEMPTS
from maxin.tournament.record.transaction import Transaction
from maxin.tournament.tournament import session_of
from maxin.worker.source import ASK, Ask, Fail, RefusedResults, Renew, ScoreConflict, Tell
from tests.helpers.acts import Act
from tests.helpers.waiting import wait_until

NAMES = ["anna", "bo", "cy", "dee"]


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    if request.param == "postgresql":
        return request.getfixturevalue("postgres_url")
    return f"sqlite:///{tmp_path / 'league.db'}"


@pytest.fixture
def tournament(url):
    with Tournament(NAMES, url, seed=1) as opened:
        yield opened


def batch(tournament, *commands):
    """The answers to commands that arrive together; of asks, only the tickets."""
    answers = session_of(tournament, serves=True).apply(commands)
    return [
        list(getattr(answer, "tickets", [])) if isinstance(one, Ask) else answer
        for one, answer in zip(commands, answers, strict=True)
    ]


def ask(tournament, worker="afar", n=1, lease=600.0, key=None):
    return batch(tournament, Ask(n, lease, key, worker=worker))[0]


def test_results_come_before_asks(tournament):
    (first,) = ask(tournament)
    tickets, is_new = batch(
        tournament, Ask(2, 600.0, worker="afar"), Tell(first.id, Outcome(1.0), worker="afar")
    )
    assert is_new is True
    assert [ticket.id for ticket in tickets] == [2, 3]
    seqs = [entry.kind for entry in tournament.store.entries() if entry.kind != "player"]
    assert seqs == ["ask", "tell", "ask", "ask"]
    assert tournament.verify().problems == []


def test_equal_results_in_one_group_count_once_and_others_conflict(tournament):
    (ticket,) = ask(tournament)
    told = [Tell(ticket.id, Outcome(score), worker="afar") for score in (1.0, 1.0, 0.0)]
    new, same, other = batch(tournament, *told)
    assert (new, same) == (True, False)
    assert isinstance(other, ScoreConflict)
    assert tournament.n_matches == 1
    assert tournament.verify().problems == []


def test_a_command_that_fails_is_answered_alone(tournament):
    (ticket,) = ask(tournament)
    wrong, right = batch(
        tournament,
        Tell(77, Outcome(1.0), worker="afar"),
        Tell(ticket.id, Outcome(0.5), worker="afar"),
    )
    assert isinstance(wrong, InvalidInput)
    assert "there is no match 77" in str(wrong)
    assert right is True


def test_the_same_key_gets_the_same_matches_while_they_are_held(tournament):
    first = ask(tournament, n=2, key="k1")
    again, other_key, other_worker = batch(
        tournament,
        Ask(2, 600.0, "k1", worker="afar"),
        Ask(1, 600.0, "k2", worker="afar"),
        Ask(1, 600.0, "k1", worker="b"),
    )
    assert [ticket[:5] for ticket in again] == [ticket[:5] for ticket in first]
    assert [ticket.id for ticket in other_key + other_worker] == [3, 4]
    batch(tournament, *(Tell(ticket.id, Outcome(1.0), worker="afar") for ticket in first))
    assert ask(tournament, n=1, key="k1") == []  # an ask that was overtaken by its repetition
    assert [ticket.id for ticket in ask(tournament, n=1, key="k3")] == [5]


def test_a_key_is_forgotten_when_its_leases_are_over(tournament):
    (first,) = ask(tournament, n=1, lease=0.01, key="k")
    batch(tournament, Tell(first.id, Outcome(1.0), worker="afar"))
    found = wait_until(lambda: ask(tournament, n=1, key="k"))
    assert [ticket.id for ticket in found] == [2]


def test_a_key_used_twice_in_one_group_is_one_ask(tournament):
    one, two = batch(
        tournament, Ask(2, 600.0, "k", worker="afar"), Ask(2, 600.0, "k", worker="afar")
    )
    assert [ticket.id for ticket in one] == [ticket.id for ticket in two] == [1, 2]


def test_only_the_holder_renews(tournament):
    mine, theirs = ask(tournament, "mine"), ask(tournament, "theirs")
    numbers = (mine[0].id, theirs[0].id, 99)
    assert batch(tournament, Renew(numbers, 900.0, "mine")) == [([1], [2, 99])]
    terms = {lease.match: lease.until - lease.since for lease in tournament.store.leases()}
    assert terms == {1: pytest.approx(900.0), 2: pytest.approx(600.0)}


def test_a_remote_lease_survives_the_service(url, tournament):
    ask(tournament, "http|anna", n=2)
    with Tournament(store=url) as after_restart:
        assert [ticket.id for ticket in ask(after_restart, "http|bo", n=1)] == [3]


def test_a_lapsed_match_is_handed_out_again_before_new_ones(tournament, monkeypatch):
    monkeypatch.setattr(leases, "LEASE_CHECK", 0.0)
    ask(tournament, "gone", lease=0.0)
    again = ask(tournament, "here", n=2)
    assert [ticket.id for ticket in again] == [1, 2]
    assert {lease.worker for lease in tournament.store.leases()} == {"here"}


def test_a_renewal_in_the_same_group_saves_a_lapsed_lease(tournament, monkeypatch):
    monkeypatch.setattr(leases, "LEASE_CHECK", 0.0)
    ask(tournament, "slow", lease=0.0)
    kept, asked = batch(tournament, Renew((1,), 60.0, "slow"), Ask(1, 60.0, worker="other"))
    assert kept == ([1], [])
    assert [ticket.id for ticket in asked] == [2]


def test_a_match_that_fails_is_tried_again_and_then_void(tournament):
    for attempt in range(1, ATTEMPTS + 1):
        (ticket,) = ask(tournament, f"w{attempt}")
        assert ticket.id == 1
        failures = [MatchFailed("it crashed", log="the log")]
        answer = batch(tournament, Fail(1, failures, worker=f"w{attempt}"))
        assert answer[0].again == (attempt < ATTEMPTS)
    assert [ticket.id for ticket in ask(tournament)] == [2]
    assert [failure.reason for failure in tournament.failures()][-1] == "it crashed"
    assert tournament.n_matches == 0
    assert tournament.verify().problems == []


def test_only_its_holder_can_fail_a_match(tournament):
    ask(tournament, "mine")
    assert not batch(tournament, Fail(1, [MatchFailed("no")], worker="other"))[0].again
    assert tournament.failures() == []


def test_an_ask_after_a_retraction_in_the_same_group_is_answered(tournament):
    (ticket,) = ask(tournament)
    batch(tournament, Tell(ticket.id, Outcome(1.0), worker="afar"))

    def undo(transaction):
        return transaction.retract(ticket.id, "a slip", "afar")

    undone, asked = batch(tournament, Act(undo), Ask(1, 600.0, worker="afar"))
    assert undone is True
    assert len(asked) == 1
    assert tournament.n_matches == 0
    assert tournament.verify().problems == []


def test_two_processes_apply_on_one_store(url, tournament):
    with Tournament(store=url) as other:
        seen = []
        for turn in range(6):
            one = (tournament, other)[turn % 2]
            (ticket,) = ask(one, f"w{turn % 2}")
            seen.append(ticket.id)
            two = (other, tournament)[turn % 2]
            assert batch(two, Tell(ticket.id, Outcome(1.0), worker="w")) == [True]
        assert seen == [1, 2, 3, 4, 5, 6]
        assert tournament.verify().problems == []


def test_a_budget_counts_pending_matches(tournament):
    offers = session_of(tournament, Stop(budget=3, confidence=None)).answer(Ask(5))
    assert len(offers.tickets) == 3


def test_the_state_is_read_again_when_a_group_breaks(tournament):
    (ticket,) = ask(tournament)

    def breaks(transaction):
        assert apply(Tell(ticket.id, Outcome(1.0), worker="afar"), transaction)
        raise RuntimeError("the lights went out")

    with pytest.raises(RuntimeError, match="lights"):
        batch(tournament, Act(breaks, rank=ASK))
    assert tournament.n_matches == 0
    assert batch(tournament, Tell(ticket.id, Outcome(1.0), worker="afar")) == [True]
    assert tournament.verify().problems == []


def test_a_match_that_is_put_back_waits_for_whom_it_suits(tournament, monkeypatch):
    monkeypatch.setattr(leases, "LEASE_CHECK", 0.0)

    def put_back(transaction):
        ticket = transaction.hand_out_new(600.0, "afar")
        transaction.put_back(ticket.id, "nobody")
        refused = transaction.hand_out_again(600.0, "here", never)
        return ticket, transaction.n_waiting("nobody"), refused

    def never(match):
        return False

    ticket, n_waiting, refused = batch(tournament, Act(put_back, ASK))[0]
    assert (n_waiting, refused) == (1, None)

    def take(transaction):
        n_waiting = transaction.n_waiting("nobody")
        return n_waiting, transaction.hand_out_again(600.0, "here", lambda match: True)

    n_waiting, taken = batch(tournament, Act(take, ASK))[0]
    assert (n_waiting, taken.id) == (1, ticket.id)
    assert tournament.store.leases()[0].worker == "here"
    assert tournament.verify().problems == []


def test_many_tells_are_one_transaction(tournament, monkeypatch):
    transact, n_transactions = tournament.store.transact, []
    monkeypatch.setattr(
        tournament.store, "transact", lambda work: n_transactions.append(1) or transact(work)
    )
    tickets = tournament.ask_many(300)
    assert [ticket.id for ticket in tickets] == list(range(1, 301))
    assert tournament.tell_many([(ticket, 1.0) for ticket in tickets]) == [True] * 300
    assert len(n_transactions) == 2
    assert tournament.verify().problems == []


def test_a_transaction_that_fails_is_made_again_for_each_command(tournament):
    """What no command should raise breaks the group, and then only its own command."""
    one, two = ask(tournament, n=2)

    def break_down(transaction):
        transaction.tell(two.id, Outcome(0.0), "afar")
        raise ZeroDivisionError

    told, broken, asked = batch(
        tournament,
        Tell(one.id, Outcome(1.0), worker="afar"),
        Act(break_down),
        Ask(1, 600.0, worker="afar"),
    )
    assert told is True
    assert isinstance(broken, ZeroDivisionError)
    assert [ticket.id for ticket in asked] == [3]
    assert [played.number for played in tournament.matches()] == [one.id]
    assert tournament.verify().problems == []
    with pytest.raises(ZeroDivisionError):
        batch(tournament, Act(break_down))


def test_an_error_that_is_not_of_a_result_is_raised_after_the_others(tournament, monkeypatch):
    one, two = tournament.ask_many(2)
    tell = Transaction.tell

    def failing(self, number, *rest):
        if number == one.id:
            raise ZeroDivisionError
        return tell(self, number, *rest)

    monkeypatch.setattr(Transaction, "tell", failing)
    with pytest.raises(ZeroDivisionError):
        tournament.tell_many([(one, 1.0), (two, 1.0)])
    assert [played.number for played in tournament.matches()] == [two.id]


def test_a_ticket_of_another_record_is_refused_in_a_group(tournament):
    one, two = tournament.ask_many(2)
    tournament.tell(one, 1.0)
    with pytest.raises(RefusedResults, match="was not handed out with the fence 1-0000"):
        tournament.tell_many([(one._replace(fence="1-" + "0" * 16), 1.0), (two, 1.0)])
    assert tournament.n_matches == 2
