"""Races with and without features: what a feature table is worth, and what a useless one costs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxin.core import Stop
from maxin.core.units import ELO_PER_NAT
from maxin.ratings import Features, Posterior
from maxin.schedulers.base import Scheduler
from maxin.schedulers.paper.featured_maxin import FeaturedMaxIn
from maxin.schedulers.posterior.top_two import TopTwo
from maxin.simulation.planned_tournament import DecisionReader, StrengthGame
from maxin.simulation.simulation import GridReader, Reader, Simulation
from maxin.tournament.goals import Goal
from maxin.views import BeliefCache
from maxin_studies.benchmarks.races import early_rounds
from maxin_studies.document import Section
from maxin_studies.estimates import Estimate, matches_needed, needed_interval, wilson
from maxin_studies.tasks import StoredTask

N_PLAYERS = 60
ROUNDS = 600
N_SEEDS = 60
N_READINGS = 60
LEVEL = 0.9  # of the intervals whose coverage is measured
NEAR = 20.0  # Elo points: a mean loss up to which matches are counted
SHOWN = (0.5, 1.0, 3.0, 10.0)  # matches per player after which the loss is shown
FAMILIES = ("smooth curve", "rough curve", "linear ladder", "two groups", "noise features")


def drawn_field(
    family: str, rng: np.random.Generator, n_players: int = N_PLAYERS
) -> tuple[NDArray[np.float64], Features]:
    """The true ratings, in nats, and the features of random players of a family.

    >>> ratings, table = drawn_field("two groups", np.random.default_rng(0))
    >>> float(ratings.std().round(1)), table.names
    (1.2, ['step', 'group'])
    """
    step = rng.uniform(size=n_players)
    own = rng.standard_normal(n_players)
    # It rises, and falls a little at its end, somewhere else for every seed.
    rise, fall = rng.uniform(2.0, 6.0), rng.uniform(0.5, 2.5)
    curve = 2.0 * (1.0 - np.exp(-rise * step)) - fall * step**3
    columns: dict[str, Any] = {"step": step.tolist()}
    if family == "smooth curve":
        ratings = curve + 0.1 * own
    elif family == "rough curve":
        order, walk = np.argsort(step), 0.15 * np.cumsum(own)
        ratings = 0.5 * curve
        ratings[order] += walk
    elif family == "linear ladder":
        size = rng.standard_normal(n_players)
        columns["size"] = size.tolist()
        ratings = 0.6 * size + 1.2 * step + 0.3 * own
    elif family == "two groups":
        group = rng.integers(2, size=n_players)
        columns["group"] = [("a", "b")[place] for place in group]
        other = rng.uniform(-1.0, 1.0) + 1.5 * np.sin(2.0 * np.pi * (step + rng.uniform()))
        ratings = np.where(group == 0, curve, other) + 0.1 * own
    else:
        ratings = 0.7 * own
    return ratings, Features(columns)


class FeatureCurves(NamedTuple):
    """The outcome of a race, read after the rounds of `early_rounds`."""

    loss: NDArray[np.float32]  # how far the named player is below the best, in nats
    covered: NDArray[np.float32]  # share of the 90 % intervals that contain the true strength
    explained: float  # rho at the end; 0 without features
    stop: float  # after how many matches the top is decided; -1 if never
    is_wrong: float  # 1 if another player was named then


@dataclass(frozen=True)
class FeatureRace(StoredTask[FeatureCurves]):
    """One tournament of `top-two` on a family of `FAMILIES`.

    Args:
        family: what the features say about the ratings.
        has_features: whether the scheduler gets them.
        rounds: how many matches are played.
        seed: of the field, the scheduler and the results.
    """

    kind: ClassVar[str] = "feature race"
    version: ClassVar[int] = 4
    outcome_type: ClassVar[type] = FeatureCurves
    folder: ClassVar[str] = "features"
    weight: ClassVar[int] = 25

    family: str
    has_features: bool
    rounds: int
    seed: int

    def run(self) -> FeatureCurves:
        """Play all rounds.

        >>> float(FeatureRace("smooth curve", True, 100, seed=0).run().loss[-1].round(3))
        0.059
        """
        ratings, table = drawn_field(self.family, np.random.default_rng([self.seed, 0]))
        features = table if self.has_features else None
        scheduler = TopTwo(len(ratings), rng=np.random.default_rng(self.seed), features=features)
        reader = FeatureReader(self.rounds, scheduler.posterior, features)
        loss, covered = reader.curves(_played(scheduler, ratings, self, reader))
        prior = scheduler.posterior.prior
        explained = 0.0 if prior is None else prior.explained
        return FeatureCurves(loss, covered, explained, reader.stop, reader.is_wrong)


class FeatureReader(GridReader):
    """Reads the curves of `FeatureCurves`, and when the top is decided.

    Args:
        rounds: how many matches are played.
        posterior: of the scheduler.
        features: what it gets; None if it gets none.
    """

    def __init__(self, rounds: int, posterior: Posterior, features: Features | None) -> None:
        super().__init__(early_rounds(rounds, N_READINGS), self._measured)
        self.posterior = posterior
        self.stop, self.is_wrong = -1.0, 0.0
        beliefs = BeliefCache(features=lambda: features)
        self._decision = DecisionReader(posterior.n_players, Goal(), Stop(), beliefs=beliefs)

    def is_due(self, n_rounds: int) -> bool:
        """See `Reader.is_due`."""
        return True

    def read(self, simulation: Simulation) -> bool:
        """See `Reader.read`."""
        if super().is_due(simulation.n_rounds):
            super().read(simulation)
        if self.stop < 0.0 and self._decision.read(simulation):
            self.stop = simulation.n_rounds
            named = int(self._decision.belief().leaders(1)[0])
            self.is_wrong = float(named != simulation.game.ratings.argmax())
        return False

    def _measured(self, simulation: Simulation) -> tuple[float, float]:
        ratings = simulation.game.ratings
        strengths = ratings - ratings.mean()
        low, high = self.posterior.intervals(LEVEL).T
        covered = float(((low <= strengths) & (strengths <= high)).mean())
        return _loss(simulation), covered


class LossCurve(NamedTuple):
    """The outcome of a race whose scheduler has no posterior."""

    loss: NDArray[np.float32]  # as in `FeatureCurves`


@dataclass(frozen=True)
class LinearRace(StoredTask[LossCurve]):
    """One tournament of `maxin` with features, on the field of the `FeatureRace` of the same seed.

    Args:
        family: what the features say about the ratings.
        rounds: how many matches are played.
        seed: of the field, the scheduler and the results.
    """

    kind: ClassVar[str] = "linear race"
    version: ClassVar[int] = 2
    outcome_type: ClassVar[type] = LossCurve
    folder: ClassVar[str] = "features"

    family: str
    rounds: int
    seed: int

    def run(self) -> LossCurve:
        """Play all rounds.

        >>> float(LinearRace("linear ladder", 100, seed=0).run().loss[-1])
        0.51
        """
        ratings, table = drawn_field(self.family, np.random.default_rng([self.seed, 0]))
        scheduler = FeaturedMaxIn(table, rng=np.random.default_rng(self.seed))
        reader = GridReader(early_rounds(self.rounds, N_READINGS), lambda run: [_loss(run)])
        return LossCurve(*reader.curves(_played(scheduler, ratings, self, reader)))


def _played(
    scheduler: Scheduler,
    ratings: NDArray[np.float64],
    race: FeatureRace | LinearRace,
    reader: Reader,
) -> Simulation:
    """A race after its last round."""
    rng = np.random.default_rng([race.seed, 1])
    simulation = Simulation(StrengthGame(ratings), scheduler, rng, reader=reader)
    simulation.advance(race.rounds)
    return simulation


def _loss(simulation: Simulation) -> float:
    """How far the player rated highest is below the best, in nats."""
    ratings = simulation.game.ratings
    return float(ratings.max() - ratings[simulation.scheduler.ratings().argmax()])


def linear_races(n_seeds: int, rounds: int, first_seed: int) -> dict[str, list[LinearRace]]:
    """The races of `maxin` with features on each family, one per seed."""
    seeds = range(first_seed, first_seed + n_seeds)
    return {family: [LinearRace(family, rounds, seed) for seed in seeds] for family in FAMILIES}


def feature_races(
    n_seeds: int, rounds: int, first_seed: int
) -> dict[tuple[str, bool], list[FeatureRace]]:
    """The races of each family, with and without features, one per seed."""
    return {
        (family, has_features): [
            FeatureRace(family, has_features, rounds, seed)
            for seed in range(first_seed, first_seed + n_seeds)
        ]
        for family in FAMILIES
        for has_features in (True, False)
    }


def features_section(
    races: Mapping[tuple[str, bool], Sequence[FeatureCurves]],
    linear: Mapping[str, Sequence[LossCurve]],
    rounds: int,
) -> Section:
    """What features are worth: the loss of the named player, stops and coverage."""
    section = Section("bench-features", "Players with features")
    section.notes = [
        f"`top-two` on {N_PLAYERS} players, with their features and without; the same fields for "
        "both. Smooth curve: a learning curve that rises and falls, with noise of 0.1 nats. Rough "
        "curve: half of it plus a random walk. Linear ladder: two numbers with weights, and noise "
        "of 0.3. Two groups: a curve each. Noise features: ratings that have nothing to do with "
        "the feature. `maxin` with features is the paper's MaxIn-Elo with ratings that are linear "
        "in them: it knows no player's own strength.",
        "Loss: how far the player rated highest is below the best, in Elo points, ± the standard "
        f"error. Near: matches until the mean loss, made non-increasing, is at most {NEAR:g} Elo "
        "points, with a 95 % interval by bootstrap. Covered: of the 90 % intervals, over all "
        "readings from one match per player on. Stops are at 95 % confidence, with Wilson's "
        "interval of the wrong ones; their matches are a median. Explained: the share rho of "
        "the variance.",
    ]
    when = [max(round(per_player * N_PLAYERS), 1) for per_player in SHOWN]
    when = [number for number in when if number <= rounds]
    section.header = ["field", "scheduler", "features", "seeds", *(f"loss after {n}" for n in when),
                      "near", "covered", "decided", "matches", "wrong", "explained"]  # fmt: skip
    for (family, has_features), some in races.items():
        name = ["top-two", "yes" if has_features else "no"]
        section.rows.append(
            [family, *name, *_losses(some, rounds, when), *_intervals(some, rounds)]
        )
    for family, curves in linear.items():
        place = max(place for place, row in enumerate(section.rows) if row[0] == family)
        cells = [family, "maxin", "yes", *_losses(curves, rounds, when)]
        section.rows.insert(place + 1, cells + [""] * (len(section.header) - len(cells)))
    return section


def _losses(
    some: Sequence[FeatureCurves | LossCurve], rounds: int, when: Sequence[int]
) -> list[str]:
    """How many races of a family there are, and their losses."""
    read = early_rounds(rounds, N_READINGS)
    losses = np.array([race.loss for race in some], dtype=np.float64)
    places = [int(np.searchsorted(read, number)) for number in when]
    needed = matches_needed(-losses, read, -NEAR / ELO_PER_NAT)
    rng = np.random.default_rng(0)
    low, high = needed_interval(-losses, read, rng, -NEAR / ELO_PER_NAT)
    return [
        str(len(some)),
        *(str(Estimate.of(ELO_PER_NAT * losses[:, place])) for place in places),
        f"{_count(needed)} [{_count(low)}, {_count(high)}]",
    ]


def _intervals(some: Sequence[FeatureCurves], rounds: int) -> list[str]:
    """The coverage and the stops of a family, and what its features explain."""
    read = early_rounds(rounds, N_READINGS)
    late = read >= min(N_PLAYERS, rounds)
    covered = [float(race.covered[late].mean()) for race in some]
    decided = [race for race in some if race.stop >= 0.0]
    n_wrong = sum(race.is_wrong for race in decided)
    least, most = wilson(n_wrong, len(decided))
    return [
        str(Estimate.of(covered)),
        str(len(decided)),
        f"{np.median([race.stop for race in decided]):.0f}" if decided else "",
        f"{n_wrong:.0f} [{least:.3f}, {most:.3f}]",
        f"{np.mean([race.explained for race in some]):.2f}",
    ]


def _count(number: float) -> str:
    return "never" if math.isinf(number) else f"{number:.0f}"
