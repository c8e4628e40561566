"""Simulated tournaments: a scheduler plays a game whose true ratings are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from maxin.core import InvalidInput, Match, Result
from maxin.core.plugins import blaming
from maxin.evaluation import hit_ratio, rank_of_best
from maxin.evaluation.checks import ROUNDING
from maxin.games import Game, make_game
from maxin.schedulers import Scheduler, make_scheduler
from maxin.tournament.state.seating import SeatCounts, balanced_seats

Numbers = Sequence[float] | NDArray[np.float64]


class Reader(Protocol):
    """Reads a simulation after the matches it asks for, and may end it."""

    def is_due(self, n_rounds: int) -> bool:
        """Whether to read after this many matches."""
        ...

    def read(self, simulation: Simulation) -> bool:
        """Read the simulation; True ends it."""
        ...


@dataclass(frozen=True)
class Trace:
    """The curves of a simulation; a round is one match."""

    rounds: NDArray[np.int64]  # the rounds after which the two curves were read
    regret: NDArray[np.float64]  # cumulative regret after these rounds
    rank: NDArray[np.int64]  # rank of the truly best player after these rounds
    matches: NDArray[np.int64]  # every match, shape (rounds, 2)


class CurveReader:
    """Records regret and the rank of the truly best player every few rounds.

    Args:
        every: the number of rounds between two readings.
    """

    def __init__(self, every: int = 1) -> None:
        self.every = every
        self.readings: list[tuple[int, float, int]] = []  # rounds, regret and rank

    def is_due(self, n_rounds: int) -> bool:
        """See `Reader.is_due`."""
        return n_rounds % self.every == 0

    def read(self, simulation: Simulation) -> bool:
        """See `Reader.read`."""
        self.readings.append((simulation.n_rounds, simulation.regret, simulation.rank))
        return False


class GridReader:
    """Measures a simulation after the rounds of a grid.

    Args:
        grid: the rounds after which to measure, increasing.
        measure: gives the numbers of one reading.
    """

    def __init__(self, grid: NDArray[np.int64], measure: Callable[[Simulation], Numbers]) -> None:
        self.grid, self.measure = grid, measure
        self._due = frozenset(grid.tolist())
        self._readings: list[Numbers] = []

    def is_due(self, n_rounds: int) -> bool:
        """See `Reader.is_due`."""
        return n_rounds in self._due

    def read(self, simulation: Simulation) -> bool:
        """See `Reader.read`."""
        self._readings.append(self.measure(simulation))
        return False

    def readings(self, simulation: Simulation) -> NDArray[np.float64]:
        """One row per round of the grid, one column per number measured.

        A schedule that ended early keeps its last values for the rest of the grid.
        """
        n_missing = len(self.grid) - len(self._readings)
        last = [self.measure(simulation)] * n_missing if n_missing else []
        return np.array([*self._readings, *last], dtype=np.float64)

    def curves(self, simulation: Simulation) -> NDArray[np.float32]:
        """One row per number measured, one column per round of the grid; see `readings`."""
        return self.readings(simulation).T.astype(np.float32)


class Simulation:
    """Plays a scheduler against a game and adds up its regret.

    Args:
        game: decides the matches; its ratings say who is truly best.
        scheduler: chooses the matches.
        rng: draws the results, the seats and the order in which pending matches end.
        in_flight: how many matches are pending at any time; any of them may end next.
        balance_seats: seat the players as a tournament does, the one who sat first less often
            first, instead of in the order the scheduler names them.
        reader: reads the simulation while it runs; by default a `CurveReader`.

    >>> from maxin.games import make_game
    >>> rng = np.random.default_rng(0)
    >>> game = make_game("triangular:n_players=8", rng)
    >>> simulation = Simulation(game, make_scheduler("knockout", 8, rng), rng)
    >>> simulation.advance(100)  # a knockout of eight is over after seven matches
    >>> len(simulation.trace().regret)
    7
    """

    def __init__(
        self,
        game: Game,
        scheduler: Scheduler,
        rng: np.random.Generator,
        *,
        in_flight: int = 1,
        balance_seats: bool = False,
        reader: Reader | None = None,
    ) -> None:
        self.game, self.scheduler, self.rng, self.in_flight = game, scheduler, rng, in_flight
        self.reader: Reader = CurveReader() if reader is None else reader
        self.is_over = False  # the scheduler has nothing left to ask, or the reader ended the run
        self.regret = 0.0
        self.matches: list[Match] = []
        self.last_score = 0.0  # of the latest match
        self.n_rounds = 0
        self._losses = (game.ratings.max() - game.ratings).tolist()
        self._pending: list[Match] = []
        self._first_counts = SeatCounts() if balance_seats else None

    @property
    def rank(self) -> int:
        """The rank of the truly best player in the scheduler's ratings; see `rank_in`."""
        return rank_in(self.scheduler.ratings(), self.game.ratings)

    def advance(self, n_rounds: int) -> None:
        """Play `n_rounds` matches, or until the scheduler or the reader ends the run."""
        for _ in range(n_rounds):
            match = None if self.is_over else self._next()
            if match is None:
                self.is_over = True
                return
            self._play(match)
            if self.reader.is_due(self.n_rounds) and self.reader.read(self):
                self.is_over = True

    def _next(self) -> Match | None:
        """The match that ends next, after filling up the pending ones."""
        while len(self._pending) < self.in_flight and (match := self.scheduler.ask()) is not None:
            self._pending.append(self._seated(match))
        if len(self._pending) <= 1:
            return self._pending.pop() if self._pending else None
        return self._pending.pop(int(self.rng.integers(len(self._pending))))

    def _seated(self, match: Match) -> Match:
        """The match with its seats as they are played."""
        if self._first_counts is None:
            return match
        seated = balanced_seats(match, self._first_counts, lambda: self.rng.random() < 0.5)
        self._first_counts.add(seated)
        return seated

    def _play(self, match: Match) -> None:
        self.last_score = self.game.play(match, self.rng)
        self.scheduler.tell(Result(match, self.last_score))
        self.matches.append(match)
        self.n_rounds += 1
        self.regret += (self._losses[match.first] + self._losses[match.second]) / 2.0

    def trace(self) -> Trace:
        """The recorded curves as arrays; needs the default reader, `CurveReader`."""
        if not isinstance(self.reader, CurveReader):
            name = type(self.reader).__name__
            raise InvalidInput(f"only a CurveReader records curves; this simulation has a {name}")
        rounds, regret, rank = np.array(self.reader.readings).reshape(-1, 3).T
        return Trace(
            rounds.astype(np.int64),
            regret,
            rank.astype(np.int64),
            np.array(self.matches, dtype=np.int64).reshape(-1, 2),
        )


