import numpy as np
import pytest

from maxin.ratings import Tally
from maxin.views.crosstable import Crosstable
from maxin.views.html.heatmaps import (
    TABLE,
    TITLES,
    CrosstableGrid,
    count_class,
    coverage_map,
    share_class,
    share_map,
)
from tests.helpers.markup import Page


def everyone_met(n_players, n_matches=1):
    tally = Tally(n_players)
    first, second = np.triu_indices(n_players, 1)
    draws, times = np.full(len(first), 0.5), np.full(len(first), n_matches)
    tally.add_many(first, second, draws, times=times)
    return Crosstable.of([f"p{n}" for n in range(n_players)], tally)


def test_a_table_has_a_cell_for_each_pair():
    rows = list(CrosstableGrid(everyone_met(TABLE)).rows())
    kinds = [cell.kind for row in rows for cell in row]
    assert kinds.count("self") == TABLE
    assert kinds.count("d5") == TABLE * (TABLE - 1)
    assert sum(bool(cell.title) for row in rows for cell in row) == TABLE * (TABLE - 1)


def test_a_pair_that_never_met_has_an_empty_cell():
    tally = Tally(3)
    tally.add(0, 1, 1.0)
    cell = CrosstableGrid(Crosstable.of(["anna", "bo", "cy"], tally)).cell(0, 2)
    assert cell == ("unmet", "", 0.0, 0)


@pytest.mark.parametrize(("n_matches", "has_points"), [(20, True), (2000, False)])
def test_cells_show_points_where_there_is_room(n_matches, has_points):
    assert CrosstableGrid(everyone_met(16, n_matches)).has_points is has_points


@pytest.mark.parametrize("drawn", [share_map, coverage_map])
def test_a_drawing_has_tooltips_up_to_a_number_of_players(drawn):
    few, many = Page(drawn(everyone_met(TITLES))), Page(drawn(everyone_met(TITLES + 1)))
    assert len(few.words["title"]) == 1 + TITLES * (TITLES - 1)
    assert many.count("path") == 2  # the background, and one path for all cells of one colour
    assert many.words["title"] == few.words["title"][:1]


def test_names_in_tooltips_are_text():
    tally = Tally(2)
    tally.add(0, 1, 1.0)
    names = ["</title><script>x</script>", '"<&>']
    for drawn in (share_map, coverage_map):
        page = Page(drawn(Crosstable.of(names, tally)))
        assert page.count("script") == 0
        assert all(name in page.words["title"][1] for name in names)


def test_classes_grow_with_the_score_and_with_the_matches():
    shares = [int(share_class(score, 20)[1:]) for score in range(21)]
    assert shares == sorted(shares)
    assert share_class(10, 20) == share_class(0.5, 1) == "d5"
    counts = [int(count_class(count, 50)[1:]) for count in range(1, 51)]
    assert counts == sorted(counts)
    assert set(counts) <= set(range(1, 7))
