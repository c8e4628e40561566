"""What a tournament is for says when it is over."""

import re
from contextlib import closing

import numpy as np
import pytest

from maxin.core import InvalidInput
from maxin.tournament import Tournament

NAMES = ["ann", "bob", "cyd", "dan", "eve"]
STRENGTH = dict(zip(NAMES, [2.0, 1.0, 0.0, -1.0, -2.0], strict=True))


def play(first, second, seed):
    lead = STRENGTH[first] - STRENGTH[second]
    return float(np.random.default_rng(seed).random() < 1.0 / (1.0 + np.exp(-lead)))


def test_a_ranking_is_over_when_the_whole_order_is_known():
    tournament = Tournament(NAMES, goal="ranking", seed=1)
    report = tournament.run(play, budget=3000)
    assert report.reason == "decided"
    assert report.message == "the order of all 5 players is known"
    assert [row.player for row in tournament.leaderboard()] == NAMES
    best = Tournament(NAMES, goal="ranking", seed=1)
    assert best.run(play, budget=3000, k=1).n_matches < report.n_matches


def test_a_ranking_of_twins_is_over_with_an_indifference():
    tournament = Tournament(["ann", "bob", "bot"], goal="ranking", seed=2)

    def twins(first, second, seed):
        return play(first.replace("bot", "bob"), second.replace("bot", "bob"), seed)

    report = tournament.run(twins, budget=4000, indifference=100.0)
    assert report.reason == "tied"
    assert "bob" in report.message
    assert "bot" in report.message


@pytest.mark.parametrize(("goal", "k"), [("best", None), ("top-k", 2), ("regret", None)])
def test_other_goals_are_over_when_the_top_is_known(goal, k):
    tournament = Tournament(NAMES, goal=goal, k=k, seed=3)
    report = tournament.run(play, budget=3000)
    assert report.reason == "decided"
    assert report.top.players == tuple(NAMES[: k or 1])


def test_a_stored_top_is_gone_on_with(tmp_path):
    url = f"sqlite:///{tmp_path}/league.db"
    with closing(Tournament(NAMES, goal="top-k", k=2, seed=3, store=url)) as tournament:
        n_matches = tournament.run(play, budget=3000).n_matches
    with closing(Tournament(store=url)) as tournament:
        assert tournament.top().players == ("ann", "bob")
        assert tournament.run(play, budget=3000).n_matches == n_matches  # it was over
        assert len(tournament.top(1).players) == 1


def test_a_top_of_all_who_are_left():
    tournament = Tournament(NAMES, goal="top-k", k=3, seed=4)
    tournament.run(play, budget=20, confidence=None)
    tournament.retire("eve")
    tournament.pause("dan")
    assert tournament.run(play, budget=3000).reason in ("decided", "finished")
    tournament.retire("dan", "cyd")
    report = tournament.run(play, budget=3000)
    assert report.reason == "decided"
    assert set(report.top.players) == {"ann", "bob"}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"goal": "top-k", "k": 0}, "k=0"),
        ({"goal": 3}, "goal"),
        ({"scheduler": "top-two:k=x"}, "must be int; got 'x'"),
        ({"scheduler": "top-two+elo"}, "top-two has ratings of its own"),
        ({"goal": "best", "k": 3}, "the goal 'top-k' needs a k, and only that"),
    ],
)
def test_a_goal_that_is_none_is_refused(settings, words):
    with pytest.raises(InvalidInput, match=re.escape(words)):
        Tournament(NAMES, **settings)
