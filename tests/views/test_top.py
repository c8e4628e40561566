"""The top: who leads, how certain that is, and who may still be there."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxin.core import InvalidInput, Stop
from maxin.ratings import Tally
from maxin.views import Belief, Overview, Top
from maxin.views.top import cheaper, rounded
from tests.helpers.fields import NAMES, N, ladder, leaderboard, logs, states, tally_of, top


def test_a_clear_top_is_decided():
    for k in (1, 2, 3):
        found = top(NAMES, ladder(), k)
        assert found.players == tuple(NAMES[:k])
        assert found.candidates == found.players
        assert found.is_decided
        assert found.confidence > 0.95


def test_an_open_top_names_its_candidates():
    tally = ladder(40, gap=0.3)
    found = top(NAMES, tally, confidence=0.9, tolerance=0.0)
    board = leaderboard(NAMES, tally)
    assert not found.is_decided
    assert found.players == (board[0].player,)
    assert found.confidence == pytest.approx(board[0].p_best, abs=0.01)
    likeliest = [row.player for row in board.sorted("p_best")]
    assert list(found.candidates) == likeliest[: len(found.candidates)]
    chances = {row.player: row.p_best for row in board}
    assert sum(chances[name] for name in found.candidates) >= 0.9
    assert sum(chances[name] for name in found.candidates[:-1]) < 0.9


@given(log=logs, states=states, k=st.integers(1, 2), confidence=st.sampled_from([0.5, 0.8, 0.95]))
@settings(max_examples=20)
def test_every_top_keeps_the_rules(log, states, k, confidence):
    playing = [name for name in NAMES if states[name] != "retired"]
    if len(playing) < k:
        with pytest.raises(InvalidInput, match="who are not retired"):
            top(NAMES, tally_of(log), k, confidence, states=states)
        return
    found = top(NAMES, tally_of(log), k, confidence, states=states)
    board = leaderboard(NAMES, tally_of(log), states=states)
    assert found.players == tuple(row.player for row in board[:k])
    assert set(found.candidates) <= set(playing)
    assert len(found.candidates) >= k
    if found.is_decided:
        assert found.confidence >= confidence
        assert found.candidates == found.players


@pytest.mark.parametrize("tolerance", [0.0, 10.0])
def test_a_top_is_decided_once_it_is_expected_to_miss_little(tolerance):
    for n_matches in (50, 100, 200, 400, 600, 1000):
        found = top(NAMES, ladder(n_matches), tolerance=tolerance)
        assert found.is_decided == (found.shortfall <= found.needed)


def test_a_tolerance_makes_it_more_certain():
    strict, loose = (top(NAMES, ladder(40, gap=0.3), tolerance=elo) for elo in (0.0, 50.0))
    assert loose.players == strict.players
    assert loose.confidence > strict.confidence + 0.05


def test_a_top_of_everyone_is_decided():
    found = top(NAMES, Tally(N), k=N)
    assert found.is_decided
    assert found.confidence == 1.0
    assert found.candidates == found.players


def test_an_undecided_top_has_more_candidates_than_places():
    found = top(NAMES, Tally(N), k=2, confidence=0.5)
    assert found.status == "undecided"
    assert len(found.candidates) > 2


def test_retired_players_are_not_in_the_top():
    found = top(NAMES, ladder(), states={"anna": "retired", "bo": "paused"})
    assert found.players == ("bo",)
    assert "anna" not in found.candidates


@pytest.mark.parametrize(
    ("found", "confidence", "headline", "details"),
    [
        (
            Top(("anna",), 0.98, ("anna",), True),
            0.95,
            "anna is the best",
            "98.0 % sure",
        ),
        (
            Top(("anna", "bo"), 0.97, ("anna", "bo"), True, 0, 10.0, 0.0512, 0.06),
            0.95,
            "anna and bo are the top 2, give or take 10 Elo",
            "97.0 % sure, and expected to miss it by 0.051 Elo beyond those 10",
        ),
        (
            Top(("anna",), 0.6, ("anna", "bo", "cy"), False, shortfall=123.4, needed=0.05),
            0.95,
            "too early to say: 3 may still be the best",
            "anna leads, 60.0 % sure to be the best, and expected to miss it by 120 Elo; stopping "
            "at 95 % confidence needs 0.05 Elo; candidates: anna, bo and cy",
        ),
        (
            Top(("anna",), 0.975, tuple("abcdef"), False, 1234, 10.0, 1.0, 0.065),
            0.95,
            "too early to say: 6 may still be the best",
            "anna leads, 97.5 % sure to be the best, give or take 10 Elo, and expected to miss it "
            "by 1 Elo beyond those 10; stopping at 95 % confidence needs 0.065 Elo, about 1,200 "
            "more matches",
        ),
        (
            Top(("anna", "bo"), 0.98, ("anna", "bo", "cy"), False, 0, 0.0, 0.2, 0.001),
            0.9,
            "too early to say: 3 may still be in the top 2",
            "anna and bo lead, 98.0 % sure to be the top 2, and expected to miss it by 0.2 Elo; "
            "stopping at 90 % confidence needs under 0.01 Elo, about 1 more match; candidates: "
            "anna, bo and cy",
        ),
    ],
)
def test_a_finding_says_who_leads_and_how_certain_that_is(found, confidence, headline, details):
    said = found.finding(confidence)
    assert said[:2] == (headline, details)
    assert found.sentence(confidence) == str(said)
    if found.is_decided:
        assert said.title == headline
        assert said.lines == [f"{headline}: {details}"] == [str(said)]
    else:
        assert said.title == f"T{headline[1:]}"
        assert said.lines == [headline, details]
        assert str(said) == f"{headline}; {details}"


def test_advice_far_from_a_decision_is_what_needs_far_fewer_matches():
    """Three equal players, and five far behind: the three are known before the best is."""
    rows = [(i, j, 0.5 if (i < 3) == (j < 3) else 1.0) for i in range(8) for j in range(i + 1, 8)]
    tally = Tally(8)
    first, second, scores = zip(*rows * 6, strict=True)
    tally.add_many(first, second, scores)
    belief = Belief([f"p{n}" for n in range(8)], tally)
    n_left = belief.matches_left(1, Stop())
    words = cheaper(belief, 1, Stop(), n_left)
    for flag, size, stop in (
        ("--tolerance 50", 1, Stop(tolerance=50.0)),
        ("--goal top-3 in a new store", 3, Stop()),
    ):
        (count,) = re.findall(rf", with {flag} (about [\d,]*\d|none)", words)
        estimate = belief.matches_left(size, stop)
        assert count == (f"about {rounded(estimate):,}" if estimate else "none")
        assert estimate <= n_left / 2
    assert belief.matches_left(1, Stop(tolerance=20.0)) > n_left / 2  # so it is not offered
    assert "--tolerance" not in cheaper(belief, 1, Stop(tolerance=200.0), n_left)
    found = Overview(belief, n_matches=len(rows * 6)).found
    assert f"about {rounded(n_left):,} more matches{words}" in found.details


def test_no_advice_is_given_near_a_decision():
    tally = Tally(2)
    tally.add_many([0] * 42, [1] * 42, [1.0, 1.0, 0.0] * 14)
    near = Overview(Belief(["anna", "bo"], tally), n_matches=42)
    assert 0 < near.n_left < 42
    assert f"about {rounded(near.n_left)} more matches" in near.finding
    assert "--" not in near.finding


@given(log=logs, states=states, confidence=st.sampled_from([0.5, 0.8, 0.95]))
@settings(max_examples=20)
def test_the_same_number_stands_in_the_sentence_and_in_the_table(log, states, confidence):
    if all(state == "retired" for state in states.values()):
        return
    found = top(NAMES, tally_of(log), 1, confidence, states=states, tolerance=0.0)
    board = leaderboard(NAMES, tally_of(log), states=states)
    assert found.confidence == board[0].p_best
    assert sum(row.p_best for row in board) == pytest.approx(1.0, abs=1e-3)
    assert found.is_decided == (found.shortfall <= found.needed)


def test_the_matches_that_are_left_shrink_to_none():
    early, later, decided = (top(NAMES, ladder(n_matches)) for n_matches in (4, 20, 4000))
    assert early.n_left is None
    assert later.n_left > 0
    assert (decided.n_left, decided.is_decided) == (0, True)


def test_a_confidence_is_never_rounded_up_to_certainty():
    assert "100" not in Top(("anna",), 1.0 - 1e-9, ("anna",), True).sentence()


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: top(NAMES, Tally(N), k=0), "not retired, 5; got 0"),
        (lambda: top(NAMES, Tally(N), k=6), "not retired, 5; got 6"),
        (lambda: top([], Tally(0)), "not retired, 0; got 1"),
        (lambda: top(NAMES, Tally(N), k=1.5), "k must be a whole number"),
        (lambda: top(NAMES, Tally(N), confidence=1.0), "from 0.5 to below 1; got 1.0"),
    ],
)
def test_invalid_input_is_refused_and_named(act, message):
    with pytest.raises(InvalidInput, match=message):
        act()


def test_it_prints_as_sentences():
    decided = top(NAMES, ladder(), 1)
    assert str(decided) == decided.sentence()
    found = top(NAMES, ladder(40, gap=0.3), tolerance=0.0)
    headline, details = str(found).splitlines()
    sure, lacks, candidates = details.split("; ")
    # The words of `maxin show`, without a confidence that nobody gave.
    assert [headline, f"{sure}; {candidates}"] == found.open_finding.lines
    assert found.sentence().startswith(f"{headline}; {sure}; stopping at 95 % confidence needs ")
    assert re.fullmatch(r"a decision needs [\d.]+ Elo, about [\d,]+ more matches", lacks)
