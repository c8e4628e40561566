"""The leaderboard: ratings, intervals, odds and results, as text, tables, files and plots."""

import csv
import io
import itertools
import json
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from maxin.core import InvalidInput, MissingExtra, UnknownName
from maxin.core.units import ELO_PER_NAT as ELO
from maxin.ratings import Posterior, Tally
from maxin.tournament import Tournament
from maxin.views import Advantage, Belief, Leaderboard, Standing
from maxin.views.formats import chance
from tests.helpers.fields import NAMES, N, ladder, leaderboard, logs, states, tally_of


@given(log=logs, states=states, first_advantage=st.booleans())
@settings(max_examples=40)
def test_every_leaderboard_keeps_the_rules(log, states, first_advantage):
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
    away[:, 1:] -= 0.25  # minus the mean of the four who are not retired
    spread = np.sqrt(np.diag(away @ posterior.covariance() @ away.T))
    for row in board:
        player = NAMES.index(row.player)
        assert row.rating == pytest.approx(ELO * (away @ posterior.ratings())[player], abs=1e-5)
        assert row.margin == pytest.approx(2.228 * ELO * spread[player], rel=1e-3)  # t, 10 degrees
    assert [row.player for row in board] == ["bo", "cy", "dee", "eve", "anna"]


@given(logs)
@settings(max_examples=30)
def test_the_order_of_results_does_not_matter(log):
    board, other = leaderboard(NAMES, tally_of(log)), leaderboard(NAMES, tally_of(log[::-1]))
    assert list(board) == list(other)


def test_intervals_cover_relative_ratings_as_often_as_stated():
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
    assert inside / (200 * N) > 0.93  # wide, since the spread of so few players is hardly known


def test_two_games_with_swapped_seats_are_one_match():
    tally = Tally(2)
    tally.add(0, 1, 1.0, 0.5)
    tally.add(1, 0, 0.0, 0.5)
    board = leaderboard(["anna", "bo"], tally)
    assert [(row.matches, row.score) for row in board] == [(1, 1.0), (1, 0.0)]


def test_the_first_seats_advantage_is_shown_with_its_interval():
    board = leaderboard(NAMES, ladder(advantage=0.5), first_advantage=True)
    assert board.advantage.low < 0.5 * ELO < board.advantage.high
    assert board.advantage.low > 0.0
    assert str(board).splitlines()[-1].startswith("sitting first: +")
    assert leaderboard(NAMES, ladder()).advantage is None


@pytest.mark.parametrize("n_players", [0, 1, 2])
def test_few_players_without_results_have_equal_ratings(n_players):
    board = leaderboard(NAMES[:n_players], Tally(n_players))
    assert [row.rating for row in board] == [0.0] * n_players
    assert sum(row.p_best for row in board) == pytest.approx(min(1, n_players))
    assert str(board).splitlines()[0].split()[:2] == ["rank", "player"]


def test_a_leaderboard_is_a_sequence():
    board = leaderboard(NAMES, ladder())
    assert len(board) == N
    assert board[0] == next(iter(board))
    assert board[-1].player == "eve"
    assert [row.rank for row in board[:2]] == [1, 2]
    assert repr(board) == "<Leaderboard of 5 players>"


