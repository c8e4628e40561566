"""Functions in worker processes, and workers that die, hang or print."""

import functools
import os
import signal
import subprocess
import sys
import textwrap
import tracemalloc

import pytest

from maxin.core import InvalidInput
from maxin.runners import MatchFailed, Outcome, Processes
from maxin.runners.programs import groups
from tests.helpers import misbehaviour
from tests.helpers.processes import is_alive, n_descriptors, own_processes
from tests.helpers.waiting import LONG, wait_until, with_more_time

pytestmark = pytest.mark.usefixtures("nothing_left")


@pytest.fixture
def make(nothing_left):
    """Makes runners, and closes them at the end."""
    made = []

    def make(play=misbehaviour.play, **options):
        made.append(Processes(play, **options))
        return made[-1]

    yield make
    for runner in made:
        runner.close()


def failure(runner, job):
    with pytest.raises(MatchFailed) as caught:
        runner.play(job)
    return caught.value


def pid(runner, job):
    return runner.play(job("process")).data["pid"]


def test_scores_come_from_one_worker_in_its_own_session(make, job):
    runner = make()
    assert runner.play(job("win")) == Outcome(1.0)
    assert runner.play(job("report")) == Outcome(0.5, ("bo",), {"seed": 7})
    process = runner.play(job("process")).data
    assert process["is leader"]
    assert process["pid"] == pid(runner, job) != os.getpid()


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        ("exit", "the worker exited with code 3"),
        ("crash", "the worker was killed by SIGSEGV"),
        ("fork and die", "the worker exited with code 4"),
        ("close everything", "the worker was killed by SIGKILL"),
    ],
)
def test_a_worker_that_dies_fails_only_its_own_game(make, job, act, reason):
    runner = make()
    before = pid(runner, job)
    failed = failure(runner, job(act))
    assert failed.reason == reason
    assert not failed.is_hopeless
    assert pid(runner, job) != before


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        ("leave", "SystemExit: 5 (misbehaviour.py, line "),
        ("no such act", "KeyError: 'no such act' (misbehaviour.py, line "),
        ("bad", "in [0, 1]; got nan"),
        ("secret", "data must be JSON serializable"),
    ],
)
def test_a_game_that_fails_leaves_its_worker_alive(make, job, act, reason):
    runner = make()
    before = pid(runner, job)
    failed = failure(runner, job(act))
    assert reason in failed.reason
    assert not failed.is_hopeless
    assert pid(runner, job) == before


def test_the_log_of_an_exception_starts_with_the_output(make, job, capfd):
    failed = failure(make(), job("talk"))
    assert failed.reason.startswith("ValueError: after output")
    assert failed.log.startswith("on stderr\nTraceback")
    assert failed.log.endswith("ValueError: after output\n")
    assert capfd.readouterr() == ("", "")


def test_each_game_has_its_own_log(make, job, monkeypatch):
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    runner = make()
    runner.play(job("print", "of the first game"))
    assert failure(runner, job("leave")).log.startswith("Traceback")
    log = failure(runner, job("print and leave", "of the third game")).log
    assert log.startswith("of the third game\nTraceback")
    runner.play(job("print", "of the fourth game"))
    assert failure(runner, job("exit")).log == ""


def test_floods_of_output_are_read_but_not_kept(make, job):
    runner = make()
    tracemalloc.start()
    try:
        failed = failure(runner, job("flood"))
        assert failed.reason.startswith("ValueError: after a flood")
        assert groups.LOG < len(failed.log) < 2 * groups.LOG
        assert tracemalloc.get_traced_memory()[1] < 8 * groups.OUTPUT
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("act", ["hang", "hang with children"])
def test_a_worker_that_times_out_is_killed_and_replaced(make, job, act):
    def test(timeout):  # within which the second game must end
        runner = make(timeout=timeout)
        assert failure(runner, job(act)).reason == f"the worker timed out after {timeout:g} s"
        assert runner.play(job("win")).score == 1.0

    with_more_time(test)


def test_children_of_a_worker_end_with_it(make, job):
    runner = make()
    assert runner.play(job("child")).score == 1.0
    wait_until(lambda: len(own_processes()) == 2)
    runner.close()
    wait_until(lambda: not own_processes())


def test_a_fork_of_play_does_not_answer_in_its_place(make, job):
    runner = make()
    assert [runner.play(job("fork and raise")).score for _ in range(3)] == [1.0] * 3
    assert runner.play(job("report")).score == 0.5


