"""Match commands that work, and many that do not."""

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
from maxin.runners import Command, MatchFailed, Outcome
from maxin.runners.programs import groups, reaper
from tests.helpers.processes import n_descriptors
from tests.helpers.waiting import LONG, with_more_time

pytestmark = pytest.mark.usefixtures("nothing_left")

PYTHON = f"{shlex.quote(sys.executable)} -I -S -c"


def shell(script, **options):
    """A command that runs a shell script."""
    braced = script.replace("{", "{{").replace("}", "}}")
    return Command(f"sh -c {shlex.quote(braced)}", **options)


def python(script, arguments="", **options):
    return Command(f"{PYTHON} {shlex.quote(script)} {arguments}", **options)


def failure(runner, job):
    with pytest.raises(MatchFailed) as caught:
        runner.play(job)
    return caught.value


@pytest.fixture(params=["pidfd", "waitid", "poll"])
def system(request, monkeypatch):
    """The means that a system may have to notice that a process has ended."""
    if request.param != "pidfd":
        monkeypatch.delattr(os, "pidfd_open")
    if request.param == "poll":
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
        ("exit 3", "the command exited with code 3"),
        ("echo 1; exit 1", "the command exited with code 1"),
        ("true", "the command printed no score"),
        ("echo; echo ' '", "the command printed no score"),
        ("echo rubbish", "must be a score: 1, 0.5, 0 or JSON; got 'rubbish'"),
        ("echo 1; echo rubbish", "'rubbish'"),
        ("echo 1.5", "in [0, 1]; got 1.5"),
        ("echo nan", "'nan'"),
        ("""echo '{"score": 2}'""", "got 2"),
        ("""echo '{"score": 1'""", "not valid JSON"),
        ("echo 1; kill -SEGV $$", "the command was killed by SIGSEGV"),
        ("kill -36 $$", "the command was killed by signal 36"),
    ],
)
def test_any_other_ending_is_a_failure(job, script, reason):
    failed = failure(shell(f"echo words >&2; {script}"), job())
    assert reason in failed.reason
    assert failed.log == "words\n"
    assert not failed.is_hopeless


def test_without_standard_error_the_output_is_the_log(job):
    assert failure(shell("echo cannot load the net; exit 1"), job()).log == "cannot load the net\n"


def test_errors_and_data_are_reported(job):
    line = '{"score": 0, "errors": ["first: crashed"], "data": {"moves": 3}}'
    outcome = shell(f"echo {shlex.quote(line)}").play(job())
    assert outcome == Outcome(0.0, ("first: crashed",), {"moves": 3})


