"""A tournament from Python: asking, telling, voiding, requesting, and what is known."""

import json
import threading

import numpy as np
import pytest

import maxin
from maxin.core import Entrant, InvalidInput, Stop, UnknownName
from maxin.core.values import match_seed
from maxin.storage import open_store
from maxin.tournament import Tournament
from maxin.worker import ScoreConflict, Ticket
from tests.helpers.inside import search_leases_now
from tests.helpers.leagues import NAMES, alphabet, play, play_some, strength


def test_the_package_exports_the_tournament():
    assert maxin.Tournament is Tournament
    assert maxin.Ticket is Ticket
    open_store("sqlite://").close()


# Asking and telling


def test_a_ticket_has_players_seats_and_a_seed():
    tournament = Tournament(NAMES, seed=5)
    ticket = tournament.ask()
    assert ticket.id == 1
    assert {ticket.first, ticket.second} < set(NAMES)
    assert [NAMES[player] for player in ticket.players] == [ticket.first, ticket.second]
    assert ticket.seed == match_seed(5, 1)
    assert 0 <= ticket.seed < 2**31


def test_many_tickets_may_be_pending_and_come_back_in_any_order():
    tournament = Tournament(NAMES)
    tickets = [tournament.ask() for _ in range(5)]
    assert [ticket.id for ticket in tickets] == [1, 2, 3, 4, 5]
    assert tournament.n_pending == 5
    pending = tournament.pending()
    assert [ticket[:5] for ticket in pending] == [ticket[:5] for ticket in tickets]
    assert all(ticket.worker and ticket.since and ticket.remaining for ticket in pending)
    for ticket in reversed(tickets):
        assert tournament.tell(ticket.id, 0.5)
    assert (tournament.n_matches, tournament.n_pending) == (5, 0)
    assert [row.number for row in tournament.matches()] == [5, 4, 3, 2, 1]


def test_the_same_result_counts_once_and_another_score_is_refused():
    tournament = Tournament(NAMES)
    ticket = tournament.ask()
    assert tournament.tell(ticket, 1.0)
    assert not tournament.tell(ticket, 1.0)
    with pytest.raises(ScoreConflict, match=r"score 1; .* with 0\.5"):
        tournament.tell(ticket, 0.5)
    assert tournament.n_matches == 1
    assert [event.detail["score"] for event in tournament.store.events("refused")] == [0.5]


def test_a_ticket_of_another_record_is_refused():
    tournament, other = Tournament(NAMES), Tournament(NAMES[:3])
    ticket = tournament.ask()
    other.ask()
    with pytest.raises(InvalidInput, match=r"match 1 was not handed out with the fence 6-\w+ here"):
        other.tell(ticket, 1.0)
    assert other.n_matches == 0


def test_a_match_that_was_never_handed_out_is_refused_by_number():
    tournament = Tournament(NAMES)
    tournament.ask()
    with pytest.raises(InvalidInput, match="there is no match 7; 1 were handed out so far"):
        tournament.tell(7, 1.0)
    with pytest.raises(InvalidInput, match="there is no match 7"):
        tournament.void(7, "it never was")


def test_a_void_match_counts_for_nobody_until_its_result_comes():
    tournament = Tournament(NAMES)
    ticket = tournament.ask()
    assert tournament.void(ticket, "the board fell off the table")
    assert not tournament.void(ticket, "again")
    assert (tournament.n_pending, tournament.n_matches) == (0, 0)
    assert [event.detail["reason"] for event in tournament.store.events("void")] == [
        "the board fell off the table"
    ]
    assert tournament.tell(ticket, 1.0)
    assert tournament.n_matches == 1
    assert tournament.verify().problems == []


def test_a_pending_match_counts_even_if_its_player_has_left():
    tournament = Tournament(NAMES)
    ticket = tournament.ask()
    tournament.retire(ticket.first)
    assert tournament.tell(ticket, 1.0)
    assert tournament.tally().games.sum() == 1


def test_a_requested_match_comes_first_with_the_seats_as_given():
    tournament = Tournament(NAMES)
    tournament.request("dee", "anna", times=2)
    for _ in range(2):
        ticket = tournament.ask()
        assert (ticket.first, ticket.second) == ("dee", "anna")
    assert tournament.ask().id == 3
    assert [event.kind for event in tournament.store.events("request")] == ["request"] * 2
    with pytest.raises(UnknownName, match="no player named 'anne'; did you mean 'anna'"):
        tournament.request("anne", "bo")
    with pytest.raises(InvalidInput, match="a player cannot play itself; 'bo'"):
        tournament.request("bo", "bo")
    with pytest.raises(InvalidInput, match="times must be at least 1; got 0"):
        tournament.request("anna", "bo", times=0)
    tournament.pause("cy")
    with pytest.raises(InvalidInput, match="'cy' is paused"):
        tournament.request("cy", "bo")


