"""A tournament driven from the shell: started, asked, told, and its players changed."""

import json
import shlex
import subprocess
import sys
import time

import pytest

from maxin.storage import open_store
from maxin.tournament import Tournament
from tests.helpers.command import call, right

URL = "sqlite:///maxin.db"
ODD = ["--eve", "anna maria", "[bold]bo[/]", "c'y;"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MAXIN_STORE", raising=False)
    return tmp_path


def start(*names, flags=()):
    players = [word for name in names for word in ("--player", name)]
    return right("start", *players, *flags)


def ticket(*flags):
    return right("ask", "--format", "json", *flags).document


def test_a_started_tournament_is_that_of_its_players_and_settings():
    assert start("anna", "bo", flags=["--seed", "5"]).out == "2 players, 2 active in " + URL + "\n"
    start("anna", "bo", flags=["--seed", "5"])  # again, which changes nothing
    with Tournament(store=URL) as tournament:
        assert (tournament.names, tournament.settings.seed) == (["anna", "bo"], 5)
    done = call("start", "--player", "anna", "--player", "bo", "--seed", "6")
    assert (done.code, "seed is 5 in the store and 6 here" in done.err) == (2, True)


def test_a_config_file_or_a_glob_starts_one_too(folder):
    (folder / "league.toml").write_text(
        'store = "sqlite:///league.db"\nseed = 3\n[defaults]\ndepth = 2\n[players.anna]\n'
        "[players.bo]\ndepth = 4\n[match]\ncommand = 'play {a} {b}'\n"
    )
    assert right("start", "league.toml").out.endswith("sqlite:///league.db\n")
    with Tournament(store="sqlite:///league.db") as tournament:
        assert [dict(entrant.options) for entrant in tournament.entrants()] == [
            {"depth": 2},
            {"depth": 4},
        ]
        assert tournament.settings.seed == 3
        assert tournament.settings.match == "command: play {a} {b}"
    for name in ("bot1.py", "bot2.py"):
        (folder / name).touch()
    right("start", "--players", "bot*.py")
    with Tournament(store=URL) as tournament:
        assert tournament.names == ["bot1.py", "bot2.py"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "a tournament needs players"),
        (["--player", "anna"], "at least two players"),
        (["--player", "anna", "--player", "anna"], "'anna' is there twice"),
        (["--player", "a", "--player", "b", "--scheduler", "maxi"], "did you mean 'maxin'"),
        (["--player", "a", "--player", "b", "--games-per-match", "3"], "from 1 to 2; got 3"),
        (["nothing.toml"], "there is no file 'nothing.toml'"),
    ],
)
def test_a_start_that_fails_leaves_no_store(folder, arguments, words):
    done = call("start", *arguments)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert not list(folder.iterdir())


def test_a_ticket_is_a_line_with_tabs_or_an_object():
    start(*ODD)
    number, first, second, seed = right("ask").out.rstrip("\n").split("\t")
    assert (number, {first, second} <= set(ODD)) == ("1", True)
    document = ticket()
    assert list(document) == ["match", "first", "second", "seed"]
    assert document["match"] == 2
    with Tournament(store=URL) as tournament:
        assert tuple(tournament.out()[0]) == (1, first, second, int(seed))
        assert tuple(tournament.out()[1]) == tuple(document.values())


