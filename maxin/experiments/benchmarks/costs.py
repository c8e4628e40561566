"""What a round costs, scheduler by scheduler, as the field grows."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from typing import NamedTuple

from maxin.experiments.benchmarks.races import game_of
from maxin.experiments.simulation import start_simulation

SIZES = (100, 300, 1000)
N_BLOCKS, BLOCK = 5, 100  # of rounds; a block is longer than it takes from refit to refit
BESIDE = "maxin:alone=self"  # what the others are compared with


class Cost(NamedTuple):
    """Seconds a round of a scheduler with so many players."""

    scheduler: str
    n_players: int
    seconds: float


def costs(schedulers: Sequence[str], sizes: Sequence[int] = SIZES) -> list[Cost]:
    """The cost of every scheduler, and of MaxIn beside them, at every size.

    >>> [cost.n_players for cost in costs(["random"], sizes=[5])]
    [5, 5]
    """
    names = list(dict.fromkeys([*schedulers, BESIDE]))
    return [Cost(name, size, round_seconds(name, size)) for size in sizes for name in names]


def round_seconds(scheduler: str, n_players: int) -> float:
    """Of the processor, so that nobody else's work counts; the median over blocks of rounds.

    After the first n rounds all is compiled, and MaxIn's first batch over.

    >>> round_seconds("random", 5) < 1.0
    True
    """
    game = game_of(f"field:n_players={n_players}", 0)
    simulation = start_simulation(game, scheduler, 0)
    simulation.advance(n_players)
    blocks = []
    for _ in range(N_BLOCKS):
        start = time.process_time()
        simulation.advance(BLOCK)
        blocks.append((time.process_time() - start) / BLOCK)
    return statistics.median(blocks)
