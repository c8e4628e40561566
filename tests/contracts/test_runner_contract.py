"""The contract that every runner keeps, see `maxin.runners.base.Runner`."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from maxin.core import Entrant, InvalidInput
from maxin.runners import (
    Command,
    EventLoop,
    Futures,
    Job,
    MatchFailed,
    Outcome,
    Payoff,
    Processes,
    Threads,
)
from tests.helpers.waiting import LONG, wait_until

NAMES = [f"player {number}" for number in range(6)]
ENTRANTS = [Entrant(name) for name in NAMES]
PAIRS = [(first, second) for first in ENTRANTS for second in ENTRANTS if first != second]
CHANCES = [[float(first > second) for second in NAMES] for first in NAMES]


def later(first, second, seed):
    """The later name wins."""
    return float(first > second)


def hang(first, second, seed):
    """Creates a file when it starts, and never ends."""
    Path(first).touch()
    time.sleep(600)


async def later_on(first, second, seed):
    """The later name wins."""
    return float(first > second)


POOL = ThreadPoolExecutor(4)
RUNNERS = {
    "threads": lambda: Threads(later),
    "processes": lambda: Processes(later),
    "command": lambda: Command("""sh -c 'expr "$1" ">" "$2" || true' sh {a} {b}"""),
    "payoff": lambda: Payoff(CHANCES, NAMES),
    "event loop": lambda: EventLoop(later_on, in_flight=4),
    "futures": lambda: Futures(later, POOL),
}
HANGING = {
    "processes": lambda: Processes(hang),
    "command": lambda: Command("""sh -c 'touch "$1"; sleep 600 & sleep 600' sh {a}"""),
}
REFUSING = {
    "processes": (lambda: Processes("no_such_module:play"), "anna"),
    "command": (lambda: Command("play {a}"), "an\0na"),
    "payoff": (RUNNERS["payoff"], "nobody"),
}


def closing(make):
    runner = make()
    yield runner
    runner.close()


@pytest.fixture(params=RUNNERS.values(), ids=RUNNERS)
def runner(request):
    yield from closing(request.param)


@pytest.fixture(scope="module", params=RUNNERS.values(), ids=RUNNERS)
def open_runner(request):
    """A runner that no test closes or kills."""
    yield from closing(request.param)


@pytest.fixture(params=HANGING.values(), ids=HANGING)
def hanging(request):
    yield from closing(request.param)


def test_play_returns_an_outcome(open_runner):
    open_runner.check(ENTRANTS)
    outcome = open_runner.play(Job(1, *PAIRS[0], seed=3))
    assert isinstance(outcome, Outcome)
    assert outcome == Outcome(0.0)
    assert type(outcome.score) is float


def test_the_same_job_gives_the_same_score(open_runner):
    jobs = [Job(number, *PAIRS[number], seed=number) for number in range(4)]
    assert [open_runner.play(job) for job in jobs] == [open_runner.play(job) for job in jobs]


def test_each_thread_gets_the_score_of_its_own_game(open_runner):
    jobs = [Job(number, *PAIRS[number % len(PAIRS)], seed=number) for number in range(60)]
    with ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(open_runner.play, jobs))
    expected = [later(job.first.name, job.second.name, job.seed) for job in jobs]
    assert [outcome.score for outcome in outcomes] == expected


def test_nothing_starts_after_a_kill(runner):
    runner.play(Job(1, *PAIRS[0], seed=3))
    runner.kill()
    for _ in range(2):
        with pytest.raises(MatchFailed, match="stopped"):
            runner.play(Job(1, *PAIRS[0], seed=3))


def test_a_kill_ends_every_running_game(hanging, tmp_path):
    players = [Entrant(str(tmp_path / str(number))) for number in range(2)]
    with ThreadPoolExecutor(2) as pool:
        games = [pool.submit(hanging.play, Job(1, player, player, 7)) for player in players]
        wait_until(lambda: len(list(tmp_path.iterdir())) == 2)
        hanging.kill()
        failures = [game.exception(timeout=LONG) for game in games]
    assert [type(failure) for failure in failures] == [MatchFailed] * 2
    assert {failure.reason for failure in failures} == {"the game was stopped"}
    with pytest.raises(MatchFailed):
        hanging.play(Job(2, Entrant(str(tmp_path / "late")), players[0], 7))
    assert not (tmp_path / "late").exists()


def test_a_kill_while_games_are_being_started(hanging, tmp_path):
    players = [Entrant(str(tmp_path / str(number))) for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        games = [pool.submit(hanging.play, Job(1, player, player, 7)) for player in players]
        hanging.kill()
        failures = [game.exception(timeout=LONG) for game in games]
    assert [type(failure) for failure in failures] == [MatchFailed] * 8


def test_close_and_kill_work_in_any_order(runner):
    runner.close()
    runner.play(Job(1, *PAIRS[0], seed=3))
    runner.close()
    runner.close()
    runner.kill()
    runner.kill()
    runner.close()


@pytest.mark.parametrize(("make", "name"), REFUSING.values(), ids=REFUSING)
def test_an_invalid_player_is_refused_by_check_and_fails_in_play(make, name):
    for runner in closing(make):
        with pytest.raises(InvalidInput):
            runner.check([Entrant(name)])
        with pytest.raises(MatchFailed) as caught:
            runner.play(Job(1, Entrant(name), Entrant(NAMES[0]), seed=3))
        assert "\n" not in caught.value.reason
