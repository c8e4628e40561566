"""Results to and from files."""

import gzip
import json

import pytest

from maxin.tournament import Tournament
from maxin.tournament.results import read_results
from tests.helpers.command import call, right
from tests.helpers.stored import NAMES, rows_of


@pytest.mark.parametrize("suffix", ["csv", "json", "jsonl", "pgn"])
def test_an_export_can_be_read_again(store, tmp_path, suffix):
    assert right("export", f"all.{suffix}").out.strip() == f"all.{suffix}"
    with Tournament(store=store) as tournament:
        played = [(match.first, match.second, match.score) for match in tournament.matches()]
    read = [(row.first, row.second, row.score) for row in read_results(tmp_path / f"all.{suffix}")]
    assert read == played
    assert not list(tmp_path.glob("*.part"))


def test_export_goes_to_standard_output_and_overwrites_nothing_without_force(store, tmp_path):
    text = right("export").out
    assert len(rows_of(text)) == 120
    (tmp_path / "all.csv").write_text("precious")
    done = call("export", "all.csv")
    assert (done.code, "--force overwrites it" in done.err) == (2, True)
    assert (tmp_path / "all.csv").read_text() == "precious"
    right("export", "all.csv", "--force")
    assert (tmp_path / "all.csv").read_text() == text


def test_the_leaderboard_can_be_exported(store, tmp_path):
    with Tournament(store=store) as tournament:
        board = tournament.leaderboard()
    right("export", "board.md", "--what", "leaderboard")
    assert (tmp_path / "board.md").read_text() == board.to_markdown()
    lines = right("export", "--what", "leaderboard", "--format", "jsonl").out.splitlines()
    assert [json.loads(line)["player"] for line in lines] == [row.player for row in board]
    done = call("export", "--what", "leaderboard", "--format", "pgn")
    assert (done.code, "no format of leaderboard named 'pgn'" in done.err) == (2, True)


def test_results_from_elsewhere_count_once(store, tmp_path):
    (tmp_path / "extra.csv").write_text(f"first,second,score\n{NAMES[1]},{NAMES[2]},1\nnew,zoe,0\n")
    done = call("import", "extra.csv")
    assert (done.code, "'new' is not a player" in done.err) == (2, True)
    done = right("import", "extra.csv", "--add-players")
    assert done.out == "2 new matches; 122 matches in total\n"
    assert right("import", "extra.csv").out == "0 new matches; 122 matches in total\n"
    done = call("import", "extra.csv", "--source", "again")
    assert (done.code, "again seems to be a copy" in done.err) == (2, True)
    done = right("import", "extra.csv", "--source", "again", "--again")
    assert done.out.startswith("2 new matches")
    assert "zoe" in right("show").out
    assert "extra.csv" in right("show", "matches", "--top", 4, "--format", "csv").out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["export", "--store", "sqlite:///nothing.db"], "no store at nothing.db"),
        (["export", "all.xls"], "the name of 'all.xls' has no known ending"),
        (["export", "nowhere/all.csv"], "there is no folder 'nowhere'"),
        (["export", "--format", "cvs"], "did you mean 'csv'"),
        (["import", "nothing.csv"], "no file 'nothing.csv'"),
        (["import"], "FILE is missing; see `maxin import --help`"),
    ],
)
def test_mistakes_end_in_one_line_and_write_nothing(store, tmp_path, arguments, words):
    before = sorted(path.name for path in tmp_path.iterdir())
    done = call(*arguments)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert done.err.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_export_does_not_overwrite_the_store(store, tmp_path):
    (file,) = tmp_path.glob("*.db")
    before = file.read_bytes()
    for name in (file.name, f"{file.name}-wal"):
        done = call("export", "--force", "--format", "csv", name)
        assert done.code == 2
        assert f"'{name}' is the store; choose another file" in done.err
    assert file.read_bytes() == before


BATTLES = "id,model_a,model_b,winner\n1,gpt,claude,model_a\n2,gpt,llama,tie (bothbad)\n"


@pytest.mark.parametrize("name", ["new.db", "sqlite:///new.db"])
def test_an_import_makes_its_store(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "battles.csv").write_text(BATTLES)
    done = right("import", "battles.csv", "--store", name)
    assert done.out == (
        "new tournament of 3 players in sqlite:///new.db\n2 new matches; 2 matches in total\n"
    )
    with Tournament(store=f"sqlite:///{tmp_path / 'new.db'}") as tournament:
        assert tournament.names == ["gpt", "claude", "llama"]
        assert [row.data for row in tournament.matches()] == [{"id": "1"}, {"id": "2"}]
    right("retract", "--source", "battles.csv", "--reason", "typo", "--store", name)
    done = right("import", "battles.csv", "--store", name)
    assert done.out.endswith("all results of this file were retracted; --again adds them again\n")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (BATTLES + "3,gpt,llama,nobody\n", "line 4: a winner must be"),
        ("id,model_a,model_b,winner\n", "there is no result in 'battles.csv'"),
    ],
)
def test_an_invalid_file_makes_no_store(tmp_path, monkeypatch, text, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "battles.csv").write_text(text)
    done = call("import", "battles.csv", "--store", "new.db")
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["battles.csv"]


def test_an_import_says_what_is_retracted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "anna,bo,1,\nbo,anna,0,typo\nanna,bo,0,\n"
    (tmp_path / "battles.csv").write_text(f"first,second,score,retracted\n{rows}")
    said = "2 matches in total, without 1 retracted result of this source"
    assert right("import", "battles.csv").out.endswith(f"\n3 new matches; {said}\n")
    assert right("import", "battles.csv").out == f"0 new matches; {said}\n"


def test_an_import_is_told_the_format_that_a_name_does_not_say(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain.gz").write_bytes(gzip.compress(b"anna,bo,1\nbo,anna,0\n"))
    assert "give a format" in call("import", "plain.gz").err
    done = right("import", "plain.gz", "--input-format", "csv")
    assert done.out.endswith("2 new matches; 2 matches in total\n")


def test_an_import_leaves_out_invalid_rows_and_says_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "id;x;y;won\n1;anna;bo;1\n1;bo;anna;2\n2;bo;bo;1\n3;Anna ;bo;\n4;anna;BO;y\n"
    (tmp_path / "battles.csv").write_text(text)
    command = ["import", "battles.csv", "--column", "first=x", "--column", "second=y"]
    command += ["--column", "winner=won"]
    done = call(*command)
    assert done.code == 2
    assert (
        "'battles.csv': 3 invalid rows: 1 with an id that an earlier row has (line 3), " in done.err
    )
    assert [path.name for path in tmp_path.iterdir()] == ["battles.csv"]
    done = right(*command, "--skip-invalid")
    assert (
        "2 new matches; 2 matches in total\n3 invalid rows were left out: 1 with an id" in done.out
    )
    assert "differ only in blanks or case: 'bo' (line 2) and 'BO' (line 6)\n" in done.out
    assert "1.0" in right("export").out
    again = right(*command, "--skip-invalid").out
    assert again.startswith("0 new matches; 2 matches in total\n")
    (tmp_path / "more.csv").write_text("winner,loser\nBo ,anna\n")
    done = right("import", "more.csv", "--add-players")
    alike = "'Bo ' (line 2), 'bo' (a player before) and 'BO' (a player before)\n"
    assert done.out.endswith(f"differ only in blanks or case: {alike}")