def rank_in(ratings: NDArray[np.float64], strengths: NDArray[np.float64]) -> int:
    """The rank of the truly best player in `ratings`, 1 if it is on top.

    It is the middle rank while all ratings are equal, since nobody is ranked yet, and the last
    one if the ratings have overflowed.

    >>> rank_in(np.array([0.0, 2.0, 1.0]), strengths=np.array([1.0, 0.0, 0.0]))
    3
    """
    return int(ranks_in(ratings[None], strengths)[0])


def ranks_in(ratings: NDArray[np.float64], strengths: NDArray[np.float64]) -> NDArray[np.int64]:
    """`rank_in` for each row of ratings.

    >>> ranks_in(np.array([[0.0, 2.0, 1.0], [1.0, 1.0, 1.0]]), strengths=np.array([1.0, 0.0, 0.0]))
    array([3, 2])
    """
    n_players = len(strengths)
    of_best = ratings[:, strengths >= strengths.max() - ROUNDING].max(axis=1, keepdims=True)
    ranks: NDArray[np.int64] = 1 + np.count_nonzero(ratings > of_best, axis=1)
    ranks[ratings.min(axis=1) == ratings.max(axis=1)] = (n_players + 1) // 2
    ranks[~np.isfinite(ratings).all(axis=1)] = n_players
    return ranks


