"""Results are counted by a field of their data, the same in every database."""

import pytest

from maxin.core import InvalidInput
from maxin.storage import Entry, Judge, PlayedMatch, StoreFailed
from maxin.storage import slices as slices_module
from maxin.storage.slices import CountedSlice, counted_slices, latest_data, slices_of_results
from tests.helpers.stores import add_two

ALL = 10**9  # an entry after the last one


def write(store, *data, score=1.0):
    """Record a result of the first two players for each of these data."""

    def add(writer):
        if not writer.seq:
            add_two(writer)
        for one in data:
            writer.tell(PlayedMatch(None, 0, 1, score, data=one), "me")

    store.transact(add)


def test_results_are_counted_by_every_kind_of_value(store):
    values = ["code", " code ", "", None, 2, 2.5, True, False, 'a "b" \\ c', "kategória"]
    write(store, *({"kind": value, "x": 1} for value in values), None, {"x": "kind"})
    counts = {row.name: row.times for row in merged(counted_slices(store, "kind", ALL))}
    assert counts == {
        "code": 2,
        None: 4,
        "2": 1,
        "2.5": 1,
        "true": 1,
        "false": 1,
        'a "b" \\ c': 1,
        "kategória": 1,
    }


def merged(rows):
    """The rows with those of one name added up."""
    found = {}
    for row in rows:
        times = found[row.name].times if row.name in found else 0
        found[row.name] = row._replace(times=times + row.times)
    return found.values()


@pytest.mark.parametrize("field", ["kategória", "a b", 'a"b', "a.b", "$", "a\\b", "a'b", "a%_b"])
def test_a_field_can_have_any_name(store, field):
    write(store, {field: "here", "other": {field: "inside"}}, {"other": {field: "inside"}})
    assert {row.name: row.times for row in counted_slices(store, field, ALL)} == {
        "here": 1,
        None: 1,
    }
    assert list(slices_of_results(store, field, ALL).values()) == ["here"]


def test_games_name_the_slice_if_all_have_the_same(store):
    games = [["e4", "e4"], ["e4", "d4"], [None, "e4"], [2, 2]]
    write(store, *({"games": [{"c": one} for one in both]} for both in games))
    write(store, {"games": "c"}, {"games": []}, {"c": "top", "games": [{"c": "e4"}] * 2})
    counts = {row.name: row.times for row in merged(counted_slices(store, "c", ALL))}
    assert counts == {"e4": 1, "2": 1, "top": 1, None: 4}


def test_scores_games_and_judges_are_kept_apart(store):
    write(store, {"c": "x"}, {"c": "x"})
    write(store, {"c": "x", "judge": "ann"}, score=0.5)
    games = PlayedMatch(None, 0, 1, 0.5, (1.0, 0.0), data={"c": "y"})
    store.transact(lambda writer: writer.tell(games, "me"))
    assert set(counted_slices(store, "c", ALL)) == {
        CountedSlice("x", 0, 1, 1.0, None, None, 2),
        CountedSlice("x", 0, 1, 0.5, None, Judge("ann"), 1),
        CountedSlice("y", 0, 1, 0.5, (1.0, 0.0), None, 1),
    }


def test_what_was_retracted_or_came_later_does_not_count(store):
    write(store, {"c": "x"}, {"c": "y"}, {"c": "z"})
    seqs = list(slices_of_results(store, "c", ALL))
    store.transact(lambda writer: writer.retract(Entry(seqs[0], "tell"), "wrong", "me"))
    assert {row.name for row in counted_slices(store, "c", ALL)} == {"y", "z"}
    assert {row.name for row in counted_slices(store, "c", seqs[1])} == {"x", "y"}


@pytest.mark.parametrize(
    ("value", "said"), [(["a"], "a list"), ({"a": 1}, "an object"), ("x" * 101, "101")]
)
def test_a_value_that_names_no_slice_is_refused(store, value, said):
    write(store, {"c": value})
    with pytest.raises(InvalidInput, match=f"'c' .*{said}"):
        counted_slices(store, "c", ALL)


def test_data_that_is_not_json_is_an_error_of_the_store(store):
    write(store, {"c": "x"})
    with store._connected() as connection:
        connection.exec_driver_sql("UPDATE maxin_told SET data = '{\"c\": '")
    with pytest.raises(StoreFailed):
        counted_slices(store, "c", ALL)


def test_the_latest_data_comes_first(store):
    write(store, {"b": 1}, {"a": {"inner": 2}}, None)
    assert latest_data(store) == [{"a": {"inner": 2}}, {"b": 1}]


def test_of_large_data_the_latest_few_are_read(store, monkeypatch):
    write(store, *({"number": number, "log": "x" * 1_000} for number in range(9)))
    monkeypatch.setattr(slices_module, "SAMPLE_SIZE", 2_500)
    assert [data["number"] for data in latest_data(store)] == [8, 7]
