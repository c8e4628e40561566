"""Simulated tournaments: a scheduler against a game whose truth is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxin.core import Match, Result
from maxin.evaluation import rank_of_best
from maxin.games import Game, make_game
from maxin.schedulers import Scheduler, make_scheduler


@dataclass(frozen=True)
class Trace:
    """What happened; a round is one match."""

    rounds: NDArray[np.int64]  # where the two curves were read
    regret: NDArray[np.float64]  # cumulative, after these rounds
    rank: NDArray[np.int64]  # of the truly best player, after these rounds
    matches: NDArray[np.int64]  # every match, (rounds, 2)


class Simulation:
    """Plays a scheduler against a game and keeps the score of how well it does.

    Args:
        game: knows who is best.
        scheduler: must find out.
        rng: plays the matches.
        strengths: by whose largest entry the best player is known; the game's ratings by default.
        every: how many rounds lie between two readings of the curves.
        in_flight: how many matches are asked before one of them, any, comes back.

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
        strengths: NDArray[np.float64] | None = None,
        every: int = 1,
        in_flight: int = 1,
    ) -> None:
        self.game, self.scheduler, self.rng, self.every = game, scheduler, rng, every
        self.in_flight = in_flight
        self.strengths = game.ratings if strengths is None else strengths
        self.is_over = False
        self.regret = 0.0
        self._losses = (game.ratings.max() - game.ratings).tolist()
        self._matches: list[Match] = []
        self._flying: list[Match] = []
        self._readings: list[tuple[int, float, int]] = []

    @property
    def n_rounds(self) -> int:
        """Matches played so far."""
        return len(self._matches)

    @property
    def rank(self) -> int:
        """Where the scheduler ranks the truly best player now.

        In the middle while all ratings are equal, for then nobody is ranked yet; last if the
        ratings have overflowed.
        """
        ratings = self.scheduler.ratings()
        if not np.isfinite(ratings).all():
            return self.game.n_players
        if ratings.min() == ratings.max():
            return (self.game.n_players + 1) // 2
        return rank_of_best(ratings, self.strengths)

    def advance(self, n_rounds: int) -> None:
        """Play `n_rounds` matches, or until the scheduler has nothing left to ask."""
        for _ in range(n_rounds):
            match = self._next()
            if match is None:
                self.is_over = True
                return
            self.scheduler.tell(Result(match, self.game.play(match, self.rng)))
            self._matches.append(match)
            self.regret += (self._losses[match.first] + self._losses[match.second]) / 2.0
            if len(self._matches) % self.every == 0:
                self.read()

    def _next(self) -> Match | None:
        """The match that comes back next, after as many were asked as may fly."""
        while len(self._flying) < self.in_flight and (match := self.scheduler.ask()) is not None:
            self._flying.append(match)
        if len(self._flying) <= 1:
            return self._flying.pop() if self._flying else None
        return self._flying.pop(int(self.rng.integers(len(self._flying))))

    def read(self) -> None:
        """Take a reading of the curves, unless this round has one."""
        if not self._readings or self._readings[-1][0] != self.n_rounds:
            self._readings.append((self.n_rounds, self.regret, self.rank))

    def forget_matches(self) -> None:
        """Drop the record of matches, to see what the scheduler itself holds."""
        self._matches.clear()

    def trace(self) -> Trace:
        """Everything so far, as arrays."""
        rounds, regret, rank = np.array(self._readings).reshape(-1, 3).T
        return Trace(
            rounds.astype(np.int64),
            regret,
            rank.astype(np.int64),
            np.array(self._matches, dtype=np.int64).reshape(-1, 2),
        )


def start_simulations(game: str, schedulers: list[str], seed: int) -> list[Simulation]:
    """One simulation per scheduler, on one game, each with random numbers of its own.

    The game depends on the seed alone, and a scheduler's run on the seed and its own name, so
    that adding a scheduler changes nobody else's run.

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
    strengths: NDArray[np.float64] | None = None,
    every: int = 1,
    in_flight: int = 1,
) -> Simulation:
    """A scheduler, by name, against a game; the run depends on the seed and the name alone.

    >>> game = make_game("disc:n_players=5", np.random.default_rng(0))
    >>> start_simulation(game, "random", seed=0).n_rounds
    0
    """
    name = list(scheduler.encode())
    choices, play = (np.random.default_rng([seed, stream, *name]) for stream in (1, 2))
    made = make_scheduler(scheduler, game.n_players, choices)
    return Simulation(game, made, play, strengths=strengths, every=every, in_flight=in_flight)
