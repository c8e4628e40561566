import csv
import io
import json
import math
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from maxin.core import InvalidInput, MissingExtra, UnknownName
from maxin.ratings import Posterior, Tally, lead_certainty
from maxin.views.standings import Leaderboard, Standing, leaderboard, top

NAMES = ["anna", "bo", "cy", "dee", "eve"]
N = len(NAMES)
ELO = 400.0 / math.log(10.0)

results = st.tuples(
    st.permutations(range(N)).map(lambda order: order[:2]), st.sampled_from([0.0, 0.5, 1.0])
)
logs = st.lists(results, max_size=40)
states = st.lists(
    st.sampled_from(["active", "active", "paused", "retired"]), min_size=N, max_size=N
).map(lambda values: dict(zip(NAMES, values, strict=True)))


def tally_of(log):
    tally = Tally(N)
    for (first, second), score in log:
        tally.add(first, second, score)
    return tally


def ladder(n_matches=2000, gap=1.0, advantage=0.0):
    """Everyone one step above the next."""
    rng = np.random.default_rng(0)
    first = rng.integers(N, size=n_matches)
    second = (first + rng.integers(1, N, size=n_matches)) % N
    tally = Tally(N)
    tally.add_many(first, second, rng.random(n_matches) < expit(gap * (second - first) + advantage))
    return tally


@given(log=logs, states=states, first_advantage=st.booleans())
@settings(max_examples=40)
def test_rows_keep_the_rules(log, states, first_advantage):
    tally = tally_of(log)
    board = leaderboard(NAMES, tally, states=states, first_advantage=first_advantage)
    assert sorted(row.player for row in board) == NAMES
    playing = [row for row in board if row.state != "retired"]
    assert [row.rank for row in board] == [*range(1, len(playing) + 1)] + [None] * (
        N - len(playing)
    )
    for group in (playing, board[len(playing) :]):
        ratings = [row.rating for row in group]
        assert ratings == sorted(ratings, reverse=True)
    if playing:
        assert sum(row.rating for row in playing) == pytest.approx(0.0, abs=1e-5)
        assert sum(row.p_best for row in playing) == pytest.approx(1.0)
    for row in board:
        assert row.state == states[row.player]
        assert row.low <= row.rating <= row.high
        assert row.matches == sum(NAMES.index(row.player) in match for match, _ in log)
        assert (row.score is None) == (row.matches == 0)
        assert row.state != "retired" or row.p_best == 0.0


def test_ratings_are_elo_points_of_the_fit_of_all_results():
    tally = ladder(200)
    board = leaderboard(NAMES, tally, states={"anna": "retired", "bo": "paused"})
    posterior = Posterior(N)
    posterior.fit(tally.crosstable(), field=[1, 2, 3, 4])
    away = np.eye(N)
    away[:, 1:] -= 0.25  # less the mean of the four who are not retired
    spread = np.sqrt(np.diag(away @ posterior.covariance() @ away.T))
    for row in board:
        player = NAMES.index(row.player)
        assert row.rating == pytest.approx(ELO * (away @ posterior.ratings())[player], abs=1e-5)
        assert row.margin == pytest.approx(2.228 * ELO * spread[player], rel=1e-3)  # t, 10 degrees
    assert [row.player for row in board] == ["bo", "cy", "dee", "eve", "anna"]


@given(logs)
@settings(max_examples=30)
def test_the_order_of_results_plays_no_part(log):
    board, other = leaderboard(NAMES, tally_of(log)), leaderboard(NAMES, tally_of(log[::-1]))
    assert list(board) == list(other)


def test_intervals_cover_relative_ratings_as_often_as_they_promise():
    rng = np.random.default_rng(2)
    inside = 0
    for _ in range(200):
        truth = rng.normal(size=N)
        first = rng.integers(N, size=60)
        second = (first + rng.integers(1, N, size=60)) % N
        tally = Tally(N)
        tally.add_many(first, second, rng.random(60) < expit(truth[first] - truth[second]))
        relative = ELO * (truth - truth.mean())
        for row in leaderboard(NAMES, tally):
            inside += row.low <= relative[NAMES.index(row.player)] <= row.high
    assert inside / (200 * N) > 0.93  # wide with so few players: their spread is hardly known


