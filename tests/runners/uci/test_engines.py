"""Engine processes: how they are kept and ended, and what happens if they misbehave."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from maxin.core import Entrant
from maxin.runners import Job, MatchFailed
from maxin.runners.programs import strays
from maxin.runners.uci.engine_settings import read_settings
from tests.helpers.processes import ROOT, is_alive
from tests.helpers.uci import FOOLS_MATE, SCHOLARS_MATE, fake, open_runner, played
from tests.helpers.waiting import LONG, wait_until, with_more_time

pytest.importorskip("chess", reason="python-chess is not installed")

from maxin.runners.uci.engines import Engines

pytestmark = pytest.mark.usefixtures("nothing_left")


def test_engines_get_their_options_once_and_every_new_game(log):
    white = fake("w", "plays", SCHOLARS_MATE, options={"Style": "wild"})
    black = fake("b", "plays", SCHOLARS_MATE)
    with open_runner(opening_plies=0) as runner:
        for number in range(3):
            runner.play(Job(number, white, black, seed=number))
    sent = log()
    ours = sent[0][0]
    lines = [line for pid, line in sent if pid == ours]
    assert lines.count("setoption name Style value wild") == 1
    assert lines.count("ucinewgame") == 3
    assert lines.count("position startpos moves e2e4 e7e5") == 3
    assert "go nodes 1" in lines
    assert lines[-1] == "quit"
    assert len({pid for pid, _ in sent}) == 2


def test_players_that_differ_only_in_their_limit_share_processes(log):
    players = [fake(f"p{n}", "plays", SCHOLARS_MATE, nodes=n) for n in (1, 10, 100)]
    with open_runner(opening_plies=0) as runner:
        for first in players:
            for second in players:
                runner.play(Job(1, first, second, seed=0))
    assert len({pid for pid, _ in log()}) == 2
    assert {line for _, line in log() if "go" in line} >= {f"go nodes {n}" for n in (1, 10, 100)}


def test_the_number_of_idle_engines_is_limited(log, monkeypatch):
    monkeypatch.setattr("maxin.runners.uci.engines.MOST_IDLE", 4)

    def alive():
        return {pid for pid, _ in log() if is_alive(pid)}

    with open_runner(opening_plies=0) as runner:
        for style in range(4):
            player = fake("p", "plays", SCHOLARS_MATE, options={"Style": str(style)})
            runner.play(Job(1, player, player, seed=0))
        wait_until(lambda: len(alive()) == 4)
    wait_until(lambda: not alive())


def test_an_engine_that_died_between_games_is_replaced():
    engines = Engines(timeout=LONG)
    program = read_settings(fake("p", "plays", FOOLS_MATE)).program
    try:
        engine = engines.run(engines.borrow(program))
        engines.run(engines.give_back(engine))
        os.kill(engine.pid, signal.SIGKILL)
        wait_until(lambda: not engine.is_alive)
        other = engines.run(engines.borrow(program))
        assert other.is_alive
        assert other.pid != engine.pid
        engines.run(engines.give_back(other))
    finally:
        engines.close()


def test_games_continue_while_an_engine_is_ended(monkeypatch):
    """The search for its strays may take long, and must not hold up the loop."""
    started, ended, is_free = threading.Event(), threading.Event(), []

    def slow_end(*_):
        started.set()
        is_free.append(ended.wait(LONG))

    async def answer():
        return 42

    engines = Engines(timeout=LONG)
    program = read_settings(fake("p", "plays", FOOLS_MATE)).program
    try:
        engine = engines.run(engines.borrow(program))
        with monkeypatch.context() as patch:
            patch.setattr(strays, "end", slow_end)
            thread = threading.Thread(target=lambda: engines.run(engines.end(engine)))
            thread.start()
            assert started.wait(LONG)
            assert engines.run(answer()) == 42
            ended.set()
            thread.join()
        assert is_free == [True]
    finally:
        engines.close()


# Engines that misbehave


@pytest.mark.parametrize(
    ("manner", "reason"),
    [
        ("dies", r"player 'bad': .*exit code: -11"),
        ("illegal", r"player 'bad': .*illegal uci: 'e1e8'"),
        ("rubbish", r"player 'bad': .*check!"),
        ("silent", r"player 'bad': the engine returned no move"),
    ],
)
@pytest.mark.parametrize("is_white", [True, False])
def test_a_bad_engine_fails_the_match_and_is_named(log, manner, reason, is_white):
    bad, good = fake("bad", manner), fake("good", "plays", FOOLS_MATE)
    pair = (bad, good) if is_white else (good, bad)
    with open_runner(opening_plies=0) as runner:
        with pytest.raises(MatchFailed, match=reason) as failure:
            runner.play(Job(1, *pair, seed=0))
        assert not failure.value.is_hopeless
        assert ("out of memory" in failure.value.log) == (manner == "dies")
        wait_until(lambda: not any(is_alive(pid) for pid, _ in log()))
        outcome = runner.play(Job(2, good, fake("other", "plays", FOOLS_MATE), seed=0))
        assert outcome.score == 0.0


@pytest.mark.parametrize("is_white", [True, False])
def test_an_engine_that_hangs_fails_the_match_and_is_killed(log, is_white):
    bad, good = fake("bad", "hangs"), fake("good", "plays", FOOLS_MATE)
    pair = (bad, good) if is_white else (good, bad)

    def test(timeout):  # within which engines must start and move
        reason = f"player 'bad': the engine hangs: it did not move within {timeout:g} s"
        with open_runner(opening_plies=0, timeout=timeout) as runner:
            with pytest.raises(MatchFailed, match=reason) as failure:
                runner.play(Job(1, *pair, seed=0))
            assert not failure.value.is_hopeless
            wait_until(lambda: not any(is_alive(pid) for pid, _ in log()))
            outcome = runner.play(Job(2, good, fake("other", "plays", FOOLS_MATE), seed=0))
            assert outcome.score == 0.0

    with_more_time(test, (0.5, 5.0, LONG))


def test_an_engine_that_never_starts_to_speak_hangs():
    reason = r"'bad': the engine hangs: it did not get ready within 0\.5 s"
    with pytest.raises(MatchFailed, match=reason):
        played(fake("bad", "mute"), fake("good", "plays", FOOLS_MATE), timeout=0.5)


def test_a_program_that_is_not_an_engine_fails_with_its_own_log():
    grumpy = Entrant("grumpy", {"command": "sh -c 'echo no licence >&2; exit 3'", "nodes": 1})
    with pytest.raises(MatchFailed, match=r"player 'grumpy': .*exit code: 3") as failure:
        played(grumpy, grumpy)
    assert failure.value.log == "no licence\n"


@pytest.mark.parametrize(
    ("options", "reason"),
    [({"Hash": 16}, "does not support option Hash"), ({"Ponder": True}, "cannot set Ponder")],
)
def test_an_unknown_uci_option_is_hopeless(options, reason):
    player = fake("p", "plays", FOOLS_MATE, options=options)
    with pytest.raises(MatchFailed, match=f"player 'p': .*{reason}") as failure:
        played(player, player)
    assert failure.value.is_hopeless


def test_a_missing_program_is_hopeless(tmp_path):
    gone = Entrant("gone", {"command": [str(tmp_path / "engine")], "nodes": 1})
    with pytest.raises(MatchFailed, match="player 'gone': cannot start the engine") as failure:
        played(gone, gone)
    assert failure.value.is_hopeless


# Many games, and their end


def start_games(runner, white, black, n_games):
    """Play games in threads of their own; return these, and the list of their results."""
    results = []

    def play(number):
        try:
            results.append(runner.play(Job(number, white, black, seed=number)))
        except MatchFailed as failure:
            results.append(failure)

    threads = [threading.Thread(target=play, args=(number,)) for number in range(n_games)]
    for thread in threads:
        thread.start()
    return threads, results


def join(threads):
    for thread in threads:
        thread.join(LONG)
        assert not thread.is_alive()


def test_games_in_several_threads():
    player = fake("p", "plays", FOOLS_MATE)
    with open_runner(opening_plies=0) as runner:
        threads, results = start_games(runner, player, player, n_games=4)
        join(threads)
        assert [outcome.score for outcome in results] == [0.0] * 4


@pytest.mark.parametrize("method", ["kill", "close"])
def test_games_run_at_the_same_time_and_can_be_stopped(log, method):
    hanging = fake("h", "hangs")
    with open_runner(timeout=10 * LONG) as runner:
        threads, results = start_games(runner, hanging, hanging, n_games=3)
        wait_until(lambda: sum(line.startswith("go") for _, line in log()) == 3)
        getattr(runner, method)()
        join(threads)
        assert [str(failure) for failure in results] == ["the game was stopped"] * 3
        wait_until(lambda: not any(is_alive(pid) for pid, _ in log()))
        if method == "kill":
            with pytest.raises(MatchFailed, match="stopped"):
                runner.play(Job(9, hanging, hanging, seed=0))


def test_close_ends_an_engine_that_does_not_quit(log, monkeypatch):
    monkeypatch.setattr("maxin.runners.uci.engines.PATIENCE", 0.1)
    deaf = fake("deaf", "deaf", FOOLS_MATE)
    played(deaf, deaf, opening_plies=0)
    wait_until(lambda: not any(is_alive(pid) for pid, _ in log()))


def test_a_closed_runner_can_be_used_again():
    player = fake("p", "plays", FOOLS_MATE)
    with open_runner(opening_plies=0) as runner:
        for _ in range(2):
            assert runner.play(Job(1, player, player, seed=0)).score == 0.0
            runner.close()


def test_engines_end_when_their_runner_is_killed(log):
    code = (
        "from maxin.runners import Job, Uci\n"
        "from tests.helpers.uci import fake\n"
        "Uci(env=['FAKE_LOG']).play(Job(1, fake('h', 'hangs'), fake('i', 'hangs'), seed=0))\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, start_new_session=True)
    try:
        wait_until(lambda: any(line.startswith("go") for _, line in log()))
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    engines = {pid for pid, _ in log()}
    assert len(engines) == 2
    wait_until(lambda: not any(is_alive(pid) for pid in engines))


def test_an_engine_sees_no_secret(monkeypatch):
    monkeypatch.setenv("MAXIN_STORE", "postgresql://me:secret@host/league")
    monkeypatch.setenv("PGPASSWORD", "secret")
    with pytest.raises(MatchFailed) as caught:
        played(fake("spy", "spies"), fake("bo", "plays", ["e7e5"]))
    assert "'PATH'" in caught.value.log
    assert "secret" not in caught.value.log


def test_an_engine_gets_the_variables_that_env_names(monkeypatch):
    monkeypatch.setenv("SYZYGY_PATH", "/tables")
    with pytest.raises(MatchFailed) as caught:
        played(fake("spy", "spies"), fake("bo", "plays", ["e7e5"]), env=["SYZYGY_PATH"])
    assert "'SYZYGY_PATH': '/tables'" in caught.value.log


def test_an_engine_that_floods_without_newlines_is_cut_off():
    with pytest.raises(MatchFailed, match="wrote a line of more than 1,048,576 bytes"):
        played(fake("flood", "floods"), fake("bo", "plays", ["e7e5"]), timeout=LONG)