def test_workers_ignore_an_interrupt(make, job):
    assert make().play(job("interrupted")).score == 1.0


def test_a_worker_that_died_between_games_is_replaced(make, job):
    runner = make()
    before = pid(runner, job)
    os.kill(before, signal.SIGKILL)
    wait_until(lambda: not is_alive(before))
    assert pid(runner, job) != before


def test_a_closed_runner_can_be_used_again(make, job):
    runner = make()
    before = pid(runner, job)
    runner.close()
    assert not own_processes()
    assert pid(runner, job) != before


def test_descriptors_are_closed(make, job):
    runner = make()
    runner.play(job("win"))
    runner.close()
    before = n_descriptors()
    for _ in range(3):
        runner.play(job("win"))
        failure(runner, job("exit"))
    runner.close()
    assert n_descriptors() == before


# The function to call


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Changes to an empty folder; returns a function that writes modules there."""
    monkeypatch.chdir(tmp_path)

    def write(name, text):
        (tmp_path / name).write_text(textwrap.dedent(text))

    return write


@pytest.mark.usefixtures("here")
def test_a_function_by_name_from_the_current_directory(make, job, here):
    here("my_games.py", "class Chess:\n    play = staticmethod(lambda a, b, seed: seed / 10)\n")
    runner = make("my_games:Chess.play")
    runner.check([])
    assert runner.play(job()).score == 0.7


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "cannot load broken:play: ModuleNotFoundError: No module named 'broken'"),
        ("plya = 1", "module 'broken' has no attribute 'play'"),
        ("play = 1", "play must be a callable (first, second, seed); got 1"),
        ("def play(a, b): pass", "play must take (first, second, seed); got (a, b)"),
        ("import no_such", "No module named 'no_such' (broken.py, line 1)"),
        ("def play(:", "SyntaxError: invalid syntax (broken.py, line 1)"),
        ("raise SystemExit('not here')", "SystemExit: not here (broken.py, line 1)"),
        ("import os; os._exit(9)", "the worker exited with code 9"),
    ],
)
def test_a_function_that_cannot_be_loaded_is_found_before_any_game(make, job, here, text, words):
    if text is not None:
        here("broken.py", text)
    runner = make("broken:play")
    with pytest.raises(InvalidInput) as caught:
        runner.check([])
    assert words in str(caught.value)
    failed = failure(runner, job())
    assert words in failed.reason
    assert failed.is_hopeless == ("_exit" not in (text or ""))


@pytest.mark.parametrize("text", ["", "play", "games:", ":play", "my-games:play", "a:b:c", "a b:c"])
def test_an_invalid_name_is_refused(text):
    with pytest.raises(InvalidInput, match="module:function"):
        Processes(text)


@pytest.mark.parametrize("play", [3, None, lambda *_: 1.0])
def test_a_callable_that_cannot_be_pickled_is_refused(play):
    with pytest.raises(InvalidInput, match=r"callable|cannot be sent"):
        Processes(play)


def test_a_callable_object(make, job):
    acting = functools.partial(misbehaviour.play, "report")
    outcome = make(functools.partial(_drop_first, acting)).play(job())
    assert outcome.score == 0.5


def _drop_first(play, first, second, seed):
    return play(second, seed)


def test_a_timeout_must_be_positive():
    with pytest.raises(InvalidInput, match="timeout"):
        Processes("games:play", timeout=0)


SCRIPT = """
    from maxin.core import Entrant
    from maxin.runners import Job, MatchFailed, Processes

    def play(first, second, seed):
        return 0.25

    def main():
        runner = Processes(play)
        try:
            print(runner.play(Job(1, Entrant("anna"), Entrant("bo"), 7)).score)
        except MatchFailed as failed:
            print(failed.is_hopeless, failed.log)
        runner.close()

"""


def run(name):
    return subprocess.run(
        [sys.executable, name], capture_output=True, text=True, timeout=LONG, check=True
    ).stdout


def test_a_function_of_the_main_script(here):
    here("script.py", SCRIPT + "    if __name__ == '__main__':\n        main()\n")
    assert run("script.py") == "0.25\n"


def test_an_unguarded_main_script_gets_a_helpful_error(here):
    here("script.py", SCRIPT + "    main()\n")
    printed = run("script.py")
    assert printed.startswith("True ")
    assert "if __name__ == '__main__'" in printed
