"""Results are written as CSV, JSON, JSON lines and Markdown."""

import csv
import io
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxin.core import UnknownName
from maxin.core.text import csv_line
from maxin.storage import PlayedMatch
from maxin.tournament.results import read_results, written
from maxin.tournament.results.writing import COLUMNS
from maxin.views.standings import Leaderboard, Standing
from tests.helpers.results import matches, triples, write


@pytest.mark.parametrize("format", ["csv", "json", "jsonl"])
@given(played=st.lists(matches(), max_size=8))
def test_results_that_are_written_are_read_again(tmp_path_factory, format, played):
    path = tmp_path_factory.mktemp("logs") / f"log.{format}"
    write(played, path, format)
    assert triples(path) == [(row.first, row.second, row.score) for row in played]
    read = list(read_results(path))
    assert len({row.line for row in read}) == len(read)
    for row, before in zip(read, played, strict=True):
        assert (row.games, row.errors, row.retracted) == (*before[4:6], before.retracted)
        kept = {"number": before.number, "seed": before.seed, "time": before.time}
        found = {key: value for key, value in kept.items() if value is not None}
        found |= before.data or {}
        assert {**(row.data or {}), "source": None} == {**found, "source": None}


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
        assert unescaped.count("|") == 10


def test_csv_holds_what_json_holds():
    played = PlayedMatch(
        7, "anna", "bo", 0.75, (1.0, 0.5), ("slow",), {"plies": 12}, None, None, 3, 1.5, "me"
    )
    assert "".join(written([played], "csv")) == (
        ",".join(COLUMNS) + '\n7,anna,bo,0.75,"[1.0, 0.5]",3,1.5,,"[""slow""]","{""plies"": 12}",\n'
    )


FORMULAS = ["=1+1", "+cmd", "-cmd|' /C calc'!A0", "@SUM(A1)", "\t=1", "\r=1", "'=1+1", "-", "=5"]


@given(played=st.lists(matches(), max_size=5))
def test_a_spreadsheet_finds_no_formula_in_csv(played):
    text = "".join(written(played, "csv"))
    cells = [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]
    starts = [cell for cell in cells if cell[:1] in ("=", "+", "-", "@", "\t", "\r") and cell]
    assert all(re.fullmatch(r"[+-]?\d+(\.\d*)?(e[+-]?\d+)?%?", cell, re.I) for cell in starts)


@pytest.mark.parametrize("name", FORMULAS)
def test_a_formula_gets_an_apostrophe_that_is_removed_when_it_is_read(tmp_path, name):
    path = tmp_path / "log.csv"
    played = [PlayedMatch(1, name, "anna", 1.0, source="=x")]
    write(played, path, "csv")
    [_, line] = csv.reader(io.StringIO(path.read_bytes().decode(), newline=""))
    assert (line[1], line[7]) == (f"'{name}", "'=x")
    assert triples(path) == [(name, "anna", 1.0)]


@pytest.mark.parametrize("name", ["-1.5", "+1", "-1e-05", "anna", "'tis", "a=b", "'"])
def test_numbers_and_plain_names_are_not_touched(name):
    assert csv_line([name]) == csv_line([name], raw=True) == f"{name}\n"


@pytest.mark.parametrize("name", [*FORMULAS, "''=1", "'-x", "'tis", "-1.5"])
@pytest.mark.parametrize("raw", [False, True])
def test_every_name_comes_back_with_its_own_apostrophes(tmp_path, name, raw):
    path = tmp_path / "log.csv"
    write([PlayedMatch(1, name, "anna", 1.0)], path, "csv", raw=raw)
    assert triples(path) == [(name, "anna", 1.0)]


def test_raw_csv_has_the_names_as_they_are(tmp_path):
    path = tmp_path / "log.csv"
    write([PlayedMatch(1, "=1+1", "anna", 1.0)], path, "csv", raw=True)
    assert "1,=1+1,anna" in path.read_text()
    assert triples(path) == [("=1+1", "anna", 1.0)]


def test_the_leaderboard_is_guarded_too():
    board = Leaderboard([Standing(1, "=1+1", 1.0, -2.5, 2.0, 0.5, 1, 0.5, 0, 1, 0, "active")])
    assert board.to_csv().splitlines()[1] == "1,'=1+1,1.0,-2.5,2.0,0.5,1,0.5,0,1,0,active,"
    assert board.to_csv(raw=True).splitlines()[1].startswith("1,=1+1,")


def test_no_results_make_a_valid_file():
    assert "".join(written([], "csv")) == ",".join(COLUMNS) + "\n"
    assert json.loads("".join(written([], "json"))) == []
    assert "".join(written([], "jsonl")) == "".join(written([], "pgn")) == ""


def test_an_unknown_format_is_refused():
    with pytest.raises(UnknownName, match="no format of results named 'xml'"):
        written([], "xml")
