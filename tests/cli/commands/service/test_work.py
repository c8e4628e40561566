"""`maxin work`: a process that plays for a service."""

import signal
import sys

import pytest

from maxin import Tournament
from tests.helpers.command import call, right
from tests.helpers.forked_processes import forked_command
from tests.helpers.serving import serving
from tests.helpers.waiting import LONG, wait_until

PLAY = f"{sys.executable} -S -c \"print(1 if '{{a}}' < '{{b}}' else 0)\""
WAITING = """
import pathlib, time
pathlib.Path("on").touch()
while not pathlib.Path("go").exists():
    time.sleep(0.01)
print(1)
"""


@pytest.fixture
def tournament(tmp_path):
    with Tournament(["anna", "bo", "cy"], tmp_path / "league.db", seed=1) as made:
        yield made


@pytest.fixture
def url(tournament):
    pytest.importorskip("starlette", reason="the server needs the extra 'web'")
    from maxin.service.service import Service

    with serving(Service.of(tournament, budget=6, confidence=None)) as served:
        yield served.url


def test_a_command_is_played_until_the_tournament_is_over(tournament, url):
    done = call("work", url, "--command", PLAY, "--workers", "2")
    assert done.err == ""
    assert done.code == 0
    first, *lines, last = done.out.splitlines()
    assert first == f"playing for {url}"
    assert len(lines) == 6
    assert all(line.startswith("#") and "(seed " in line for line in lines)
    assert last == (
        "the tournament is over: the budget of 6 matches is spent; played 6 matches here"
    )
    assert tournament.n_matches == 6


def test_a_worker_ends_by_a_budget_of_its_own(tournament, url):
    done = call("work", url, "--command", PLAY, "--workers", "1", "--budget", "2")
    assert (done.code, done.err) == (0, "")
    last = "the budget of 2 matches is spent by this worker; played 2 matches here"
    assert done.out.splitlines()[-1] == last
    done = call("work", url, "--command", PLAY, "--budget-time", "2 fortnights")
    assert done.code == 2
    assert '--budget-time must be a time of at least a second, "2h"' in done.err


def test_payoffs_are_simulated_for_the_players_of_the_service(tournament, url, tmp_path):
    table = tmp_path / "payoffs.csv"
    table.write_text("0,1,1\n-1,0,1\n-1,-1,0\n")
    done = call("work", url, "--payoff", table)
    assert done.code == 0, done.err
    as_expected = [row.score == (row.first < row.second) for row in tournament.matches()]
    assert sum(as_expected) >= 5  # of 6: the favourite wins 99 % of the matches


def test_a_command_that_does_not_exist_ends_at_once(tournament, url):
    done = call("work", url, "--command", "no-such-program {a} {b}", "--workers", "1")
    assert done.code == 1
    failed, aborted = done.err.strip().splitlines()
    assert failed.endswith("cannot run 'no-such-program': No such file or directory")
    assert aborted.startswith(
        "aborted; played 0 matches here, and 1 attempt failed: no match of this run "
    )
    assert tournament.n_matches == 0


def test_matches_that_keep_failing_end_with_code_1(tournament, url):
    done = call("work", url, "--command", f"{sys.executable} -S -c 1", "--workers", "1")
    assert done.code == 1
    assert "the last failure: the command printed no score" in done.err
    assert "aborted; played 0 matches here, and 2 attempts failed: " in done.err
    assert tournament.n_matches == 0


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["http://127.0.0.1:1"], 2, "how is a match played? Give one of --command, --call, --uci"),
        (["nowhere", "--payoff", "rps"], 2, "a service is at a URL such as https://host:8000"),
        (["http://127.0.0.1:1", "--payoff", "rps"], 1, "no service at http://127.0.0.1:1"),
        (["http://127.0.0.1:1", "--payoff", "rps", "--workers", "0"], 2, "--workers must be"),
    ],
)
def test_mistakes_are_one_line(words, code, said):
    done = call("work", *words)
    assert done.code == code
    assert said in done.err
    assert len(done.err.strip().splitlines()) == 1


def test_a_url_that_leads_past_the_service_is_named(url):
    done = call("work", f"{url}/api", "--command", PLAY)
    assert done.code == 2
    assert f"no service of maxin at {url}/api: it has no /api/v1/tournament; use" in done.err


def test_a_module_that_is_missing_is_said_before_anything_else(url):
    done = call("work", url, "--call", "nomod:f")
    assert done.code == 2
    assert done.out == ""
    assert done.err.strip().endswith("No module named 'nomod'")


def test_a_command_without_the_players_is_warned_of(url):
    done = call("work", url, "--command", "echo 1", "--workers", "1")
    assert done.code == 0
    assert done.err == (
        "warning: the command has no {a} and no {b}; unless it reads MAXIN_A and MAXIN_B, its "
        "scores say nothing about the players\n"
    )


def test_a_wrong_token_is_named_by_its_variable(url, monkeypatch):
    monkeypatch.setenv("MAXIN_TOKEN", "mx_worker_1_wrong")
    done = call("work", url, "--command", PLAY)
    assert done.code == 2
    assert "answered 401" in done.err
    assert "MAXIN_TOKEN" in done.err
    assert "mx_worker_1_wrong" not in done.err


def test_ctrl_c_finishes_what_is_played(url, tournament, tmp_path):
    (tmp_path / "slow.py").write_text(WAITING)
    words = ("work", url, "--command", f"{sys.executable} -S slow.py {{a}} {{b}}", "--workers", "1")
    with forked_command(*words, folder=tmp_path) as process:
        wait_until((tmp_path / "on").exists)
        process.send_signal(signal.SIGINT)
        assert process.stderr.readline() == "finishing 1 running match; Ctrl-C again to kill it\n"
        (tmp_path / "go").touch()
        out, err = process.communicate(timeout=LONG)
    assert process.returncode == 130
    assert err == ""
    assert out.splitlines()[-1] == "interrupted; played 1 match here"
    assert tournament.n_matches == 1


def test_the_token_of_a_worker_is_enough(tournament, monkeypatch, request):
    tokens = {
        role: right("token", "add", role, "office", "--store", tournament.store).out.split()[0]
        for role in ("worker", "viewer", "admin")
    }
    words = ("work", request.getfixturevalue("url"), "--command", PLAY)
    assert "answered 401: this needs a token of role worker" in call(*words).err
    monkeypatch.setenv("MAXIN_TOKEN", tokens["viewer"])
    done = call(*words)
    assert done.code == 2
    assert "answered 403: this needs a token of role worker" in done.err
    monkeypatch.setenv("MAXIN_TOKEN", tokens["worker"])
    assert call(*words).code == 0
    assert tournament.n_matches == 6
    assert {row.worker.split("|")[2] for row in tournament.matches()} == {"office"}
