"""A run stops when its goal is reached, and not before."""

import itertools
import threading

import numpy as np
import pytest

from maxin.tournament import Tournament
from maxin.worker import Told
from tests.helpers.leagues import NAMES, alphabet
from tests.helpers.waiting import LONG

LADDER = ["ann", "bob", "cyd", "dan", "eve"]
STRENGTH = dict(zip(LADDER, [2.0, 1.0, 0.0, -1.0, -2.0], strict=True))


def play(first, second, seed):
    lead = STRENGTH[first] - STRENGTH[second]
    return float(np.random.default_rng(seed).random() < 1.0 / (1.0 + np.exp(-lead)))


def test_a_clear_champion_is_decided():
    tournament = Tournament(NAMES)
    report = tournament.run(alphabet, workers=4)
    assert report.reason == "decided"
    assert report.top.players == ("anna",)
    assert report.top.is_decided
    assert report.top.confidence >= 0.95
    assert tournament.n_pending == 0
    again = tournament.run(alphabet, workers=4)
    assert (again.reason, again.n_new) == ("decided", 0)


def test_a_run_stops_in_time_after_results_were_retracted():
    tournament = Tournament(NAMES, seed=1)
    tournament.add_results([("dee", "anna", 1.0)] * 300, source="wrong")
    seen = itertools.count(1)

    def watch(event):
        if isinstance(event, Told) and next(seen) == 10:
            tournament.retract_source("wrong", "it was a test")

    report = tournament.run(alphabet, budget=500, watch=watch)
    assert report.top.players == ("anna",)
    assert report.n_matches < 200


def test_a_ranking_is_decided_when_the_whole_order_is_known():
    tournament = Tournament(LADDER, goal="ranking", seed=1)
    report = tournament.run(play, budget=6000)
    assert report.reason == "decided"
    assert report.message == "the order of all 5 players is known, give or take 10 Elo"
    assert [row.player for row in tournament.leaderboard()] == LADDER
    best = Tournament(LADDER, goal="best", scheduler="ranking", seed=1)
    assert best.run(play, budget=3000).n_matches < report.n_matches


def test_a_ranking_of_twins_is_decided_with_a_tolerance():
    tournament = Tournament(["ann", "bob", "bot"], goal="ranking", seed=2)

    def twins(first, second, seed):
        return play(first.replace("bot", "bob"), second.replace("bot", "bob"), seed)

    report = tournament.run(twins, budget=4000, tolerance=100.0)
    assert report.reason == "decided"
    assert report.message == "the order of all 3 players is known, give or take 100 Elo"


@pytest.mark.parametrize(("goal", "k"), [("best", 1), ("top-2", 2), ("regret", 1)])
def test_other_goals_are_decided_when_the_top_is_known(goal, k):
    tournament = Tournament(LADDER, goal=goal, seed=3)
    report = tournament.run(play, budget=3000)
    assert report.reason == "decided"
    assert report.top.players == tuple(LADDER[:k])


def test_the_goal_decides_when_to_stop_whatever_the_scheduler():
    one = Tournament(LADDER, goal="best", scheduler="random", seed=3).run(play, budget=3000)
    three = Tournament(LADDER, goal="top-3", scheduler="random", seed=3).run(play, budget=3000)
    assert one.reason == three.reason == "decided"
    assert len(three.top.players) == 3
    assert one.n_matches != three.n_matches


def test_a_top_of_all_who_are_left_is_decided():
    tournament = Tournament(LADDER, goal="top-3", seed=4)
    tournament.run(play, budget=20, confidence=None)
    tournament.retire("eve")
    tournament.pause("dan")
    assert tournament.run(play, budget=3000).reason in ("decided", "finished")
    tournament.retire("dan", "cyd")
    report = tournament.run(play, budget=3000)
    assert report.reason == "decided"
    assert set(report.top.players) == {"ann", "bob"}


def test_players_who_are_nearly_equal_are_decided_with_a_tolerance():
    def even(first, second, seed):
        return float(np.random.default_rng(seed).random() < 0.5)

    report = Tournament(["anna", "bo"], seed=1).run(even, budget=3000, tolerance=150.0)
    assert report.reason == "decided"
    assert report.top.tolerance == 150.0
    strict = Tournament(["anna", "bo"], seed=1).run(even, budget=300, tolerance=0.0)
    assert (strict.reason, strict.n_matches) == ("budget", 300)
    assert report.n_matches < 300


def test_paused_players_do_not_keep_a_run_going():
    tournament = Tournament([*NAMES, "zed"])
    tournament.pause("zed")
    report = tournament.run(alphabet, workers=2)
    assert report.reason == "finished"
    assert report.message == "only paused players stand in the way: zed"
    tournament.retire("zed")
    assert tournament.run(alphabet, workers=2).reason == "decided"


def test_a_decision_that_late_results_undo_does_not_end_the_run():
    """Seven matches are still being played when the eighth worker's results decide for anna.

    All seven are then won by bo, which undoes the decision.
    """
    tournament = Tournament(["anna", "bo"], scheduler="random")
    is_decided = threading.Event()
    turns, n_slow, first_decision = itertools.count(), 7, []

    def play(first, second, seed):
        if next(turns) < n_slow:
            is_decided.wait(LONG)
            return float(first == "bo")
        return float(first == "anna")

    def watch(event):
        if isinstance(event, Told) and not is_decided.is_set() and tournament.top().is_decided:
            first_decision.append(tournament.n_matches)
            is_decided.set()

    report = tournament.run(play, budget=400, workers=8, watch=watch)
    assert report.reason == "decided"
    assert report.top.is_decided
    assert report.n_matches > first_decision[0] + n_slow  # so it continued


def test_a_run_without_a_confidence_does_not_stop_when_the_goal_is_reached():
    report = Tournament(NAMES).run(alphabet, budget=100, confidence=None)
    assert (report.reason, report.n_matches) == ("budget", 100)
    assert report.top.is_decided


def test_every_player_gets_its_least_number_of_matches_before_a_decision():
    tournament = Tournament(NAMES, min_matches=15)
    tournament.run(alphabet)
    assert tournament.tally().n_matches.min() >= 15


@pytest.mark.parametrize(
    ("n_fields", "budget", "most_wrong"),
    [(8, 80, 0), pytest.param(30, 400, 4, marks=pytest.mark.slow)],
)
def test_the_confidence_is_kept_on_transitive_fields(n_fields, budget, most_wrong):
    """At 95 %, wrong decisions are well below 1 in 20 on Bradley-Terry fields."""
    wrong = 0
    for seed in range(n_fields):
        rng = np.random.default_rng([99, seed])
        skill = dict(zip("abcdef", rng.normal(size=6), strict=True))

        def play(first, second, match_seed, skill=skill):
            chance = 1.0 / (1.0 + np.exp(skill[second] - skill[first]))
            return float(np.random.default_rng(match_seed).random() < chance)

        report = Tournament(list("abcdef"), seed=seed).run(play, budget=budget)
        best = max(skill, key=skill.get)
        wrong += report.reason == "decided" and report.top.players != (best,)
    assert wrong <= most_wrong