def mean_rank_in(ratings: NDArray[np.float64], strengths: NDArray[np.float64]) -> float:
    """The rank of the truly best player in `ratings`; equal ratings share their mean rank.

    So a player who is one of many on top is not counted as found. If the ratings have overflowed,
    it is the last rank.

    >>> mean_rank_in(np.array([2.0, 2.0, 2.0, 1.0]), strengths=np.array([1.0, 0.0, 0.0, 0.0]))
    2.0
    """
    if not np.isfinite(ratings).all():
        return float(len(ratings))
    rank = rank_of_best(ratings, strengths)
    rating = np.sort(ratings)[-rank]
    return rank + (int(np.count_nonzero(ratings == rating)) - 1) / 2.0


class SeedCurves(NamedTuple):
    """Curves of one scheduler, of shape (seeds, rounds)."""

    regret: NDArray[np.float32]
    rank: NDArray[np.float32]  # of the truly best player; see `mean_rank_in`
    found: NDArray[np.float32]  # 1 where it is on top, shared among equal ratings
    n_played: NDArray[np.float32]  # fewer than the rounds if the schedule had nothing left to ask

    @classmethod
    def of(
        cls,
        game: str,
        scheduler: str,
        rounds: int,
        seeds: Sequence[int],
        progress: Callable[[int], None] = lambda n_seeds: None,
    ) -> SeedCurves:
        """Simulate a scheduler with each seed; the game depends on the seed, too.

        A schedule that ends early keeps its last values.

        >>> curves = SeedCurves.of("triangular:n_players=4", "round-robin", 20, seeds=range(2))
        >>> curves.found[:, -1]
        array([1., 1.], dtype=float32)
        """
        runs = []
        for seed in seeds:
            made = make_game(game, np.random.default_rng([seed, 0]))
            reader = GridReader(np.arange(1, rounds + 1), _seed_curves)
            simulation = start_simulation(made, scheduler, seed, reader=reader)
            failed = f"the scheduler {scheduler!r} failed"
            with threadpool_limits(1), blaming(simulation.scheduler, failed):
                simulation.advance(rounds)
            runs.append(reader.curves(simulation))
            progress(len(runs))
        return cls(*np.stack(runs, axis=1))


def _seed_curves(simulation: Simulation) -> tuple[float, ...]:
    ratings, strengths = simulation.scheduler.ratings(), simulation.game.ratings
    found = hit_ratio(ratings, strengths, 1) if np.isfinite(ratings).all() else 0.0
    return simulation.regret, mean_rank_in(ratings, strengths), found, simulation.n_rounds


def start_simulations(game: str, schedulers: list[str], seed: int) -> list[Simulation]:
    """One simulation per scheduler on the same game, each with its own random numbers.

    The game depends on the seed alone, and a run on the seed and the scheduler's name, so adding
    a scheduler does not change the other runs.

    >>> [one, _] = start_simulations("elo:n_players=5", ["random", "maxin"], seed=0)
    >>> one.advance(10)
    >>> one.regret
    51.2
    """
    made = make_game(game, np.random.default_rng([seed, 0]))
    return [start_simulation(made, scheduler, seed) for scheduler in schedulers]


def start_simulation(
    game: Game,
    scheduler: str,
    seed: int,
    *,
    in_flight: int = 1,
    reader: Reader | None = None,
    make: Callable[[str, int, np.random.Generator], Scheduler] = make_scheduler,
) -> Simulation:
    """A scheduler, given by name, on a game; the run depends on the seed and the name alone.

    `make` gives the scheduler of this name, for so many players.
    """
    name = list(scheduler.encode())
    choices, play = (np.random.default_rng([seed, stream, *name]) for stream in (1, 2))
    made = make(scheduler, game.n_players, choices)
    return Simulation(game, made, play, in_flight=in_flight, reader=reader)
