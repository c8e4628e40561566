"""Results are written as CSV, JSON, JSON lines and Markdown."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxin.core import UnknownName
from maxin.storage import PlayedMatch
from maxin.tournament.results import read_results, written
from maxin.tournament.results.writing import COLUMNS
from tests.helpers.results import matches, triples, write


@pytest.mark.parametrize("format", ["csv", "json", "jsonl"])
@given(played=st.lists(matches(), max_size=8))
def test_results_that_are_written_are_read_again(tmp_path_factory, format, played):
    path = tmp_path_factory.mktemp("logs") / f"log.{format}"
    write(played, path, format)
    assert triples(path) == [(row.first, row.second, row.score) for row in played]
    lines = [row.line for row in read_results(path)]
    assert len(set(lines)) == len(lines)


@given(played=st.lists(matches(), max_size=5))
def test_json_lines_hold_everything(played):
    rows = [json.loads(line) for line in "".join(written(played, "jsonl")).splitlines()]
    tuples = {"games": lambda x: x and tuple(x), "errors": tuple}
    found = [
        PlayedMatch(**{key: tuples.get(key, lambda x: x)(value) for key, value in row.items()})
        for row in rows
    ]
    assert found == played


@given(played=st.lists(matches(), max_size=5))
def test_markdown_has_one_line_per_match_and_one_cell_per_column(played):
    lines = "".join(written(played, "markdown")).split("\n")
    assert len(lines) == len(played) + 3
    for line in lines[:-1]:
        unescaped = line.replace("\\\\", "").replace("\\|", "")
        assert unescaped.count("|") == 9


def test_csv_holds_what_json_holds():
    played = PlayedMatch(
        7, "anna", "bo", 0.75, (1.0, 0.5), ("slow",), {"plies": 12}, None, None, 3, 1.5, "me"
    )
    assert "".join(written([played], "csv")) == (
        ",".join(COLUMNS) + '\n7,anna,bo,0.75,"[1.0, 0.5]",3,1.5,,"[""slow""]","{""plies"": 12}"\n'
    )


def test_no_results_make_a_valid_file():
    assert "".join(written([], "csv")) == ",".join(COLUMNS) + "\n"
    assert json.loads("".join(written([], "json"))) == []
    assert "".join(written([], "jsonl")) == "".join(written([], "pgn")) == ""


def test_an_unknown_format_is_refused():
    with pytest.raises(UnknownName, match="no format of results named 'xml'"):
        written([], "xml")
