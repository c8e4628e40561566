"""A run of the paper: one scheduler on one game with one seed, as a task."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxin.evaluation import top_k_curves
from maxin.games import Game
from maxin.schedulers import SCHEDULERS, make_scheduler
from maxin.schedulers.paper.maxin import CandidateScheduler
from maxin.simulation.simulation import (
    GridReader,
    Simulation,
    ranks_in,
)
from maxin_studies.reproduction.printed.script_schedulers import PRINTED
from maxin_studies.tasks import StoredTask

N_READINGS = 100  # per curve, at most
LARGEST_K = 10  # of hit ratio@k and NDCG@k
FIT_WEIGHT = 50  # how much longer a round with an unpenalised fit takes


Truth = Literal["rating", "score"]
TRUTHS: tuple[Truth, Truth] = ("rating", "score")


class RunCurves(NamedTuple):
    """The outcome of a run: curves, read after the rounds of `reading_rounds`, and its end.

    Measures of rank are taken twice, against the order by true rating r*, as in the paper, and
    against the order by mean score; see `truth_of`.
    """

    regret: NDArray[np.float32]
    rr_by_rating: NDArray[np.float32]
    rr_by_score: NDArray[np.float32]
    hit_by_rating: NDArray[np.float32]  # hit ratio@1..10, of the final ratings
    hit_by_score: NDArray[np.float32]
    ndcg_by_rating: NDArray[np.float32]  # NDCG@1..10, of the final ratings
    ndcg_by_score: NDArray[np.float32]
    n_played: int  # fewer than the rounds if the schedule had nothing left to ask
    n_candidates: int  # the size of S at the end; 0 for schedules without candidates
    keeps_best: bool  # whether the player with the largest r* is among them
    seconds: float

    def curve(self, name: str, truth: Truth) -> NDArray[np.float32]:
        """The curve "regret", "rr", "hit" or "ndcg"."""
        found: NDArray[np.float32] = getattr(
            self, name if name == "regret" else f"{name}_by_{truth}"
        )
        return found

    def mean_rr(self, truth: Truth, start: float = 0.5) -> float:
        """The mean RR from the share `start` of the rounds on; the second half by default."""
        curve = self.curve("rr", truth)
        return float(curve[int(start * len(curve)) :].mean())


def truth_of(game: Game, truth: Truth) -> NDArray[np.float64]:
    """What the best player is best by: r*, the row means of log-odds, or the row means of P.

    They may name different players, since P = 0.999 counts more in r* than a certain win, 0.99.

    >>> game = Game("close", [[0, -0.2, 0.998], [0.2, 0, 1], [-0.998, -1, 0]])
    >>> [int(truth_of(game, truth).argmax()) for truth in TRUTHS]
    [0, 1]
    """
    return game.ratings if truth == "rating" else game.mean_scores


@dataclass(frozen=True)
class Run(StoredTask[RunCurves]):
    """One scheduler on one game of the paper.

    The random numbers depend on the seed alone. So all settings of an algorithm see the same first
    matches and results on a seed, as in the authors' scripts, and choosing the best setting per
    seed is not a choice of the luckiest draw as well.

    Args:
        game: the name of the game.
        fingerprint: of its payoffs, so that two games of the same name are not mixed up.
        scheduler: see `make_scheduler`; the schedulers of `PRINTED` are known as well.
        rounds: how many matches are played.
        seed: of all random numbers in it.
        played_on: the game itself.
    """

    kind: ClassVar[str] = "version"
    version: ClassVar[int] = 4
    outcome_type: ClassVar[type] = RunCurves

    game: str
    fingerprint: str
    scheduler: str
    rounds: int
    seed: int
    played_on: Game = field(compare=False, repr=False)

    @property
    def size(self) -> int:
        """Its rounds, weighted more for the scripts' MaxInP, which fits all results every round."""
        weight = FIT_WEIGHT if self.scheduler.startswith("printed-maxinp") else 1
        return weight * self.rounds

    def run(self) -> RunCurves:
        """Play all rounds.

        >>> game = Game("coin", [[0.0, 0.5], [-0.5, 0.0]])
        >>> outcome = Run("coin", "", "random", 200, seed=0, played_on=game).run()
        >>> float(outcome.regret[-1])  # half of log 3 per round
        109.9
        """
        start = time.perf_counter()
        game = self.played_on
        reader = GridReader(reading_rounds(self.rounds), _regret_and_ratings)
        choices, play = (np.random.default_rng([self.seed, stream]) for stream in (1, 2))
        known = {**SCHEDULERS.own, **PRINTED}
        scheduler = make_scheduler(self.scheduler, game.n_players, choices, known)
        simulation = Simulation(game, scheduler, play, reader=reader)
        simulation.advance(self.rounds)
        readings = reader.readings(simulation)
        ratings = readings[:, 1:]
        by_rating, by_score = (_by_truth(ratings, truth_of(game, truth)) for truth in TRUTHS)
        n_candidates, keeps_best = _candidates(simulation)
        return RunCurves(
            regret=readings[:, 0].astype(np.float32),
            rr_by_rating=by_rating.rr,
            rr_by_score=by_score.rr,
            hit_by_rating=by_rating.hit,
            hit_by_score=by_score.hit,
            ndcg_by_rating=by_rating.ndcg,
            ndcg_by_score=by_score.ndcg,
            n_played=simulation.n_rounds,
            n_candidates=n_candidates,
            keeps_best=keeps_best,
            seconds=time.perf_counter() - start,
        )


def _regret_and_ratings(simulation: Simulation) -> NDArray[np.float64]:
    return np.append(simulation.regret, simulation.scheduler.ratings())


class _ByTruth(NamedTuple):
    """The measures of rank against one truth."""

    rr: NDArray[np.float32]
    hit: NDArray[np.float32]
    ndcg: NDArray[np.float32]


def _by_truth(ratings: NDArray[np.float64], truth: NDArray[np.float64]) -> _ByTruth:
    """RR of each row of ratings; hit ratio@k and NDCG@k, at k = 1 to 10, of the last one."""
    last = ratings[-1]
    if not np.isfinite(last).all():  # the step was too large: count it as the worst order
        last = -truth
    curves = 1.0 / ranks_in(ratings, truth), *top_k_curves(last, truth, min(LARGEST_K, len(truth)))
    return _ByTruth(*(curve.astype(np.float32) for curve in curves))


def _candidates(simulation: Simulation) -> tuple[int, bool]:
    """How many candidates are left, and whether the truly best player is one of them."""
    if not isinstance(simulation.scheduler, CandidateScheduler):
        return 0, False
    candidates = simulation.scheduler.candidates()
    return len(candidates), bool(set(candidates) & set(simulation.game.top(1)))


def reading_rounds(rounds: int) -> NDArray[np.int64]:
    """At most `N_READINGS` rounds at equal distances, after which the curves of a run are read.

    >>> reading_rounds(250)[[0, 1, -1]]
    array([  3,   6, 250])
    """
    every = -(-rounds // N_READINGS)
    return np.minimum(np.arange(1, -(-rounds // every) + 1) * every, rounds)
