"""Table 1, measured: how regret, time and memory grow with rounds T and players n.

Time is the processor time of this process on one thread, the least of a few equal runs, so that
other programs on the machine hardly matter. Exponents are fitted once per repeat.
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from maxin.games import make_game
from maxin.simulation.simulation import CurveReader, GridReader, start_simulation
from maxin_studies.estimates import Estimate

Clock = Callable[[], float]  # seconds
TRIES = 3  # equal runs per time


class Order(NamedTuple):
    """A row of the paper's Table 1; `exponent` is that of the regret in T, if it is bounded."""

    regret: str
    time: str
    memory: str
    exponent: float | None
    place: str  # the line of the paper's text


ALGORITHMS = {
    "DBGD": "dbgd+elo",
    "RG-UCB": "rg-ucb+elo",
    "Random": "random+elo",
    "MaxInP": "maxinp:exploration=2",
    "MaxIn-Elo": "maxin:exploration=2",
}
# For the regret a lone candidate meets itself, as in the paper's figures; for the time that would
# count rounds in which nothing is computed.
LONE_SELF = ALGORITHMS | {"MaxInP": "maxinp:alone=self", "MaxIn-Elo": "maxin:alone=self"}
PRINTED = {
    "DBGD": Order("T^(2/3)", "T", "n", 2.0 / 3.0, "s.335"),
    "RG-UCB": Order("none", "T", "n", None, "s.336"),
    "Random": Order("none", "T", "n", None, "s.337"),
    "MaxInP": Order("sqrt(T)", "n T^2 + n^2 T", "n T", 0.5, "s.338"),
    "MaxIn-Elo": Order("sqrt(T)", "n^2 T", "n^2", 0.5, "s.339"),
}
TIMED = {  # algorithm, game: scheduler
    **{(name, "elo:n_players=100"): scheduler for name, scheduler in ALGORITHMS.items()},
    ("MaxIn-mElo", "elo:n_players=100"): "maxin:exploration=2+melo",
    ("alpha-IG", "good-bad"): "alpha-ig",
    ("MaxInP", "good-bad"): "maxinp:exploration=2",
    ("MaxIn-Elo", "good-bad"): "maxin:exploration=2",
}


class Sizes(NamedTuple):
    """What is measured: rounds and players, of how many repeats."""

    rounds: tuple[int, ...] = (1000, 2000, 4000, 8000)  # with the second number of players
    players: tuple[int, ...] = (50, 100, 200, 400)  # for the second number of rounds
    regret_rounds: tuple[int, ...] = (500, 1000, 2000, 4000, 8000)
    timed_rounds: int = 1000
    repeats: int = 5
    regret_seeds: int = 20

    @property
    def growth_rounds(self) -> int:
        """The rounds that `growth` plays."""
        timed = sum(self.rounds) + self.rounds[1] * len(self.players)
        return (TRIES * self.repeats + 2) * timed + self.regret_rounds[-1] * self.regret_seeds


FULL = Sizes()
QUICK = Sizes((200, 400, 800), (20, 40, 80), (100, 200, 400, 800), 100, 5, 5)


class Growth(NamedTuple):
    """Exponents: regret ~ T^regret, time ~ T^time_rounds at fixed n, n^time_players at fixed T.

    `n_linear` counts the runs whose regret grows linearly at the end.
    """

    algorithm: str
    regret: Estimate
    n_linear: int
    time_rounds: Estimate
    time_players: Estimate
    memory_rounds: float
    memory_players: float


def seconds(
    game: str, scheduler: str, rounds: int, seed: int, clock: Clock = time.process_time
) -> float:
    """The time of a run of `rounds` rounds, the least of `TRIES`."""
    made = make_game(game, np.random.default_rng(0))
    tries = []
    with threadpool_limits(1):
        for _ in range(TRIES):
            simulation = start_simulation(made, scheduler, seed, reader=CurveReader(every=rounds))
            start = clock()
            simulation.advance(rounds)
            tries.append(clock() - start)
    return min(tries)


