"""A run is data: which game, which scheduler, how many rounds, which seed."""

from __future__ import annotations

import functools
import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxin.evaluation import hit_ratio, ndcg
from maxin.experiments.simulation import start_simulation
from maxin.games import Game

VERSION = 2  # of what a run computes; a change of it makes every stored run unknown
N_READINGS = 100  # of a curve, at most
LARGEST_K = 10  # of hit ratio@k and NDCG@k


@dataclass(frozen=True)
class Run:
    """The whole description of a simulated tournament; equal descriptions give equal numbers.

    Args:
        game: the name of the game.
        fingerprint: of its payoffs, so that two games of one name are not mixed up.
        truth: whom the best player is best by, "rating" (row means of log-odds) or "score" (row
            means of P).
        scheduler: see `make_scheduler`.
        rounds: how many matches are played.
        seed: of everything random in it.
    """

    game: str
    fingerprint: str
    truth: str
    scheduler: str
    rounds: int
    seed: int

    @functools.cached_property
    def key(self) -> str:
        """A name for the description, short enough for a file."""
        return key_of({"version": VERSION, **asdict(self)})


def key_of(description: dict[str, object]) -> str:
    """A short hash of a description.

    >>> key_of({"seed": 0})
    'de7d7744ccd7722e315c'
    """
    text = json.dumps(description, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:20]


class Outcome(NamedTuple):
    """What a run gave. Curves are read a hundred times, or every round; last at the very end."""

    regret: NDArray[np.float32]
    reciprocal_rank: NDArray[np.float32]
    hit_ratio: NDArray[np.float32]  # @1..10, of the final ratings
    ndcg: NDArray[np.float32]
    seconds: float

    @property
    def late_reciprocal_rank(self) -> float:
        """Mean over the second half, by which the paper chooses its settings."""
        return float(self.reciprocal_rank[len(self.reciprocal_rank) // 2 :].mean())


@functools.cache
def fingerprint(game: Game) -> str:
    """A short hash of a game's payoffs.

    >>> fingerprint(Game("coin", [[0.0, 0.5], [-0.5, 0.0]]))
    'd434b61057ea1d2b'
    """
    return hashlib.sha256(game.payoffs.tobytes()).hexdigest()[:16]


def play(run: Run, game: Game) -> Outcome:
    """Do the run.

    >>> game = Game("coin", [[0.0, 0.5], [-0.5, 0.0]])
    >>> outcome = play(Run("coin", fingerprint(game), "rating", "random", 200, seed=0), game)
    >>> float(outcome.regret[-1])  # half of log 3 a round
    109.9
    """
    start = time.perf_counter()
    strengths = game.ratings if run.truth == "rating" else game.mean_scores
    every = -(-run.rounds // N_READINGS)
    simulation = start_simulation(game, run.scheduler, run.seed, strengths=strengths, every=every)
    simulation.advance(run.rounds)
    simulation.read()
    trace, ratings = simulation.trace(), simulation.scheduler.ratings()
    if not np.isfinite(ratings).all():  # too large a step: worth nothing, like anti-knowledge
        ratings = -strengths
    ks = range(1, min(LARGEST_K, game.n_players) + 1)
    return Outcome(
        _carried_on(trace.regret, -(-run.rounds // every)),
        _carried_on(1.0 / trace.rank, -(-run.rounds // every)),
        np.array([hit_ratio(ratings, strengths, k) for k in ks], dtype=np.float32),
        np.array([ndcg(ratings, strengths, k) for k in ks], dtype=np.float32),
        time.perf_counter() - start,
    )


def play_among(games: Mapping[str, Game], run: Run) -> Outcome:
    """Do the run on the game it names."""
    return play(run, games[run.game])


def reading_rounds(rounds: int, n_readings: int) -> NDArray[np.int64]:
    """The rounds after which a curve of `n_readings` was read.

    >>> reading_rounds(250, 84)[[0, 1, -1]]
    array([  3,   6, 250])
    """
    every = -(-rounds // N_READINGS)
    return np.minimum(np.arange(1, n_readings + 1) * every, rounds)


def _carried_on(curve: NDArray[np.float64], length: int) -> NDArray[np.float32]:
    """A curve of a schedule that ended early keeps its last value."""
    last = curve[-1:] if len(curve) else np.zeros(1)
    return np.concatenate([curve, np.repeat(last, length - len(curve))]).astype(np.float32)
