"""A race: one scheduler on one game, measured many times until its last match."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxin.core.plugins import blaming
from maxin.evaluation import hit_ratio, naming_loss, ordered_share, rating_error
from maxin.games import Game, make_game
from maxin.schedulers import Scheduler, make_scheduler
from maxin.simulation.simulation import (
    GridReader,
    Reader,
    Simulation,
    mean_rank_in,
    start_simulation,
)
from maxin_studies.tasks import OutcomeT, StoredTask

N_READINGS = 200  # per curve, at most
TOP = 3  # the size of the top that is sought besides the one best player

Curve = NDArray[np.float32]


class RaceCurves(NamedTuple):
    """The outcome of a race: curves, read after the rounds of `race_rounds`."""

    found: Curve  # 1 where the truly best player tops the ratings, shared among equal ratings
    reciprocal_rank: Curve  # 1 / the rank of that player; equal ratings share their mean rank
    regret: Curve
    top: Curve  # share of the three top-rated players who are among the truly best three
    ordered: Curve  # share of all pairs that the ratings put in the true order
    loss: Curve  # by how many nats the player on top of the ratings is below the best
    error: Curve  # root of the mean squared error of the ratings, in nats


@dataclass(frozen=True)
class GameTask(StoredTask[OutcomeT]):
    """One scheduler on one game of the benchmark.

    Args:
        game: see `make_game`; a game with random players has different ones for every seed.
        fingerprint: of the payoffs in a file, since its name does not identify its content.
        scheduler: see `make_scheduler`.
        rounds: the largest number of matches.
        seed: of all random numbers in it.
        in_flight: how many matches are pending at any time.
    """

    game: str
    fingerprint: str
    scheduler: str
    rounds: int
    seed: int
    in_flight: int = 1

    def make(self, scheduler: str, n_players: int, rng: np.random.Generator) -> Scheduler:
        """The scheduler of this name."""
        return make_scheduler(scheduler, n_players, rng)

    def simulate(self, reader: Reader) -> Simulation:
        """Play all rounds, or until the reader or the scheduler ends them."""
        simulation = start_simulation(
            game_of(self.game, self.seed),
            self.scheduler,
            self.seed,
            in_flight=self.in_flight,
            reader=reader,
            make=self.make,
        )
        with blaming(simulation.scheduler, f"the scheduler {self.scheduler!r} failed"):
            simulation.advance(self.rounds)
        return simulation


@dataclass(frozen=True)
class Race(GameTask[RaceCurves]):
    """A tournament of a fixed length."""

    kind: ClassVar[str] = "race"
    version: ClassVar[int] = 6
    outcome_type: ClassVar[type] = RaceCurves
    folder: ClassVar[str] = "races"

    def run(self) -> RaceCurves:
        """Play all rounds; a schedule that ends early keeps its last values.

        >>> curves = Race("triangular:n_players=4", "", "round-robin", 20, seed=0).run()
        >>> curves.found[[0, -1]]
        array([0., 1.], dtype=float32)
        """
        reader = GridReader(race_rounds(self.rounds), measure)
        return RaceCurves(*reader.curves(self.simulate(reader)))


def race_rounds(rounds: int) -> NDArray[np.int64]:
    """The rounds after which the curves of a race are read.

    >>> race_rounds(4000)[[0, 1, -2, -1]]
    array([   1,    2, 3961, 4000])
    """
    return early_rounds(rounds, N_READINGS)


def early_rounds(rounds: int, n_readings: int) -> NDArray[np.int64]:
    """A grid of at most `n_readings` rounds, densest at first, when ratings change most.

    Reading k of N is after round ceil(rounds (k / N)^2).

    >>> early_rounds(4000, 200)[[0, 1, -2, -1]]
    array([   1,    2, 3961, 4000])
    """
    steps = np.arange(1, n_readings + 1) / n_readings
    return np.unique(np.ceil(rounds * steps**2 - 1e-9).astype(np.int64))


def measure(simulation: Simulation) -> tuple[float, ...]:
    """One reading of each curve of `RaceCurves`."""
    ratings, strengths = simulation.scheduler.ratings(), simulation.game.ratings
    reciprocal = 1.0 / mean_rank_in(ratings, strengths)
    if not np.isfinite(ratings).all():  # nobody is named
        ratings, found, top, ordered = np.zeros_like(strengths), 0.0, 0.0, 0.5
    else:
        found = hit_ratio(ratings, strengths, 1)
        top = hit_ratio(ratings, strengths, min(TOP, len(ratings)))
        ordered = ordered_share(ratings, strengths)
    loss, error = naming_loss(ratings, strengths), rating_error(ratings, strengths)
    return found, reciprocal, simulation.regret, top, ordered, loss, error


@functools.lru_cache(maxsize=8)
def game_of(text: str, seed: int) -> Game:
    """The game of a seed, as in `start_simulations`; cached for schedulers that take turns on it.

    >>> game_of("field:n_players=5", seed=0).n_players
    5
    """
    return make_game(text, np.random.default_rng([seed, 0]))
