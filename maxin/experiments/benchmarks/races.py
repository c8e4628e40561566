"""A race: one scheduler on one game, read again and again on the way to its last match."""

from __future__ import annotations

import functools
from dataclasses import asdict, dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxin.evaluation import hit_ratio, ordered_share
from maxin.experiments.reproduction.runs import key_of
from maxin.experiments.simulation import Simulation, start_simulation
from maxin.games import Game, make_game

VERSION = 2  # of what a race computes; a change of it makes every stored race unknown
N_READINGS = 200  # of a curve, at most
TOP = 3  # how many are sought besides the one best

Curve = NDArray[np.float32]


@dataclass(frozen=True)
class Race:
    """The whole description of a race; equal descriptions give equal numbers.

    Args:
        game: see `make_game`; a game with players drawn at random has others for every seed.
        fingerprint: of the payoffs of a file, whose name alone does not tell what is in it.
        scheduler: see `make_scheduler`.
        rounds: how many matches are played.
        seed: of everything random in it.
        in_flight: how many matches are being played at any time.
    """

    game: str
    fingerprint: str
    scheduler: str
    rounds: int
    seed: int
    in_flight: int = 1

    @functools.cached_property
    def key(self) -> str:
        """A name for the description, short enough for a file."""
        return key_of({"race": VERSION, **asdict(self)})


class Course(NamedTuple):
    """What a race gave: curves, read at `reading_rounds`, the last at the very end."""

    found: Curve  # 1 where the top player of the ratings is the truly best, shared among equals
    reciprocal_rank: Curve
    regret: Curve
    top: Curve  # share of the three that top the ratings who are among the truly best three
    ordered: Curve  # share of all pairs that the ratings put in the true order


def reading_rounds(rounds: int) -> NDArray[np.int64]:
    """When curves are read: closest at first, when ratings change most, up to the last match.

    >>> reading_rounds(4000)[[0, 1, -2, -1]]
    array([   1,    2, 3961, 4000])
    """
    steps = np.arange(1, N_READINGS + 1) / N_READINGS
    return np.unique(np.ceil(rounds * steps**2 - 1e-9).astype(np.int64))


def run_race(race: Race) -> Course:
    """Play it; a schedule that ends early keeps its last values.

    >>> course = run_race(Race("triangular:n_players=4", "", "round-robin", 20, seed=0))
    >>> course.found[[0, -1]]
    array([0., 1.], dtype=float32)
    """
    simulation = start_simulation(
        game_of(race.game, race.seed),
        race.scheduler,
        race.seed,
        every=race.rounds + 1,
        in_flight=race.in_flight,
    )
    readings = []
    for last in reading_rounds(race.rounds).tolist():
        if not simulation.is_over:
            simulation.advance(last - simulation.n_rounds)
        readings.append(_reading(simulation))
    return Course(*np.array(readings, dtype=np.float32).T)


def _reading(simulation: Simulation) -> tuple[float, ...]:
    ratings, strengths = simulation.scheduler.ratings(), simulation.strengths
    if not np.isfinite(ratings).all():
        return 0.0, 1.0 / simulation.rank, simulation.regret, 0.0, 0.5
    return (
        hit_ratio(ratings, strengths, 1),
        1.0 / simulation.rank,
        simulation.regret,
        hit_ratio(ratings, strengths, min(TOP, len(ratings))),
        ordered_share(ratings, strengths),
    )


@functools.lru_cache(maxsize=8)
def game_of(text: str, seed: int) -> Game:
    """The game of a seed, as in `start_simulations`; kept while schedulers take turns on it.

    >>> game_of("field:n_players=5", seed=0).n_players
    5
    """
    return make_game(text, np.random.default_rng([seed, 0]))
