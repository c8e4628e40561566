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
    """What happened round by round; a round is one match."""

    matches: NDArray[np.int64]  # (rounds, 2)
    regret: NDArray[np.float64]  # cumulative, after each round
    rank: NDArray[np.int64]  # of the truly best player, after each round


class Simulation:
    """Plays a scheduler against a game and keeps the score of how well it does.

    Args:
        game: knows who is best.
        scheduler: must find out.
        rng: plays the matches.

    >>> from maxin.games import make_game
    >>> rng = np.random.default_rng(0)
    >>> game = make_game("triangular:n_players=8", rng)
    >>> simulation = Simulation(game, make_scheduler("knockout", 8, rng), rng)
    >>> simulation.advance(100)  # a knockout of eight is over after seven matches
    >>> len(simulation.trace().regret)
    7
    """

    def __init__(self, game: Game, scheduler: Scheduler, rng: np.random.Generator) -> None:
        self.game, self.scheduler, self.rng = game, scheduler, rng
        self.is_over = False
        self._matches: list[Match] = []
        self._regret = [0.0]
        self._rank: list[int] = []
        self._losses = (game.ratings.max() - game.ratings).tolist()

    @property
    def n_rounds(self) -> int:
        """Matches played so far."""
        return len(self._matches)

    @property
    def regret(self) -> float:
        """Cumulative regret so far."""
        return self._regret[-1]

    @property
    def rank(self) -> int | None:
        """Where the scheduler ranks the truly best player now; None before the first match."""
        return self._rank[-1] if self._rank else None

    def advance(self, n_rounds: int) -> None:
        """Play `n_rounds` matches, or until the scheduler has nothing left to ask."""
        for _ in range(n_rounds):
            match = self.scheduler.ask()
            if match is None:
                self.is_over = True
                return
            self.scheduler.tell(Result(match, self.game.play(match, self.rng)))
            self._keep(match)

    def _keep(self, match: Match) -> None:
        loss = (self._losses[match.first] + self._losses[match.second]) / 2.0
        self._matches.append(match)
        self._regret.append(self._regret[-1] + loss)
        self._rank.append(rank_of_best(self.scheduler.ratings(), self.game.ratings))

    def trace(self) -> Trace:
        """Everything so far, as arrays."""
        return Trace(
            np.array(self._matches, dtype=np.int64).reshape(-1, 2),
            np.array(self._regret[1:]),
            np.array(self._rank, dtype=np.int64),
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
    return [_start(made, scheduler, seed) for scheduler in schedulers]


def _start(game: Game, scheduler: str, seed: int) -> Simulation:
    name = list(scheduler.encode())
    choices, play = (np.random.default_rng([seed, stream, *name]) for stream in (1, 2))
    return Simulation(game, make_scheduler(scheduler, game.n_players, choices), play)
