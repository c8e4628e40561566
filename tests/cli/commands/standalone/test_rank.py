"""Ratings from a finished log."""

import pytest

from maxin.ratings import Tally
from maxin.views import Belief, Leaderboard
from tests.helpers.command import call, right


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


def log(folder, text, name="log.csv"):
    (folder / name).write_text(text)
    return name


LEVEL = "first,second,score\nanna,bo,1\nbo,cy,1\ncy,anna,0.25\nbo,anna,0.5\n"


def test_ratings_are_those_of_the_tally(folder):
    tally = Tally(3)
    tally.add_many([0, 1, 2, 1], [1, 2, 0, 0], [1.0, 1.0, 0.25, 0.5])
    document = right("rank", log(folder, LEVEL), "--format", "json").document
    assert (document["invalid"], document["alike"]) == ({}, [])
    assert document["standings"] == [
        row._asdict() for row in Leaderboard.of(Belief(["anna", "bo", "cy"], tally))
    ]
    assert (document["n_matches"], document["n_skipped"]) == (4, 0)
    assert document["groups"] == [["anna", "bo", "cy"]]
    assert (document["unbeaten"], document["winless"], document["tied"]) == ([], [], [])
    assert document["advantage"] is None
    text = right("rank", "log.csv").out
    assert text.startswith(str(Leaderboard.of(Belief(["anna", "bo", "cy"], tally))))
    assert "3 players, 4 matches" in text


def test_the_first_seat_is_fitted_when_asked(folder):
    name = log(folder, "first,second,score\n" + "anna,bo,1\nbo,anna,1\n" * 20)
    advantage = right("rank", name, "--first-advantage", "--format", "json").document["advantage"]
    assert advantage["low"] > 0.0
    assert "sitting first: +" in right("rank", name, "--first-advantage").out


def test_the_unbeaten_the_winless_and_the_level_are_named(folder):
    name = log(folder, "white,black,result\nanna,bo,1-0\nbo,anna,0-1\ncy,anna,0-1\ncy,bo,1/2-1/2\n")
    document = right("rank", name, "--format", "json").document
    assert (document["unbeaten"], document["winless"]) == (["anna"], [])
    assert all(abs(row["rating"]) < 2000 for row in document["standings"])
    text = right("rank", name).out
    assert "never lost a point, so only the prior bounds the rating: anna" in text
    tied = log(folder, "first,second,score\nanna,bo,0.5\ncy,bo,0.5\ncy,anna,0.5\n", "tied.csv")
    document = right("rank", tied, "--format", "json").document
    assert sorted(document["tied"][0]) == ["anna", "bo", "cy"]
    assert "rated the same: " in right("rank", tied).out


def test_players_who_never_met_are_compared_by_the_prior_only(folder):
    name = log(folder, "first,second,score\nanna,bo,1\ncy,dee,0\nbo,eve,1\n")
    document = right("rank", name, "--format", "json").document
    assert document["groups"] == [["anna", "bo", "eve"], ["cy", "dee"]]
    text = right("rank", name).out
    assert "anna and cy never met, directly or through others" in text
    assert "only the prior compares ratings of different groups" in text
    for format in ("csv", "markdown"):  # where there is no room for words
        done = right("rank", name, "--format", format)
        assert "never met" not in done.out
        assert "anna and cy never met" in done.err


def test_players_who_never_met_are_named_without_their_control_characters(folder):
    rows = '"\x1b[31mred","b",1\n"two\nlines","d",1\n'
    done = right("rank", log(folder, f"first,second,score\n{rows}"))
    assert "\\x1b[31mred and two\\nlines never met, directly or through others" in done.out
    assert "\x1b" not in done.out


def test_unfinished_games_are_left_out_and_counted(folder):
    text = '[White "[b]anna"]\n[Black "bo"]\n[Result "{}"]\n\n{}\n\n'
    name = log(
        folder, "".join(text.format(word, word) for word in ("1-0", "*", "1/2-1/2")), "g.pgn"
    )
    done = right("rank", name)
    assert "2 players, 2 matches; 1 unfinished game left out" in done.out
    assert "[b]anna" in done.out
    assert right("rank", name, "--format", "json").document["n_skipped"] == 1


