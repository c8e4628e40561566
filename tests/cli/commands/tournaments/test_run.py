"""`maxin run` as a person runs it: real processes, real signals, real files."""

import contextlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from maxin.cli.config.flags import program
from maxin.cli.output import run_summary
from maxin.runners import Command
from maxin.tournament import Tournament
from tests.helpers.command import call, right
from tests.helpers.forked_processes import forked_command
from tests.helpers.waiting import LONG, wait_until

MAXIN = [sys.executable, "-m", "maxin"]
PLAY = """
import os, sys, time
a, b, seed, *rest = sys.argv[1:]
if rest:
    open(f"pid-{os.getpid()}", "w").close()
    while not os.path.exists(rest[0]):
        time.sleep(0.01)
print(float(min(a, b) == a) if int(seed) % 4 else 0.5)
"""
CONFIG = f"""
players = ["[red]anna[/red]", "bo; 'x'", "-cy", "安娜"]
store = "sqlite:///league.db"
workers = 2
confidence = "none"
budget = 8
[match]
command = '''{sys.executable} -S play.py {{a}} {{b}} {{seed}}'''
"""
EVENTS = {"asked", "told", "failed", "void", "paused", "refused", "interrupted", "end"}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "play.py").write_text(PLAY)
    (tmp_path / "league.toml").write_text(CONFIG)
    return tmp_path


def environment(**more):
    plain = {key: value for key, value in os.environ.items() if key != "MAXIN_STORE"}
    return {**plain, "OPENBLAS_NUM_THREADS": "1", "COLUMNS": "100", **more}


def run(folder, *arguments, **more):
    return subprocess.run(
        [*MAXIN, "run", *arguments],
        cwd=folder,
        env=environment(**more),
        capture_output=True,
        text=True,
        timeout=LONG,
        check=False,
    )


