"""Chess on the command line: forfeits, ends of games, sequential tests, flags of other programs."""

import json
import shlex
import sys

import pytest

from maxin.cli.output.live import RunProgress
from maxin.core import Match, Stop
from maxin.runners import Outcome
from maxin.worker import Ticket, Told
from tests.helpers.command import call, right
from tests.helpers.stored import rows_of
from tests.helpers.uci import BACK_AND_FORTH, FAKE


def engine(name, manner, *words):
    command = shlex.join([sys.executable, "-S", str(FAKE), manner, *BACK_AND_FORTH])
    return ["--engine", f"cmd={command}", f"name={name}", *words]


@pytest.fixture(scope="module")
def run_of_forfeits(tmp_path_factory):
    """The output and the store of a run: one player oversteps its clock, one moves illegally."""
    store = f"sqlite:///{tmp_path_factory.mktemp('chess')}/chess.db"
    players = [
        *engine("good", "plays", "nodes=1"),
        *engine("late", "slow", "tc=0.1"),
        *engine("bad", "illegal", "nodes=1"),
    ]
    flags = ["--on-crash", "loss", "--opening-plies", "0", "--games-per-match", "2"]
    flags += ["--scheduler", "round-robin", "--budget", "3", "--confidence", "none"]
    return right("run", *players, *flags, "--store", store), store


def test_lines_of_a_run_say_how_each_game_ended(run_of_forfeits):
    run, _ = run_of_forfeits
    lines = [line for line in run.out.splitlines() if line.startswith("#")]
    assert len(lines) == 3
    late = next(line for line in lines if "good" in line and "late" in line)
    assert late.endswith(": late lost on time (2 games)")
    assert any("bad lost by an illegal move" in line for line in lines)
    assert "games ended by time" in run.out
    assert "forfeits: 6 of 6 games: " in run.out


def test_show_counts_forfeits_and_never_mixes_games_with_matches(run_of_forfeits):
    _, store = run_of_forfeits
    shown = right("show", "--store", store).out
    assert "forfeits: 6 of 6 games: " in shown
    head, *rows = shown.split("\n\n")[0].splitlines()
    assert "games" in head
    assert "matches" not in head
    for row in rows:
        cells = row.split()
        n_games = sum(map(int, next(cell for cell in cells if cell.count("/") == 2).split("/")))
        assert str(n_games) in cells[:-2]
    document = json.loads(right("show", "--store", store, "--format", "json").out)
    assert sum(row["time"] + row["illegal"] for row in document["games"]["forfeits"]) == 6


def test_show_failures_lists_the_forfeits_of_each_engine(run_of_forfeits):
    _, store = run_of_forfeits
    shown = right("show", "failures", "--store", store).out
    assert "lost on time  by a crash  by an illegal move" in shown
    assert "forfeit: match " in shown
    rows = rows_of(right("show", "failures", "--store", store, "--format", "csv").out)
    assert [row["kind"] for row in rows] == ["forfeit"] * 6


def test_show_matches_gives_the_end_of_every_game(run_of_forfeits, monkeypatch):
    _, store = run_of_forfeits
    monkeypatch.setenv("COLUMNS", "300")
    shown = right("show", "matches", "--store", store).out
    assert "ended by" in shown
    assert "lost on time" in shown


def test_the_report_has_the_ends_of_games(run_of_forfeits, tmp_path):
    _, store = run_of_forfeits
    right("report", tmp_path / "chess.html", "--store", store)
    page = (tmp_path / "chess.html").read_text()
    assert "<h2" in page
    for words in ("Games ended by", "Forfeits: 6 of 6 games", "By an illegal move"):
        assert words in page


def test_a_match_is_shown_with_its_games_as_pgn_and_the_name_of_its_machine(run_of_forfeits):
    _, store = run_of_forfeits
    (row,) = [
        row
        for row in rows_of(right("show", "matches", "--store", store, "--format", "csv").out)
        if {row["first"], row["second"]} == {"good", "late"}
    ]
    text = right("show", "match", row["number"], "--store", store).out
    assert "ended by late lost on time (2 games)\n" in text
    assert text.count('[Termination "time forfeit"]') == 2
    assert f'[Round "{row["number"]}.2"]' in text
    assert "{" + '"' not in text  # no JSON
    assert "|" not in text


