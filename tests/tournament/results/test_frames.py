"""Results in data frames of any library, and in Parquet files."""

import subprocess
import sys
from datetime import UTC, date, datetime
from decimal import Decimal

import numpy as np
import pandas
import pyarrow
import pytest
from pyarrow import parquet

import maxin
from maxin.core import InvalidInput, MissingExtra
from maxin.tournament.results import frames, read_results
from tests.helpers.results import save

VOTES = {
    "model_a": ["x", "y", "x"],
    "model_b": ["y", "z", "z"],
    "winner": ["model_a", "tie", None],
    "turn": [1, None, 3],
    "day": [datetime(2026, 11, 16, tzinfo=UTC), None, None],
    "price": [Decimal("0.5"), None, None],
    "tags": [["math", "hard"], None, []],
}
FOUND = [
    ("x", "y", 1.0, {"day": "2026-11-16", "turn": 1, "price": 0.5, "tags": ["math", "hard"]}),
    ("y", "z", 0.5, None),
]


class Capsule:
    """A data frame that has nothing but the Arrow PyCapsule protocol."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def polars_frame():
    return pytest.importorskip("polars").DataFrame(VOTES, strict=False)


FRAMES = {
    "pandas": lambda: pandas.DataFrame(VOTES),
    "pandas with types of Arrow": lambda: pandas.DataFrame(VOTES).convert_dtypes(
        dtype_backend="pyarrow"
    ),
    "pandas with categories": lambda: pandas.DataFrame(VOTES).astype(
        {"model_a": "category", "winner": "category"}
    ),
    "polars": polars_frame,
    "pyarrow": lambda: pyarrow.table(VOTES),
    "a stream": lambda: pyarrow.table(VOTES).to_reader(),
    "the protocol": lambda: Capsule(pyarrow.table(VOTES)),
}


def contents(results):
    """The matches, their data with dates cut to the day."""
    found = []
    for row in results:
        data = dict(row.data or {})
        if "day" in data:
            data["day"] = data["day"][:10]
        if "tags" in data and data["tags"] == []:
            del data["tags"]
        found.append((row.first, row.second, row.score, data or None))
    return found


@pytest.mark.parametrize("library", FRAMES)
def test_a_data_frame_of_any_library_is_read_with_its_data(library):
    results = read_results(FRAMES[library](), skip_invalid=True)
    assert contents(results) == contents(results) == FOUND  # again, also from a stream
    assert results.problems.notes == ["1 invalid row was left out: 1 without a result (row 3)"]


def test_a_frame_may_have_values_of_mixed_types_and_any_index():
    frame = pandas.DataFrame(
        {"white": ["anna", 3], "black": ["bo", "cy"], "winner": [1, "black"], 7: [pandas.NA, 2]},
        index=["i", "j"],
    )
    rows = [(row.first, row.second, row.score, row.data) for row in read_results(frame)]
    assert rows == [("anna", "bo", 1.0, None), ("3", "cy", 0.0, {"7": 2})]
    table = pyarrow.Table.from_pandas(frame[["white", "black"]].astype(str).assign(score=1.0))
    assert next(iter(read_results(table))).data is None  # not the index


def test_numbers_of_numpy_are_numbers():
    row = {"a": np.int64(1), "b": np.str_("bo"), "score": np.float32(0.5), "n": np.arange(2)}
    (match,) = read_results([row | {"day": date(2026, 1, 2), "x": np.nan, "uuid": np.int8(3)}])
    assert (match.first, match.second, match.score) == ("1", "bo", 0.5)
    assert match.data == {"n": [0, 1], "day": "2026-01-02", "uuid": 3}


def test_parquet_is_read_in_parts_with_its_data(tmp_path, monkeypatch):
    monkeypatch.setattr(frames, "BATCH", 1)
    parquet.write_table(pyarrow.table(VOTES), tmp_path / "votes.parquet")
    assert contents(read_results(tmp_path / "votes.parquet", skip_invalid=True)) == FOUND
    with pytest.raises(InvalidInput, match=r"votes.parquet', row 3: a row must have a winner"):
        list(read_results(tmp_path / "votes.parquet"))
    pandas.DataFrame(VOTES, index=[5, 6, 7]).to_parquet(tmp_path / "log")
    found = read_results(tmp_path / "log", "parquet", skip_invalid=True)
    assert contents(found) == FOUND
    parquet.write_table(pyarrow.table({"x": pyarrow.array([], "string")}), tmp_path / "x.parquet")
    with pytest.raises(InvalidInput, match="no columns for two players and a result; found: x"):
        list(read_results(tmp_path / "x.parquet"))


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (lambda: pandas.DataFrame([["a", "b"]], columns=["x", "x"]), "Duplicate column names"),
        (lambda: pyarrow.table([["a"], ["b"]], names=["x", "x"]), "name of its own"),
        (lambda: Capsule(pyarrow.chunked_array([[1, 2]])), "a Capsule cannot be read: "),
        (lambda: pandas.DataFrame({"x": [1]}), "no columns for two players"),
    ],
)
def test_a_frame_without_results_is_named(frame, message):
    with pytest.raises(InvalidInput, match=message):
        list(read_results(frame()))


def test_a_file_that_is_not_parquet_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match=r"log.parquet' is not a Parquet file"):
        list(read_results(save(tmp_path, "first,second,score\n", "log.parquet")))


def test_without_pyarrow_the_extra_is_named_and_pandas_is_read(tmp_path, monkeypatch):
    table = pyarrow.table(VOTES)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"pip install 'maxin\[parquet\]'"):
        read_results(table)
    with pytest.raises(MissingExtra, match=r"pip install 'maxin\[parquet\]'"):
        list(read_results(save(tmp_path, "", "log.parquet")))
    frame = pandas.DataFrame({"winner": ["anna"], "loser": ["bo"]})
    assert maxin.rank(frame)[0].player == "anna"


def test_reading_a_file_loads_no_library_of_frames(tmp_path):
    path = save(tmp_path, "winner,loser\nanna,bo\n")
    code = (
        "import sys, maxin.tournament.results as results; "
        f"list(results.read_results({str(path)!r})); "
        "print([name for name in ('numpy', 'pandas', 'pyarrow') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
