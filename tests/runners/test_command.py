"""Match commands that behave, and many that do not."""

import errno
import os
import shlex
import signal
import sys
import threading
import time
import tracemalloc

import pytest

from maxin.core import Entrant, InvalidInput
from maxin.runners import Command, MatchFailed
from maxin.runners.programs import groups, reaper

pytestmark = pytest.mark.usefixtures("nothing_left")

PYTHON = f"{shlex.quote(sys.executable)} -I -S -c"


def shell(script, **options):
    """A command whose program is a script for the shell."""
    braced = script.replace("{", "{{").replace("}", "}}")
    return Command(f"sh -c {shlex.quote(braced)}", **options)


def python(script, arguments="", **options):
    return Command(f"{PYTHON} {shlex.quote(script)} {arguments}", **options)


def failure(runner, job):
    with pytest.raises(MatchFailed) as caught:
        runner.play(job)
    return caught.value


@pytest.fixture(params=["told of the end", "looks for the end", "looks and reaps"])
def system(request, monkeypatch):
    """Systems that can tell when a process ends, and those that cannot."""
    if request.param != "told of the end":
        monkeypatch.delattr(os, "pidfd_open")
    if request.param == "looks and reaps":
        monkeypatch.delattr(os, "waitid")


@pytest.mark.usefixtures("system")
@pytest.mark.parametrize(
    ("script", "score"),
    [
        ("echo 1", 1.0),
        ("echo thinking; echo 0.5", 0.5),
        ("printf 0", 0.0),
        ("echo 0.25; echo; echo '  '", 0.25),
        ("printf '1\\r\\n'", 1.0),
        ("echo warning >&2; echo 1", 1.0),
        ("""echo '{"score": 0.75}'""", 0.75),
        ("""echo '{"ranks": [2, 1], "errors": [0, 0]}'""", 0.0),
        ("cat; echo 1", 1.0),  # nothing to read
        ("printf '\\377\\376\\n1\\n'", 1.0),  # not UTF-8
    ],
)
def test_the_last_line_is_the_score(job, script, score):
    assert shell(script).play(job()).score == score


@pytest.mark.usefixtures("system")
@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("exit 3", "the command ended with exit code 3"),
        ("echo 1; exit 1", "the command ended with exit code 1"),
        ("true", "the command printed no score"),
        ("echo; echo ' '", "the command printed no score"),
        ("echo rubbish", "not a score, 1, 0.5, 0 or JSON: 'rubbish'"),
        ("echo 1; echo rubbish", "'rubbish'"),
        ("echo 1.5", "in [0, 1]; got 1.5"),
        ("echo nan", "'nan'"),
        ("""echo '{"score": 2}'""", "got 2"),
        ("""echo '{"score": 1'""", "not JSON"),
        ("echo 1; kill -SEGV $$", "the command was killed by SIGSEGV"),
        ("kill -36 $$", "the command was killed by signal 36"),
    ],
)
def test_anything_else_is_a_failure(job, script, reason):
    failed = failure(shell(f"echo words >&2; {script}"), job())
    assert reason in failed.reason
    assert failed.log == "words\n"
    assert not failed.is_hopeless


def test_without_standard_error_the_output_is_the_log(job):
    assert failure(shell("echo cannot load the net; exit 1"), job()).log == "cannot load the net\n"


def test_errors_and_data_come_along(job):
    line = '{"score": 0, "errors": ["first: crashed"], "data": {"moves": 3}}'
    outcome = shell(f"echo {shlex.quote(line)}").play(job())
    assert outcome == (0.0, ("first: crashed",), {"moves": 3})


# Names that would hurt


NASTY = [
    "x y",
    "it's",
    'say "no"',
    "a;b",
    "$(touch x)",
    "`touch x`",
    "|touch x",
    "> x",
    "été 象棋 ♞",
]
NASTY += [
    "two\nlines",
    "--seed",
    "-",
    "{a}",
    "{b.nodes}",
    "{{}}",
    "%s",
    "\\",
    "*",
    "",
    "\t",
    "\udcff",
]

