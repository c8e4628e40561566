"""The overview: the sentences and numbers of every front page, from one belief."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxin.core import Stop
from maxin.ratings import Tally
from maxin.views import Belief, BestBy, Leaderboard, Overview, Top
from tests.helpers.fields import NAMES, N, ladder, logs, states, tally_of


def overview(tally, *, states=None, names=NAMES, **options):
    options.setdefault("n_matches", round(tally.games.sum()))
    return Overview(Belief(names, tally, states), **options)


@given(
    log=logs,
    states=states,
    top_size=st.integers(1, 6),
    is_ranking=st.booleans(),
    first_advantage=st.booleans(),
)
@settings(max_examples=40)
def test_every_overview_keeps_the_rules(log, states, top_size, is_ranking, first_advantage):
    found = overview(
        tally_of(log),
        states=states,
        top_size=top_size,
        is_ranking=is_ranking,
        first_advantage=first_advantage,
    )
    n_playing = found.belief.in_play.size
    assert found.status in ("decided", "undecided")
    assert found.finding == str(found.found)
    is_decided = found.status == "decided"
    assert found.verdict == ("decided: " * is_decided) + found.finding
    assert found.lines == ([found.verdict] if is_decided else found.found.lines)
    assert (found.top is None) == (n_playing == 0)
    assert found.top is None or len(found.top.players) == min(top_size, n_playing)
    assert (found.best_by is None) == (n_playing < 2)
    assert found.notes[0] == found.counts
    assert len(found.caveats) <= 1
    again = json.loads(json.dumps(found.document(), allow_nan=False))
    assert again["verdict"] == found.finding
    assert [row["player"] for row in again["standings"]] == [
        row.player for row in found.leaderboard
    ]


def test_its_parts_are_the_views_of_its_belief():
    found = overview(ladder(60), top_size=2, stop=Stop(confidence=0.9), first_advantage=True)
    board = Leaderboard.of(found.belief, first_advantage=True)
    assert list(found.leaderboard) == list(board)
    assert found.leaderboard.advantage == board.advantage
    assert found.top == Top.of(found.belief, 2, Stop(confidence=0.9))
    assert found.best_by == BestBy.of(found.belief)


def test_a_decided_top_is_the_verdict():
    found = overview(ladder(), top_size=2)
    assert found.status == "decided"
    assert found.finding == found.top.sentence(0.95)
    assert found.notes == [found.counts, found.verdict]
    assert found.verdict.startswith("decided: anna and bo are the top 2, give or take 10 Elo: 9")


def test_an_open_top_is_undecided():
    found = overview(ladder(10))
    assert found.status == "undecided"
    assert found.finding == found.top.sentence(0.95)


def test_a_ranking_is_decided_by_the_whole_order():
    found = overview(ladder(), is_ranking=True)
    known = "decided: the order of all 5 players is known, give or take 10 Elo: at least 9"
    assert found.verdict.startswith(known)
    assert found.notes[1:] == [found.verdict, f"the best: {found.top.sentence(0.95)}"]
    assert found.found.title.startswith("The order of all 5 players is known")
    open_order = overview(ladder(60), is_ranking=True)
    assert open_order.found.headline == (
        "too early to say: the order of all 5 players is not known yet"
    )
    assert re.fullmatch(
        "the order shown, give or take 10 Elo, is at least [0-9.]+ % sure, and expected to miss it "
        "by [0-9.]+ Elo beyond those 10; stopping at 95 % confidence needs [0-9.]+ Elo, about "
        "[0-9,]+ more matches.*",
        open_order.found.details,
    )


def test_the_best_of_an_open_order_promises_no_stop():
    found = overview(ladder(10), is_ranking=True)
    assert found.notes[-1].startswith("the best: 2 may still be the best; anna leads, 91.1 % sure")
    assert "stopping" not in found.notes[-1]


def test_a_title_keeps_only_a_name_in_small_letters():
    assert overview(ladder()).found.title.startswith("anna is the best")
    alone = overview(ladder(), states=dict.fromkeys(NAMES[1:], "retired"))
    assert (alone.found.title, alone.found.headline) == ("Only anna is left", "only anna is left")


def test_an_order_of_which_nothing_is_known_has_no_bound():
    tally = Tally(5)
    tally.add_many([0, 1, 2, 3], [1, 2, 3, 4], [0.5] * 4)
    found = overview(tally, is_ranking=True)
    assert "order shown, give or take 10 Elo, is expected to miss it by" in found.verdict
    assert "sure" not in found.verdict


@pytest.mark.parametrize("is_ranking", [False, True])
def test_nothing_is_decided_before_everyone_has_played(is_ranking):
    tally = Tally(4)
    tally.add(0, 1, 1.0)
    options = {
        "names": ["anna", "bo", "cy", "dee"],
        "stop": Stop(tolerance=1000.0),
        "is_ranking": is_ranking,
    }
    found = overview(tally, **options)
    assert found.status == "undecided"
    assert found.found.headline == "too early to say: cy and dee have not played yet"
    assert "; a decision needs results of everyone" in found.found.details
    away = overview(tally, states={"cy": "removed", "dee": "retired"}, **options)
    assert away.status == "decided"


def test_without_a_match_nothing_is_decided():
    found = overview(Tally(N), top_size=N)
    assert found.verdict == "no match has been played"
    assert found.found.title == "No match has been played"
    assert found.notes == [found.counts]
    assert found.document()["top"] is None


@pytest.mark.parametrize("names", [[], NAMES])
def test_without_players_in_play_nothing_is_decided(names):
    retired = dict.fromkeys(names, "retired")
    found = overview(Tally(len(names)), names=names, states=retired, n_matches=3)
    assert found.status == "undecided"
    assert found.finding == ("every player is retired" if names else "there are no players")
    assert found.notes == [found.counts, found.finding]
    assert (found.top, found.best_by, found.caveats) == (None, None, [])
    json.dumps(found.document(), allow_nan=False)


@pytest.mark.parametrize(
    ("states", "options", "counts"),
    [
        ({}, {"n_matches": 1}, "5 players; 1 match"),
        ({}, {"n_matches": 12_345, "n_pending": 1}, "5 players; 12,345 matches, 1 pending"),
        (
            {"bo": "paused", "cy": "retired", "dee": "retired"},
            {"n_matches": 0, "n_pending": 1_200},
            "5 players, 1 paused, 2 retired; 0 matches, 1,200 pending",
        ),
    ],
)
def test_players_and_matches_are_counted(states, options, counts):
    assert overview(Tally(N), states=states, **options).counts == counts


def test_a_disagreement_about_the_best_is_a_caveat():
    tally = Tally(3)  # rock beats scissors, scissors beat paper, paper beats rock
    tally.add_many([0, 1, 2] * 40, [2, 0, 1] * 40, [1.0] * 120)
    tally.add_many([0] * 40, [2] * 40, [1.0] * 40)
    found = overview(tally, names=["rock", "paper", "scissors"])
    assert found.caveats == [f"note: {found.best_by.disagreement}"]
    assert found.notes[-1] == found.caveats[0]
    assert overview(ladder()).caveats == []


def test_the_document_has_everything_a_program_needs():
    found = overview(ladder(60), n_pending=2, settings={"goal": "best"}, first_advantage=True)
    document = json.loads(json.dumps(found.document(), allow_nan=False))
    assert list(document) == [
        *["n_matches", "n_pending", "settings", "status", "verdict", "n_left", "top", "duel"],
        "features",
        *[
            "standings",
            "anchor",
            "advantage",
            "fading",
            "has_los",
            "rated_by",
            "judging",
            "controls",
        ],
    ]
    assert (document["n_matches"], document["n_pending"]) == (60, 2)
    assert document["settings"] == {"goal": "best"}
    assert document["top"]["players"] == list(found.top.players)
    assert document["advantage"]["rating"] == found.leaderboard.advantage.rating
    assert overview(ladder(60)).document()["settings"] is None


def test_a_player_left_alone_is_not_called_the_best():
    tally = Tally(2)
    tally.add(1, 0, 1.0)
    assert overview(tally, names=["anna", "bo"], states={"bo": "retired"}).finding == (
        "only anna is left"
    )


def test_the_leader_is_the_first_candidate():
    """Also if the draws of two equal players favour the other one."""
    for n_players in (2, 3, 4):
        top = Top.of(Belief(NAMES[:n_players], Tally(n_players)))
        assert top.candidates[0] == top.players[0]


@pytest.mark.parametrize("is_ranking", [False, True])
def test_a_finished_tournament_has_no_matches_to_go(is_ranking):
    tally = Tally(2)
    tally.add_many([0, 0, 1], [1, 1, 0], [1.0, 1.0, 1.0])
    goal = {"names": ["anna", "bo"], "is_ranking": is_ranking}
    going = overview(tally, **goal)
    assert going.n_left > 0
    over = overview(tally, **goal, over="the budget of 3 matches is spent")
    assert over.n_left is over.top.n_left is None
    assert over.verdict.startswith("too early to say: ")
    assert over.finding.endswith("; the tournament is over: the budget of 3 matches is spent")
    assert "more match" not in over.finding
    tally.add_many([0] * 50, [1] * 50, [1.0] * 50)
    decided = overview(tally, **goal, over="decided: anna is the best")
    assert decided.finding == overview(tally, **goal).finding
