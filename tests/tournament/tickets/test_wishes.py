"""Many callers at once: what one transaction grants, and in which order."""

import pytest

from maxin.core import InvalidInput
from maxin.runners import Outcome
from maxin.tournament import Tournament
from maxin.tournament.tickets import tickets as tickets_module
from maxin.tournament.tickets.tickets import RefusedResults, ScoreConflict
from maxin.tournament.tickets.wishes import (
    ASK,
    MOST_FAILURES,
    AskWish,
    FailWish,
    RenewWish,
    TellWish,
    WorkWish,
)
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


def ask(tournament, worker="afar", n=1, lease=600.0, key=None):
    return tournament.batch([AskWish(worker, n, lease, key)])[0]


def test_results_come_before_asks(tournament):
    (first,) = ask(tournament)
    tickets, is_new = tournament.batch(
        [AskWish("afar", 2, 600.0), TellWish("afar", first.id, Outcome(1.0))]
    )
    assert is_new is True
    assert [ticket.id for ticket in tickets] == [2, 3]
    seqs = [entry.kind for entry in tournament.store.entries() if entry.kind != "player"]
    assert seqs == ["ask", "tell", "ask", "ask"]
    assert tournament.verify().problems == []


def test_equal_results_in_one_group_count_once_and_others_conflict(tournament):
    (ticket,) = ask(tournament)
    told = [TellWish("afar", ticket.id, Outcome(score)) for score in (1.0, 1.0, 0.0)]
    new, same, other = tournament.batch(told)
    assert (new, same) == (True, False)
    assert isinstance(other, ScoreConflict)
    assert tournament.n_matches == 1
    assert tournament.verify().problems == []


def test_a_wish_that_fails_is_answered_alone(tournament):
    (ticket,) = ask(tournament)
    wrong, right = tournament.batch(
        [TellWish("afar", 77, Outcome(1.0)), TellWish("afar", ticket.id, Outcome(0.5))]
    )
    assert isinstance(wrong, InvalidInput)
    assert "there is no match 77" in str(wrong)
    assert right is True


def test_the_same_key_gets_the_same_matches_while_they_are_held(tournament):
    first = ask(tournament, n=2, key="k1")
    again, other_key, other_worker = tournament.batch(
        [
            AskWish("afar", 2, 600.0, "k1"),
            AskWish("afar", 1, 600.0, "k2"),
            AskWish("b", 1, 600.0, "k1"),
        ]
    )
    assert [ticket[:5] for ticket in again] == [ticket[:5] for ticket in first]
    assert [ticket.id for ticket in other_key + other_worker] == [3, 4]
    tournament.batch([TellWish("afar", ticket.id, Outcome(1.0)) for ticket in first])
    assert ask(tournament, n=1, key="k1") == []  # an ask that was overtaken by its repetition
    assert [ticket.id for ticket in ask(tournament, n=1, key="k3")] == [5]


def test_a_key_is_forgotten_when_its_leases_are_over(tournament):
    (first,) = ask(tournament, n=1, lease=0.01, key="k")
    tournament.batch([TellWish("afar", first.id, Outcome(1.0))])
    found = wait_until(lambda: ask(tournament, n=1, key="k"))
    assert [ticket.id for ticket in found] == [2]


def test_a_key_used_twice_in_one_group_is_one_ask(tournament):
    one, two = tournament.batch([AskWish("afar", 2, 600.0, "k"), AskWish("afar", 2, 600.0, "k")])
    assert [ticket.id for ticket in one] == [ticket.id for ticket in two] == [1, 2]


def test_only_the_holder_renews(tournament):
    mine, theirs = ask(tournament, "mine"), ask(tournament, "theirs")
    numbers = (mine[0].id, theirs[0].id, 99)
    assert tournament.batch([RenewWish("mine", numbers, 900.0)]) == [([1], [2, 99])]
    terms = {lease.match: lease.until - lease.since for lease in tournament.store.leases()}
    assert terms == {1: pytest.approx(900.0), 2: pytest.approx(600.0)}


def test_a_remote_lease_survives_the_service(url, tournament):
    ask(tournament, "http|anna", n=2)
    with Tournament(store=url) as after_restart:
        assert [ticket.id for ticket in ask(after_restart, "http|bo", n=1)] == [3]


def test_a_lapsed_match_is_handed_out_again_before_new_ones(tournament, monkeypatch):
    monkeypatch.setattr(tickets_module, "LEASE_CHECK", 0.0)
    ask(tournament, "gone", lease=0.0)
    again = ask(tournament, "here", n=2)
    assert [ticket.id for ticket in again] == [1, 2]
    assert {lease.worker for lease in tournament.store.leases()} == {"here"}


def test_a_renewal_in_the_same_group_saves_a_lapsed_lease(tournament, monkeypatch):
    monkeypatch.setattr(tickets_module, "LEASE_CHECK", 0.0)
    ask(tournament, "slow", lease=0.0)
    kept, asked = tournament.batch([RenewWish("slow", (1,), 60.0), AskWish("other", 1, 60.0)])
    assert kept == ([1], [])
    assert [ticket.id for ticket in asked] == [2]