def rows():
    return Leaderboard(
        [
            Standing(1, "bo", 50.0, 0.0, 100.0, 0.7, 3, None, 0, 0, 0, "active"),
            Standing(2, "anna", -50.0, -90.0, -10.0, 0.3, 9, 0.4, 3, 1, 5, "paused"),
            Standing(None, "cy", 70.0, 0.0, 140.0, 0.0, 9, 0.9, 8, 0, 1, "retired"),
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
def test_it_is_sorted_by_any_column_best_first(by, reverse, order):
    assert [row.player for row in rows().sorted(by, reverse=reverse)] == order


def test_text_is_aligned_and_shows_states_when_they_differ():
    assert str(rows()) == (
        "rank  player  rating   ±  P(best)  matches   score  W/D/L  state\n"
        "   1  bo         +50  50   70.0 %        3          0/0/0  active\n"
        "   2  anna       -50  40   30.0 %        9  40.0 %  3/1/5  paused\n"
        "      cy         +70  70                 9  90.0 %  8/0/1  retired"
    )


def test_wide_and_unprintable_names_keep_the_columns():
    names = ["安娜", "b\n", "é"]
    board = Leaderboard([row._replace(player=names.pop(0)) for row in rows()])
    lines = str(board).splitlines()
    assert len(lines) == 4
    assert "b\\n" in lines[2]
    assert lines[1].index("+50") + 2 == lines[3].index("+70")  # two signs of two columns each


def test_markdown_shows_names_as_they_are():
    board = Leaderboard([rows()[0]._replace(player="a|b *c* <d> \\")])
    assert board.to_markdown() == (
        "| rank | player | rating | ± | P(best) | matches | score | W/D/L |\n"
        "|-:|:-|-:|-:|-:|-:|-:|-:|\n"
        "| 1 | a\\|b \\*c\\* \\<d> \\\\ | +50 | 50 | 70.0 % | 3 |  | 0/0/0 |\n"
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
    assert rows().to_csv().splitlines()[1] == "1,bo,50.0,0.0,100.0,0.7,3,,0,0,0,active,"


def test_a_data_frame_has_the_columns_of_the_standings():
    frame = rows().to_dataframe()
    assert list(frame.columns) == list(Standing._fields)
    assert frame["player"].tolist() == ["bo", "anna", "cy"]
    assert frame["rank"].isna().tolist() == [False, False, True]
    assert frame["score"].sum() == pytest.approx(1.3)


def test_data_frames_without_pandas_name_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtra, match=r"pip install 'maxin\[pandas\]'"):
        rows().to_dataframe()


def test_a_notebook_shows_a_table_with_names_escaped():
    board = Leaderboard([row._replace(player="<script>&") for row in rows()])
    shown = board._repr_html_()
    assert shown.startswith("<table>")
    assert shown.count("<tr>") == 1 + len(board)
    assert shown.count("&lt;script&gt;&amp;") == len(board)
    assert "<script>" not in shown
    assert "<th>player</th>" in shown or ">player<" in shown


def test_a_plot_has_a_tick_and_an_interval_for_every_player():
    pytest.importorskip("matplotlib")
    (axes,) = rows().plot().axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["bo", "anna", "cy"]
    assert list(axes.get_yticks()) == [0, 1, 2]
    assert axes.yaxis_inverted()  # the best player is on top
    ranked, retired = axes.containers
    assert ranked[0].get_xdata().tolist() == [50.0, -50.0]
    assert retired[0].get_xdata().tolist() == [70.0]
    assert [
        segment[:, 0].tolist()
        for bars in (ranked, retired)
        for segment in bars[2][0].get_segments()
    ] == [[0.0, 100.0], [-90.0, -10.0], [0.0, 140.0]]


def test_a_plot_may_be_drawn_into_given_axes():
    figure = pytest.importorskip("matplotlib.figure").Figure()
    axes = figure.subplots()
    assert rows().plot(axes) is figure
    assert [label.get_text() for label in axes.get_yticklabels()] == ["bo", "anna", "cy"]


def test_an_empty_leaderboard_can_be_plotted():
    pytest.importorskip("matplotlib")
    (axes,) = Leaderboard([]).plot().axes
    assert list(axes.get_yticks()) == []


def test_plots_without_matplotlib_say_how_to_install_it(monkeypatch):
    for module in ("matplotlib", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match="plots need matplotlib: pip install matplotlib"):
        rows().plot()


def test_the_advantage_is_shown_with_its_sign():
    assert str(Advantage(31.4, 11.4, 51.4)) == "+31 ± 20"


def test_invalid_input_is_refused_and_named():
    with pytest.raises(InvalidInput, match="a tally of 2 players needs as many names; got 1"):
        leaderboard(["anna"], Tally(2))
    with pytest.raises(UnknownName, match="no column named 'elo'"):
        rows().sorted("elo")


# The likelihood of superiority


def test_the_likelihood_of_superiority_is_that_over_the_next_player():
    belief = Belief(NAMES, ladder(n_matches=60), {"eve": "retired"})
    board = Leaderboard.of(belief)
    rng = np.random.default_rng(1)
    draws = rng.multivariate_normal(belief.ratings, belief.fit.covariance, size=40_000)
    for row, after in itertools.pairwise(row for row in board if row.rank is not None):
        ahead, behind = (draws[:, NAMES.index(one.player)] for one in (row, after))
        assert row.los == pytest.approx((ahead > behind).mean(), abs=0.02)
        assert 0.5 <= row.los <= 1.0
    assert [row.los for row in board][-2:] == [None, None]  # the last one, and who is retired


def test_equal_players_are_superior_with_one_half():
    board = Leaderboard.of(Belief(NAMES, Tally(N)))
    assert [row.los for row in board] == [0.5] * (N - 1) + [None]


def test_the_table_has_los_only_if_asked_for():
    belief = Belief(NAMES, ladder(), {"eve": "retired"})
    plain, chess = (Leaderboard.of(belief, has_los=value) for value in (False, True))
    assert "LOS" not in titles(plain)
    assert titles(chess)[-3:] == ["W/D/L", "LOS", "state"]
    [los] = [column for column in chess.table.shown() if column.title == "LOS"]
    assert los.text(chess[0]) == chance(chess[0].los)
    assert "los" in plain.to_csv().splitlines()[0]


def titles(board):
    return [column.title for column in board.table.shown()]


def test_chess_is_shown_with_los():
    plain = Tournament(["anna", "bo"])
    chess = Tournament(["anna", "bo"], match='uci: {"max_plies": 400}')
    assert [one.leaderboard().has_los for one in (plain, chess)] == [False, True]
    assert [one.overview().leaderboard.has_los for one in (plain, chess)] == [False, True]
