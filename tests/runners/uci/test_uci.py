"""UCI engines: real ones, scripted ones, and ones that misbehave."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from maxin.core import Entrant, InvalidInput, UnknownName
from maxin.runners.base import Job, MatchFailed
from maxin.runners.uci.runner import Uci

chess = pytest.importorskip("chess", reason="python-chess is not installed")

from maxin.runners.uci.engines import MOST_IDLE  # noqa: E402 - needs python-chess
from maxin.runners.uci.games import ending, opening  # noqa: E402

pytestmark = pytest.mark.usefixtures("nothing_left")

FAKE = Path(__file__).parents[2] / "helpers" / "fake_engine.py"
STOCKFISH = shutil.which("stockfish") or shutil.which("/usr/games/stockfish")
needs_stockfish = pytest.mark.skipif(STOCKFISH is None, reason="Stockfish is not installed")

SCHOLARS_MATE = ["e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7"]
FOOLS_MATE = ["f2f3", "e7e5", "g2g4", "d8h4"]
BACK_AND_FORTH = ["g1f3", "g8f6", "f3g1", "f6g8"]


def fake(name, manner, moves=(), **options):
    command = [sys.executable, "-S", str(FAKE), manner, *moves]
    return Entrant(name, {"command": command, "nodes": 1, **options})


def stockfish(nodes, **options):
    return Entrant(f"{nodes} nodes", {"command": [STOCKFISH], "nodes": nodes, **options})


@pytest.fixture
def log(tmp_path, monkeypatch):
    """What fake engines were told: a function that returns (process, line) pairs."""
    path = tmp_path / "log"
    monkeypatch.setenv("FAKE_LOG", str(path))

    def told():
        lines = path.read_text().splitlines() if path.exists() else []
        return [(int(pid), line) for pid, _, line in (text.partition(" ") for text in lines)]

    return told


@contextmanager
def running(**arguments):
    runner = Uci(**arguments)
    try:
        yield runner
    finally:
        runner.close()


def played(white, black, *, seed=0, **arguments):
    with running(**arguments) as runner:
        return runner.play(Job(1, white, black, seed))


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(is_so, seconds=10.0):
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("moves", "score", "end"),
    [
        (SCHOLARS_MATE, 1.0, "checkmate"),
        (FOOLS_MATE, 0.0, "checkmate"),
        (BACK_AND_FORTH, 0.5, "threefold repetition"),
    ],
    ids=["scholar's mate", "fool's mate", "back and forth"],
)
def test_games_end_as_the_rules_say(moves, score, end):
    white, black = fake("w", "plays", moves), fake("b", "plays", moves)
    outcome = played(white, black, opening_plies=0)
    n_plies = 8 if end == "threefold repetition" else len(moves)
    assert (outcome.score, outcome.errors) == (score, ())
    assert outcome.data["end"] == end
    assert outcome.data["plies"] == n_plies
    assert outcome.data["moves"].split() == (moves * 2)[:n_plies]


@pytest.mark.parametrize(
    ("position", "end"),
    [
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "stalemate"),
        ("7k/8/8/8/8/8/8/B6K w - - 0 1", "insufficient material"),
        ("7k/8/8/8/8/8/8/R6K w - - 100 90", "fifty moves"),
        ("7k/8/8/8/8/8/8/R6K w - - 99 90", None),
    ],
)
def test_draws(position, end):
    assert ending(chess.Board(position)) == end


def test_a_long_game_is_a_draw():
    white, black = fake("w", "plays", BACK_AND_FORTH), fake("b", "plays", BACK_AND_FORTH)
    outcome = played(white, black, opening_plies=0, max_plies=5)
    assert (outcome.score, outcome.data["plies"], outcome.data["end"]) == (0.5, 5, "too long")


def test_openings_come_from_the_seed_and_leave_a_game_to_play():
    boards = [opening(seed, n_plies=6) for seed in range(200)]
    assert len({board.fen() for board in boards}) > 190
    for seed, board in enumerate(boards):
        assert board.ply() == 6
        assert board.outcome(claim_draw=True) is None
        assert board.move_stack == opening(seed, n_plies=6).move_stack


def test_long_openings_never_end_the_game():
    assert all(ending(opening(seed, n_plies=300)) is None for seed in range(5))


def test_engines_are_told_of_options_and_of_every_new_game(log):
    white = fake("w", "plays", SCHOLARS_MATE, options={"Style": "wild"})
    black = fake("b", "plays", SCHOLARS_MATE)
    with running(opening_plies=0) as runner:
        for number in range(3):
            runner.play(Job(number, white, black, seed=number))
    told = log()
    ours = told[0][0]
    lines = [line for pid, line in told if pid == ours]
    assert lines.count("setoption name Style value wild") == 1
    assert lines.count("ucinewgame") == 3
    assert lines.count("position startpos moves e2e4 e7e5") == 3
    assert "go nodes 1" in lines
    assert lines[-1] == "quit"
    assert len({pid for pid, _ in told}) == 2


def test_players_who_differ_only_in_their_limit_share_processes(log):
    players = [fake(f"p{n}", "plays", SCHOLARS_MATE, nodes=n) for n in (1, 10, 100)]
    with running(opening_plies=0) as runner:
        for first in players:
            for second in players:
                runner.play(Job(1, first, second, seed=0))
    assert len({pid for pid, _ in log()}) == 2
    assert {line for _, line in log() if "go" in line} >= {f"go nodes {n}" for n in (1, 10, 100)}


def test_not_too_many_idle_engines_are_kept(log):
    with running(opening_plies=0) as runner:
        for style in range(MOST_IDLE):
            player = fake("p", "plays", SCHOLARS_MATE, options={"Style": str(style)})
            runner.play(Job(1, player, player, seed=0))
        alive = {pid for pid, _ in log() if is_alive(pid)}
        assert len(alive) == MOST_IDLE
    assert not any(is_alive(pid) for pid in alive)


@pytest.mark.parametrize(
    ("limit", "told"),
    [
        ({"nodes": None, "depth": 3}, "go depth 3"),
        ({"nodes": None, "movetime": 0.25}, "go movetime 250"),
        (
            {"nodes": None, "clock": 60, "increment": 0.5},
            "go wtime 60000 btime 60000 winc 500 binc 500",
        ),
    ],
)
def test_limits_reach_the_engine(log, limit, told):
    white, black = fake("w", "plays", FOOLS_MATE, **limit), fake("b", "plays", FOOLS_MATE)
    played(white, black, opening_plies=0)
    assert told in [line for _, line in log()]


def test_a_clock_runs_down_and_the_other_clock_is_told(log):
    limit = {"nodes": None, "clock": 60.0}
    white = fake("w", "slow", FOOLS_MATE, **limit)
    black = fake("b", "plays", FOOLS_MATE, **limit)
    played(white, black, opening_plies=0)
    goes = [line.split() for _, line in log() if line.startswith("go")]
    white_times, black_times = [int(words[2]) for words in goes], [int(words[4]) for words in goes]
    assert white_times[0] == 60_000
    assert all(59_000 < time_left < 59_510 for time_left in white_times[1:3])
    assert all(59_900 < time_left <= 60_000 for time_left in black_times)


def test_who_oversteps_the_clock_loses_and_it_is_said():
    slow = fake("slow", "slow", FOOLS_MATE, nodes=None, clock=0.1)
    outcome = played(fake("quick", "plays", FOOLS_MATE), slow, opening_plies=0)
    assert outcome.score == 1.0
    assert outcome.data["end"] == "time"
    assert outcome.errors == ("'slow' lost on time",)


@pytest.mark.parametrize(
    ("manner", "reason"),
    [
        ("dies", r"player 'bad': .*exit code: -11"),
        ("hangs", r"player 'bad': the engine hangs: no move in 1\.5 seconds"),
        ("illegal", r"player 'bad': .*illegal uci: 'e1e8'"),
        ("rubbish", r"player 'bad': .*check!"),
        ("silent", r"player 'bad': the engine answered without a move"),
    ],
)
@pytest.mark.parametrize("is_white", [True, False])
def test_bad_engines_fail_the_match_and_are_named(log, manner, reason, is_white):
    bad, good = fake("bad", manner), fake("good", "plays", FOOLS_MATE)
    pair = (bad, good) if is_white else (good, bad)
    with running(opening_plies=0, timeout=1.5) as runner:
        with pytest.raises(MatchFailed, match=reason) as failure:
            runner.play(Job(1, *pair, seed=0))
        assert not failure.value.is_hopeless
        assert ("out of memory" in failure.value.log) == (manner == "dies")
        wait_until(lambda: not any(is_alive(pid) for pid, _ in log()))
        outcome = runner.play(Job(2, good, fake("other", "plays", FOOLS_MATE), seed=0))
        assert outcome.score == 0.0


def test_an_engine_that_never_introduces_itself_hangs():
    with pytest.raises(MatchFailed, match=r"'bad': the engine hangs: no readiness in 1\.5"):
        played(fake("bad", "mute"), fake("good", "plays", FOOLS_MATE), timeout=1.5)


def test_a_program_that_is_no_engine_fails_with_its_own_words():
    grumpy = Entrant("grumpy", {"command": "sh -c 'echo no licence >&2; exit 3'", "nodes": 1})
    with pytest.raises(MatchFailed, match=r"player 'grumpy': .*exit code: 3") as failure:
        played(grumpy, grumpy)
    assert failure.value.log == "no licence\n"


@pytest.mark.parametrize(
    ("options", "reason"),
    [({"Hash": 16}, "does not support option Hash"), ({"Ponder": True}, "cannot set Ponder")],
)
def test_an_option_the_engine_does_not_have_is_hopeless(options, reason):
    player = fake("p", "plays", FOOLS_MATE, options=options)
    with pytest.raises(MatchFailed, match=f"player 'p': .*{reason}") as failure:
        played(player, player)
    assert failure.value.is_hopeless


def test_a_program_that_went_away_is_hopeless(tmp_path):
    gone = Entrant("gone", {"command": [str(tmp_path / "engine")], "nodes": 1})
    with pytest.raises(MatchFailed, match="player 'gone': the engine does not start") as failure:
        played(gone, gone)
    assert failure.value.is_hopeless


def test_an_engine_that_died_between_games_is_replaced(log):
    player = fake("p", "plays", FOOLS_MATE)
    with running(opening_plies=0) as runner:
        runner.play(Job(1, player, player, seed=0))
        first = {pid for pid, _ in log()}
        for pid in first:
            os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not any(is_alive(pid) for pid in first))
        time.sleep(0.2)  # until the runner has heard of it, too
        assert runner.play(Job(2, player, player, seed=0)).score == 0.0


def in_threads(runner, white, black, n_games):
    """Games in threads of their own, and a list of what became of them."""
    became = []

    def game(number):
        try:
            became.append(runner.play(Job(number, white, black, seed=number)))
        except MatchFailed as failure:
            became.append(failure)

    threads = [threading.Thread(target=game, args=(number,)) for number in range(n_games)]
    for thread in threads:
        thread.start()
    return threads, became


def test_games_run_at_the_same_time():
    slow = fake("slow", "slow", FOOLS_MATE)
    with running(opening_plies=0) as runner:
        start = time.monotonic()
        threads, became = in_threads(runner, slow, slow, n_games=4)
        for thread in threads:
            thread.join()
        assert [outcome.score for outcome in became] == [0.0] * 4
        assert time.monotonic() - start < 4 * 4 * 0.5


@pytest.mark.parametrize("end", ["kill", "close"])
def test_running_games_are_ended_at_once(log, end):
    hanging = fake("h", "hangs")
    with running(timeout=600.0) as runner:
        threads, became = in_threads(runner, hanging, hanging, n_games=3)
        wait_until(lambda: sum(line.startswith("go") for _, line in log()) == 3)
        start = time.monotonic()
        getattr(runner, end)()
        for thread in threads:
            thread.join()
        assert time.monotonic() - start < 5.0
        assert [str(failure) for failure in became] == ["the game was stopped"] * 3
        wait_until(lambda: not any(is_alive(pid) for pid, _ in log()))
        if end == "kill":
            with pytest.raises(MatchFailed, match="stopped"):
                runner.play(Job(9, hanging, hanging, seed=0))


def test_close_takes_no_for_an_answer(log):
    deaf = fake("deaf", "deaf", FOOLS_MATE)
    played(deaf, deaf, opening_plies=0)
    assert not any(is_alive(pid) for pid, _ in log())


def test_a_closed_runner_can_be_used_again():
    player = fake("p", "plays", FOOLS_MATE)
    with running(opening_plies=0) as runner:
        for _ in range(2):
            assert runner.play(Job(1, player, player, seed=0)).score == 0.0
            runner.close()


def test_no_engine_survives_us(log):
    code = (
        "import sys\n"
        f"sys.path.insert(0, {str(FAKE.parent)!r})\n"
        "from test_uci import Job, Uci, fake\n"
        "Uci().play(Job(1, fake('h', 'hangs'), fake('i', 'hangs'), seed=0))\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
    try:
        wait_until(lambda: any(line.startswith("go") for _, line in log()), seconds=30.0)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    engines = {pid for pid, _ in log()}
    assert len(engines) == 2
    wait_until(lambda: not any(is_alive(pid) for pid in engines))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"nodes": 1}, "player 'x' needs a command.*got None"),
        ({"command": "", "nodes": 1}, "player 'x' needs a command.*got ''"),
        ({"command": "sh 'oh", "nodes": 1}, "cannot be split: No closing quotation"),
        ({"command": "no-such-engine --fast", "nodes": 1}, "no program 'no-such-engine'"),
        ({"command": "sh"}, "needs exactly one of nodes, depth, movetime, clock; it has none"),
        ({"command": "sh", "nodes": 1, "depth": 2}, "it has nodes and depth"),
        ({"command": "sh", "nodes": 0}, "player 'x': nodes must be positive"),
        ({"command": "sh", "nodes": 1.5}, r"nodes must be a whole number; got 1\.5"),
        ({"command": "sh", "movetime": -1}, "movetime must be positive"),
        ({"command": "sh", "movetime": "1s"}, "movetime must be a number; got '1s'"),
        ({"command": "sh", "nodes": 1, "increment": 1}, "an increment goes with a clock"),
        ({"command": "sh", "nodes": 1, "options": "Hash=1"}, "options are a table"),
        ({"command": "sh", "nodes": 1, "options": {"Hash": [1]}}, r"'Hash' is text.*got \[1\]"),
    ],
)
def test_entrants_that_cannot_play_are_refused(options, words):
    with pytest.raises(InvalidInput, match=words):
        Uci().check([Entrant("x", options)])


def test_unknown_keys_are_refused_by_name():
    with pytest.raises(
        UnknownName, match="option of player 'x' named 'node'; did you mean 'nodes'"
    ):
        Uci().check([Entrant("x", {"command": "sh", "node": 1})])


@pytest.mark.parametrize("arguments", [{"opening_plies": -1}, {"opening_plies": 9, "max_plies": 9}])
def test_a_game_has_room_for_its_opening(arguments):
    with pytest.raises(InvalidInput, match="0 <= opening_plies < max_plies"):
        Uci(**arguments)


def test_without_python_chess_the_extra_is_named():
    code = (
        "import sys; sys.modules['chess'] = None\n"
        "from maxin.runners.uci.runner import Uci\n"
        "try: Uci()\n"
        "except ImportError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'maxin[uci]'" in done.stdout


def test_the_module_alone_loads_no_chess():
    code = "import sys, maxin.runners.uci.runner; print('chess' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@needs_stockfish
def test_more_nodes_win():
    with running() as runner:
        strong, weak = stockfish(2_000), stockfish(1)
        scores = [runner.play(Job(n, strong, weak, seed=n)).score for n in range(4)]
        scores += [1.0 - runner.play(Job(n, weak, strong, seed=n)).score for n in range(4)]
    assert sum(scores) >= 7.0


@needs_stockfish
def test_games_do_not_influence_each_other():
    one, two = stockfish(300), stockfish(700)
    with running() as runner:
        games = [runner.play(Job(1, one, two, seed=5))]
        for seed in range(3):
            runner.play(Job(2, two, two, seed=seed))
        games.append(runner.play(Job(3, one, two, seed=5)))
    games.append(played(one, two, seed=5))
    assert len({game.data["moves"] for game in games}) == 1


@needs_stockfish
def test_the_same_seed_is_the_same_opening_with_the_seats_swapped():
    with running(opening_plies=6) as runner:
        pair = stockfish(1), stockfish(50)
        there, back = (runner.play(Job(1, *seats, seed=7)) for seats in (pair, pair[::-1]))
        other = runner.play(Job(2, *pair, seed=8))
    starts = [outcome.data["moves"].split()[:6] for outcome in (there, back, other)]
    assert starts[0] == starts[1] != starts[2]


@needs_stockfish
def test_a_real_engine_keeps_time():
    player = Entrant("blitz", {"command": STOCKFISH, "clock": 1.0, "increment": 0.01})
    outcome = played(player, stockfish(1), seed=3)
    assert outcome.score == 1.0
    assert outcome.data["end"] == "checkmate"
