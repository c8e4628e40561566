"""One simulated tournament of a plan: known strengths, a real scheduler, the real stop rule."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxin.core import Match, Stop
from maxin.evaluation.stop_checks import check_every
from maxin.games import Game
from maxin.ratings import Tally
from maxin.schedulers import make_scheduler
from maxin.simulation.pool import Task
from maxin.simulation.simulation import Simulation
from maxin.tournament.goals import Goal, parse_goal
from maxin.tournament.stopping import Decider
from maxin.views.belief import Belief, BeliefCache

BASELINES = ("round-robin:cycles=none", "random")  # they do not look at results


class PlannedEnd(NamedTuple):
    """The end of one simulated tournament."""

    n_matches: int
    is_decided: bool
    is_right: bool  # whether the players named are the true ones, give or take the tolerance


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

    def play_all(self, matches: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.float64]:
        """The first players' scores of matches, which are rows."""
        gaps = self.strengths[matches[:, 0]] - self.strengths[matches[:, 1]]
        chances = 1.0 / (1.0 + np.exp(-gaps - self.first_advantage))
        return (rng.random(len(matches)) < chances).astype(np.float64)


def fixed_schedule(
    scheduler: str, n_players: int, rounds: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """All matches of one of the `BASELINES`, with balanced seats, shape (rounds, 2).

    >>> fixed_schedule("round-robin:cycles=none", 3, 6, np.random.default_rng(0)).tolist()
    [[0, 1], [1, 2], [2, 0], [1, 0], [2, 1], [0, 2]]
    """
    if scheduler == "random":
        table = np.stack(np.triu_indices(n_players, 1), axis=1)
        places = rng.integers(len(table), size=rounds)
    else:
        cycle = make_scheduler("round-robin", n_players, rng)
        table = np.array(list(iter(cycle.ask, None)))
        places = np.arange(rounds) % len(table)
    order = np.argsort(places, kind="stable")
    starts = np.searchsorted(places[order], places[order])
    meetings = np.empty(rounds, dtype=np.int64)  # how often the pair has met before
    meetings[order] = np.arange(rounds) - starts
    is_swapped = (meetings + rng.integers(2, size=len(table))[places]) % 2 == 1
    return np.where(is_swapped[:, None], table[places][:, ::-1], table[places])


def is_check_due(n_players: int, n_matches: int) -> bool:
    """Whether a tournament may check its stop after this many matches.

    >>> [n_matches for n_matches in range(16) if is_check_due(8, n_matches)]
    [8, 10, 12, 14]
    """
    return n_matches >= n_players and n_matches % check_every(n_players, n_matches) == 0


class DecisionReader:
    """Ends a simulation when a tournament would end, by the same checks at the same times.

    Before there is a match per player no lead is certain, and it does not look.

    Args:
        n_players: how many players there are.
        goal: what the tournament is to find out.
        stop: when it ends.
        tally: results that the caller adds, before it calls `check`; by default `read` adds them.
        beliefs: the latest fit, with the features of the players; readers of the same results may
            share it.
    """

    def __init__(
        self,
        n_players: int,
        goal: Goal,
        stop: Stop,
        *,
        tally: Tally | None = None,
        beliefs: BeliefCache | None = None,
    ) -> None:
        self.goal, self.stop = goal, stop
        self.is_decided = False
        self._tally = Tally(n_players) if tally is None else tally
        self._names = [str(player) for player in range(n_players)]
        self._beliefs, self._decider = beliefs or BeliefCache(), Decider(goal, stop)

    def is_due(self, n_rounds: int) -> bool:
        """See `Reader.is_due`."""
        return True

    def read(self, simulation: Simulation) -> bool:
        """See `Reader.read`."""
        self._tally.add(*simulation.matches[-1], simulation.last_score)
        return self.check(simulation.n_rounds)

    def check(self, n_matches: int) -> bool:
        """Whether the goal is reached; it looks only when a tournament would."""
        if not self.is_decided and self._is_check(n_matches):
            self._check(n_matches)
        return self.is_decided

    def read_all(self, matches: NDArray[np.int64], scores: NDArray[np.float64]) -> int:
        """Read results until one of them decides; returns how many that took."""
        n_read, (first, second) = 0, matches.T
        for n_matches in range(1, len(matches) + 1):
            if self._is_check(n_matches):
                some = slice(n_read, n_matches)
                self._tally.add_many(first[some], second[some], scores[some])
                n_read = n_matches
                self._check(n_matches)
                if self.is_decided:
                    return n_matches
        self._tally.add_many(first[n_read:], second[n_read:], scores[n_read:])
        return len(matches)

    def _is_check(self, n_matches: int) -> bool:
        is_due = is_check_due(self._tally.n_players, n_matches)
        return is_due and self._decider.is_worth_a_check(n_matches)

    def end(self, n_matches: int, strengths: NDArray[np.float64]) -> PlannedEnd:
        """How a tournament of `n_matches` ended, if these are the true strengths.

        It is right if all that it has in the wrong order is within the tolerance.
        """
        order = np.argsort(-self.belief().ratings, kind="stable")
        ranked = strengths[order]
        if self.goal.is_ranking:
            mistakes = ranked[None, :] - ranked[:, None]
            worst = float(np.triu(mistakes, 1).max())
        else:
            worst = float(ranked[self.goal.k :].max() - ranked[: self.goal.k].min())
        is_right = worst <= self.stop.nats
        return PlannedEnd(n_matches, self.is_decided, is_right)

    def belief(self) -> Belief:
        """What all results say."""
        return self._beliefs.get(self._names, self._tally, {})

    def _check(self, n_matches: int) -> None:
        self.is_decided = self._decider.check(self.belief(), n_matches)


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
        stop: when it ends; its budget is the number of matches after which it ends undecided.
        seed: of the plan.
    """

    chunk_size: ClassVar[int] = 1  # one tournament at a time keeps all processes busy

    scheduler: str
    number: int
    n_players: int
    strengths: tuple[float, ...] | None
    spread: float
    first_advantage: float
    goal: str
    stop: Stop
    seed: int

    @property
    def rounds(self) -> int:
        """The largest number of matches it may play."""
        assert self.stop.budget is not None, "set by the plan"
        return self.stop.budget

    @property
    def size(self) -> int:
        """Progress counts tournaments, since most end long before their last round."""
        return 1

    def run(self) -> PlannedEnd:
        """Play to the end.

        >>> task = PlannedTournament(
        ...     *("round-robin:cycles=none", 0, 3, (2.0, 0.0, -1.0), 1.0, 0.0),
        ...     *("best", Stop(budget=200, tolerance=0.0), 0),
        ... )
        >>> task.run()
        PlannedEnd(n_matches=20, is_decided=True, is_right=True)
        """
        name = list(self.scheduler.encode())
        choices, play = (
            np.random.default_rng([self.seed, self.number, stream, *name]) for stream in (1, 2)
        )
        game = StrengthGame(self._strengths(), self.first_advantage)
        goal = parse_goal(self.goal)
        reader = DecisionReader(self.n_players, goal, self.stop)
        if self.scheduler in BASELINES:
            matches = fixed_schedule(self.scheduler, self.n_players, self.rounds, choices)
            n_matches = reader.read_all(matches, game.play_all(matches, play))
            return reader.end(n_matches, game.strengths)
        scheduler = make_scheduler(self.scheduler, self.n_players, choices)
        simulation = Simulation(game, scheduler, play, balance_seats=True, reader=reader)
        simulation.advance(self.rounds)
        return reader.end(simulation.n_rounds, game.strengths)

    def _strengths(self) -> NDArray[np.float64]:
        if self.strengths is not None:
            return np.array(self.strengths)
        rng = np.random.default_rng([self.seed, self.number, 0])
        return rng.normal(scale=self.spread, size=self.n_players)
