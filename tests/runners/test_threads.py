import os
import sys

import pytest

from maxin.core import InvalidInput
from maxin.runners import MatchFailed, Outcome, Threads


def failure(play, job):
    with pytest.raises(MatchFailed) as caught:
        Threads(play).play(job())
    return caught.value


def test_play_gets_the_names_and_the_seed(job):
    def play(*given):
        assert given == ("x y", "bo", 7)
        return {"score": 0.5, "errors": ["late"], "data": {"moves": 3}}

    assert Threads(play).play(job("x y")) == Outcome(0.5, ("late",), {"moves": 3})


def test_an_exception_is_a_failure_with_its_traceback(job):
    def play(first, second, seed):
        raise ValueError("no such move\nat all")

    failed = failure(play, job)
    line = play.__code__.co_firstlineno + 1
    assert failed.reason == f"ValueError: no such move at all (test_threads.py, line {line})"
    assert "ValueError: no such move" in failed.log
    assert "Traceback" in failed.log
    assert not failed.is_hopeless


def test_sys_exit_is_a_failure(job):
    assert "SystemExit" in failure(lambda *_: sys.exit(3), job).reason


def test_an_interrupt_is_not_caught(job):
    def play(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Threads(play).play(job())


def test_a_failure_raised_by_play_is_kept(job):
    raised = MatchFailed("no GPU", log="words", is_hopeless=True)

    def play(*_):
        raise raised

    assert failure(play, job) is raised


@pytest.mark.parametrize("score", [None, "1", float("nan"), 1.01, -0.01, {}])
def test_a_bad_score_is_a_failure(job, score):
    assert failure(lambda *_: score, job).reason


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_fork_inside_play_does_not_return(job):
    children = []

    def play(*_):
        if child := os.fork():
            children.append(child)
            return 1.0
        sys.exit(0)  # would leave `play` in the fork, too

    assert Threads(play).play(job()).score == 1.0
    assert os.waitstatus_to_exitcode(os.waitpid(children[0], 0)[1]) == 1


def test_a_score_after_the_kill_does_not_count(job):
    runner = Threads(lambda *_: runner.kill() or 1.0)
    with pytest.raises(MatchFailed, match="stopped"):
        runner.play(job())


def test_play_must_be_callable():
    with pytest.raises(InvalidInput, match="callable"):
        Threads(3)


@pytest.mark.parametrize(
    ("play", "own"),
    [
        (lambda first, second: 0.5, r"\(first, second\)$"),
        (lambda one, two, seed, judge: 0.5, r"\(one, two, seed, judge\)$"),
    ],
)
def test_a_function_with_other_parameters_is_refused(play, own):
    with pytest.raises(InvalidInput, match=r"^play must take \(first, second, seed\); got " + own):
        Threads(play)


def test_a_function_may_have_more_parameters_with_defaults(job):
    assert Threads(lambda first, second, seed, judge=1: judge).play(job()).score == 1.0
    assert Threads(lambda *everything: 0.5).play(job()).score == 0.5
