"""The leaderboard of a page: the rows in HTML and those in data are the same."""

import json
import re

import pytest

from maxin.core import Entrant
from maxin.views.html import report
from maxin.views.html.board import PageBoard
from maxin.views.overview import MANY, Leaders
from tests.helpers.leagues import crowd
from tests.helpers.markup import Page

HOSTILE = "</script><script>alert(1)</script><!--"


@pytest.fixture(scope="module")
def played():
    names = [HOSTILE, *(f"player {n}" for n in range(89))]
    tournament = crowd([Entrant(name, {"nodes": name}) for name in names], 600)
    tournament.retire("player 80")
    return tournament


@pytest.fixture(scope="module")
def page(played):
    return report(played)


def data_of(page):
    """The rows that the script of a page shows."""
    [found] = re.findall(r'<script type="application/json" id="players">(.*?)</script>', page)
    return json.loads(found)


def test_all_rows_are_data_and_the_leaders_are_html(played, page):
    rows = data_of(page)
    board = played.leaderboard()
    assert [row[2] for row in rows] == [row.player for row in board]
    assert [row[0] for row in rows].count("candidate") == len(played.top().candidates)
    leaders, shown = Leaders.of(played.overview()), Page(page)
    assert shown.words["bdi"][: 2 * MANY : 2] == leaders.names[:MANY]
    assert shown.count("tr", class_="below") == bool(leaders.others)


def test_a_row_in_html_has_the_cells_of_the_row_in_data(played):
    overview = played.overview()
    board = PageBoard(overview.leaderboard, Leaders.of(overview), overview.top.candidates)
    stored = json.loads(board.data())
    assert len(board.best) == MANY
    for row, (kind, rank, name, options, ends, title, *cells) in zip(
        board.best, stored, strict=False
    ):
        assert (row.kind, row.rank, row.player, row.options) == (kind, rank, name, options)
        assert row.cells == cells
        drawn = Page(row.interval)
        assert drawn.words["title"] == [title]
        [line] = [attrs for tag, attrs in drawn.elements if tag == "line" and "class" not in attrs]
        [dot] = [attrs for tag, attrs in drawn.elements if tag == "circle"]
        assert [line["x1"], dot["cx"], line["x2"]] == [f"{place}%" for place in ends]


def test_a_hostile_name_is_text_in_the_data(page):
    assert "<script>alert" not in page
    assert HOSTILE in [row[2] for row in data_of(page)]
    assert Page(page).count("script") == 2  # the data and our own


def test_a_few_rows_need_no_data():
    assert 'id="players"' not in report(crowd([f"player {n}" for n in range(MANY)], 300))