def test_threads_share_a_tournament():
    tournament = Tournament(NAMES)
    seen = []

    def work():
        for _ in range(25):
            ticket = tournament.ask()
            seen.append(ticket.id)
            tournament.tell(ticket, 0.5)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen) == list(range(1, 101))
    assert tournament.n_matches == 100


# Nothing to ask


def test_a_budget_counts_pending_matches():
    tournament = Tournament(NAMES)
    ticket = tournament.ask(budget=1)
    assert tournament.ask(budget=1) is None
    assert tournament.idle_reason(budget=1)[:2] == (
        "the budget of 1 matches is spent; 1 match pending",
        False,
    )
    tournament.tell(ticket, 1.0)
    assert tournament.ask(budget=1) is None
    assert tournament.idle_reason(budget=1)[:2] == ("the budget of 1 matches is spent", True)
    assert tournament.ask(budget=2).id == 2


def test_a_spent_budget_still_hands_out_a_lapsed_match():
    tournament = Tournament(NAMES)
    ticket = tournament.ask(lease=1e-6)
    search_leases_now(tournament)
    assert tournament.ask(budget=1).id == ticket.id
    assert tournament.ask(budget=1) is None


def test_nothing_is_asked_with_fewer_than_two_active_players():
    tournament = Tournament(NAMES)
    ticket = tournament.ask()
    tournament.retire("anna", "bo", "cy")
    assert tournament.ask() is None
    reason = "a match needs two active players; there are 1"
    assert tournament.idle_reason()[:2] == (reason, False)  # a match is pending
    tournament.tell(ticket, 1.0)
    assert tournament.ask() is None
    assert tournament.idle_reason()[:2] == (reason, True)
    assert Tournament([]).ask() is None
    assert Tournament([]).idle_reason().is_over


def test_a_scheduler_that_waits_for_results_is_not_over():
    tournament = Tournament(NAMES, scheduler="round-robin")
    tickets = [tournament.ask() for _ in range(6)]
    assert tournament.ask() is None
    assert tournament.idle_reason()[:2] == (
        "nothing to ask until a result comes; 6 matches pending",
        False,
    )
    for ticket in tickets:
        tournament.tell(ticket, 0.5)
    assert tournament.ask() is None
    assert tournament.idle_reason()[:2] == ("the scheduler has nothing more to ask", True)


def test_no_match_is_asked_once_the_goal_is_reached():
    tournament = Tournament(NAMES)
    tournament.run(alphabet)
    assert tournament.ask(confidence=0.95) is None
    idle = tournament.idle_reason(confidence=0.95)
    assert idle.is_over
    assert idle.reason.startswith("decided: anna is the best, give or take 10 Elo: 9")
    assert tournament.ask(confidence=0.95, budget=1) is None
    assert tournament.idle_reason(confidence=0.95, budget=1) == idle  # the goal comes first
    assert tournament.ask(confidence=1.0 - 1e-9) is not None
    assert tournament.ask() is not None


def test_a_ranking_is_asked_for_until_the_order_is_known():
    tournament = Tournament(NAMES, goal="ranking", scheduler="top-two")
    tournament.add_results([("anna", other, 1.0) for other in NAMES[1:]] * 40)
    assert tournament.top().is_decided
    assert tournament.ask(confidence=0.95) is not None
    pairs = [(a, b) for place, a in enumerate(NAMES) for b in NAMES[place + 1 :]]
    tournament.add_results([(*pair, 1.0) for pair in pairs] * 40)
    assert tournament.ask(confidence=0.95) is None
    assert "the order of all 4 players" in tournament.idle_reason(confidence=0.95).reason


# What is known


def test_an_empty_tournament_knows_nothing():
    tournament = Tournament([])
    assert (tournament.names, tournament.states, tournament.n_matches) == ([], {}, 0)
    assert list(tournament.leaderboard()) == list(tournament.matches()) == []
    assert tournament.overview().verdict == "there are no players"
    assert tournament.failures() == []
    assert tournament.verify().problems == []


def test_the_overview_agrees_with_the_other_views():
    tournament = Tournament(NAMES, goal="top-2", first_advantage=True)
    play_some(tournament, 30)
    tournament.ask()
    overview = tournament.overview(Stop(confidence=0.9))
    assert list(overview.leaderboard) == list(tournament.leaderboard())
    assert overview.leaderboard.advantage == tournament.leaderboard().advantage
    assert overview.top == tournament.top(2, confidence=0.9) == tournament.top(confidence=0.9)
    assert overview.best_by == tournament.best_by()
    assert (overview.n_matches, overview.n_pending) == (30, 1)
    assert overview.document()["settings"]["goal"] == "top-2"
    json.dumps(overview.document(), allow_nan=False)