def test_the_ticket_outlives_the_process_that_asked():
    start("anna", "bo")
    done = subprocess.run(
        [sys.executable, "-m", "maxin", "ask", "--lease", "300"],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout.startswith("1\t")
    (lease,) = open_store(URL).leases()
    assert 290.0 < lease.until - time.time() <= 300.0
    assert ticket()["match"] == 2  # not the first one again
    with Tournament(store=URL) as tournament:
        assert [one.id for one in tournament.out()] == [1, 2]


def test_a_lapsed_ticket_is_handed_out_again_and_a_late_score_counts():
    start("anna", "bo")
    first = ticket("--lease", "0.01")
    time.sleep(0.05)
    assert ticket() == first
    right("tell", first["match"], 1)
    assert "was told already" in right("tell", first["match"], 1).out


def test_a_score_is_told_once_and_another_is_refused():
    start("anna", "bo")
    ticket()
    done = right("tell", 1, 0.5, "--format", "json", "--data", '{"moves": 30}', "--error", "slow")
    assert done.document == {"match": 1, "score": 0.5, "is_new": True, "n_matches": 1}
    again = right("tell", 1, 0.5, "--format", "json")
    assert again.document == {"match": 1, "score": 0.5, "is_new": False, "n_matches": 1}
    other = call("tell", 1, 1)
    assert (other.code, other.out) == (2, "")
    assert "was told with score 0.5; it cannot be told again with 1" in other.err
    with Tournament(store=URL) as tournament:
        (match,) = tournament.matches()
    assert (match.errors, match.data) == (("slow",), {"moves": 30})


def test_games_of_a_match_are_told_with_it():
    start("anna", "bo", flags=["--games-per-match", "2"])
    asked = ticket()
    done = call("tell", 1, 1, "--games", "1,0")
    assert (done.code, "the mean of its games" in done.err) == (2, True)
    right("tell", 1, 0.75, "--games", "1,0.5")
    with Tournament(store=URL) as tournament:
        (match,) = tournament.matches()
    assert (match.first, match.score, match.games) == (asked["first"], 0.75, (1.0, 0.5))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["tell", "9", "1"], "there is no match 9; 1 were asked so far"),
        (["tell", "1", "1.5"], "in [0, 1]"),
        (["tell", "1", "nan"], "in [0, 1]"),
        (["tell", "1", "won"], "Invalid value"),
        (["tell", "one", "1"], "Invalid value"),
        (["tell", "1", "1", "--games", "1,x"], "--games are numbers"),
        (["tell", "1", "1", "--data", "[1]"], "--data is a JSON object"),
        (["tell", "1", "1", "--data", "{"], "is not JSON"),
        (["void", "9", "why"], "there is no match 9"),
        (["demand", "anna", "anna"], "nobody can play themselves"),
        (["demand", "anna", "ana"], "did you mean 'anna'"),
        (["demand", "anna", "bo", "--times", "0"], "Invalid value"),
        (["ask", "--lease", "0"], "--lease is a positive number of seconds; got 0"),
        (["pause", "ana"], "did you mean 'anna'"),
        (["add", "anna"], "'anna' is a player already"),
        (["add", "zoe", "--option", "depth"], "--option is key=value; got 'depth'"),
        (["add", "zoe", "--option", "a=1", "--option", "a=2"], "--option a is there twice"),
        (["add"], "Missing argument"),
    ],
)
def test_mistakes_are_named_and_change_nothing(arguments, words):
    start("anna", "bo")
    ticket()
    done = call(*arguments)
    assert (done.code, done.out) == (2, "")
    assert words in " ".join(done.err.split())
    assert "Traceback" not in done.err
    with Tournament(store=URL) as tournament:
        assert (tournament.names, tournament.n_matches, tournament.n_out) == (["anna", "bo"], 0, 1)


def test_nothing_to_ask_now_and_never_again_are_told_apart():
    start("anna", "bo", "cy", flags=["--scheduler", "round-robin:cycles=1", "--lag", "2"])
    ticket()
    ticket()
    later = call("ask", "--format", "json")
    assert later.code == 3
    assert later.document["match"] is None
    assert later.document["is_over"] is False
    assert "2 matches still out" in later.document["reason"]
    for number in (1, 2):
        right("tell", number, 1)
    ticket()
    right("tell", 3, 1)
    over = call("ask", "--format", "json")
    assert over.code == 4
    assert over.document == {
        "match": None,
        "reason": "the scheduler has nothing more to ask",
        "is_over": True,
    }
    plain = call("ask")
    assert (plain.code, plain.out) == (4, "")
    assert "nothing more to ask" in plain.err


