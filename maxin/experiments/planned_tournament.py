"""One simulated tournament of a plan: known strengths, a real scheduler, the real stop rule."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxin.core import Match
from maxin.evaluation import Verdict
from maxin.experiments.simulation import Simulation
from maxin.experiments.tasks import Task
from maxin.games import Game
from maxin.ratings import Tally
from maxin.schedulers import make_scheduler
from maxin.tournament.goals import Goal, parse_goal
from maxin.tournament.run.stopping import check_every
from maxin.views.belief import Belief


class PlannedEnd(NamedTuple):
    """The end of one simulated tournament."""

    n_matches: int
    is_decided: bool
    is_right: bool  # whether the players named are the true ones


class StrengthGame(Game):
    """P(first i beats second j) = 1 / (1 + exp(-(s_i - s_j) - a)), without draws.

    Args:
        strengths: s, in nats.
        first_advantage: a, in nats.

    >>> game = StrengthGame([1.0, -1.0], first_advantage=0.5)
    >>> rng = np.random.default_rng(0)
    >>> sum(game.play(Match(0, 1), rng) for _ in range(1000))  # P = 0.924
    924.0
    """

    def __init__(self, strengths: ArrayLike, first_advantage: float = 0.0) -> None:
        self.strengths = np.asarray(strengths, dtype=np.float64)
        self.first_advantage = first_advantage
        gaps = np.subtract.outer(self.strengths, self.strengths)
        super().__init__("strengths", np.tanh(gaps / 2.0))  # a payoff is 2 P - 1

    @cached_property
    def ratings(self) -> NDArray[np.float64]:
        """The strengths themselves."""
        return self.strengths

    def play(self, match: Match, rng: np.random.Generator) -> float:
        """The first player's score of one match."""
        gap = self.strengths[match.first] - self.strengths[match.second]
        chance = 1.0 / (1.0 + np.exp(-gap - self.first_advantage))
        return float(rng.random() < chance)


class DecisionReader:
    """Ends a simulation when a tournament would end, by the same check at the same matches.

    Args:
        n_players: how many players there are.
        goal: what the tournament is to find out.
        confidence: of the verdict.
    """

    def __init__(self, n_players: int, goal: Goal, confidence: float) -> None:
        self.goal, self.confidence = goal, confidence
        self.is_decided = False
        self._tally = Tally(n_players)

    def is_due(self, n_rounds: int) -> bool:
        """See `Reader.is_due`."""
        return True

    def read(self, simulation: Simulation) -> bool:
        """See `Reader.read`."""
        self._tally.add(*simulation.matches[-1], simulation.last_score)
        n_matches = simulation.n_rounds
        if n_matches % check_every(self._tally.n_players, n_matches) == 0:
            self.is_decided = self._verdict().kind == "decided"
        return self.is_decided

    def is_right(self, strengths: NDArray[np.float64]) -> bool:
        """Whether the players that the results name are the truly best, or in the true order."""
        truth, named = np.argsort(-strengths, kind="stable").tolist(), self._verdict().players
        if self.goal.is_ranking:
            return list(named) == list(truth)
        return set(named) == set(truth[: self.goal.k])

    def _verdict(self) -> Verdict:
        belief = Belief([str(player) for player in range(self._tally.n_players)], self._tally)
        if self.goal.is_ranking:
            return belief.order_verdict(confidence=self.confidence)
        return belief.top_verdict(self.goal.k, confidence=self.confidence)


@dataclass(frozen=True)
class PlannedTournament(Task[PlannedEnd]):
    """A simulated tournament that ends as a real one would.

    Args:
        scheduler: see `make_scheduler`.
        number: tells the tournaments of a plan apart; tournaments of the same number have the
            same players, whatever the scheduler.
        n_players: how many players there are.
        strengths: of the players, in nats; None draws them from N(0, spread^2).
        spread: the standard deviation of drawn strengths, in nats.
        first_advantage: what sitting first is worth, in nats.
        goal: what the tournament is to find out.
        confidence: of the verdict that ends it.
        rounds: the number of matches after which it ends undecided.
        seed: of the plan.
    """

    kind: ClassVar[str] = "planned"
    version: ClassVar[int] = 1
    outcome_type: ClassVar[type] = PlannedEnd
    chunk_size: ClassVar[int] = 1  # one tournament at a time keeps all processes busy

    scheduler: str
    number: int
    n_players: int
    strengths: tuple[float, ...] | None
    spread: float
    first_advantage: float
    goal: str
    confidence: float
    rounds: int
    seed: int

    @property
    def size(self) -> int:
        """Progress counts tournaments, since most end long before their last round."""
        return 1

    def run(self) -> PlannedEnd:
        """Play to the end.

        >>> task = PlannedTournament(
        ...     "round-robin:cycles=none", 0, 3, (2.0, 0.0, -1.0), 1.0, 0.0, "best", 0.95, 200, 0
        ... )
        >>> task.run()
        PlannedEnd(n_matches=14, is_decided=True, is_right=True)
        """
        name = list(self.scheduler.encode())
        choices, play = (
            np.random.default_rng([self.seed, self.number, stream, *name]) for stream in (1, 2)
        )
        game = StrengthGame(self._strengths(), self.first_advantage)
        reader = DecisionReader(self.n_players, parse_goal(self.goal), self.confidence)
        scheduler = make_scheduler(self.scheduler, self.n_players, choices)
        simulation = Simulation(game, scheduler, play, balance_seats=True, reader=reader)
        simulation.advance(self.rounds)
        is_right = reader.is_right(game.strengths)
        return PlannedEnd(simulation.n_rounds, reader.is_decided, is_right)

    def _strengths(self) -> NDArray[np.float64]:
        if self.strengths is not None:
            return np.array(self.strengths)
        rng = np.random.default_rng([self.seed, self.number, 0])
        return rng.normal(scale=self.spread, size=self.n_players)