def test_a_match_of_two_games_is_counted_by_seat():
    tournament = Tournament(["anna", "bo"], games_per_match=2)
    tournament.run(lambda first, second, seed: 1.0, budget=10, confidence=None)  # first wins
    tally = tournament.tally()
    assert tally.games.sum() == 10.0
    assert tally.table(tally.games).tolist() == [[0.0, 5.0], [5.0, 0.0]]
    assert tally.table(tally.points).tolist() == [[0.0, 5.0], [5.0, 0.0]]
    assert {row.score for row in tournament.matches()} == {0.5}
    assert {row.games for row in tournament.matches()} == {(1.0, 0.0)}


def test_the_advantage_of_the_first_seat_is_found():
    def biased(first, second, seed):
        lead = 1.0 + strength(first) - strength(second)
        return float(np.random.default_rng(seed).random() < 1.0 / (1.0 + np.exp(-lead)))

    tournament = Tournament(NAMES, first_advantage=True, scheduler="random")
    tournament.run(biased, budget=600, confidence=None)
    advantage = tournament.leaderboard().advantage
    assert advantage.low < 173.7 < advantage.high
    assert advantage.low > 50
    assert Tournament(NAMES).leaderboard().advantage is None


def test_matches_name_players_who_joined_meanwhile(url):
    reader, writer = Tournament(NAMES, url), Tournament(store=url)
    writer.add("eve")
    writer.add_results([("eve", "anna", 1.0)])
    assert [(row.first, row.second) for row in reader.matches()] == [("eve", "anna")]


# Invalid input


@pytest.mark.parametrize(
    "wrong",
    [
        lambda t, m: t.tell(m, 1.0, data={"x": {1}}),
        lambda t, m: t.tell(m, 1.0, data=[1]),
        lambda t, m: t.tell(m, 1.0, data={"x": float("nan")}),
        lambda t, m: t.tell(m, 1.0, errors="boom"),
        lambda t, m: t.tell(m, 1.0, errors=[ValueError()]),
        lambda t, m: t.tell(m, 1.0, games=0.5),
        lambda t, m: t.tell(m, 1.0, games="10"),
        lambda t, m: t.tell(2**70, 1.0),
        lambda t, m: t.tell("one", 1.0),
        lambda t, m: t.ask(lease="x"),
        lambda t, m: t.ask(lease=float("nan")),
        lambda t, m: t.ask(lease=float("inf")),
        lambda t, m: t.ask(lease=1e308),
        lambda t, m: t.ask(confidence="x"),
        lambda t, m: t.idle_reason(confidence=1.0),
        lambda t, m: t.add_results([None]),
        lambda t, m: t.add_results([(["anna"], "bo", 1.0)]),
        lambda t, m: t.add_results([None], add_players=True),
        lambda t, m: t.add_results([("anna", "bo", 1.0)], source="x\0y"),
        lambda t, m: t.pause(["anna"]),
        lambda t, m: t.pause(1),
        lambda t, m: t.top(confidence="x"),
        lambda t, m: t.overview(Stop(confidence="x")),
        lambda t, m: t.run(5),
        lambda t, m: t.run("play.py {a} {b}"),
        lambda t, m: t.run(play, confidence="x"),
        lambda t, m: Tournament(5),
        lambda t, m: Tournament(NAMES, goal=5),
        lambda t, m: Tournament(NAMES, scheduler=5),
        lambda t, m: Tournament(NAMES, first_advantage="no"),
        lambda t, m: Tournament(NAMES, match={1}),
        lambda t, m: Tournament([Entrant("anna", {1})]),
        lambda t, m: Tournament(store="sqlite:///no-such-file.db"),
    ],
)
def test_invalid_input_raises_our_own_error(wrong):
    tournament = Tournament(NAMES)
    ticket = tournament.ask()
    with pytest.raises(InvalidInput):
        wrong(tournament, ticket)
    assert tournament.n_matches == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda _: Tournament(NAMES, seeed=3), r"Tournament\(\) has no argument 'seeed'; .*'seed'"),
        (lambda it: it.run(print, budgt=9), r"run\(\) has no argument 'budgt'; .*'budget'"),
        (lambda it: it.top(budget=9), r"top\(\) has no argument 'budget'; known: confidence, k, t"),
    ],
)
def test_an_unknown_argument_is_named_with_its_method(call, message):
    with pytest.raises(TypeError, match=message):
        call(Tournament(NAMES))


def test_an_overview_needs_a_stop():
    with pytest.raises(InvalidInput, match=r"stop must be a Stop, .*; got 0\.9"):
        Tournament(NAMES).overview(0.9)


@pytest.mark.parametrize("goal", ["best", "ranking"])
def test_a_run_without_a_confidence_mentions_none(goal):
    tournament = Tournament(NAMES, goal=goal, seed=1)
    report = tournament.run(lambda first, second, seed: float(seed % 2), budget=9, confidence=None)
    assert "too early to say" in report.sentence
    assert "95 %" not in " ".join(
        [report.sentence, *tournament.overview(tournament.last_stop()).notes]
    )
