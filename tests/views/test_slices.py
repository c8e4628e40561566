"""Slices as a view: leaderboards, sentences, tables, and what cannot be sliced."""

import csv
import io

import pytest

from maxin.core import InvalidInput, UnknownName
from maxin.ratings.judging.judged_tally import JudgedTally
from maxin.views import Belief, Leaderboard, Slices
from maxin.views import slices as module
from maxin.views.fits import METHODS
from maxin.views.slices import MOST_SLICES, NoSlices, SlicedResults, fields_to_slice_by

NAMES = ["anna", "bo", "cy", "di"]


def sliced(names=NAMES, *, n_missing=0, **wins):
    """Slices in which the first, second, ... player beats all others so many times."""
    results = SlicedResults("category", len(names))
    for name, best in wins.items():
        for other in range(len(names)):
            if other != best:
                results.of(name).add_match(best, other, [1.0], 12)
                results.of(name).add_match(best, other, [0.0], 3)
    if n_missing:
        results.of(None).add_match(0, 1, [1.0], n_missing)
    return results


def whole(results):
    """The results of all slices together."""
    tally = JudgedTally(results.missing.n_players)
    for part in [*results.slices.values(), results.missing]:
        tally.add_tally(part)
    return tally


def slices_of(results, names=NAMES, states=None, **options):
    return Slices.of(Belief(names, whole(results), states, **options), results)


@pytest.fixture(scope="module")
def found():
    return slices_of(sliced(code=0, prose=1, n_missing=7))


def test_every_slice_has_a_leaderboard_of_its_own(found):
    assert list(found) == ["code", "prose"]
    for name, best in (("code", "anna"), ("prose", "bo")):
        board = found[name]
        assert isinstance(board, Leaderboard)
        assert board[0].player == best
        assert board[0].p_best > 0.8
        assert sum(row.p_best for row in board) == pytest.approx(1.0)
        assert sum(row.rating for row in board) == pytest.approx(0.0, abs=1e-6)
        assert board[0].matches == 45
        assert board[0].score == 0.8
    assert found.n_matches == 90
    assert found.n_missing == 7
    assert found.overall[0].rating < found["code"][0].rating


def test_ratings_are_shrunk_towards_the_overall_ones(found):
    def gap(boards):
        """How much better anna is in code than in prose."""
        code, prose = ({row.player: row.rating for row in board} for board in boards)
        return code["anna"] - prose["anna"]

    parts = sliced(code=0, prose=1).slices.values()
    alone = [Leaderboard.of(Belief(NAMES, tally)) for tally in parts]
    assert 0.5 * gap(alone) < gap(found.values()) < 0.98 * gap(alone)
    assert found.interval[0] < found.spread < found.interval[1]


def test_a_slice_that_does_not_exist_is_named(found):
    with pytest.raises(UnknownName, match=r"^there is no slice named 'codes'; did you mean 'code'"):
        found["codes"]
    assert found.get("codes") is None
    assert "codes" not in found
    assert "code" in found


def test_all_formats_have_all_slices(found):
    document = found.document()
    assert document["by"] == "category"
    assert [part["slice"] for part in document["slices"]] == ["code", "prose"]
    assert document["slices"][0]["standings"] == [row._asdict() for row in found["code"]]
    rows = list(csv.DictReader(io.StringIO(found.table.csv())))
    assert [(row["slice"], row["player"]) for row in rows] == [
        (part.name, row.player) for part in found.parts for row in part.leaderboard
    ]
    assert "code" in str(found)
    assert "7 without a value count for the overall ratings alone" in str(found)
    assert "<td" in found._repr_html_()
    assert repr(found) == "<Slices by category: code and prose>"


def test_a_page_has_a_rating_per_player_and_slice(found):
    rows = {row.player: row for row in found.by_player()}
    assert set(rows) == set(NAMES)
    assert rows["anna"].cells[0].is_candidate
    assert not any(cell.is_candidate for cell in rows["cy"].cells)
    assert "anna, code: ± " in rows["anna"].cells[0].title
    assert "45 matches" in rows["anna"].cells[0].title


def test_slices_with_the_most_matches_come_first():
    results = sliced(zoo=0, art=1)
    results.of("big").add_match(2, 3, [1.0], 100)
    assert list(slices_of(results)) == ["big", "art", "zoo"]


def test_retired_players_inform_and_are_not_the_best():
    found = slices_of(sliced(code=0, prose=1), states={"anna": "retired", "di": "removed"})
    assert [row.player for row in found["code"]][-1] == "anna"
    assert found["code"][-1].rank is None
    assert "di" not in [row.player for row in found["code"]]
    assert found.parts[0].best.player != "anna"
    assert "anna" not in found.parts[0].candidates


def test_an_anchor_sets_the_scale_of_every_slice():
    found = slices_of(sliced(code=0, prose=1), anchor={"cy": 1500.0})
    for board in found.values():
        row = next(row for row in board if row.player == "cy")
        assert (row.rating, row.margin) == (1500.0, 0.0)
    assert found.summary.text().split()[10].isdigit()  # without a sign


def test_all_results_may_be_in_one_slice():
    found = slices_of(sliced(code=0))
    assert list(found) == ["code"]
    assert found["code"][0].rating == pytest.approx(found.overall[0].rating, abs=15.0)


def test_too_many_slices_are_refused():
    results = SlicedResults("id", 2)
    for number in range(MOST_SLICES):
        results.of(str(number))
    assert results.of("3") is results.of("3")
    with pytest.raises(InvalidInput, match=f"at most {MOST_SLICES} values; 'id' has more: 0, 1, 2"):
        results.of("one more")


@pytest.mark.parametrize(
    ("known", "there"),
    [
        ([], "no result has data"),
        (["category"], "no result has data"),
        (["move"], "there is 'move'"),
        (["b", "a"], "there are 'a' and 'b'"),
        ([f"f{n:02}" for n in range(15)], "there are 'f00', .* 'f11' and 3 more"),
    ],
)
def test_a_field_without_values_is_refused_and_the_others_named(known, there):
    with pytest.raises(NoSlices, match=f"no result has a value of 'category' .*; {there}"):
        SlicedResults("category", 2).check_any(known)


def test_what_cannot_be_fitted_is_refused(monkeypatch):
    results = sliced(code=0)
    belief = Belief(NAMES, whole(results), ratings=METHODS["bradley-terry"])
    with pytest.raises(InvalidInput, match="by the posterior alone; got 'fit_bradley_terry'"):
        Slices.of(belief, results)
    monkeypatch.setattr(module, "MOST_PLAYERS", 3)
    with pytest.raises(InvalidInput, match=r"for 2 to 3 players, .* 'category' has results of 4"):
        slices_of(results)


def test_fields_with_few_values_can_be_sliced_by():
    rows = [
        {"id": n, "game": n % 3, "same": 1, "tags": ["x"], "category": "ab"[n % 2]}
        for n in range(60)
    ]
    assert fields_to_slice_by(rows) == ["category", "game"]
    votes = [{"choice": "ab"[n % 2], "side": "ab"[n % 2], "voter": n % 3} for n in range(9)]
    assert fields_to_slice_by(votes) == ["voter"]  # a choice is the outcome
    assert fields_to_slice_by([]) == []