def run_here(folder, *arguments):
    """The command run in this process, which is quicker."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.delenv("MAXIN_STORE", raising=False)
        patch.setenv("COLUMNS", "100")
        return call("run", *arguments)


def events(text):
    return [json.loads(line) for line in text.splitlines()]


def told(folder, store="league.db"):
    with Tournament(store=f"sqlite:///{folder / store}") as tournament:
        return [match.number for match in tournament.matches()]


def test_a_tournament_from_a_file_resumes_again_and_again(folder):
    first = run_here(folder, "league.toml")
    assert first.code == 0, first.err
    lines = first.out.splitlines()
    matches = [line for line in lines if line.startswith("#")]
    assert len(matches) == 8
    assert all(re.fullmatch(r"#\d+ .+ - .+ (1-0|0-1|0\.5-0\.5) \(seed \d+\)", m) for m in matches)
    assert any("[red]anna[/red]" in line for line in lines if re.match(r" +\d", line))
    assert "the budget is spent after 8 matches; too early to say: " in lines[-2]

    again = run_here(folder, "league.toml", "--budget", "12", "--json")
    assert again.code == 0, again.err
    stream = events(again.out)
    assert {event["event"] for event in stream} <= EVENTS
    results = {event["match"]: event for event in stream if event["event"] == "told"}
    assert sorted(results) == [9, 10, 11, 12]
    asked = {event["match"]: event for event in stream if event["event"] == "asked"}
    for number, result in results.items():
        assert all(result[key] == asked[number][key] for key in ("first", "second", "seed"))
        assert result["score"] in (0.0, 0.5, 1.0)
    end = stream[-1]
    assert (end["event"], end["reason"], end["exit_code"]) == ("end", "budget", 0)
    assert (end["n_matches"], end["n_new"], end["resume"]) == (12, 4, None)
    assert len(end["standings"]) == 4
    assert end["top"]["players"] == [end["standings"][0]["player"]]

    bare = run_here(folder, "--store", "sqlite:///league.db", "--budget", "13", "--quiet")
    assert bare.code == 0, bare.err
    assert bare.out.count("\n") == 2  # what is known, and details
    assert sorted(told(folder)) == list(range(1, 14))

    other = run_here(folder, "league.toml", "--seed", "4", "--command", "other {a}")
    assert other.code == 2
    assert "seed is 0 in the store and 4 here" in other.err
    assert "match is 'command: " in other.err
    assert "--store" in other.err


def test_a_callable_finds_the_best(folder):
    (folder / "games.py").write_text(
        "def play(first, second, seed):\n    return float(first < second)\n"
    )
    done = run(
        folder, "--player", "a", "--player", "b", "--player", "c", "--call", "games:play",
        "--seed", "5", MAXIN_STORE="sqlite:///by-variable.db",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "decided: a is the best, give or take 10 Elo: 9" in done.stdout
    assert (folder / "by-variable.db").exists()


def test_a_run_is_compared_with_a_round_robin(folder, monkeypatch):
    monkeypatch.setattr(run_summary, "n_cores", lambda: 1)  # the start of a process costs seconds
    monkeypatch.setattr(run_summary, "N_TOURNAMENTS", 3)
    done = run_here(folder, *FIELD[:2], "--compare", "--seed", "5")
    assert done.code == 0, done.err
    assert re.search(
        r"This took \d+ matches. For the same confidence a round robin would need about", done.out
    )


def test_a_game_of_payoffs_brings_its_players_and_the_same_seed_the_same_matches(folder):
    arguments = ["--payoff", "good-bad", "--budget", "9", "--lag", "2", "--seed", "3"]
    first, second = (
        run_here(folder, *arguments, "--workers", workers, "--store", f"sqlite:///{workers}.db")
        for workers in "12"
    )
    assert first.code == 0, first.err
    assert "player-0" in first.out
    assert sorted(first.out.splitlines()) == sorted(second.out.splitlines())


def players_of(folder):
    return [int(path.name.removeprefix("pid-")) for path in folder.glob("pid-*")]


def is_running(pid):
    with contextlib.suppress(FileNotFoundError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def test_ctrl_c_once_finishes_the_running_match_and_twice_kills_it(folder, monkeypatch):
    slow = ["--player", "a", "--player", "b b", "--command"]
    slow += [f"{sys.executable} -S play.py {{a}} {{b}} {{seed}} go"]
    monkeypatch.delenv("MAXIN_STORE", raising=False)
    with forked_command("run", *slow, folder=folder) as once:
        wait_until(lambda: players_of(folder))
        once.send_signal(signal.SIGINT)
        assert "finishing 1 running match; Ctrl-C again to kill it" in once.stderr.readline()
        (folder / "go").touch()
        out, errors = once.communicate(timeout=LONG)
    assert once.returncode == 130
    assert "#1 " in out
    assert "interrupted after 1 match; " in out
    assert told(folder, "maxin.db") == [1]

    resume = shlex.split(re.search(r"^to resume: (.*)$", errors, re.MULTILINE)[1])
    assert resume[-5:] == ["run", *slow][-5:]
    for path in [*folder.glob("pid-*"), folder / "go"]:
        path.unlink()
    twice = subprocess.Popen(
        [*resume, "--json"],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    (match,) = wait_until(lambda: players_of(folder))
    twice.send_signal(signal.SIGINT)
    for line in twice.stderr:
        if "finishing 1" in line:
            twice.send_signal(signal.SIGINT)
            break
    out, errors = twice.communicate(timeout=LONG)
    assert twice.returncode == 130
    assert not is_running(match)
    stream = events(out)
    assert [event["event"] for event in stream] == ["asked", "interrupted", "interrupted", "end"]
    assert stream[-1]["resume"] in errors
    assert told(folder, "maxin.db") == [1]

    (folder / "go").touch()
    third = run_here(folder, *slow, "--budget", "2", "--quiet")
    assert third.code == 0, third.err
    assert told(folder, "maxin.db") == [1, 2]  # the ticket of the killed match was asked again


def test_a_command_without_a_player_is_warned_of(folder):
    players = ["--player", "a", "--player", "b", "--budget", "1", "--quiet"]
    done = run_here(folder, *players, "--command", "echo {a} 1")
    assert "warning: the command has no {b}; unless it reads MAXIN_B, its scores" in done.err


def test_a_command_that_never_worked_stops_the_run_with_its_own_words(folder):
    (folder / "bad.py").write_text("import sys; sys.exit('\\x1b[31mno [engine] here\\x1b[0m')")
    players = ["--player", "a", "--player", "b"]
    command = ["--command", f"{sys.executable} -S bad.py", "--backoff", "0"]
    done = run_here(folder, *players, *command, "--quiet")
    assert (done.code, done.out) == (1, "")
    assert "aborted after 0 matches: no match of this run has worked" in done.err
    assert "\nno [engine] here\n" in done.err
    assert "Traceback" not in done.err


def test_a_player_that_keeps_failing_is_void_paused_and_said_so(folder):
    (folder / "odd.py").write_text(
        "import sys\nif 'odd' in sys.argv: sys.exit('odd broke')\nprint(1)\n"
    )
    done = run_here(
        folder, "--player", "anna", "--player", "bo", "--player", "odd", "--confidence", "none",
        "--budget", "8", "--command", f"{sys.executable} -S odd.py {{a}} {{b}}", "--retries", "1",
        "--backoff", "0",
        "--scheduler", "round-robin:cycles=none",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert re.search(r"#\d+ .*odd.* failed, attempt 2: the command exited with code", done.err)
    assert "  | odd broke" in done.err
    assert re.search(r"#\d+ .*odd.* is void: ", done.err)
    assert "odd is paused: its last 3 matches gave no score" in done.err
    assert "failed" not in done.out
    assert "paused" in done.out  # its state, in the leaderboard


def test_a_file_that_is_not_a_store_is_a_failure_of_the_disk(folder):
    done = run_here(folder, "league.toml", "--store", "sqlite:///play.py")
    assert done.code == 1
    assert "file is not a database" in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "no tournament to resume at sqlite:///maxin.db; give a config file"),
        (["no.toml"], "there is no file 'no.toml'; `maxin init` writes one"),
        (["--command", "x"], "a tournament needs players; give a config file"),
        (["--players", "*.c", "--command", "x"], "no file matches the glob '*.c'"),
        (["league.toml", "--command", "play {x}"], "no field of a match command named 'x'"),
        (["league.toml", "--goal", "top-4"], "goal 'top-4' needs more than 4 players; got 4"),
        (["league.toml", "--scheduler", "top-two:k=4"], "needs more than 4 players; got 4"),
        (["league.toml", "--goal", "top-k"], "--goal must be 'best', 'top-3' (any number)"),
        (["league.toml", "--scheduler", "ranking+elo"], "takes none after a +"),
        (["league.toml", "--scheduler", "maxn"], "did you mean 'maxin'"),
        (["league.toml", "--workers", "many"], "--workers must be a whole number of at least 1"),
        (["league.toml", "--budget", "none"], "a run needs an end"),
        (["league.toml", "--compare"], "--compare needs a confidence"),
        (["league.toml", "--json", "--quiet"], "--json and --quiet exclude each other"),
        (["league.toml", "--player", "a", "--player", "a"], "'a' occurs twice"),
        (["league.toml", "--call", "math:nothing"], "cannot load math:nothing"),
    ],
)
def test_mistakes_are_one_line_and_leave_no_store_behind(folder, arguments, words):
    done = run_here(folder, *arguments)
    assert (done.code, done.out) == (2, "")
    assert words in " ".join(done.err.split())
    assert not list(folder.glob("*.db"))


FIELD = ("--payoff", "field:n_players=3,spread=3", "--store", "sqlite:///goal.db", "--quiet")


def test_a_stored_goal_is_resumed_and_shown(folder):
    done = run_here(folder, *FIELD, "--goal", "top-2", "--budget", "2000")
    assert done.code == 0, done.err
    said = done.out.splitlines()[-1]
    assert re.match("decided: player-. and player-. are the top 2, give or take 10 Elo: 9", said)
    over = run_here(folder, *FIELD[2:])  # it was over, and is
    assert over.code == 0, over.err
    assert said in over.out
    assert (
        "are the top 2, give or take 10 Elo: 9"
        in right("show", "--store", f"sqlite:///{folder}/goal.db").out
    )


def test_a_ranking_reports_that_the_order_is_known(folder):
    done = run_here(folder, *FIELD, "--goal", "ranking", "--budget", "5000")
    assert done.code == 0, done.err
    assert (
        "decided: the order of all 3 players is known, give or take 10 Elo: at least 9" in done.out
    )
    store = ("--store", f"sqlite:///{folder}/goal.db")
    over = call("ask", *store, "--confidence", "0.95")
    assert over.code == 4
    assert "decided: the order of all 3 players is known" in over.err
    shown = right("show", "--store", f"sqlite:///{folder}/goal.db").out
    assert "the order of all 3 players is known" in shown


def test_equal_players_are_decided_within_a_tolerance(folder):
    tie = ("--payoff", "rock-paper-scissors", "--store", "sqlite:///tie.db", "--quiet")
    done = run_here(folder, *tie, "--tolerance", "300", "--budget", "5000")
    assert done.code == 0, done.err
    assert "is the best, give or take 300 Elo: 9" in done.out
    assert "undecided" not in done.out


def test_a_tournament_that_was_started_by_hand_can_be_run(folder):
    url = f"sqlite:///{folder / 'league.db'}"
    with Tournament(["a", "b"], url) as tournament:
        tournament.tell(tournament.ask(), 1.0)
    refused = run_here(folder, "--store", url)
    assert refused.code == 2
    assert "says nothing about how matches are played" in refused.err
    command = f"{sys.executable} -S play.py {{a}} {{b}} {{seed}}"
    done = run_here(folder, "--store", url, "--command", command, "--budget", "2", "--quiet")
    assert done.code == 0, done.err
    assert told(folder) == [1, 2]


def test_the_program_is_named_as_it_can_be_called_again():
    called = Path("/opt/bin/maxin")
    assert program(called, lambda name: f"/opt/bin/{name}") == ["maxin"]
    assert program(called, lambda name: f"/usr/bin/{name}") == ["/opt/bin/maxin"]
    assert program(Path("bin/maxin"), lambda name: None) == ["bin/maxin"]
    module = Path("/lib/maxin/__main__.py")
    assert program(module, lambda name: None) == [sys.executable, "-m", "maxin"]
    assert program(module, lambda name: sys.executable) == ["python", "-m", "maxin"]


def test_a_fresh_start_checks_the_players_once(folder, monkeypatch):
    checked, check = [], Command.check

    def noted(runner, entrants):
        players = list(entrants)
        checked.append([player.name for player in players])
        check(runner, players)

    monkeypatch.setattr(Command, "check", noted)
    done = run_here(folder, "league.toml", "--quiet")
    assert done.code == 0, done.err
    assert checked == [["[red]anna[/red]", "bo; 'x'", "-cy", "安娜"]]


PRICED = """print('{"score": 1, "data": {"cost": 0.02}}')"""


@pytest.fixture
def priced(folder):
    (folder / "priced.py").write_text(PRICED)
    how = f"{sys.executable} -S priced.py {{a}} {{b}}"
    return ["--player", "anna", "--player", "bo", "--command", how, "--confidence", "none"]


def test_a_budget_of_cost_ends_a_run(folder, priced, monkeypatch):
    monkeypatch.chdir(folder)
    done = right("run", *priced, "--budget-cost", "0.1")
    *_, headline, details, cost = done.out.splitlines()
    assert headline.startswith("the budget is spent after 5 matches; too early to say: ")
    assert details.endswith("; the cost is 0.1, and a match costs 0.02 on average")
    assert cost == "cost: 0.1 for 5 matches, 0.02 per match"
    (folder / "maxin.toml").write_text("budget_cost = 0.14\n")
    again = right("run", "maxin.toml", "--confidence", "none", "--quiet")
    assert again.out.startswith("the budget is spent after 7 matches; ")
    right("report", "report.html")
    page = (folder / "report.html").read_text()
    assert "cost in the budget" in page


def test_costs_that_are_not_reported_end_a_run_with_a_budget(folder, monkeypatch):
    monkeypatch.chdir(folder)
    words = [
        "--payoff",
        "rock-paper-scissors",
        "--confidence",
        "none",
        "--quiet",
        "--budget-cost",
        "5",
    ]
    done = call("run", *words)
    assert done.code == 1
    assert done.err.startswith("aborted after 10 matches: none of 10 results has a cost, so that")


def test_a_match_with_an_invalid_cost_fails(folder, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "priced.py").write_text("""print('{"score": 1, "data": {"cost": "0.3"}}')""")
    how = f"{sys.executable} -S priced.py {{a}} {{b}}"
    words = ["--player", "anna", "--player", "bo", "--command", how, "--retries", "0"]
    done = call("run", *words, "--budget-cost", "1")
    assert done.code == 1
    assert "a cost must be a number of at least 0; got '0.3'" in done.err
    assert right("export").out.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--budget-cost", "-1"], "--budget-cost must be a positive number"),
        (["--budget-cost", "20$"], "must be a positive number, or \"none\"; got '20$'"),
        (["--budget-time", "120"], '--budget-time must be a time of at least a second, "2h"'),
        (["--budget-time", "none"], "a run needs an end: a confidence, or a budget of"),
    ],
)
def test_budgets_that_are_none_are_one_line(folder, priced, words, said, monkeypatch):
    monkeypatch.chdir(folder)
    done = call("run", *priced, *words)
    assert done.code == 2
    assert said in done.err
    assert len(done.err.strip().splitlines()) == 1
    assert not list(folder.glob("*.db"))


def test_players_whom_an_earlier_run_paused_are_named_with_the_command_that_resumes_them(
    folder, monkeypatch
):
    monkeypatch.chdir(folder)
    names = ["anna", "bo", "cy"]
    players = [word for name in names for word in ("--player", name)]
    (folder / "works.py").write_text("print(1)")
    (folder / "fails.py").write_text("import sys; sys.exit('anna' not in sys.argv and 'oops' or 1)")
    words = ["run", *players, "--retries", "0", "--confidence", "none", "--budget", "4"]
    fails, works = (f"{sys.executable} -S {name}.py {{a}} {{b}}" for name in ("fails", "works"))
    for _ in range(3):
        wrong = call(*words, "--command", fails)
        assert wrong.code == 1
    assert "nobody is left to play (resume or retire them)" in wrong.err
    for _ in range(2):  # it says so every time
        done = call(*words, "--command", works)
        assert done.code == 1
        assert done.out == ""
        first, *_, last = done.err.splitlines()
        assert " paused, because matches kept failing; `maxin show failures --store " in first
        command = last.partition("to let them play again: ")[2]
        assert shlex.split(command)[1:3] == ["players", "resume"]
    right(*shlex.split(command)[1:])
    done = right(*words, "--command", works)
    assert done.err == ""
    assert "\nthe budget is spent after 4 matches; " in done.out


def test_a_run_without_some_paused_players_says_so(folder, monkeypatch):
    monkeypatch.chdir(folder)
    with Tournament(["anna", "bo", "cy"], "sqlite:///maxin.db", seed=1) as tournament:
        while tournament.states["cy"] == "active":
            ticket = tournament.ask()
            if "cy" in (ticket.first, ticket.second):
                tournament.fail(ticket, "it fell over", player="cy")
            else:
                tournament.tell(ticket, 0.5)
        n_matches = tournament.n_matches
    (folder / "works.py").write_text("print(1)")
    how = ["--command", f"{sys.executable} -S works.py {{a}} {{b}}", "--confidence", "none"]
    done = right("run", *how, "--budget", str(n_matches + 2), "--quiet")
    first, last = done.err.splitlines()
    assert first.startswith("cy is paused, because matches kept failing; `maxin show failures")
    assert last.endswith("players resume --store sqlite:///maxin.db cy")
    assert "; paused, because matches kept failing: cy" in done.out
