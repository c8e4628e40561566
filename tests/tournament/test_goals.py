"""Goals: what a tournament is meant to find out, and the scheduler that serves it."""

import re
from contextlib import closing

import pytest

from maxin.core import InvalidInput
from maxin.schedulers import SCHEDULERS
from maxin.storage import open_store
from maxin.tournament import Goal, Settings, SettingsDiffer, Tournament
from maxin.tournament.goals import goal_of, parse_goal
from tests.helpers.inside import change_record
from tests.helpers.leagues import NAMES, play, play_some, results_of


@pytest.mark.parametrize(
    ("text", "goal", "scheduler"),
    [
        ("best", Goal("best"), "top-two"),
        ("top-1", Goal("top", 1), "top-two:k=1"),
        ("top-3", Goal("top", 3), "top-two:k=3"),
        ("top-120", Goal("top", 120), "top-two:k=120"),
        ("ranking", Goal("ranking"), "ranking"),
        ("ratings", Goal("ratings"), "swiss-information"),
        ("regret", Goal("regret"), "double-thompson"),
    ],
)
def test_a_goal_is_written_as_it_is_read(text, goal, scheduler):
    assert parse_goal(text) == goal
    assert str(goal) == text
    assert parse_goal(goal) is goal
    assert goal.scheduler == scheduler
    assert goal.is_ranking == (text in ("ranking", "ratings"))


@pytest.mark.parametrize(
    "wrong", ["", "top", "top-0", "top--1", "top-k", "top-03", "top-3 ", "Best", "best\n", 3, None]
)
def test_an_invalid_goal_is_refused_and_the_forms_are_listed(wrong):
    forms = "'best', 'top-3' (any number), 'ranking', 'ratings' or 'regret'"
    message = f"goal must be {forms}; got {wrong!r}"
    with pytest.raises(InvalidInput, match=re.escape(message)):
        parse_goal(wrong)


@pytest.mark.parametrize("wrong", ["top-0", "top-k", 3])
def test_a_tournament_refuses_an_invalid_goal(wrong):
    with pytest.raises(InvalidInput, match="goal must be 'best'"):
        Tournament(NAMES, goal=wrong)


@pytest.mark.parametrize(
    ("scheduler", "goal"),
    [
        ("top-two", "best"),
        ("top-two:k=1", "best"),
        ("top-two:k=3", "top-3"),
        ("top-two:kappa=2.0,k=4", "top-4"),
        ("ranking", "ranking"),
        ("swiss-information", "ratings"),
        ("double-thompson", "regret"),
        ("maxin:exploration=0.6", "best"),
        ("maxin+elo:k=32", "best"),  # that k is the rating's
        ("", "best"),
    ],
)
def test_a_scheduler_implies_a_goal(scheduler, goal):
    assert str(goal_of(scheduler)) == goal


@pytest.mark.parametrize("goal", ["best", "top-2", "top-3", "ranking", "ratings", "regret"])
def test_a_goals_scheduler_implies_the_goal(goal):
    assert goal_of(parse_goal(goal).scheduler) == parse_goal(goal)


def test_without_a_goal_and_a_scheduler_the_best_player_is_sought():
    assert (Settings().goal, Settings().scheduler) == ("best", "top-two")


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_goal_and_scheduler_may_both_be_given(scheduler):
    for goal in ("best", "top-2", "ranking", "ratings", "regret"):
        settings = Settings(goal=goal, scheduler=scheduler)
        assert (settings.goal, settings.scheduler) == (goal, scheduler)
        assert str(settings.parsed_goal) == goal


def test_the_goal_and_not_the_scheduler_sets_the_size_of_the_top():
    tournament = Tournament(NAMES, goal="top-3", scheduler="random")
    assert len(tournament.top().players) == 3
    assert str(tournament.goal) == "top-3"
    assert len(Tournament(NAMES, goal="best", scheduler="top-two:k=3").top().players) == 1
    assert len(Tournament(NAMES, goal=Goal("top", 2)).top().players) == 2


def test_a_top_names_everyone_if_fewer_are_in_play():
    tournament = Tournament(NAMES, goal="top-3")
    tournament.retire("anna", "bo")
    assert set(tournament.top().players) == {"cy", "dee"}


def test_a_stored_goal_is_resumed_and_must_be_the_same(url):
    with closing(Tournament(NAMES, url, goal="top-2", scheduler="random", seed=3)) as tournament:
        n_matches = tournament.run(play, budget=3000).n_matches
    with closing(Tournament(store=url)) as tournament:
        assert str(tournament.goal) == "top-2"
        assert tournament.top().players == ("anna", "bo")
        assert tournament.run(play, budget=3000).n_new == 0  # the goal is reached already
        assert tournament.n_matches == n_matches
        assert len(tournament.top(1).players) == 1
    with pytest.raises(SettingsDiffer, match="goal is 'top-2' in the store and 'top-3' here"):
        Tournament(NAMES, url, goal="top-3")
    Tournament(NAMES, url, goal="top-2").close()
    Tournament(NAMES, url, goal=Goal("top", 2)).close()


@pytest.mark.parametrize(
    ("scheduler", "goal"),
    [("top-two:k=2", "top-2"), ("ranking", "ranking"), ("random", "best"), ("top-two", "best")],
)
def test_a_store_without_a_goal_has_the_goal_of_its_scheduler(url, scheduler, goal):
    with closing(Tournament(NAMES, url, scheduler=scheduler, seed=3)) as tournament:
        play_some(tournament, 12)
        before = results_of(tournament), list(tournament.leaderboard()), tournament.settings
    with closing(open_store(url)) as store:
        change_record(store, "DELETE FROM maxin_settings WHERE key = 'goal'")
        stored = store.settings()
    assert "goal" not in stored
    with closing(Tournament(store=url)) as tournament:
        assert str(tournament.goal) == goal
        assert before == (
            results_of(tournament),
            list(tournament.leaderboard()),
            tournament.settings,
        )
        assert tournament.store.settings() == stored  # opening it writes nothing
        (problem,) = tournament.verify().problems  # a store that never had a goal has none
        assert problem.startswith("the setting 'goal' is missing in the table of settings")
        play_some(tournament, 3)
    Tournament(NAMES, url, goal=goal).close()
    with pytest.raises(SettingsDiffer, match="and 'top-3' here"):
        Tournament(NAMES, url, goal="top-3")


@pytest.mark.parametrize("k", ["9" * 900, "9" * 5000, "1e9", "10**9", "-1"])
def test_an_odd_size_of_the_top_is_refused(k):
    with pytest.raises(InvalidInput, match=r"k must be int|k, the size|at most 1000 characters"):
        Settings(scheduler=f"top-two:k={k}")
