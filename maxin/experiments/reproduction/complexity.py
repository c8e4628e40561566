"""Table 1, measured: how time and memory of each algorithm grow with rounds T and players n."""

from __future__ import annotations

import time
import tracemalloc
from typing import NamedTuple

import numpy as np

from maxin.experiments.simulation import CurveReader, start_simulation
from maxin.games import make_game

ALGORITHMS = {
    "DBGD": "dbgd+elo",
    "RG-UCB": "rg-ucb+elo",
    "Random": "random+elo",
    "MaxInP": "maxinp:exploration=2",
    "MaxIn-Elo": "maxin:exploration=2",
}
PRINTED = {  # regret, time, memory
    "DBGD": ("T^(2/3)", "T", "n"),
    "RG-UCB": ("none", "T", "n"),
    "Random": ("none", "T", "n"),
    "MaxInP": ("sqrt(T)", "n T^2 + n^2 T", "n T"),
    "MaxIn-Elo": ("sqrt(T)", "n^2 T", "n^2"),
}
ROUNDS = (1000, 2000, 4000, 8000)
PLAYERS = (50, 100, 200, 400)


class Growth(NamedTuple):
    """Exponents: time ~ T^time_rounds at fixed n and n^time_players at fixed T; same for memory."""

    algorithm: str
    time_rounds: float
    time_players: float
    memory_rounds: float
    memory_players: float


def measure(n_players: int, scheduler: str, rounds: int) -> tuple[float, float]:
    """Seconds for `rounds` rounds, and bytes held at their end."""
    game = make_game(f"elo:n_players={n_players}", np.random.default_rng(0))
    simulation = start_simulation(game, scheduler, seed=0, reader=CurveReader(every=rounds))
    start = time.perf_counter()
    simulation.advance(rounds)
    seconds = time.perf_counter() - start
    tracemalloc.start()
    again = start_simulation(game, scheduler, seed=0, reader=CurveReader(every=rounds))
    again.advance(rounds)
    again.matches.clear()  # the simulation's own record, not the scheduler's
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return seconds, float(held)


def exponent(sizes: tuple[int, ...], costs: list[float]) -> float:
    """The slope of log cost over log size.

    >>> exponent((1, 10, 100), [5.0, 500.0, 50000.0])
    2.0
    """
    return float(np.polyfit(np.log(sizes), np.log(costs), 1)[0])


def growth(
    algorithm: str, rounds: tuple[int, ...] = ROUNDS, players: tuple[int, ...] = PLAYERS
) -> Growth:
    """Measure one algorithm, after a small run that compiles the kernels."""
    scheduler = ALGORITHMS[algorithm]
    measure(players[0], scheduler, rounds[0])
    over_rounds = [measure(players[1], scheduler, count) for count in rounds]
    over_players = [measure(count, scheduler, rounds[1]) for count in players]
    return Growth(
        algorithm,
        exponent(rounds, [seconds for seconds, _ in over_rounds]),
        exponent(players, [seconds for seconds, _ in over_players]),
        exponent(rounds, [held for _, held in over_rounds]),
        exponent(players, [held for _, held in over_players]),
    )
