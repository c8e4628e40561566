"""Games of chess: openings, endings, limits and clocks."""

import pytest

from maxin.core import Entrant
from maxin.runners import Job
from tests.helpers.uci import (
    BACK_AND_FORTH,
    FOOLS_MATE,
    SCHOLARS_MATE,
    STOCKFISH,
    fake,
    needs_stockfish,
    open_runner,
    played,
    stockfish,
)
from tests.helpers.waiting import with_more_time

chess = pytest.importorskip("chess", reason="python-chess is not installed")

from maxin.runners.uci.openings import ending  # noqa: E402 - needs python-chess

pytestmark = pytest.mark.usefixtures("nothing_left")


@pytest.mark.parametrize(
    ("moves", "score", "end"),
    [
        (SCHOLARS_MATE, 1.0, "checkmate"),
        (FOOLS_MATE, 0.0, "checkmate"),
        (BACK_AND_FORTH, 0.5, "threefold repetition"),
    ],
    ids=["scholar's mate", "fool's mate", "back and forth"],
)
def test_games_end_by_the_rules_of_chess(moves, score, end):
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


@pytest.mark.parametrize(
    ("limit", "command"),
    [
        ({"nodes": None, "depth": 3}, "go depth 3"),
        ({"nodes": None, "movetime": 250}, "go movetime 250"),
        ({"nodes": None, "movetime": "1s"}, "go movetime 1000"),
        ({"nodes": None, "tc": "60+0.5"}, "go wtime 60000 btime 60000 winc 500 binc 500"),
        (
            {"nodes": None, "tc": "40/60"},
            "go wtime 60000 btime 60000 winc 0 binc 0 movestogo 40",
        ),
    ],
)
def test_limits_are_sent_to_the_engine(log, limit, command):
    white, black = fake("w", "plays", FOOLS_MATE, **limit), fake("b", "plays", FOOLS_MATE)
    played(white, black, opening_plies=0)
    assert command in [line for _, line in log()]


def test_a_clock_runs_during_own_moves_only_and_both_players_see_it(log):
    limit = {"nodes": None, "tc": 600}
    white = fake("w", "slow", FOOLS_MATE, **limit)  # takes half a second per move, or more
    black = fake("b", "plays", FOOLS_MATE, **limit)
    outcome = played(white, black, opening_plies=0)
    sent = [line.split() for _, line in log() if line.startswith("go")]
    white_times, black_times = [int(words[2]) for words in sent], [int(words[4]) for words in sent]
    assert white_times[0] == 600_000
    assert white_times[1] == white_times[2] <= 599_500
    assert white_times[3] <= white_times[2] - 500
    assert black_times[0] == black_times[1] == 600_000
    assert black_times[2] == black_times[3] <= 600_000
    assert outcome.data["tc"] == "600"


def test_a_player_that_oversteps_its_clock_loses():
    slow = fake("slow", "slow", FOOLS_MATE, nodes=None, tc="0.1")
    outcome = played(fake("quick", "plays", FOOLS_MATE), slow, opening_plies=0)
    assert outcome.score == 1.0
    assert outcome.data["end"] == "time"
    assert outcome.errors == ("'slow' lost on time",)


# Games of a real engine


@needs_stockfish
def test_more_nodes_win():
    with open_runner() as runner:
        strong, weak = stockfish(1_000), stockfish(1)
        scores = [runner.play(Job(n, strong, weak, seed=n)).score for n in range(2)]
        scores += [1.0 - runner.play(Job(n, weak, strong, seed=n)).score for n in range(2)]
    assert sum(scores) >= 3.5


@needs_stockfish
def test_games_do_not_influence_each_other():
    one, two = stockfish(300), stockfish(700)
    with open_runner(max_plies=40) as runner:
        games = [runner.play(Job(1, one, two, seed=5))]
        for seed in range(3):
            runner.play(Job(2, two, two, seed=seed))
        games.append(runner.play(Job(3, one, two, seed=5)))
    games.append(played(one, two, seed=5, max_plies=40))
    assert len({game.data["moves"] for game in games}) == 1


@needs_stockfish
def test_the_opening_stays_the_same_when_seats_are_swapped():
    with open_runner(opening_plies=6, max_plies=10) as runner:
        pair = stockfish(1), stockfish(50)
        there, back = (runner.play(Job(1, *seats, seed=7)) for seats in (pair, pair[::-1]))
        other = runner.play(Job(2, *pair, seed=8))
    starts = [outcome.data["moves"].split()[:6] for outcome in (there, back, other)]
    assert starts[0] == starts[1] != starts[2]


@needs_stockfish
def test_a_real_engine_plays_with_a_clock():
    def test(seconds):
        player = Entrant("blitz", {"command": STOCKFISH, "tc": f"{seconds}+0.01"})
        outcome = played(player, stockfish(1), seed=3)
        assert outcome.score == 1.0
        assert outcome.data["end"] == "checkmate"

    with_more_time(test, (1.0, 10.0, 60.0))
