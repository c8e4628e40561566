"""A session that others play is over when a run would be."""

import numpy as np

from maxin.core import Stop
from maxin.tournament import Tournament
from maxin.tournament.tournament import session_of

STRENGTHS = {"anna": 1.5, "bo": 0.0, "cy": -1.0}


def play(first, second, seed):
    chance = 1.0 / (1.0 + np.exp(STRENGTHS[second] - STRENGTHS[first]))
    return float(np.random.default_rng(seed).random() < chance)


def served(tournament, stop=Stop()):
    return session_of(tournament, stop, serves=True)


def play_one(tournament):
    ticket = tournament.ask()
    tournament.tell(ticket, play(ticket.first, ticket.second, ticket.seed))


def test_it_stops_at_the_match_at_which_a_run_stops():
    run = Tournament(list(STRENGTHS), seed=1).run(play)
    tournament = Tournament(list(STRENGTHS), seed=1)
    session = served(tournament)
    while session.over() is None:
        play_one(tournament)
    assert tournament.n_matches == run.n_matches
    over = session.over()
    assert over.is_over
    assert over.reason.startswith("decided: anna is the best, give or take 10 Elo: 99")


def test_results_that_undo_a_decision_open_it_again():
    tournament = Tournament(list(STRENGTHS), seed=1)
    session = served(tournament)
    while session.over() is None:
        play_one(tournament)
    tournament.add_results([("bo", "anna", 1.0)] * 200)
    assert session.over() is None or "bo is the best" in session.over().reason


def test_a_budget_ends_it_when_all_results_are_in():
    tournament = Tournament(["anna", "bo"], seed=1)
    session = served(tournament, Stop(budget=2, confidence=None))
    tickets = [tournament.ask(), tournament.ask()]
    tournament.tell(tickets[0], 1.0)
    assert session.over() is None
    tournament.tell(tickets[1], 1.0)
    assert session.over().reason == "the budget of 2 matches is spent"


def test_paused_players_end_it_until_they_resume():
    tournament = Tournament(["anna", "bo", "cy"], seed=1)
    session = served(tournament)
    tournament.add_results([("anna", "bo", 1.0)] * 30)
    late = tournament.ask()
    tournament.pause("cy")
    reason = "finished: only paused players stand in the way: cy"
    assert session.over().reason == reason
    tournament.tell(late, 1.0)  # a result that was on its way changes nothing
    assert session.over().reason == reason
    tournament.resume("cy")
    assert session.over() is None