def test_two_games_with_swapped_seats_are_one_match():
    tally = Tally(2)
    tally.add(0, 1, 1.0, 0.5)
    tally.add(1, 0, 0.0, 0.5)
    board = leaderboard(["anna", "bo"], tally)
    assert [(row.matches, row.score) for row in board] == [(1, 1.0), (1, 0.0)]


def test_the_first_seats_advantage_is_told_with_its_interval():
    board = leaderboard(NAMES, ladder(advantage=0.5), first_advantage=True)
    assert board.advantage.low < 0.5 * ELO < board.advantage.high
    assert board.advantage.low > 0.0
    assert str(board).splitlines()[-1].startswith("sitting first: +")
    assert leaderboard(NAMES, ladder()).advantage is None


@pytest.mark.parametrize("n_players", [0, 1, 2])
def test_few_players_and_no_results_are_no_trouble(n_players):
    board = leaderboard(NAMES[:n_players], Tally(n_players))
    assert [row.rating for row in board] == [0.0] * n_players
    assert sum(row.p_best for row in board) == pytest.approx(min(1, n_players))
    assert str(board).splitlines()[0].split()[:2] == ["rank", "player"]


def test_it_is_a_sequence():
    board = leaderboard(NAMES, ladder())
    assert len(board) == N
    assert board[0] == next(iter(board))
    assert board[-1].player == "eve"
    assert [row.rank for row in board[:2]] == [1, 2]
    assert repr(board) == "<Leaderboard of 5 players>"


def rows():
    return Leaderboard(
        [
            Standing(1, "bo", 50.0, 0.0, 100.0, 0.7, 3, None, "active"),
            Standing(2, "anna", -50.0, -90.0, -10.0, 0.3, 9, 0.4, "paused"),
            Standing(None, "cy", 70.0, 0.0, 140.0, 0.0, 9, 0.9, "retired"),
        ]
    )


@pytest.mark.parametrize(
    ("by", "reverse", "order"),
    [
        ("rating", False, ["cy", "bo", "anna"]),
        ("rating", True, ["anna", "bo", "cy"]),
        ("rank", False, ["bo", "anna", "cy"]),
        ("rank", True, ["anna", "bo", "cy"]),
        ("score", False, ["cy", "anna", "bo"]),
        ("score", True, ["anna", "cy", "bo"]),
        ("matches", False, ["anna", "cy", "bo"]),
        ("player", False, ["anna", "bo", "cy"]),
    ],
)
def test_sorted_by_any_column_best_first(by, reverse, order):
    assert [row.player for row in rows().sorted(by, reverse=reverse)] == order


def test_text_is_aligned_and_shows_states_when_they_differ():
    assert str(rows()) == (
        "rank  player  rating   ±  P(best)  matches  score  state\n"
        "   1  bo         +50  50    70.0%        3         active\n"
        "   2  anna       -50  40    30.0%        9  40.0%  paused\n"
        "      cy         +70  70                 9  90.0%  retired"
    )


def test_wide_and_unprintable_names_keep_the_columns():
    names = ["安娜", "b\n", "é"]
    board = Leaderboard([row._replace(player=names.pop(0)) for row in rows()])
    lines = str(board).splitlines()
    assert len(lines) == 4
    assert "b\\n" in lines[2]
    assert lines[1].index("+50") + 2 == lines[3].index("+70")  # two signs take two columns each


def test_markdown_shows_names_as_they_are():
    board = Leaderboard([rows()[0]._replace(player="a|b *c* <d> \\")])
    assert board.to_markdown() == (
        "| rank | player | rating | ± | P(best) | matches | score |\n"
        "|-:|:-|-:|-:|-:|-:|-:|\n"
        "| 1 | a\\|b \\*c\\* \\<d> \\\\ | +50 | 50 | 70.0% | 3 |  |\n"
    )


