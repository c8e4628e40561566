"""Players who join, pause, resume and retire."""

import csv
import io
import json
import shutil

import pytest

from maxin.tournament import Tournament
from tests.helpers.command import call, right

URL = "sqlite:///maxin.db"


@pytest.fixture(scope="module")
def unused(tmp_path_factory):
    """A tournament that was started, for tests to copy."""
    path = tmp_path_factory.mktemp("started") / "maxin.db"
    right("start", "--player", "anna", "--player", "bo", "--store", f"sqlite:///{path}")
    return path


@pytest.fixture(autouse=True)
def started(unused, folder):
    shutil.copy(unused, folder)


def test_players_join_pause_resume_and_retire():
    right("players", "add", "--option", "depth=3", "--option", "book=open.bin", "--", "--eve", "cy")
    with Tournament(store=URL) as tournament:
        assert tournament.names == ["anna", "bo", "--eve", "cy"]
        assert dict(tournament.entrants()[2].options) == {"depth": 3, "book": "open.bin"}
    assert (
        right("players", "pause", "--", "--eve", "bo").out
        == "paused: --eve and bo; 4 players, 2 active\n"
    )
    right("players", "retire", "cy")
    states = {"anna": "active", "bo": "paused", "--eve": "paused", "cy": "retired"}
    with Tournament(store=URL) as tournament:
        assert tournament.states == states
    done = call("request", "anna", "bo")
    assert (done.code, "'bo' is paused" in done.err) == (2, True)
    right("players", "pause", "anna")
    alone = call("ask", "--format", "json")
    assert "a match needs two active players; there are 0" in alone.document["reason"]
    assert right("players", "resume", "anna", "bo", "cy", "--", "--eve").out.endswith("4 active\n")
    assert right("ask", "--format", "json").document["match"] == 1


def test_the_list_has_states_matches_and_options():
    right("players", "add", "cy", "--option", "depth=3")
    right("ask")
    right("tell", 1, 1)
    right("players", "pause", "bo")
    rows = right("players", "list", "--format", "json").document["players"]
    assert [row["player"] for row in rows] == ["anna", "bo", "cy"]
    assert [row["state"] for row in rows] == ["active", "paused", "active"]
    assert sum(row["matches"] for row in rows) == 2
    assert rows[2]["options"] == {"depth": 3}
    lines = right("players", "list").out.splitlines()
    assert lines[0].split() == ["player", "state", "matches", "options"]
    assert lines[-1] == "3 players, 2 active"
    cells = list(csv.DictReader(io.StringIO(right("players", "list", "--format", "csv").out)))
    assert json.loads(cells[2]["options"]) == {"depth": 3}
    assert "| bo | paused |" in right("players", "list", "--format", "markdown").out


def test_options_are_edited_and_unset():
    right("players", "edit", "anna", "bo", "--option", "dept=3", "--option", "options.Hash=16")
    right(
        "players", "edit", "anna", "--unset", "dept", "--unset", "options.Hash", "--option", "x=1"
    )
    with Tournament(store=URL) as tournament:
        assert [dict(player.options) for player in tournament.entrants()] == [
            {"options": {}, "x": 1},
            {"dept": 3, "options": {"Hash": 16}},
        ]
        assert tournament.verify().problems == []


def test_a_player_who_has_not_played_is_removed():
    right("players", "add", "oops")
    assert right("players", "remove", "oops").out == "removed: oops; 2 players, 2 active\n"
    rows = right("players", "list", "--format", "json").document["players"]
    assert [row["player"] for row in rows] == ["anna", "bo"]
    right("ask")
    pending = call("players", "remove", "anna")
    assert (pending.code, "match 1 of 'anna' is pending" in pending.err) == (2, True)
    right("tell", 1, 1)
    played = call("players", "remove", "anna")
    assert played.code == 2
    assert "'anna' has played 1 match, so it cannot be removed; retire it instead" in played.err
    document = right("show", "--format", "json").document
    assert {row["player"] for row in document["standings"]} == {"anna", "bo"}
    assert "2 players; 1 match" in right("show").out
    assert "oops" not in right("show", "crosstable").out
    assert json.loads(right("verify", "--format", "json").out)["is_right"]
    unknown = call("players", "resume", "oops")
    assert "there is no player named 'oops'" in unknown.err
    right("players", "add", "oops", "--option", "depth=3")
    with Tournament(store=URL) as tournament:
        assert tournament.states == {"anna": "active", "bo": "active", "oops": "active"}
        assert dict(tournament.entrants()[2].options) == {"depth": 3}


def test_a_name_that_is_a_glob_adds_files_as_run_does(folder):
    for step in (9, 100):
        (folder / f"step-{step}.pt").touch()
    right("players", "add", "step-9.pt")
    assert right("players", "add", "cy", "*.pt", "step-*.pt").out == (
        "added: cy and step-100.pt; 5 players, 5 active\n"
    )
    right("players", "add", "gpt[beta]")  # a name: no file matches it
    (folder / "step-7.pt").touch()
    right("players", "add", "step-[7].pt")
    with Tournament(store=URL) as tournament:
        assert tournament.names[2:] == ["step-9.pt", "cy", "step-100.pt", "gpt[beta]", "step-7.pt"]
    done = call("players", "add", "*.pt")
    assert (done.code, done.err) == (
        2,
        "error: every file that matches '*.pt' is a player already\n",
    )


def test_a_glob_adds_the_files_that_are_new(folder):
    for name in ("a.pt", "b.pt"):
        (folder / name).touch()
    right("players", "add", "a.pt")
    right("players", "add", "--players", "*.pt", "--option", "size=3")
    with Tournament(store=URL) as tournament:
        assert tournament.names == ["anna", "bo", "a.pt", "b.pt"]
        assert [dict(player.options) for player in tournament.entrants()[2:]] == [{}, {"size": 3}]
    done = call("players", "add", "--players", "*.pt")
    assert (done.code, "every file that matches '*.pt' is a player already" in done.err) == (
        2,
        True,
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["pause", "ana"], "did you mean 'anna'"),
        (["add", "anna"], "'anna' is already a player, and active"),
        (
            ["add", "zoe", "--option", "depth"],
            "--option must be key=value or table.key=value; got 'depth'",
        ),
        (["add", "zoe", "--option", "a=1", "--option", "a=2"], "--option a is given twice"),
        (["add", "zoe", "--option", "a=1", "--option", "a.b=2"], "a has the value 1, so no keys"),
        (["edit", "anna"], "nothing to change; give --option KEY=VALUE or --unset KEY"),
        (["edit", "ana", "--option", "depth=3"], "did you mean 'anna'"),
        (["edit", "anna", "--unset", "depth"], "no option of player 'anna' named 'depth'"),
        (["remove", "boo"], "did you mean 'bo'"),
        (["add", "--players", "*.pt"], "no file matches the glob '*.pt'"),
        (["add", "ckpts/*.pt"], "no file matches the glob 'ckpts/*.pt'"),
        (["add", "cy", "step-0?.pt"], "no file matches the glob 'step-0?.pt'"),
        (["add"], "NAMES is missing; see `maxin players add --help`"),
        (["ad", "zoe"], "no command of `maxin players` named 'ad'; did you mean 'add'?"),
    ],
)
def test_mistakes_are_named_and_change_nothing(arguments, words):
    done = call("players", *arguments)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert done.err.count("\n") == 1
    with Tournament(store=URL) as tournament:
        assert tournament.states == {"anna": "active", "bo": "active"}