def held_bytes(game: str, scheduler: str, rounds: int) -> float:
    """The memory that a scheduler holds after `rounds` rounds.

    A run before the measured one loads what all runs share.
    """
    made = make_game(game, np.random.default_rng(0))
    start_simulation(made, scheduler, seed=0).advance(rounds)
    tracemalloc.start()
    simulation = start_simulation(made, scheduler, seed=0, reader=CurveReader(every=rounds))
    simulation.advance(rounds)
    simulation.matches.clear()  # the simulation's own record, not the scheduler's
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return float(held)


def regrets(game: str, scheduler: str, rounds: Sequence[int], seed: int) -> list[float]:
    """The regret after each number of rounds, on a game and a run that depend on the seed."""
    made = make_game(game, np.random.default_rng([seed, 0]))
    reader = GridReader(np.array(rounds), lambda simulation: (simulation.regret,))
    simulation = start_simulation(made, scheduler, seed, reader=reader)
    simulation.advance(rounds[-1])
    return [float(regret) for regret in reader.curves(simulation)[0]]


def exponent(sizes: Sequence[int], costs: Sequence[float]) -> float:
    """The slope of log cost over log size.

    >>> exponent((1, 10, 100), [5.0, 500.0, 50000.0])
    2.0
    """
    return float(np.polyfit(np.log(sizes), np.log(costs), 1)[0])


def is_linear(sizes: Sequence[int], costs: Sequence[float]) -> bool:
    """Whether the last cost per unit of size is at least 90 % of the one before, and not 0.

    An exponent cannot tell: 1000 + T / 10 looks like a small power of T for a long time.

    >>> is_linear((100, 200, 400), [1010.0, 1020.0, 1040.0])
    True
    >>> is_linear((100, 200, 400), [10.0, 14.1, 20.0])
    False
    """
    before, last = np.diff(costs)[-2:] / np.diff(sizes)[-2:]
    return bool(last > 0.0 and last >= 0.9 * before)


def growth(algorithm: str, sizes: Sizes = FULL, clock: Clock = time.process_time) -> Growth:
    """Measure one algorithm."""
    scheduler, middle = ALGORITHMS[algorithm], sizes.rounds[1]
    games = [f"elo:n_players={count}" for count in sizes.players]
    over_rounds = [
        [seconds(games[1], scheduler, rounds, seed, clock) for rounds in sizes.rounds]
        for seed in range(sizes.repeats)
    ]
    over_players = [
        [seconds(game, scheduler, middle, seed, clock) for game in games]
        for seed in range(sizes.repeats)
    ]
    over_regret = [
        regrets(games[1], LONE_SELF[algorithm], sizes.regret_rounds, seed)
        for seed in range(sizes.regret_seeds)
    ]
    return Growth(
        algorithm,
        _exponents(sizes.regret_rounds, over_regret),
        sum(is_linear(sizes.regret_rounds, costs) for costs in over_regret),
        _exponents(sizes.rounds, over_rounds),
        _exponents(sizes.players, over_players),
        exponent(sizes.rounds, [held_bytes(games[1], scheduler, t) for t in sizes.rounds]),
        exponent(sizes.players, [held_bytes(game, scheduler, middle) for game in games]),
    )


def _exponents(sizes: Sequence[int], repeats: Sequence[Sequence[float]]) -> Estimate:
    return Estimate.of([exponent(sizes, costs) for costs in repeats])


def round_times(
    sizes: Sizes = FULL, clock: Clock = time.process_time
) -> dict[tuple[str, str], Estimate]:
    """Microseconds per round of each algorithm on each game of `TIMED`, simulation included."""
    found: dict[tuple[str, str], list[float]] = {case: [] for case in TIMED}
    for seed in range(sizes.repeats):  # in turns, so that a busy minute slows all of them
        for (name, game), scheduler in TIMED.items():
            spent = seconds(game, scheduler, sizes.timed_rounds, seed, clock)
            found[name, game].append(1e6 * spent / sizes.timed_rounds)
    return {case: Estimate.of(times) for case, times in found.items()}