# Names that a shell would misread


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
def test_names_arrive_unchanged(job, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    runner = python(ECHO, "{a} --b={b} {seed}")
    runner.check([Entrant(name)])
    data = runner.play(job(name, f"b{name}", number=12)).data
    assert data["arguments"] == [name, f"--b=b{name}", "7"]
    assert data["environment"] == {"A": name, "B": f"b{name}", "SEED": "7", "MATCH": "12"}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_names_that_cannot_be_arguments(job, name):
    runner = shell("echo 1")
    with pytest.raises(InvalidInput, match="the name of player"):
        runner.check([Entrant(name)])
    assert failure(runner, job(name)).is_hopeless


def test_missing_options_are_found_before_any_game(job):
    runner = Command("echo {a.result}{b.unused}")
    anna, bo = Entrant("anna", {"result": "0.", "unused": 5}), Entrant("bo", {"unused": 5})
    with pytest.raises(InvalidInput, match="'bo' has no option 'result'"):
        runner.check([anna, bo])
    failed = failure(runner, job(anna, bo))
    assert failed.is_hopeless
    assert "'bo' has no option 'result'" in failed.reason
    assert runner.play(job(anna, anna._replace(name="bo"))).score == 0.5


# Programs that cannot run


def test_a_missing_program_is_hopeless(job):
    failed = failure(Command("no-such-program {a}"), job())
    assert failed.reason == "cannot run 'no-such-program': No such file or directory"
    assert failed.is_hopeless


@pytest.mark.parametrize(
    ("program", "text", "mode", "hint"),
    [
        ("./play", "#!/bin/sh\necho 1\n", 0o644, "Permission denied; make it executable"),
        ("play", "#!/bin/sh\necho 1\n", 0o755, "not on the PATH: write ./play"),
        ("./play", "#!/no/such/shell\necho 1\n", 0o755, "interpreter named in its first line"),
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


def test_arguments_that_are_too_long_are_hopeless(job):
    assert failure(Command("echo {a}"), job("x" * 10_000_000)).is_hopeless


def test_a_temporary_error_is_not_hopeless(job, monkeypatch):
    def start(*_, **__):
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    runner = shell("echo 1")
    monkeypatch.setattr(groups.subprocess, "Popen", start)
    assert not failure(runner, job()).is_hopeless


def test_a_command_that_the_reaper_cannot_watch_is_not_run(job, monkeypatch):
    def watch(pid):
        raise OSError(errno.EAGAIN, "no helper")

    monkeypatch.setattr(reaper, "watch", watch)
    failed = failure(shell("sleep 600"), job())
    assert failed.reason == "cannot run 'sh': no helper"
    assert not failed.is_hopeless


# Timeouts, child processes and floods of output


@pytest.mark.usefixtures("system")
@pytest.mark.parametrize(
    "script",
    [
        "sleep 600",
        "trap '' TERM INT HUP; sleep 600 & sleep 600",
        "exec >&- 2>&-; sleep 600",  # closes its pipes and keeps running
        "yes",
        "echo 1; sleep 600",
    ],
)
def test_a_command_that_times_out_is_killed_with_its_children(job, script):
    def test(timeout):  # within which the words must be written
        failed = failure(shell(f"echo words >&2; {script}", timeout=timeout), job())
        assert failed.reason == f"the command timed out after {timeout:g} s"
        assert failed.log == "words\n"

    with_more_time(test)


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf"), "soon"])
def test_a_timeout_must_be_positive(timeout):
    with pytest.raises(InvalidInput, match="timeout"):
        Command("true", timeout=timeout)


@pytest.mark.usefixtures("system")
@pytest.mark.parametrize(
    "child",
    ["sleep 600", "(trap '' TERM HUP; sleep 600; sleep 600)", "(sleep 600 & sleep 600)", "yes >&2"],
)
def test_children_that_hold_the_pipes_do_not_block_us_and_are_killed(job, child):
    started = time.monotonic()
    assert shell(f"{child} & echo 1").play(job()).score == 1.0
    assert time.monotonic() - started < LONG  # and not until they end
    # The fixture `nothing_left` checks that they are killed.


@pytest.mark.usefixtures("system")
def test_a_stray_process_that_writes_forever_does_not_block_us(job, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    stray = "setsid sh -c 'touch away; exec yes >&2'"
    runner = shell(f"{stray} & until [ -e away ]; do sleep 0.01; done; echo 1")
    assert runner.play(job()).score == 1.0


FLOOD = "head -c 50000000 /dev/zero"


@pytest.mark.parametrize(
    ("script", "score"),
    [(f"{FLOOD}; echo; echo 1", 1.0), (f"{FLOOD} >&2; echo 1", 1.0), (f"{FLOOD}; exit 1", None)],
)
def test_floods_of_output_are_read_but_not_kept(job, script, score):
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


def test_a_score_whose_start_was_dropped_does_not_count(job):
    failed = failure(shell(f"{FLOOD} | tr '\\0' 0; echo 1"), job())
    assert failed.reason.startswith("the command printed no score: the last line has more")


def test_a_score_with_a_lot_of_data(job):
    script = """import json; print(json.dumps({"score": 1, "data": {"moves": "e4 " * 300_000}}))"""
    runner = python(script.replace("{", "{{").replace("}", "}}"))
    assert len(runner.play(job()).data["moves"]) == 900_000


# What a command inherits


def test_a_match_has_its_own_session_and_only_its_own_descriptors(job):
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


def test_an_interrupt_of_the_calling_thread_kills_the_match(job, monkeypatch):
    def interrupt(*_):
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        raise KeyboardInterrupt

    def interrupted_wait(group, until, wait=groups.Group.wait):
        # Repeated, since a signal just before a system call does not interrupt it.
        signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
        return wait(group, until)

    monkeypatch.setattr(groups.Group, "wait", interrupted_wait)
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            shell("sleep 600 & sleep 600").play(job())
    finally:
        signal.signal(signal.SIGALRM, before)


def test_descriptors_are_closed(job):
    runner = shell("echo 1")
    runner.play(job())
    before = n_descriptors()
    for _ in range(20):
        runner.play(job())
    for _ in range(5):
        failure(Command("no-such-program"), job())
    assert n_descriptors() == before


def test_a_last_line_that_is_too_long_is_named(job):
    runner = python("print('1' * 2_000_000)")
    assert "more than the 1,048,576 bytes of output that are kept" in failure(runner, job()).reason
