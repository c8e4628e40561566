"""Views of more players than a covariance of all of them could be kept for."""

import re

import numpy as np
import pytest
from scipy.special import expit

from maxin.core import InvalidInput, Stop
from maxin.evaluation import Verdict
from maxin.ratings import Tally
from maxin.ratings.base import MOST_EXACT
from maxin.schedulers.sieve.field_verdict import FieldVerdict
from maxin.views import Belief, BestBy, Leaderboard, Overview, Top, overview
from maxin.views import belief as beliefs

N = MOST_EXACT + 100
NAMES = [f"p{number}" for number in range(N)]


@pytest.fixture(scope="module")
def tally():
    """Four random matches each, then many of ten players, of whom p7 is by far the best."""
    rng = np.random.default_rng(0)
    ratings = rng.normal(size=N)
    ratings[:10], ratings[7] = 4.0, 5.5
    pairs = np.concatenate([rng.permutation(N).reshape(-1, 2) for _ in range(4)])
    best = np.array([rng.choice(10, 2, replace=False) for _ in range(2_000)])
    others = np.column_stack([np.arange(2_000) % 10, rng.integers(10, N, 2_000)])
    first, second = np.concatenate([pairs, best, others]).T
    scores = rng.random(len(first)) < expit(ratings[first] - ratings[second])
    tally = Tally(N)
    tally.add_many(first, second, scores.astype(float))
    return tally


@pytest.fixture(scope="module")
def belief(tally):
    return Belief(NAMES, tally)


def test_everyone_is_on_the_leaderboard(belief):
    rows = Leaderboard.of(belief)
    assert len(rows) == N
    assert rows[0].player == "p7"
    assert {row.player for row in rows[:10]} == set(NAMES[:10])
    assert sum(row.p_best for row in rows) == pytest.approx(1.0)
    assert 0.5 < rows[0].p_best < 1.0  # somebody who met two may be better
    assert all(0.0 < row.margin < 500.0 for row in rows)
    assert all(0.0 <= row.los <= 1.0 for row in rows[:-1])


def test_nothing_is_decided_and_it_says_why(monkeypatch, belief):
    top = Top.of(belief)
    assert (top.players, top.is_decided, top.n_left) == (("p7",), False, None)
    assert top.candidates[0] == "p7"
    assert belief.top_verdict(1, Stop()).kind == "undecided"
    assert belief.order_verdict(Stop(confidence=0.5)).kind == "undecided"
    found = Overview(belief, n_matches=8_200).found
    assert re.fullmatch(r"too early to say: [\d,]+ may still be the best", found.headline)
    assert re.match(r"p7 leads, [\d.]+ % sure to be the best; ", found.details)
    cause = belief.obstacle(1, Stop())
    assert re.match(r"the doubt outside the 512 contenders is [\d.]+; a decision needs 0.01", cause)
    assert found.details.endswith(f"; not decided: {cause}")
    three = Overview(belief, top_size=3, n_matches=8_200).verdict
    assert "; no top 3 is decided among more than 2,000 players" in three
    monkeypatch.setattr(overview, "MOST_SHOWN", N - 1)
    assert Overview(belief, n_matches=8_200).verdict.endswith(
        f"nothing is decided among more than {N - 1:,} players, because no simulation has shown "
        "that such stops are right"
    )


def test_a_large_field_can_be_decided(monkeypatch, tally):
    decided = Verdict("decided", (7,), 0.985, 0.0005, 0.001)
    found = FieldVerdict(decided, 0.001, "")
    monkeypatch.setattr(beliefs, "field_verdict", lambda *_: found)
    belief = Belief(NAMES, tally)
    assert Overview(belief, n_matches=8_200).verdict == (
        "decided: p7 is the best, give or take 10 Elo: 98.5 % sure, and expected to miss it by "
        "0.087 Elo beyond those 10"
    )
    order = Overview(belief, is_ranking=True, n_matches=8_200).found
    assert order.headline == "too early to say: the order of all 2,100 players is not known yet"
    assert order.details == "an order of more than 2,000 is never decided"


def test_candidates_hold_the_top_with_the_certainty_asked_for(belief):
    few, many = belief.candidates(1, 0.5), belief.candidates(1, 0.999)
    assert few.tolist() == [7]
    assert belief.best_odds[many].sum() >= 0.999
    assert len(many) > len(few)


def test_a_top_of_several(belief):
    top = Top.of(belief, 10)
    assert set(top.players) == set(NAMES[:10])
    with pytest.raises(InvalidInput, match="a top of at most 128 can be shown; got 600"):
        Top.of(belief, 600)


def test_a_retired_player_is_not_the_best(tally):
    belief = Belief(NAMES, tally, {"p7": "retired"})
    assert belief.best_odds[7] == 0.0
    assert Top.of(belief).players != ("p7",)
    assert Leaderboard.of(belief)[-1].player == "p7"


def test_an_anchor_sets_the_scale(tally):
    belief = Belief(NAMES, tally, anchor={"p3": 2_000.0})
    row = next(row for row in Leaderboard.of(belief) if row.player == "p3")
    assert (row.rating, row.margin) == (pytest.approx(2_000.0), 0.0)


def test_the_best_by_every_meaning(belief):
    found = BestBy.of(belief)
    assert (found.field, found.condorcet) == ("p7", "p7")