def test_csv_json_and_json_lines_hold_every_number():
    board = leaderboard(['say "hi", bo', *NAMES[1:]], ladder(), first_advantage=True)
    read = list(csv.DictReader(io.StringIO(board.to_csv())))
    assert [row["player"] for row in read] == [row.player for row in board]
    assert [float(row["rating"]) for row in read] == [row.rating for row in board]
    whole = json.loads(board.to_json())
    assert [Standing(**row) for row in whole["standings"]] == list(board)
    assert whole["advantage"] == board.advantage._asdict()
    assert [Standing(**json.loads(line)) for line in board.to_jsonl().splitlines()] == list(board)
    assert json.loads(rows().to_json())["advantage"] is None
    assert rows().to_csv().splitlines()[1] == "1,bo,50.0,0.0,100.0,0.7,3,,active"


def test_data_frame():
    frame = rows().to_dataframe()
    assert list(frame.columns) == list(Standing._fields)
    assert frame["player"].tolist() == ["bo", "anna", "cy"]
    assert frame["rank"].isna().tolist() == [False, False, True]
    assert frame["score"].sum() == pytest.approx(1.3)


def test_data_frames_without_pandas_name_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtra, match=r"pip install 'maxin\[pandas\]'"):
        rows().to_dataframe()


def test_a_clear_top_is_decided():
    for k in (1, 2, 3):
        found = top(NAMES, ladder(), k)
        assert found.players == tuple(NAMES[:k])
        assert found.candidates == found.players
        assert found.is_decided
        assert found.confidence > 0.95


def test_an_open_top_names_its_candidates():
    tally = ladder(40, gap=0.3)
    found = top(NAMES, tally, confidence=0.9)
    board = leaderboard(NAMES, tally)
    assert not found.is_decided
    assert found.players == (board[0].player,)
    assert found.confidence == pytest.approx(board[0].p_best, abs=0.01)
    likeliest = [row.player for row in board.sorted("p_best")]
    assert list(found.candidates) == likeliest[: len(found.candidates)]
    chances = {row.player: row.p_best for row in board}
    assert sum(chances[name] for name in found.candidates) >= 0.98  # a fifth of the doubt
    assert sum(chances[name] for name in found.candidates[:-1]) < 0.98


@given(log=logs, states=states, k=st.integers(1, 2), confidence=st.sampled_from([0.5, 0.8, 0.95]))
@settings(max_examples=40)
def test_the_top_keeps_its_rules(log, states, k, confidence):
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


def test_a_run_that_stopped_at_its_certainty_is_decided():
    tally = ladder(600)
    posterior = Posterior(N)
    posterior.fit(tally.crosstable())
    certainty = lead_certainty(posterior.ratings().round(9), posterior.covariance())
    assert 0.5 < certainty < 1.0
    assert top(NAMES, tally, confidence=1.0 - 5.01 * (1.0 - certainty)).is_decided


@pytest.mark.parametrize(
    ("act", "error", "words"),
    [
        (lambda: leaderboard(["anna"], Tally(2)), InvalidInput, "has as many names; got 1"),
        (lambda: top(NAMES, Tally(N), k=0), InvalidInput, "not retired, 5; got 0"),
        (lambda: top(NAMES, Tally(N), k=6), InvalidInput, "not retired, 5; got 6"),
        (lambda: top([], Tally(0)), InvalidInput, "not retired, 0; got 1"),
        (lambda: top(NAMES, Tally(N), confidence=1.0), InvalidInput, "between 0 and 1; got 1.0"),
        (lambda: rows().sorted("elo"), UnknownName, "there is no column named 'elo'"),
    ],
)
def test_bad_input_is_named(act, error, words):
    with pytest.raises(error, match=words):
        act()
