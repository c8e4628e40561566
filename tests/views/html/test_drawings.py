from dataclasses import replace

import numpy as np
import pytest

from maxin.core import Entrant
from maxin.tournament import Tournament
from maxin.views.html import report
from maxin.views.html.drawings import (
    COLOURED,
    candidates_chart,
    feature_chart,
    interval,
    interval_axis,
    matches_chart,
    ratings_chart,
)
from maxin.views.html.report_data import read_report
from tests.helpers.leagues import league
from tests.helpers.markup import Page


@pytest.fixture(scope="module")
def data():
    return read_report(league([f"player {n}" for n in range(10)], 24))


def test_the_leaders_have_a_colour_and_a_label(data):
    page = Page(ratings_chart(data.history, data.leaders.names))
    labels = {words for words in page.words["span"] if words.startswith("player")}
    assert labels == set(data.leaders.names[:COLOURED])
    curves = [attrs["class"] for tag, attrs in page.elements if tag == "path"]
    assert curves[-1] == "line s0 leader"  # drawn last, over the others
    assert curves.count("line rest") == len(data.leaders.names) - COLOURED


def test_an_interval_is_drawn_where_the_axis_has_it(data):
    board = data.overview.leaderboard
    axis, row = interval_axis(board), board[0]
    page = Page(interval(row, axis))
    [line] = [attrs for tag, attrs in page.elements if tag == "line" and "class" not in attrs]
    assert float(line["x1"].rstrip("%")) == pytest.approx(100 * axis.place(row.low), abs=0.1)
    assert float(line["x2"].rstrip("%")) == pytest.approx(100 * axis.place(row.high), abs=0.1)


def test_the_intervals_fit_on_their_axis(data):
    axis = interval_axis(data.overview.leaderboard)
    ends = [axis.place(end) for row in data.overview.leaderboard for end in (row.low, row.high)]
    assert min(ends) == 0.0
    assert max(ends) == 1.0


def test_every_chart_has_a_title(data):
    charts = {
        "Ratings over matches": ratings_chart(data.history, data.leaders.names),
        "Number of players who may still be the best": candidates_chart(data.history),
        "Matches of each player": matches_chart(data.seats, data.leaders),
    }
    for title, chart in charts.items():
        assert Page(chart).words["title"][0].startswith(title)


def test_a_leader_without_a_match_needs_no_interval():
    tournament = league(["anna", "bo", "cy"], 4)
    tournament.add("zoe")
    tournament.retire("anna", "bo", "cy")
    data = read_report(tournament)
    assert data.leaders.names[0] == "zoe"
    assert np.isnan(data.history.ratings[:, data.history.names.index("zoe")]).all()
    assert Page(ratings_chart(data.history, data.leaders.names)).count("svg") == 1


def test_the_ratings_begin_where_one_is_known(data):
    history = data.history
    assert np.isnan(history.ratings[0]).all()  # before the first match
    chart = Page(ratings_chart(history, data.leaders.names))
    starts = [attrs["d"] for tag, attrs in chart.elements if tag == "path" and "d" in attrs]
    assert any(start.startswith("M0 ") for start in starts[1:])


def test_an_axis_says_when_it_is_logarithmic(data):
    longer = replace(data.history, is_log=True, after=[1 + n for n in data.history.after])
    for history, caption in ((data.history, "matches"), (longer, "matches, log scale")):
        for chart in (ratings_chart(history, data.leaders.names), candidates_chart(history)):
            assert Page(chart).words["small"] == [caption]


def with_features(columns, features):
    """A tournament of three players with these options."""
    players = [Entrant(f"<{n}>", options) for n, options in enumerate(columns)]
    tournament = Tournament(players, features=features)
    tournament.add_results([("<1>", "<0>", 1.0), ("<2>", "<1>", 1.0)])
    return tournament


def test_a_curve_over_a_feature_has_a_point_per_player():
    tournament = with_features([{"<step>": n} for n in range(3)], ["<step>"])
    tournament.retire("<0>")
    overview = tournament.overview()
    chart = Page(feature_chart(overview.features.curve, overview.leaderboard))
    assert chart.words["title"][0] == "Rating by <step>"
    assert chart.count("g", class_="dot") == 2
    assert chart.count("g", class_="dot away") == 1
    assert chart.count("path", class_="band") == chart.count("path", class_="line s0 leader") == 1
    assert any(words.startswith("<2>, <step> 2: ") for words in chart.words["title"])
    page = Page(report(tournament))
    assert "Features" in page.words["h2"]
    assert page.count("path", class_="point") == 3


def test_several_features_have_a_table_of_shares():
    columns = [{"step": n, "<family>": "ab"[n % 2]} for n in range(3)]
    page = Page(report(with_features(columns, ["step", "<family>"])))
    assert page.count("path", class_="point") == 0
    assert {"<family>", "step, <family>"} <= set(page.words["bdi"])
