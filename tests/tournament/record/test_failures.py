"""What follows from failures is in the record: every process that reads it agrees."""

import pytest

from maxin.core import InvalidInput
from maxin.runners import MatchFailed
from maxin.tournament import Tournament
from maxin.tournament.record.failures import ATTEMPTS, MOST_VOID_OF_A_PLAYER
from maxin.tournament.tournament import session_of
from maxin.worker.source import Ask, Fail

NAMES = ["anna", "bo", "cy"]


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    place = f"sqlite:///{tmp_path / 'league.db'}"
    if request.param == "postgresql":
        place = request.getfixturevalue("postgres_url")
    with Tournament(NAMES, place, seed=1) as tournament:
        tournament.request("cy", "anna", times=3 * MOST_VOID_OF_A_PLAYER)
    return place


def void_match(url, player="cy"):
    """Have a match fail until it is void, in a process of its own; returns what follows."""
    with Tournament(store=url) as tournament:
        for _ in range(ATTEMPTS):
            found = tournament.fail(tournament.ask(), "it crashed", player=player)
    assert found.is_void
    return [name for name, _ in found.paused]


def states(url):
    with Tournament(store=url) as tournament:
        return tournament.states


def test_void_matches_in_a_row_pause_a_player_whoever_played_them(url):
    assert [void_match(url) for _ in range(MOST_VOID_OF_A_PLAYER)] == [[], [], ["cy"]]
    assert states(url) == {"anna": "active", "bo": "active", "cy": "paused"}
    with Tournament(store=url) as tournament:
        assert tournament.verify().problems == []


def test_both_players_are_blamed_if_nobody_knows_whose_fault_it_is(url):
    found = [void_match(url, player=None) for _ in range(MOST_VOID_OF_A_PLAYER)]
    assert found == [[], [], ["cy", "anna"]]


def test_a_result_ends_the_row(url):
    assert void_match(url) == void_match(url) == []
    with Tournament(store=url) as tournament:
        tournament.tell(tournament.ask(), 1.0)
    assert [void_match(url) for _ in range(MOST_VOID_OF_A_PLAYER)] == [[], [], ["cy"]]


def test_a_player_that_resumes_starts_a_new_row(url):
    for _ in range(MOST_VOID_OF_A_PLAYER):
        void_match(url)
    with Tournament(store=url) as tournament:
        tournament.resume("cy")
    assert [void_match(url) for _ in range(MOST_VOID_OF_A_PLAYER)] == [[], [], ["cy"]]


def test_a_match_that_somebody_gives_up_is_nobodys_fault(url):
    with Tournament(store=url) as tournament:
        for _ in range(MOST_VOID_OF_A_PLAYER):
            assert tournament.void(tournament.ask(), "the power failed")
    assert void_match(url) == []


def test_a_player_that_has_retired_is_not_paused(url):
    with Tournament(store=url, worker="w") as tournament:
        tickets = tournament.ask_many(MOST_VOID_OF_A_PLAYER)
        tournament.retire("cy")
        failures = [MatchFailed("it crashed", player="cy", is_hopeless=True)]
        found = session_of(tournament).apply([Fail(ticket.id, failures) for ticket in tickets])
        assert [consequence.is_void for consequence in found] == [True] * MOST_VOID_OF_A_PLAYER
    assert states(url)["cy"] == "retired"


def test_a_worker_that_is_to_blame_frees_its_players_in_another_process(url):
    failures = [MatchFailed("no such program", player="cy", is_hopeless=True)]
    for _ in range(MOST_VOID_OF_A_PLAYER):
        with Tournament(store=url, worker="w") as tournament:
            found = session_of(tournament).answer(Fail(tournament.ask().id, failures))
    assert [name for name, _ in found.paused] == ["cy"]
    with Tournament(store=url, worker="other") as tournament:
        session_of(tournament).answer(Fail(tournament.ask().id, failures, "worker"))
    assert states(url)["cy"] == "paused"
    with Tournament(store=url, worker="w") as tournament:
        session_of(tournament).answer(Fail(tournament.ask().id, failures, "worker"))
    assert states(url)["cy"] == "active"


def test_whoever_finds_all_players_paused_says_why(url):
    for _ in range(MOST_VOID_OF_A_PLAYER):
        void_match(url, player=None)
    with Tournament(store=url) as tournament:
        idle = session_of(tournament).answer(Ask()).idle
    assert (idle.is_over, idle.kind) == (True, "aborted")
    assert idle.message == (
        "cy, anna had to be paused because matches kept failing, and nobody is left to play "
        "(resume or retire them): it crashed"
    )


@pytest.mark.parametrize("reason", ["", " ", "two\nlines", 5])
def test_a_match_is_void_for_a_reason(reason):
    tournament = Tournament(["anna", "bo"], seed=1)
    ticket = tournament.ask()
    with pytest.raises(InvalidInput, match="a reason must be a text in one line"):
        tournament.void(ticket, reason)
    assert tournament.n_pending == 1


def test_only_a_player_of_the_match_can_be_blamed():
    tournament = Tournament(["anna", "bo"], seed=1)
    ticket = tournament.ask()
    seats = f"{ticket.first} - {ticket.second}"
    with pytest.raises(InvalidInput, match=f"'nobody' does not play match 1, {seats}"):
        tournament.fail(ticket, "x", player="nobody")
    assert list(tournament.store.events("failed")) == []
    assert tournament.fail(ticket, "x", player="bo").again