def test_a_budget_is_for_what_is_told_and_out():
    start("anna", "bo", "cy")
    ticket("--budget", "2")
    ticket("--budget", "2")
    spent = call("ask", "--budget", "2", "--format", "json")
    assert (spent.code, spent.document["is_over"]) == (3, False)
    for number in (1, 2):
        right("tell", number, 1)
    spent = call("ask", "--budget", "2", "--format", "json")
    assert (spent.code, spent.document["reason"]) == (4, "the budget of 2 matches is spent")
    assert ticket()["match"] == 3


def test_asking_ends_as_soon_as_the_best_is_known():
    start("anna", "bo")
    twin = Tournament(["anna", "bo"])
    while not twin.top(confidence=0.9).is_decided:
        number, first, *_ = ticket("--confidence", "0.9").values()
        right("tell", number, float(first == "anna"))
        twin.tell(twin.ask(), float(first == "anna"))
    done = call("ask", "--confidence", "0.9", "--format", "json")
    assert (done.code, done.document["is_over"]) == (4, True)
    assert done.document["reason"].startswith("decided")
    assert right("show", "--confidence", "0.9", "--format", "json").document["top"]["is_decided"]
    assert ticket("--confidence", "0.99999")["match"] == twin.n_matches + 1


def test_a_demand_comes_first_in_the_seats_given():
    start(*ODD)
    assert right("demand", "--times", 2, "--", "[bold]bo[/]", "--eve").out
    for _ in range(2):
        asked = ticket()
        assert (asked["first"], asked["second"]) == ("[bold]bo[/]", "--eve")


def test_a_void_match_counts_for_nobody_until_its_score_comes():
    start("anna", "bo")
    ticket()
    assert right("void", 1, "the power went").out == "match 1 is void\n"
    assert right("void", 1, "again").out == "match 1 was not out\n"
    with Tournament(store=URL) as tournament:
        assert (tournament.n_out, tournament.n_matches) == (0, 0)
    assert "the power went" in right("show", "failures").out
    right("tell", 1, 1)
    assert right("show", "--format", "json").document["n_matches"] == 1


def test_players_join_pause_resume_and_retire():
    start("anna", "bo")
    right("add", "--option", "depth=3", "--option", "book=open.bin", "--", "--eve", "cy")
    with Tournament(store=URL) as tournament:
        assert tournament.names == ["anna", "bo", "--eve", "cy"]
        assert dict(tournament.entrants()[2].options) == {"depth": 3, "book": "open.bin"}
    assert right("pause", "--", "--eve", "bo").out == "paused: --eve and bo; 4 players, 2 active\n"
    right("retire", "cy")
    states = {"anna": "active", "bo": "paused", "--eve": "paused", "cy": "retired"}
    with Tournament(store=URL) as tournament:
        assert tournament.states == states
    done = call("demand", "anna", "bo")
    assert (done.code, "'bo' is paused" in done.err) == (2, True)
    alone = call("ask", "--format", "json")
    right("pause", "anna")
    alone = call("ask", "--format", "json")
    assert "a match needs two active players; there are 0" in alone.document["reason"]
    assert right("resume", "anna", "bo", "cy", "--", "--eve").out.endswith("4 active\n")
    assert ticket()["match"] == 1


def test_any_language_can_drive_it(folder):
    """A shell script, with nothing but the command."""
    start("anna maria", "bo")
    script = folder / "drive.sh"
    script.write_text(
        f'maxin() {{ {shlex.quote(sys.executable)} -m maxin "$@"; }}\n'
        "while line=$(maxin ask --budget 2); do\n"
        "  id=$(printf '%s' \"$line\" | cut -f1); first=$(printf '%s' \"$line\" | cut -f2)\n"
        '  if [ "$first" = "anna maria" ]; then score=1; else score=0; fi\n'
        '  maxin tell "$id" "$score" || exit 9\n'
        "done\n"
    )
    subprocess.run(["sh", str(script)], timeout=300, check=True, capture_output=True)
    document = right("show", "--format", "json").document
    assert document["n_matches"] == 2
    assert document["standings"][0]["player"] == "anna maria"
    assert json.loads(right("verify", "--format", "json").out)["is_right"]