def test_the_format_can_be_said(folder):
    name = log(folder, '{"a": "x", "b": "y", "winner": "b"}\n' * 3, "games.txt")
    done = call("rank", name)
    assert (done.code, "has no known ending" in done.err) == (2, True)
    assert right("rank", name, "--input-format", "jsonl", "--format", "json").document[
        "winless"
    ] == ["x"]


def test_long_names_are_shortened_in_a_table_and_nowhere_else(folder):
    long = "a checkpoint " * 12 + "400"
    name = log(folder, f"first,second,score\n{long},bo,1\n")
    table = right("rank", name).out.split("\n\n")[0]
    assert max(map(len, table.splitlines())) <= 80
    assert "…" in table
    assert "400" in table
    assert long in right("rank", name, "--format", "csv").out


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "there are no finished matches in 'log.csv'"),
        ("first,second,score\nanna,bo,2\n", "line 2"),
        ("first,second,score\nanna,anna,1\n", "a player cannot play itself"),
        ("one,two,three\n", "no columns for two players and a result"),
    ],
)
def test_a_bad_log_is_one_clear_line(folder, text, words):
    done = call("rank", log(folder, text))
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--column", "winner"], "--column takes a role and a column, as in --column winner=pref"),
        (["--column", "x=y"], "there is no role of a column named 'x'; known: draw, first, id,"),
        (["--column", "first=y"], "there is no column named 'y'; known: first, score, second"),
        (["--column", "id=x", "--column", "id=y"], "--column: id must be given once; got it twice"),
        (["--delimiter", "::"], "a delimiter must be one character, or tab; got '::'"),
        (["--delimiter", ";"], "line 1: no columns for two players and a result; found: first,sec"),
        (["--input-format", "pgn", "--column", "first=x"], "PGN has tags and no columns"),
    ],
)
def test_wrong_flags_are_one_clear_line(folder, flags, words):
    done = call("rank", log(folder, LEVEL), *flags)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert done.err.count("\n") == 1


def test_invalid_rows_are_listed_or_left_out(folder):
    name = log(folder, LEVEL + "anna,anna,1\n" * 12 + "anna,bo,\n")
    done = call("rank", name)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: 'log.csv': 13 invalid rows: 12 of a player against itself")
    assert done.err.count("\n  line ") == 10
    assert "--skip-invalid" in done.err
    done = right("rank", name, "--skip-invalid", "--format", "csv")
    assert "13 invalid rows were left out: 12 of a player against itself (lines 6, 7," in done.err
    assert "3 players, 4 matches" in right("rank", name, "--skip-invalid").out


def test_a_missing_log_is_named():
    done = call("rank", "nothing.csv")
    assert (done.code, "no file 'nothing.csv'" in done.err) == (2, True)


def test_too_many_names_are_refused_before_they_are_rated(tmp_path):
    path = tmp_path / "many.csv"
    path.write_text("".join(f"p{n},q{n},1\n" for n in range(3000)))
    done = call("rank", path)
    assert done.code == 2
    assert "at most 2,000 names" in done.err


