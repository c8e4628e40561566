"""A run of the paper: one scheduler on one game with one seed, as a task."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxin.evaluation import hit_ratio, ndcg
from maxin.experiments.simulation import (
    GridReader,
    Simulation,
    even_rounds,
    rank_in,
    start_simulation,
)
from maxin.experiments.tasks import Task
from maxin.games import Game

N_READINGS = 100  # per curve, at most
LARGEST_K = 10  # of hit ratio@k and NDCG@k


class RunCurves(NamedTuple):
    """The outcome of a run: two curves, read after the rounds of `reading_rounds`, and its end."""

    regret: NDArray[np.float32]
    reciprocal_rank: NDArray[np.float32]
    hit_ratio: NDArray[np.float32]  # @1..10, of the final ratings
    ndcg: NDArray[np.float32]  # @1..10, of the final ratings
    seconds: float

    @property
    def late_reciprocal_rank(self) -> float:
        """The mean over the second half, by which the paper chooses its settings."""
        return float(self.reciprocal_rank[len(self.reciprocal_rank) // 2 :].mean())


@dataclass(frozen=True)
class Run(Task[RunCurves]):
    """One scheduler on one game of the paper.

    Args:
        game: the name of the game.
        fingerprint: of its payoffs, so that two games of the same name are not mixed up.
        truth: what the best player is best by: "rating" (row means of log-odds) or "score" (row
            means of P).
        scheduler: see `make_scheduler`.
        rounds: how many matches are played.
        seed: of all random numbers in it.
        played_on: the game itself.
    """

    kind: ClassVar[str] = "version"
    version: ClassVar[int] = 2
    outcome_type: ClassVar[type] = RunCurves

    game: str
    fingerprint: str
    truth: str
    scheduler: str
    rounds: int
    seed: int
    played_on: Game = field(compare=False, repr=False)

    def run(self) -> RunCurves:
        """Play all rounds.

        >>> game = Game("coin", [[0.0, 0.5], [-0.5, 0.0]])
        >>> outcome = Run("coin", "", "rating", "random", 200, seed=0, played_on=game).run()
        >>> float(outcome.regret[-1])  # half of log 3 per round
        109.9
        """
        start = time.perf_counter()
        game = self.played_on
        strengths = game.ratings if self.truth == "rating" else game.mean_scores

        def measure(simulation: Simulation) -> tuple[float, float]:
            rank = rank_in(simulation.scheduler.ratings(), strengths)
            return simulation.regret, 1.0 / rank

        reader = GridReader(reading_rounds(self.rounds), measure)
        simulation = start_simulation(game, self.scheduler, self.seed, reader=reader)
        simulation.advance(self.rounds)
        ratings = simulation.scheduler.ratings()
        if not np.isfinite(ratings).all():  # the step was too large: count it as the worst order
            ratings = -strengths
        ks = range(1, min(LARGEST_K, game.n_players) + 1)
        regret, reciprocal_rank = reader.curves(simulation)
        return RunCurves(
            regret,
            reciprocal_rank,
            np.array([hit_ratio(ratings, strengths, k) for k in ks], dtype=np.float32),
            np.array([ndcg(ratings, strengths, k) for k in ks], dtype=np.float32),
            time.perf_counter() - start,
        )


def reading_rounds(rounds: int) -> NDArray[np.int64]:
    """The rounds after which the curves of a run are read.

    >>> reading_rounds(250)[[0, 1, -1]]
    array([  3,   6, 250])
    """
    return even_rounds(rounds, N_READINGS)
