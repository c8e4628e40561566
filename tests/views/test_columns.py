"""Columns are declared once: every output follows from the declaration."""

import json
import subprocess
import sys
from typing import NamedTuple

import pytest

from maxin.views.columns import SHARE, SPARE, Column, DataTable
from tests.helpers.processes import ROOT

pytest.importorskip("starlette", reason="the extra `web` is not installed")
pytest.importorskip("pandas", reason="the extra `pandas` is not installed")

# A process that declares one more column of the leaderboard, and prints every output.
WIDER = """
import io, json
from maxin.views.columns import Column
from maxin.views.standings import Leaderboard

declared = Leaderboard.columns.func
Leaderboard.columns = property(lambda board: [
    *declared(board),
    Column("points", "points", value=lambda row: row.wins + row.draws / 2, kind=float,
           meaning="Wins, and half of the draws."),
])

from rich.console import Console
from maxin.cli.output.live import standings_table
from maxin.cli.output.tables.leaderboards import leaderboard_table
from maxin.service.client import Client
from maxin.service.service import Service
from maxin.tournament import Tournament
from maxin.views.html import report
from maxin.views.html.notebook import LiveTable
from tests.helpers.serving import serving

tournament = Tournament(["anna", "bo"], seed=1)
tournament.add_results([("anna", "bo", 1.0)] * 6 + [("bo", "anna", 0.5)])
board, overview = tournament.leaderboard(), tournament.overview()
console = Console(file=io.StringIO(), width=100, color_system=None)
console.print(standings_table(overview, 100, 10))
with serving(Service.of(tournament)) as served:
    found = {
        "page": served.ask("GET", "/").raw.decode(),
        "player": served.ask("GET", "/players/anna").raw.decode(),
        "api": served.api("GET", "/leaderboard").body["standings"],
        "schema": served.ask("GET", "/openapi.json").body["components"]["schemas"]["StandingRow"],
        "client": str(Client(served.url).leaderboard()),
    }
print(json.dumps(found | {
    "text": str(board),
    "csv": board.to_csv(),
    "markdown": board.to_markdown(),
    "json": json.loads(board.to_json())["standings"],
    "lines": [json.loads(line) for line in board.to_jsonl().splitlines()],
    "frame": board.to_dataframe()["points"].tolist(),
    "sorted": [row.player for row in board.sorted("points", reverse=True)],
    "notebook": board._repr_html_(),
    "live table": LiveTable(100).picture(overview, 0),
    "report": report(tournament),
    "terminal": console.file.getvalue(),
    "shell": leaderboard_table(board).text(100),
}))
"""


@pytest.fixture(scope="module")
def wider():
    done = subprocess.run(
        [sys.executable, "-c", WIDER], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("output", ["text", "terminal", "shell", "client"])
def test_one_declaration_adds_a_column_to_text(wider, output):
    header, first, *_ = (line.rstrip() for line in wider[output].splitlines())
    assert header.endswith("W/D/L  points")
    assert first.endswith("6/1/0     6.5")


def test_one_declaration_adds_a_column_to_files(wider):
    assert [line.rpartition(",")[2] for line in wider["csv"].splitlines()] == [
        "points",
        "6.5",
        "0.5",
    ]
    assert [line.split(" | ")[-1] for line in wider["markdown"].splitlines()[::2]] == [
        "points |",
        "6.5 |",
    ]
    assert wider["frame"] == [6.5, 0.5]
    assert wider["sorted"] == ["bo", "anna"]


@pytest.mark.parametrize("output", ["json", "lines", "api"])
def test_one_declaration_adds_a_column_to_json(wider, output):
    assert [row["points"] for row in wider[output]] == [6.5, 0.5]


@pytest.mark.parametrize("output", ["notebook", "live table", "report", "page"])
def test_one_declaration_adds_a_column_to_html(wider, output):
    assert "points</th>" in wider[output].lower()
    assert ">6.5</td>" in wider[output]


def test_one_declaration_adds_a_fact_to_the_page_of_a_player(wider):
    assert "<dt>points</dt><dd>6.5</dd>" in wider["player"]


def test_one_declaration_adds_a_column_to_the_schema(wider):
    schema = wider["schema"]
    assert schema["properties"]["points"] == {
        "type": "number",
        "description": "Wins, and half of the draws.",
    }
    assert schema["required"] == list(schema["properties"])
    assert list(wider["api"][0]) == schema["required"]


class Found(NamedTuple):
    player: str
    score: float | None
    note: str = ""


COLUMNS = (
    Column("player", "player", left=True),
    Column("score", "score", format=SHARE),
    Column("note", "note", left=True, is_shown_if_any=True),
    Column(title="length", read=lambda row: len(row.player), priority=SPARE),
)


def test_programs_get_columns_with_a_key_and_people_those_with_a_title():
    table = DataTable(COLUMNS, [Found("anna", 0.25), Found("bo", None)], "found", {"n": 2})
    assert table.csv() == "player,score,note\nanna,0.25,\nbo,,\n"
    assert table.document() == {
        "n": 2,
        "found": [
            {"player": "anna", "score": 0.25, "note": ""},
            {"player": "bo", "score": None, "note": ""},
        ],
    }
    assert table.text() == "player   score  length\nanna    25.0 %       4\nbo                   2"
    assert table.text(room=14) == "player   score\nanna    25.0 %\nbo"
    assert table.markdown().splitlines()[1:3] == ["|:-|-:|-:|", "| anna | 25.0 % | 4 |"]


def test_a_column_may_be_shown_only_if_a_row_has_something_in_it():
    rows = [Found("anna", 0.25), Found("bo", 1.0, "late")]
    assert "note" in DataTable(COLUMNS, rows).text()
    assert "note" not in DataTable(COLUMNS, rows, brief=rows[:1]).text()
    assert "note" in DataTable(COLUMNS, rows, brief=rows[:1]).markdown()


def test_text_has_a_title_and_notes_or_says_that_there_is_nothing():
    table = DataTable(COLUMNS[:1], [Found("bo", 1.0)], title="all", below=["x"], notes=["y", "z"])
    assert table.text() == "all\n\nplayer\nbo\nx\n\ny\nz"
    assert DataTable(COLUMNS, [], empty="nobody").text() == "nobody"
    assert DataTable(COLUMNS[:1], [], notes=["y"]).text() == "y"