def test_a_match_that_fails_is_tried_again_and_then_void(tournament):
    for attempt in range(1, MOST_FAILURES + 1):
        (ticket,) = ask(tournament, f"w{attempt}")
        assert ticket.id == 1
        answer = tournament.batch([FailWish(f"w{attempt}", 1, "it crashed", "the log")])
        assert answer == [attempt < MOST_FAILURES]
    assert [ticket.id for ticket in ask(tournament)] == [2]
    assert [failure.reason for failure in tournament.failures()][-1] == "it crashed"
    assert tournament.n_matches == 0
    assert tournament.verify().problems == []


def test_only_its_holder_can_fail_a_match(tournament):
    ask(tournament, "mine")
    assert tournament.batch([FailWish("other", 1, "no")]) == [False]
    assert tournament.failures() == []


def test_an_ask_after_a_retraction_in_the_same_group_is_granted(tournament):
    (ticket,) = ask(tournament)
    tournament.batch([TellWish("afar", ticket.id, Outcome(1.0))])

    def undo(group):
        return group.tickets.retract(group.writer, ticket.id, "a slip", worker="afar")

    undone, asked = tournament.batch([WorkWish(undo), AskWish("afar", 1, 600.0)])
    assert undone is True
    assert len(asked) == 1
    assert tournament.n_matches == 0
    assert tournament.verify().problems == []


def test_two_processes_grant_on_one_store(url, tournament):
    with Tournament(store=url) as other:
        seen = []
        for turn in range(6):
            one = (tournament, other)[turn % 2]
            (ticket,) = ask(one, f"w{turn % 2}")
            seen.append(ticket.id)
            two = (other, tournament)[turn % 2]
            assert two.batch([TellWish("w", ticket.id, Outcome(1.0))]) == [True]
        assert seen == [1, 2, 3, 4, 5, 6]
        assert tournament.verify().problems == []


def test_a_budget_counts_pending_matches(tournament):
    (tickets,) = tournament.batch([AskWish("afar", 5, 600.0)], budget=3)
    assert len(tickets) == 3


def test_the_state_is_read_again_when_a_group_breaks(tournament):
    (ticket,) = ask(tournament)

    def breaks(group):
        assert TellWish("afar", ticket.id, Outcome(1.0)).grant(group)
        raise RuntimeError("the lights went out")

    with pytest.raises(RuntimeError, match="lights"):
        tournament.batch([WorkWish(breaks, rank=ASK)])
    assert tournament.n_matches == 0
    assert tournament.batch([TellWish("afar", ticket.id, Outcome(1.0))]) == [True]
    assert tournament.verify().problems == []


def test_a_match_that_is_put_back_waits_for_whom_it_suits(tournament, monkeypatch):
    monkeypatch.setattr(tickets_module, "LEASE_CHECK", 0.0)

    def put_back(group):
        ticket = group.hand_out_new(600.0, "afar")
        group.put_back(ticket.id, "nobody")
        return ticket, group.n_waiting("nobody"), group.hand_out_again(600.0, "here", never)

    def never(match):
        return False

    ticket, n_waiting, refused = tournament.batch([WorkWish(put_back, ASK)])[0]
    assert (n_waiting, refused) == (1, None)

    def take(group):
        return group.n_waiting("nobody"), group.hand_out_again(600.0, "here", lambda match: True)

    n_waiting, taken = tournament.batch([WorkWish(take, ASK)])[0]
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


def test_a_transaction_that_fails_is_made_again_for_each_wish(tournament):
    """What no wish should raise breaks the group, and then only its own wish."""
    one, two = ask(tournament, n=2)

    def break_down(group):
        group.tickets.tell(group.writer, two.id, Outcome(0.0))
        raise ZeroDivisionError

    told, broken, asked = tournament.batch(
        [
            TellWish("afar", one.id, Outcome(1.0)),
            WorkWish(break_down),
            AskWish("afar", 1, 600.0),
        ]
    )
    assert told is True
    assert isinstance(broken, ZeroDivisionError)
    assert [ticket.id for ticket in asked] == [3]
    assert [played.number for played in tournament.matches()] == [one.id]
    assert tournament.verify().problems == []
    with pytest.raises(ZeroDivisionError):
        tournament.batch([WorkWish(break_down)])


def test_an_error_that_is_not_of_a_result_is_raised_after_the_others(tournament, monkeypatch):
    one, two = tournament.ask_many(2)
    tell = tickets_module.Tickets.tell

    def failing(self, writer, number, *rest, **more):
        if number == one.id:
            raise ZeroDivisionError
        return tell(self, writer, number, *rest, **more)

    monkeypatch.setattr(tickets_module.Tickets, "tell", failing)
    with pytest.raises(ZeroDivisionError):
        tournament.tell_many([(one, 1.0), (two, 1.0)])
    assert [played.number for played in tournament.matches()] == [two.id]


def test_a_ticket_of_another_record_is_refused_in_a_group(tournament):
    one, two = tournament.ask_many(2)
    tournament.tell(one, 1.0)
    with pytest.raises(RefusedResults, match="is not of this record"):
        tournament.tell_many([(one._replace(fence=999), 1.0), (two, 1.0)])
    assert tournament.n_matches == 2