def test_an_anchor_sets_the_scale(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("first,second,score\nanna,bo,1\nbo,anna,0.5\n")
    done = right("rank", path, "--anchor", "bo=3500", "--format", "json")
    assert {row["player"]: row["rating"] for row in done.document["standings"]}["bo"] == 3500.0
    text = right("rank", path, "--anchor", "bo=3500").out
    assert "ratings: bo is 3500; the intervals are relative to it" in text
    done = call("rank", path, "--anchor", "cy=3500")
    assert done.code == 2
    assert "no player for the anchor named 'cy'" in done.err
    done = call("rank", path, "--anchor", "bo")
    assert done.err.startswith("error: --anchor must be one player and its rating in Elo points")


def test_judges_of_a_log_are_accounted_for(folder):
    rows = ["anna,bo,1,gpt"] * 20 + ["bo,anna,0,gpt"] * 20 + ["anna,bo,0,odd", "bo,anna,1,odd"] * 15
    text = "first,second,score{}\n" + "\n".join(rows)
    judged = right("rank", log(folder, text.format(",judge")), "--format", "json").document
    other = right("rank", log(folder, text.format(",note"), "b.csv"), "--format", "json").document
    best, plain = (found["standings"][0] for found in (judged, other))
    assert best["player"] == plain["player"] == "anna"
    assert best["rating"] > 2.0 * plain["rating"]


def votes(folder, name="votes.csv"):
    """Votes in two categories with opposite orders, and two without a category."""
    rows = ["anna,bo,1,code,7", "bo,anna,0,code,8", "anna,bo,0,prose,9"] * 20
    return log(
        folder, "\n".join(["first,second,score,kind,topic", *rows, *["anna,bo,1,,"] * 2]), name
    )


def test_each_value_of_a_column_has_a_leaderboard(folder):
    name = votes(folder)
    document = right("rank", name, "--by", "kind", "--format", "json").document
    leaders = [(part["slice"], part["standings"][0]["player"]) for part in document["slices"]]
    assert leaders == [("code", "anna"), ("prose", "bo")]
    assert (document["by"], document["n_matches"], document["n_missing"]) == ("kind", 60, 2)
    text = right("rank", name, "--by", "kind").out
    assert "code (40 matches)" in text
    assert "2 slices by kind, 60 matches; 2 without a value count for the overall" in text
    rows = right("rank", name, "--by", "kind", "--format", "csv").out.splitlines()
    assert rows[0].startswith("slice,rank,player,rating,low,high,p_best")
    assert len(rows) == 5
    assert right("rank", name, "--by", "kind", "--format", "markdown").out.startswith("| slice |")


def test_slices_say_once_how_judges_enter_and_which_rows_were_left_out(folder):
    rows = "".join(f"p{n % 12},p{(n + 1) % 12},1,code,j{n % 3}\n" for n in range(60))
    name = log(folder, f"first,second,score,kind,judge\n{rows}p0,p0,1,code,j0\nP1,p2,0,code,\n")
    text = right("rank", name, "--by", "kind", "--skip-invalid").out
    judged = "3 judges fitted, none of them counted reversed; with --ignore-judges all votes count"
    assert text.count(judged) == text.count("judges fitted") == 1
    assert "... and 3 more; --format csv shows all\n\n1 slice by kind, 61 matches\n" in text
    assert "\n1 invalid row was left out: 1 of a player against itself (line 62)\n" in text
    assert "'p1' (line 2) and 'P1' (line 63)" in text
    done = right("rank", name, "--by", "kind", "--skip-invalid", "--format", "json")
    assert done.document["invalid"] == {"self_match": 1}
    err = call("rank", name, "--by", "kind", "--skip-invalid", "--format", "csv").err
    assert judged in err
    assert "1 invalid row was left out" in err
    ignored = right("rank", name, "--by", "kind", "--skip-invalid", "--ignore-judges").out
    assert "3 judges ignored, as asked: all votes count alike" in ignored


@pytest.mark.parametrize("flag", [["--control", "length"], ["--first-advantage"]])
def test_slices_have_no_controls_and_no_first_advantage(folder, flag):
    done = call("rank", votes(folder), "--by", "kind", *flag)
    assert (done.code, done.err) == (2, f"error: --by and {flag[0]} cannot be given together\n")


@pytest.mark.parametrize(
    ("by", "message"),
    [
        ("kin", "no result has a value of 'kin' in its data; there are 'kind' and 'topic'"),
        ("first", "no result has a value of 'first'"),
        ("", "--by must be a non-empty text; got ''"),
    ],
)
def test_a_field_that_makes_no_slices_is_refused(folder, by, message):
    done = call("rank", votes(folder), "--by", by)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert len(done.err.splitlines()) == 1


def test_too_many_slices_are_refused(folder):
    rows = "".join(f"anna,bo,1,{number}\n" for number in range(60))
    done = call("rank", log(folder, f"first,second,score,id\n{rows}"), "--by", "id")
    assert done.code == 2
    assert "at most 50 values; 'id' has more: 0, 1, 2, ..." in done.err
