"""Wrong results are taken back from the shell."""

import re
import shlex

import pytest

from maxin.tournament import Tournament
from tests.helpers.command import call, right, start

URL = "sqlite:///maxin.db"


@pytest.fixture(autouse=True)
def played():
    start("anna", "bo")
    right("ask")
    right("tell", 1, 1)


def suggested(error):
    """The arguments of the command that an error suggests."""
    return shlex.split(re.search("`maxin (.*?)`", error)[1])


def test_a_result_is_taken_back_and_corrected():
    done = right("retract", 1, "--reason", "typo")
    assert done.out == "match 1 is retracted; 0 matches in total\n"
    assert right("retract", 1, "--reason", "typo").out.startswith("match 1 was already retracted")
    right("tell", 1, 0)
    with Tournament(store=URL) as tournament:
        assert [row.score for row in tournament.matches()] == [0.0]
    assert "typo" in right("show", "matches").out
    assert "OK: everything matches the record" in right("verify").out


def test_an_import_is_taken_back(tmp_path):
    (tmp_path / "battles.csv").write_text("first,second,score\nanna,bo,1\nbo,anna,1\n")
    right("import", "battles.csv")
    done = right("retract", "--source", "battles.csv", "--reason", "the wrong file")
    assert done.out == "retracted 2 matches of battles.csv; 1 match in total\n"


def test_one_line_of_an_import_is_taken_back(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    (tmp_path / "battles.csv").write_text("first,second,score\nanna,bo,1\nbo,anna,1\n")
    right("import", "battles.csv")
    shown = right("show", "matches").out
    assert "battles.csv:2" in shown
    assert "battles.csv:3" in shown
    done = right("retract", "--source", "battles.csv", "--line", 3, "--reason", "typo")
    assert done.out == "retracted 1 match of battles.csv, line 3; 2 matches in total\n"


def test_a_finished_match_is_not_void():
    done = call("void", 1, "--reason", "typo")
    assert (done.code, done.out) == (2, "")
    assert "has a result, 1, and cannot be void; `maxin retract 1 --store" in done.err
    assert right(*suggested(done.err)).out == "match 1 is retracted; 0 matches in total\n"


def test_a_pending_match_is_not_retracted():
    right("ask")
    done = call("retract", 2, "--reason", "typo")
    assert (done.code, done.out) == (2, "")
    assert right(*suggested(done.err)).out == "match 2 is void\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--reason", "x"], "give either the number of a match or --source"),
        ([1, "--source", "x", "--reason", "x"], "give either the number of a match or --source"),
        ([1, "--line", 2, "--reason", "x"], "--line is a line of a --source; give both"),
        ([1], "--reason is missing"),
        ([1, "--reason", ""], "a reason must be a text in one line"),
        ([5, "--reason", "x"], "there is no match 5; 1 were handed out so far"),
        (["--source", "x", "--reason", "x"], "there is no source 'x'; nothing was imported"),
    ],
)
def test_mistakes_end_in_one_line(arguments, words):
    done = call("retract", *arguments)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert done.err.count("\n") == 1
