"""How far schedulers are from the best choice of matches that exists, with three players."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxin.simulation.simulation import Simulation, start_simulation
from maxin_studies.benchmarks.pairs import pairs_sections
from maxin_studies.benchmarks.questions import Arena, Question
from maxin_studies.benchmarks.races import Curve, game_of
from maxin_studies.benchmarks.three_players import BestPolicy, ThreePlayers
from maxin_studies.document import Section
from maxin_studies.estimates import Estimate
from maxin_studies.tasks import StoredTask

SPREADS = (0.5, 1.0, 2.0)  # standard deviations of ratings, in nats
HORIZONS = (6, 15, 30)  # matches after which a player is named
N_SEEDS = 2000
GAME = "field:n_players=3"
QUESTION = Question((Arena("three players", GAME, HORIZONS[-1]),), N_SEEDS)
SCHEDULERS = (
    "top-two",
    "double-thompson",
    "halving",
    "swiss",
    "round-robin:cycles=none",
    "random+bradley-terry",
)


class LimitLosses(NamedTuple):
    """Losses in nats after each of the horizons."""

    loss: Curve  # of the player named, by the true ratings
    choice: Curve  # what its matches cost, compared with those of the best policy
    naming: Curve  # what it costs not to name the best player by the exact posterior


@dataclass(frozen=True)
class LimitRun(StoredTask[LimitLosses]):
    """A tournament of three players, whose exact posterior is known.

    Args:
        spread: the standard deviation of the ratings, in nats.
        scheduler: see `make_scheduler`.
        horizons: the numbers of matches after which a player is named, increasing.
        seed: of all random numbers in it.
    """

    kind: ClassVar[str] = "limit"
    version: ClassVar[int] = 3
    outcome_type: ClassVar[type] = LimitLosses
    folder: ClassVar[str] = "limits"
    weight: ClassVar[int] = 6

    spread: float
    scheduler: str
    horizons: tuple[int, ...]
    seed: int

    @property
    def rounds(self) -> int:
        """See `StoredTask.rounds`."""
        return self.horizons[-1]

    def run(self) -> LimitLosses:
        """Play to the last horizon.

        >>> LimitRun(1.0, "top-two", (6, 15), seed=0).run().choice.shape
        (2,)
        """
        game = game_of(f"{GAME},spread={self.spread:g}", self.seed)
        policies = [best_policy(self.spread, horizon) for horizon in self.horizons]
        reader = LimitReader(three_players(self.spread), policies, self.horizons)
        start_simulation(game, self.scheduler, self.seed, reader=reader).advance(self.rounds)
        return LimitLosses(*np.array(reader.losses, dtype=np.float32).T)


class LimitReader:
    """Adds up what matches cost, and reads the losses of `LimitLosses` after each horizon.

    Args:
        three: gives the exact posterior.
        policies: the best policy of each horizon.
        horizons: the numbers of matches after which to read.
    """

    def __init__(
        self, three: ThreePlayers, policies: Sequence[BestPolicy], horizons: Sequence[int]
    ) -> None:
        self.losses: list[tuple[float, float, float]] = []
        self._three, self._policies, self._horizons = three, policies, horizons
        self._wins = np.zeros((3, 3))
        self._costs = np.zeros(len(horizons))

    def is_due(self, n_rounds: int) -> bool:
        """See `Reader.is_due`; every match counts."""
        return True

    def read(self, simulation: Simulation) -> bool:
        """See `Reader.read`."""
        match, score = simulation.matches[-1], simulation.last_score
        self._costs += [policy.cost(self._wins, *match) for policy in self._policies]
        self._wins[match.first, match.second] += score
        self._wins[match.second, match.first] += 1.0 - score
        if simulation.n_rounds in self._horizons:
            ratings, truth = simulation.scheduler.ratings(), simulation.game.ratings
            named = ratings == ratings.max()  # of several on top, any may be named
            losses = self._three.naming_losses(self._wins)
            self.losses.append(
                (
                    truth.max() - truth[named].mean(),
                    self._costs[self._horizons.index(simulation.n_rounds)],
                    losses[named].mean() - losses.min(),
                )
            )
        return False


def limit_runs(
    schedulers: Sequence[str],
    spreads: Sequence[float],
    horizons: tuple[int, ...],
    seeds: Sequence[int],
) -> dict[tuple[float, str], list[LimitRun]]:
    """The runs of each spread and scheduler, one per seed.

    >>> len(limit_runs(["top-two", "swiss"], [0.5, 1.0], (6, 15), range(10_000, 10_003)))
    4
    """
    return {
        (spread, scheduler): [LimitRun(spread, scheduler, horizons, seed) for seed in seeds]
        for spread in spreads
        for scheduler in schedulers
    }


def limit_section(
    found: Mapping[tuple[float, str], Sequence[LimitLosses]], horizons: Sequence[int]
) -> Section:
    """The loss of every scheduler beside that of the best policy, by spread and horizon."""
    section = Section("bench-limit", "The best choice of matches that exists: three players")
    section.notes = [
        "Three players with normal ratings of this spread and logistic results. The best policy "
        "knows the spread and the number of matches, and has the least expected loss of all ways "
        "to choose matches and to name a player: it follows from backward induction over all "
        "results, and is exact. A scheduler knows neither, so it cannot quite reach it.",
        "Loss: how far the player named is below the best. It is that of the best policy, plus "
        "what the scheduler's matches cost, plus what the player it names costs. A match costs "
        "what the best policy loses by it, given the results so far, and naming costs what the "
        "exact posterior would expect to gain by another player. The true loss has the same mean "
        "and more noise. Numbers after ± are standard errors; every seed has the same field for "
        "all schedulers.",
    ]
    section.header = ["spread, nats", "matches", "scheduler", "seeds", "loss, nats",
                      "above the best policy", "by its matches", "by its naming",
                      "true loss, nats"]  # fmt: skip
    spreads = dict.fromkeys(spread for spread, _ in found)
    schedulers = dict.fromkeys(scheduler for _, scheduler in found)
    for spread in spreads:
        for place, horizon in enumerate(horizons):
            least = best_policy(spread, horizon).loss
            where = [f"{spread:g}", str(horizon)]
            section.rows.append([*where, "best policy", "", f"{least:.4f}", *[""] * 4])
            for scheduler in schedulers:
                some = found[spread, scheduler]
                losses = np.array([[one.loss, one.choice, one.naming] for one in some])
                true, choice, naming = losses[:, :, place].T.astype(np.float64)
                section.rows.append([
                    *where, scheduler, str(len(some)), Estimate.of(least + choice + naming).text(4),
                    *(_share(cost, least) for cost in (choice + naming, choice, naming)),
                    Estimate.of(true).text(4),
                ])  # fmt: skip
    return section


def limit_pairs(found: Mapping[tuple[float, str], Sequence[LimitLosses]]) -> list[Section]:
    """The loss with three players: every scheduler against every other, a game per spread."""
    return pairs_sections(
        "bench-limit",
        "Three players",
        "the loss above the best policy in nats, as a mean over the numbers of matches",
        found,
        lambda _, some: np.array([(one.choice + one.naming).mean() for one in some], np.float64),
        is_loss=True,
    )


@functools.lru_cache(maxsize=8)
def three_players(spread: float) -> ThreePlayers:
    """Three players of a spread, cached for runs that take turns on them."""
    return ThreePlayers(spread)


@functools.lru_cache(maxsize=16)
def best_policy(spread: float, n_matches: int) -> BestPolicy:
    """The best policy of a spread and a number of matches, cached likewise."""
    return BestPolicy(three_players(spread), n_matches)


def _share(costs: NDArray[np.float64], least: float) -> str:
    """Costs in per cent of the least loss.

    >>> _share(np.array([0.008, 0.012]), 0.1)
    '10.0 ± 2.0 %'
    """
    return f"{Estimate.of(100.0 * costs / least).text(1)} %"