def test_the_live_view_counts_forfeits():
    progress = RunProgress(0, Stop())
    for number in (1, 2):
        ticket = Ticket(number, "good", "late", 5, Match(0, 1))
        progress.take(Told(ticket, Outcome(1.0, ("late",), {"end": "time"})))
    assert progress.forfeits() == "late lost on time: 2"


def test_two_engines_play_a_sequential_test(tmp_path):
    players = [*engine("new", "plays", "nodes=1"), *engine("old", "illegal", "nodes=1")]
    flags = ["--on-crash", "loss", "--opening-plies", "0", "--store", f"sqlite:///{tmp_path}/a.db"]
    done = right("run", *players, *flags, "--sprt", "elo0=0", "elo1=150", "alpha=0.1", "beta=0.1")
    assert "decided: H1 (new - old is 150 nElo) is accepted against H0" in done.out
    assert "new - old: Elo " in done.out
    assert "lost, drawn and won [0, 0, " in done.out
    shown = right("show", "--store", f"sqlite:///{tmp_path}/a.db").out
    assert "decided: H1" in shown
    assert "old         +0" in shown
    again = right("run", *players, *flags, "--budget", "1")
    test = "elo0=0,elo1=150,alpha=0.1,beta=0.1"
    assert f"the last run was a sequential test; --sprt {test} continues it" in again.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["elo0=5", "elo1=0"], "--sprt: elo0 must be below elo1"),
        (["elo0=0"], "--sprt needs elo1, as in elo0=0,elo1=5"),
        (["elo0=0,elo1=5,alpha=1"], "--sprt: alpha must be a number above 0 and below 0.5; got 1"),
        (["5"], "options are written key=value"),
        ([], "--sprt takes words such as key=value; got none"),
        (["none", "--draw"], "--draw takes words such as key=value; got none"),
    ],
)
def test_invalid_tests_are_refused(words, message):
    done = call("run", "--player", "a", "--player", "b", "--command", "x", "--sprt", *words)
    assert done.code == 2
    assert message in done.err


def test_a_test_of_three_engines_is_refused(tmp_path):
    players = [word for name in "abc" for word in engine(name, "plays", "nodes=1")]
    store = f"sqlite:///{tmp_path}/a.db"
    done = call("run", *players, "--store", store, "--sprt", "elo0=0", "elo1=5")
    assert done.code == 2
    assert "a sprt needs exactly two players who are not retired; there are 3" in done.err


def test_wrong_options_of_engines_are_refused_at_the_start(tmp_path):
    players = [*engine("a", "plays", "option.Depth=99"), *engine("b", "plays", "option.Stile=x")]
    store = tmp_path / "a.db"
    done = call("run", *players, "--each", "nodes=1", "--store", f"sqlite:///{store}")
    assert done.code == 2
    assert "player 'a': option 'Depth' of fake must be a whole number from 1 to 9" in done.err
    assert "player 'b': there is no option of fake named 'Stile'; " in done.err
    assert not store.exists()


@pytest.mark.parametrize(
    ("flag", "ours"),
    [
        ("--concurrency", "--workers 4"),
        ("-concurrency", "--workers 4"),
        ("-rounds", "--budget 100"),
        ("-games", "--games-per-match 2"),
        ("-repeat", "--games-per-match 2"),
        ("-maxmoves", "--max-plies 400"),
        ("-srand", "--seed 7"),
        ("-pgnout", "maxin export games.pgn"),
        ("-recover", "--on-crash"),
        ("-tournament", "--scheduler"),
    ],
)
def test_flags_of_fastchess_and_cutechess_point_to_ours(flag, ours):
    done = call("run", flag, "4")
    assert done.code == 2
    assert f"has no {flag}; use " in done.err
    assert ours in done.err
