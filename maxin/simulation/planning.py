"""How many matches a tournament will probably take, estimated by simulation before it starts."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from maxin.core import (
    InvalidInput,
    PlanTerms,
    Stop,
    check_keywords,
    check_n_players,
    check_positive,
    check_whole,
)
from maxin.core.units import ELO_PER_NAT
from maxin.ratings.base import MOST_EXACT
from maxin.simulation.planned_tournament import BASELINES, PlannedEnd, PlannedTournament
from maxin.simulation.pool import Progress, TaskPool
from maxin.tournament.goals import Goal, parse_goal
from maxin.tournament.settings import Settings

MOST_PER_PLAYER = 1_000  # matches of a simulated tournament


@dataclass(frozen=True)
class Forecast:
    """What one scheduler will probably take, from its simulated tournaments.

    >>> early, late, never = (10, True, True), (30, True, False), (99, False, True)
    >>> forecast = Forecast("maxin", (PlannedEnd(*early), PlannedEnd(*late), PlannedEnd(*never)))
    >>> forecast.n_matches(0.5), forecast.n_matches(0.9), forecast.right, forecast.undecided
    (30.0, inf, 0.5, 0.333)
    >>> forecast.hours(0.5, seconds=60.0, workers=2)
    0.25
    """

    scheduler: str
    ends: tuple[PlannedEnd, ...]

    def n_matches(self, share: float) -> float:
        """Matches by which this share of the tournaments was decided; infinite if fewer were."""
        taken = sorted(end.n_matches if end.is_decided else math.inf for end in self.ends)
        return float(taken[max(1, math.ceil(share * len(taken))) - 1])

    def median_interval(self) -> tuple[float, float] | None:
        """A 95 % interval of the median of matches; None with fewer than 6 tournaments.

        With B the number of n tournaments below the median, Binomial(n, 1/2), the l-th smallest
        and the l-th largest of them enclose the median with probability 1 - 2 P(B < l).

        >>> Forecast("maxin", tuple(PlannedEnd(n, True, True) for n in range(20))).median_interval()
        (5.0, 14.0)
        """
        n = len(self.ends)
        below = [sum(math.comb(n, k) for k in range(place)) / 2.0**n for place in range(1, n)]
        place = sum(risk <= 0.025 for risk in below)
        if not place:
            return None
        return self.n_matches(place / n), self.n_matches((n + 1 - place) / n)

    def hours(self, share: float, *, seconds: float, workers: int = 1) -> float:
        """Hours for `n_matches(share)` at `seconds` per match, `workers` at a time."""
        return self.n_matches(share) * seconds / workers / 3600.0

    @property
    def undecided(self) -> float:
        """The share of tournaments that ended undecided."""
        return sum(not end.is_decided for end in self.ends) / len(self.ends)

    @property
    def right(self) -> float:
        """The share of the decided tournaments that reached the goal; NaN if none was decided.

        Mistakes within the tolerance do not count.
        """
        decided = [end.is_right for end in self.ends if end.is_decided]
        return sum(decided) / len(decided) if decided else math.nan


@dataclass(frozen=True)
class TournamentPlan:
    """One forecast per scheduler, the requested one first, and the terms they hold for."""

    n_players: int
    goal: Goal
    stop: Stop
    n_tournaments: int
    forecasts: tuple[Forecast, ...]


def plan(
    n_players: int,
    *,
    goal: str | Goal | None = None,
    scheduler: str | None = None,
    spread: float = ELO_PER_NAT,
    first_advantage: float = 0.0,
    n_tournaments: int | None = None,
    seed: int = 0,
    processes: int = 1,
    progress: Progress | bool | None = None,
    **terms: Unpack[PlanTerms],
) -> TournamentPlan:
    """Estimate how many matches it takes to reach a goal with `n_players`.

    A simulated tournament draws strengths from N(0, spread^2), decides its matches by the
    Bradley-Terry model, without draws, and ends when a real run would. A round robin and random
    matches are simulated with the same players, so the plan shows what choosing matches saves.

    Args:
        n_players: how many players.
        goal: "best", "top-3" (any number), "ranking", "ratings" or "regret"; by default the
            scheduler's own, or "best".
        scheduler: name and options; by default the goal's own.
        spread: standard deviation of the players' strengths, in Elo points; by default 174, which
            is 1 nat.
        first_advantage: what sitting first is worth, in Elo points; seats are balanced.
        n_tournaments: how many to simulate per scheduler; by default 20, with many players as few
            as 10.
        seed: the same seed gives the same numbers, with any number of processes.
        processes: how many processes simulate; 1 uses this process.
        progress: called with "plan", the simulated tournaments done and their number in all; or
            True for a line on the terminal, if there is one.
        terms: when a tournament ends, see `Stop`; the budget is 100 matches per player by default,
            and counts as at most 1,000 per player.

    >>> found = plan(4, spread=400.0, n_tournaments=30, budget=200)
    >>> [(one.scheduler, one.n_matches(0.5)) for one in found.forecasts]
    [('top-two', 48.0), ('round-robin:cycles=none', 64.0), ('random', 98.0)]
    """
    settings = _settings(goal, scheduler)
    tournament = PlannedTournament(
        scheduler=settings.scheduler,
        number=0,
        n_players=check_n_players(n_players),
        strengths=None,
        spread=check_positive(spread, "spread") / ELO_PER_NAT,
        first_advantage=_finite(first_advantage, "first_advantage") / ELO_PER_NAT,
        goal=settings.goal,
        stop=_stop(plan, n_players, terms),
        seed=seed,
    )
    return _plan(tournament, n_tournaments, processes, progress)


def plan_again(
    strengths: ArrayLike,
    *,
    goal: str | Goal | None = None,
    scheduler: str | None = None,
    first_advantage: float = 0.0,
    n_tournaments: int | None = None,
    seed: int = 0,
    processes: int = 1,
    progress: Progress | bool | None = None,
    **terms: Unpack[PlanTerms],
) -> TournamentPlan:
    """The same for known strengths, such as the ratings after a tournament.

    Args:
        strengths: the true ratings, in nats.
        goal: see `plan`, as for all that follow.
        scheduler: name and options.
        first_advantage: in Elo points.
        n_tournaments: how many to simulate per scheduler.
        seed: of the simulations.
        processes: how many processes simulate.
        progress: called as simulated tournaments are done.
        terms: when a tournament ends.

    >>> found = plan_again([2.0, 0.0, 0.0, 0.0], n_tournaments=5)
    >>> [(one.scheduler, one.n_matches(0.5)) for one in found.forecasts]
    [('top-two', 27.0), ('round-robin:cycles=none', 45.0), ('random', 57.0)]
    """
    known = np.asarray(strengths, dtype=np.float64)
    if known.ndim != 1 or not np.isfinite(known).all():
        raise InvalidInput(f"strengths must be one finite number per player; got {strengths!r}")
    settings, n_players = _settings(goal, scheduler), check_n_players(len(known))
    tournament = PlannedTournament(
        scheduler=settings.scheduler,
        number=0,
        n_players=n_players,
        strengths=tuple(known.tolist()),
        spread=1.0,
        first_advantage=_finite(first_advantage, "first_advantage") / ELO_PER_NAT,
        goal=settings.goal,
        stop=_stop(plan_again, n_players, terms),
        seed=seed,
    )
    return _plan(tournament, n_tournaments, processes, progress)


def _stop(function: Callable[..., Any], n_players: int, terms: PlanTerms) -> Stop:
    """When a tournament ends; without a budget, after 100 matches per player.

    A larger budget than `MOST_PER_PLAYER` would take memory and time, and change nothing.
    """
    check_keywords(function, terms, PlanTerms)
    stop = Stop(**terms)
    if stop.sprt is not None:
        raise InvalidInput("a plan simulates decisions with a confidence; got a sprt")
    budget = 100 * n_players if stop.budget is None else stop.budget
    return replace(stop, budget=min(budget, MOST_PER_PLAYER * n_players))


def _settings(goal: str | Goal | None, scheduler: str | None) -> Settings:
    """Goal and scheduler, where one implies the other, validated as for a tournament."""
    return Settings(goal="" if goal is None else str(goal), scheduler=scheduler or "")


def _plan(
    terms: PlannedTournament,
    n_tournaments: int | None,
    processes: int,
    progress: Progress | bool | None,
) -> TournamentPlan:
    default = max(10, min(20, 1600 // terms.n_players))
    count = default if n_tournaments is None else n_tournaments
    goal = _check(terms, count, processes)
    schedulers = list(dict.fromkeys([terms.scheduler, *BASELINES]))
    tasks = {
        name: [replace(terms, scheduler=name, number=number) for number in range(count)]
        for name in schedulers
    }
    in_turn = [task for same_players in zip(*tasks.values(), strict=True) for task in same_players]
    ends = TaskPool(processes, progress).complete("plan", in_turn)
    forecasts = tuple(
        Forecast(name, tuple(ends[task] for task in mine)) for name, mine in tasks.items()
    )
    return TournamentPlan(terms.n_players, goal, terms.stop, count, forecasts)


def _check(terms: PlannedTournament, n_tournaments: int, processes: int) -> Goal:
    """Validate the terms before simulating; returns the goal."""
    if terms.stop.confidence is None:
        raise InvalidInput("a plan needs a confidence: it estimates how soon that is reached")
    goal = parse_goal(terms.goal)
    if goal.k >= terms.n_players:
        raise InvalidInput(
            f"the goal {str(goal)!r} needs more than {goal.k} players; got {terms.n_players}"
        )
    counts = {"n_tournaments": n_tournaments, "processes": processes}
    for name, value in counts.items():
        if check_whole(value, name) < 1:
            raise InvalidInput(f"{name} must be at least 1; got {value}")
    if terms.n_players > MOST_EXACT:
        raise InvalidInput(
            f"a plan simulates at most {MOST_EXACT:,} players; got {terms.n_players:,}"
        )
    if check_whole(terms.seed, "seed") < 0:
        raise InvalidInput(f"seed must be at least 0; got {terms.seed}")
    return goal


def _finite(value: float, what: str) -> float:
    if not math.isfinite(value):
        raise InvalidInput(f"{what} must be a finite number; got {value!r}")
    return value
