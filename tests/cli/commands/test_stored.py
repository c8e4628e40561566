"""What can be seen of a stored tournament, and taken from it."""

import csv
import io
import json
import shutil
import sqlite3
import subprocess
import sys

import pytest
from rich.cells import cell_len

from maxin.tournament import Tournament
from maxin.tournament.results import read_log
from tests.helpers.command import call, right

NAMES = [
    *(f"run3/checkpoint-{step:06d}.pt" for step in range(100, 1300, 100)),
    "[red]bold[/]",
    "安娜; drop table",
]
VIEWS = ["leaderboard", "crosstable", "candidates", "coverage", "matches", "failures"]
FORMATS = ["text", "json", "csv", "markdown"]


def play(first, second, seed):
    """The later wins, mostly; some matches fail with a word of their own."""
    if seed % 13 == 0:
        raise RuntimeError("[red]out of memory[/]")
    order = float(NAMES.index(first) > NAMES.index(second))
    return 0.5 if seed % 5 == 0 else order


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A store with 120 matches; nobody may write to it."""
    path = tmp_path_factory.mktemp("filled") / "league.db"
    with Tournament(NAMES, f"sqlite:///{path}", seed=2, scheduler="random") as tournament:
        tournament.run(play, budget=120, confidence=None, retries=1)
        tournament.retire(NAMES[0])
    return path


@pytest.fixture
def store(filled, tmp_path, monkeypatch):
    """A copy of it, in the folder where the command is called."""
    shutil.copy(filled, tmp_path / "maxin.db")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("MAXIN_STORE", raising=False)
    return f"sqlite:///{tmp_path / 'maxin.db'}"


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("view", VIEWS)
def test_every_view_has_every_format(store, view, format):
    done = right("show", view, "--format", format)
    assert done.out
    assert "Traceback" not in done.err
    if format == "json":
        assert json.loads(done.out)
    if format == "csv":
        assert len(rows_of(done.out)) > 1


@pytest.mark.parametrize("columns", [80, 60])
@pytest.mark.parametrize("view", ["leaderboard", "crosstable", "coverage", "matches"])
def test_tables_are_no_wider_than_the_terminal(store, view, columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    drawn = right("show", view).out.split("\n\n")[0]
    assert max(map(cell_len, drawn.splitlines())) <= columns


def test_the_leaderboard_is_that_of_the_tournament(store):
    with Tournament(store=store) as tournament:
        board, top = tournament.leaderboard(), tournament.top()
    document = right("show", "--format", "json").document
    assert document["standings"] == [row._asdict() for row in board]
    assert document["n_matches"] == 120
    assert document["top"]["players"] == list(top.players)
    assert document["top"]["candidates"] == list(top.candidates)
    assert right("show", "--format", "csv").out == board.to_csv()
    text = right("show").out
    assert "14 players, 1 retired; 120 matches told" in text
    assert top.players[0] in text


def test_markup_and_wide_letters_in_names_are_printed_as_they_are(store):
    text = right("show").out
    assert "[red]bold[/]" in text
    assert "安娜; drop table" in text
    assert "[red]out of memory[/]" in right("show", "failures").out


def test_top_shows_the_first_and_says_so(store):
    document = right("show", "--top", 3, "--format", "json").document
    assert [row["rank"] for row in document["standings"]] == [1, 2, 3]
    assert "shown: the first 3 of 14" in right("show", "--top", 3).out


def test_candidates_are_those_of_the_top(store):
    with Tournament(store=store) as tournament:
        two = tournament.top(2, confidence=0.9)
    given = ("--k", 2, "--confidence", 0.9)
    document = right("show", "candidates", *given, "--format", "json").document
    assert {row["player"] for row in document["standings"]} == set(two.candidates)
    assert " lead with " in right("show", "candidates", *given).out


def test_the_crosstable_adds_up(store):
    document = right("show", "crosstable", "--format", "json").document
    points, matches = document["points"], document["matches"]
    everyone = range(len(NAMES))
    assert sum(map(sum, points)) == pytest.approx(120)
    assert sum(map(sum, matches)) == 240
    for i in everyone:
        for j in everyone:
            assert points[i][j] + points[j][i] == pytest.approx(matches[i][j])
    rows = rows_of(right("show", "crosstable", "--format", "csv").out)
    assert sum(float(row["points"]) for row in rows) == pytest.approx(120)
    first = right("show", "crosstable").out.splitlines()[1]
    i, j = 0, next(j for j in everyone if matches[0][j])
    assert f"{points[i][j]:g}/{matches[i][j]}" in first


def test_a_crosstable_that_does_not_fit_shows_its_top_or_comes_in_parts(store):
    short, whole = right("show", "crosstable").out, right("show", "crosstable", "--top", 14).out
    assert "of 14; --top 14 shows all in parts" in short
    heads = [line.split() for line in whole.splitlines() if line.split()[:1] == ["player"]]
    assert [int(word) for head in heads for word in head[1:]] == list(range(1, 15))
    assert len(heads) > 1


def test_coverage_counts_pairs_among_those_in_play(store):
    document = right("show", "coverage", "--format", "json").document
    n = len(document["players"])
    assert n == len(NAMES) - 1
    assert document["n_pairs"] == n * (n - 1) // 2
    met = sum(document["matches"][i][j] > 0 for i in range(n) for j in range(i))
    assert document["n_pairs_met"] == met
    assert document["share_met"] == met / document["n_pairs"]
    played = {row["player"]: row for row in right("show", "--format", "json").document["standings"]}
    fewest = min(played[name]["matches"] for name in document["players"])
    assert document["fewest_matches"] == fewest
    assert all(played[name]["matches"] == fewest for name in document["starved"])
    pairs = rows_of(right("show", "coverage", "--format", "csv").out)
    assert len(pairs) == document["n_pairs"]
    text = right("show", "coverage").out
    assert f"{met} of {document['n_pairs']} pairs met" in text
    assert "fewest matches: " in text


def test_matches_are_the_latest(store):
    document = right("show", "matches", "--top", 3, "--format", "json").document
    everything = right("show", "matches", "--format", "json").document
    assert everything["n_matches"] == len(everything["matches"]) == 120
    assert document["matches"] == everything["matches"][-3:]
    assert "the latest 20 of 120 matches" in right("show", "matches").out


def test_failures_are_told_in_their_own_words(store):
    failures = right("show", "failures", "--format", "json").document["failures"]
    assert {one["kind"] for one in failures} >= {"failed", "void"}
    failed = next(one for one in failures if one["kind"] == "failed")
    assert {failed["first"], failed["second"]} <= set(NAMES)
    assert "out of memory" in failed["reason"]
    assert "RuntimeError" in failed["log"]
    text = right("show", "failures", "--top", 1).out
    assert f"the latest 1 of {len(failures)} failures" in text


def test_a_tournament_without_matches_or_players_can_be_shown(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Tournament(["anna", "bo"], "sqlite:///maxin.db").close()
    Tournament((), "sqlite:///empty.db").close()
    for view in VIEWS:
        for format in FORMATS:
            right("show", view, "--format", format)
            right("show", view, "--format", format, "--store", "sqlite:///empty.db")
    assert "2 players; 0 matches told" in right("show").out


def test_verify_compares_and_finds_what_was_tampered_with(store, tmp_path):
    done = right("verify")
    assert "120 matches of 14 players read again" in done.out
    assert "all is as recorded" in done.out
    document = right("verify", "--format", "json").document
    assert (document["is_right"], document["problems"]) == (True, [])
    assert document["largest_difference"] < 1e-9
    with sqlite3.connect(tmp_path / "maxin.db") as connection:
        connection.execute("UPDATE maxin_asked SET seed = seed + 1 WHERE match = 7")
    connection.close()
    done = call("verify")
    assert done.code == 1
    assert "wrong: match 7 has another seed" in done.out
    done = call("verify", "--format", "json")
    assert (done.code, done.document["is_right"], len(done.document["problems"])) == (1, False, 1)


def test_the_report_is_one_page_and_never_written_over_something_else(store, tmp_path):
    assert right("report").out.strip() == "maxin-report.html"
    page = (tmp_path / "maxin-report.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "checkpoint-001200" in page
    right("report")  # anew
    done = call("report", "maxin.db")
    assert (done.code, "a report is a .html file" in done.err) == (2, True)
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.parametrize("suffix", ["csv", "json", "jsonl", "pgn"])
def test_what_is_exported_can_be_read_again(store, tmp_path, suffix):
    assert right("export", f"all.{suffix}").out.strip() == f"all.{suffix}"
    with Tournament(store=store) as tournament:
        played = [(match.first, match.second, match.score) for match in tournament.matches()]
    read = [(row.first, row.second, row.score) for row in read_log(tmp_path / f"all.{suffix}")]
    assert read == played
    assert not list(tmp_path.glob("*.part"))


def test_export_goes_to_standard_output_and_writes_over_nothing_unasked(store, tmp_path):
    text = right("export").out
    assert len(rows_of(text)) == 120
    (tmp_path / "all.csv").write_text("precious")
    done = call("export", "all.csv")
    assert (done.code, "--force writes over it" in done.err) == (2, True)
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
    assert done.out == "2 new matches; 122 matches told in all\n"
    assert right("import", "extra.csv").out == "0 new matches; 122 matches told in all\n"
    assert right("import", "extra.csv", "--source", "again").out.startswith("2 new matches")
    assert "zoe" in right("show").out
    assert "extra.csv" in right("show", "matches", "--top", 4, "--format", "csv").out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["show", "--store", "sqlite:///nothing.db"], "there is no store at nothing.db"),
        (["verify", "--store", "sqlite:///nothing.db"], "there is no store at nothing.db"),
        (["export", "--store", "sqlite:///nothing.db"], "there is no store at nothing.db"),
        (["show", "--store", "mysql://here"], "a store is sqlite or postgresql"),
        (["show", "candidates", "--k", "99"], "k, the size of the top"),
        (["show", "--confidence", "7"], "confidence"),
        (["export", "all.xls"], "'all.xls' does not tell its format"),
        (["export", "nowhere/all.csv"], "there is no folder 'nowhere'"),
        (["export", "--format", "cvs"], "did you mean 'csv'"),
        (["report", "nowhere/page.html"], "there is no folder 'nowhere'"),
        (["import", "nothing.csv"], "there is no file 'nothing.csv'"),
    ],
)
def test_mistakes_end_in_one_line_and_exit_code_2(store, tmp_path, arguments, words):
    before = sorted(path.name for path in tmp_path.iterdir())
    done = call(*arguments)
    assert (done.code, done.out) == (2, "")
    assert words in " ".join(done.err.split())
    assert "Traceback" not in done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_the_store_may_be_named_in_the_environment(store, monkeypatch, tmp_path):
    (tmp_path / "maxin.db").rename(tmp_path / "other.db")
    assert call("show").code == 2
    monkeypatch.setenv("MAXIN_STORE", "sqlite:///other.db")
    assert "120 matches told" in right("show").out


@pytest.mark.parametrize("arguments", [["show"], ["verify", "--format", "json"], ["show", "what"]])
def test_the_real_command(store, tmp_path, arguments):
    done = subprocess.run(
        [sys.executable, "-m", "maxin", *arguments],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=120,
        check=False,
    )
    assert done.returncode == (2 if "what" in arguments else 0), done.stderr
    assert "Traceback" not in done.stderr