ECHO = (
    "import json, os, sys; "
    'print(json.dumps({"score": 1, "data": {"arguments": sys.argv[1:], '
    '"environment": {k: os.environ["MAXIN_" + k] for k in ["A", "B", "SEED", "MATCH"]}}}))'
).replace("{", "{{")
ECHO = ECHO.replace("}", "}}")


@pytest.mark.parametrize("name", NASTY)
def test_names_pass_unharmed(job, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    runner = python(ECHO, "{a} --b={b} {seed}")
    runner.check([Entrant(name)])
    data = runner.play(job(name, f"b{name}", number=12)).data
    assert data["arguments"] == [name, f"--b=b{name}", "7"]
    assert data["environment"] == {"A": name, "B": f"b{name}", "SEED": "7", "MATCH": "12"}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_names_that_no_argument_can_hold(job, name):
    runner = shell("echo 1")
    with pytest.raises(InvalidInput, match="the name of player"):
        runner.check([Entrant(name)])
    assert failure(runner, job(name)).is_hopeless


def test_options_are_checked_before_anything_is_spent(job):
    runner = Command("echo {a.result}{b.unused}")
    anna, bo = Entrant("anna", {"result": "0.", "unused": 5}), Entrant("bo", {"unused": 5})
    with pytest.raises(InvalidInput, match="'bo' has no option 'result'"):
        runner.check([anna, bo])
    failed = failure(runner, job(anna, bo))
    assert failed.is_hopeless
    assert "'bo' has no option 'result'" in failed.reason
    assert runner.play(job(anna, anna._replace(name="bo"))).score == 0.5


# Programs that cannot run


def test_a_program_that_never_existed(job):
    failed = failure(Command("no-such-program {a}"), job())
    assert failed.reason == "cannot run 'no-such-program': No such file or directory"
    assert failed.is_hopeless


@pytest.mark.parametrize(
    ("program", "text", "mode", "hint"),
    [
        ("./play", "#!/bin/sh\necho 1\n", 0o644, "Permission denied; make it executable"),
        ("play", "#!/bin/sh\necho 1\n", 0o755, "not on the PATH: write ./play"),
        ("./play", "#!/no/such/shell\necho 1\n", 0o755, "interpreter that its first line names"),
        ("./play", "\x7fELF?", 0o755, "its first line must name an interpreter"),
        (".", None, 0o755, "Permission denied"),
        ("./play/it", "", 0o755, "Not a directory"),
    ],
)
def test_programs_that_cannot_run(job, tmp_path, monkeypatch, program, text, mode, hint):
    monkeypatch.chdir(tmp_path)
    if text is not None:
        (tmp_path / "play").write_text(text)
        (tmp_path / "play").chmod(mode)
    failed = failure(Command(f"{program} {{a}}"), job())
    assert failed.is_hopeless
    assert failed.reason.startswith(f"cannot run {program!r}: ")
    assert hint in failed.reason


def test_arguments_that_are_too_long(job):
    assert failure(Command("echo {a}"), job("x" * 10_000_000)).is_hopeless


def test_what_may_pass_is_not_hopeless(job, monkeypatch):
    def start(*_, **__):
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    runner = shell("echo 1")
    monkeypatch.setattr(groups.subprocess, "Popen", start)
    assert not failure(runner, job()).is_hopeless


def test_what_the_reaper_does_not_know_does_not_run(job, monkeypatch):
    def watch(pid):
        raise OSError(errno.EAGAIN, "no helper")

    monkeypatch.setattr(reaper, "watch", watch)
    failed = failure(shell("sleep 60"), job())
    assert failed.reason == "cannot run 'sh': no helper"
    assert not failed.is_hopeless


# Time, kin and floods


@pytest.mark.usefixtures("system")
@pytest.mark.parametrize(
    "script",
    [
        "sleep 60",
        "trap '' TERM INT HUP; sleep 60 & sleep 60",
        "exec >&- 2>&-; sleep 60",  # lets go of its pipes, and goes on
        "yes",
        "echo 1; sleep 60",
    ],
)
def test_too_slow_is_a_failure_and_all_of_it_is_killed(job, script):
    failed = failure(shell(f"echo words >&2; {script}", timeout=0.1), job())
    assert failed.reason == "no result after 0.1 s: killed"
    assert failed.log == "words\n"


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf"), "soon"])
def test_a_timeout_is_positive(timeout):
    with pytest.raises(InvalidInput, match="timeout"):
        Command("true", timeout=timeout)


@pytest.mark.usefixtures("system")
@pytest.mark.parametrize(
    "kin",
    ["sleep 60", "(trap '' TERM HUP; sleep 60; sleep 60)", "(sleep 60 & sleep 60)", "yes >&2"],
)
def test_kin_that_holds_the_pipes_neither_hangs_us_nor_survives(job, kin):
    started = time.monotonic()
    assert shell(f"{kin} & echo 1").play(job()).score == 1.0
    assert time.monotonic() - started < 1.0
    # That nothing is left is seen after every test.


@pytest.mark.usefixtures("system")
def test_a_stray_that_writes_for_ever_does_not_hang_us(job, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    stray = "setsid sh -c 'touch away; exec yes >&2'"
    runner = shell(f"{stray} & until [ -e away ]; do :; done; echo 1")
    assert runner.play(job()).score == 1.0


FLOOD = "head -c 50000000 /dev/zero"


@pytest.mark.parametrize(
    ("script", "score"),
    [(f"{FLOOD}; echo; echo 1", 1.0), (f"{FLOOD} >&2; echo 1", 1.0), (f"{FLOOD}; exit 1", None)],
)
def test_floods_are_drained_and_not_kept(job, script, score):
    runner = shell(script)
    tracemalloc.start()
    try:
        if score is None:
            assert len(failure(runner, job()).log) == groups.LOG
        else:
            assert runner.play(job()).score == score
        assert tracemalloc.get_traced_memory()[1] < 8 * groups.OUTPUT
    finally:
        tracemalloc.stop()


def test_the_log_is_the_end_of_standard_error(job):
    log = failure(shell("seq 100000 >&2; exit 1"), job()).log
    assert len(log) == groups.LOG
    assert log.endswith("99999\n100000\n")


def test_a_score_whose_beginning_is_lost_is_none(job):
    failed = failure(shell(f"{FLOOD} | tr '\\0' 0; echo 1"), job())
    assert failed.reason == "the command printed no score"


def test_a_score_with_much_data(job):
    script = """import json; print(json.dumps({"score": 1, "data": {"moves": "e4 " * 300_000}}))"""
    runner = python(script.replace("{", "{{").replace("}", "}}"))
    assert len(runner.play(job()).data["moves"]) == 900_000


# What a command gets


def test_a_match_has_a_session_of_its_own_and_only_its_own_descriptors(job):
    script = (
        "import json, os, time; "
        'print(json.dumps({"score": os.getsid(0) == os.getpid() == os.getpgrp() and 1, '
        '"data": {"open": [int(d) for d in os.listdir("/proc/self/fd")]}}))'
    )
    runner = python(script.replace("{", "{{").replace("}", "}}"))
    outcomes = []
    threads = [
        threading.Thread(target=lambda: outcomes.append(runner.play(job()))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [outcome.score for outcome in outcomes] == [1.0] * 8
    for outcome in outcomes:
        assert set(outcome.data["open"]) <= {0, 1, 2, 3}  # 3 is the folder being read


def test_an_interrupt_of_the_calling_thread_kills_the_match(job):
    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with pytest.raises(KeyboardInterrupt):
            shell("sleep 60 & sleep 60").play(job())
    finally:
        signal.signal(signal.SIGALRM, before)


def test_descriptors_are_given_back(job):
    runner = shell("echo 1")
    runner.play(job())
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        runner.play(job())
    for _ in range(5):
        failure(Command("no-such-program"), job())
    assert len(os.listdir("/proc/self/fd")) == before
