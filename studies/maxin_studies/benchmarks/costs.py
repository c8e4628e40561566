"""The cost of a round, per scheduler and number of players."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from maxin.simulation.simulation import start_simulation
from maxin_studies.benchmarks.races import game_of

SIZES = (100, 300, 1000)
N_BLOCKS, BLOCK = 5, 100  # rounds per block: more than between two refits of a scheduler
REFERENCE = "maxin:alone=self"  # measured next to the others for comparison


class Cost(NamedTuple):
    """Seconds per round of a scheduler with a number of players."""

    scheduler: str
    n_players: int
    seconds: float


def costs(
    schedulers: Sequence[str],
    sizes: Sequence[int] = SIZES,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Cost]:
    """The cost of every scheduler, and of MaxIn for comparison, at every size.

    `progress` is called with the rounds done and their number in all.

    >>> [cost.n_players for cost in costs(["random"], sizes=[5])]
    [5, 5]
    """
    found: list[Cost] = []
    done, total = 0, cost_rounds(schedulers, sizes)
    for size in sizes:
        for name in _measured(schedulers):
            found.append(Cost(name, size, round_seconds(name, size)))
            done += _rounds(size)
            progress(done, total)
    return found


def cost_rounds(schedulers: Sequence[str], sizes: Sequence[int]) -> int:
    """The rounds of all measurements."""
    return len(_measured(schedulers)) * sum(map(_rounds, sizes))


def _measured(schedulers: Sequence[str]) -> list[str]:
    return list(dict.fromkeys([*schedulers, REFERENCE]))


def _rounds(size: int) -> int:
    return size + N_BLOCKS * BLOCK


def round_seconds(scheduler: str, n_players: int) -> float:
    """Processor time per round, which other processes do not affect; the median over blocks.

    It starts after n rounds, when MaxIn's first batch is over.

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
