"""One tournament of an entry: the player named after some matches, and the stop."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from maxin.core import InvalidInput, MaxinError, Stop, UnknownName
from maxin.core.plugins import Plugin
from maxin.core.units import ELO_PER_NAT
from maxin.schedulers import Scheduler, make_scheduler
from maxin.simulation.planned_tournament import DecisionReader, PlannedEnd
from maxin.simulation.simulation import Simulation
from maxin.tournament.custom import factory_of, made
from maxin.tournament.goals import Goal
from maxin_studies.benchmarks.races import GameTask, RaceCurves, game_of, measure

if TYPE_CHECKING:
    from maxin.tournament.custom import Factory

CLASS = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")  # package:Class; names have "=" after a ":"


class EntryNumbers(NamedTuple):
    """The outcome of one tournament."""

    losses: tuple[float, ...]  # of the player named, in Elo points, after each budget
    found: float  # 1 if the best player is named after the last budget, shared among equal ratings
    stop: int | None  # after how many matches it stopped; None if it never did
    is_wrong: bool  # whether the player named at the stop misses the best by over the tolerance


@dataclass(frozen=True)
class EntryRace(GameTask[EntryNumbers]):
    """A tournament that is played until it stops, and at least to the last budget.

    Args:
        multiples: of the number of players: after so many matches the player named is judged.
        confidence: of the stop.
        tolerance: of the stop, in Elo points.
    """

    kind: ClassVar[str] = "entry"
    version: ClassVar[int] = 1
    outcome_type: ClassVar[type] = EntryNumbers
    chunk_size: ClassVar[int] = 20_000  # about a second

    multiples: tuple[int, ...] = (1, 3, 10)
    confidence: float = 0.95
    tolerance: float = 10.0

    def make(self, scheduler: str, n_players: int, rng: np.random.Generator) -> Scheduler:
        """See `GameTask.make`."""
        return made_entry(scheduler, n_players, rng)

    def run(self) -> EntryNumbers:
        """Play.

        >>> EntryRace("good-bad:good=1,bad=3", "", "top-two", 200, seed=0).run()
        EntryNumbers(losses=(0.0, 0.0, 0.0), found=1.0, stop=14, is_wrong=False)
        """
        n_players = game_of(self.game, self.seed).n_players
        budgets = [multiple * n_players for multiple in self.multiples]
        stop = Stop(confidence=self.confidence, tolerance=self.tolerance)
        reader = EntryReader(n_players, budgets, stop)
        try:
            return reader.numbers(self.simulate(reader))
        except MaxinError as error:
            where = f"{self.scheduler} on {self.game} with seed {self.seed}"
            raise InvalidInput(f"{where}: {error}") from error


class EntryReader:
    """Judges the player named after each budget, and notes the stop; then it ends the run.

    Args:
        n_players: how many players there are.
        budgets: numbers of matches, increasing.
        stop: when a tournament is decided.
    """

    def __init__(self, n_players: int, budgets: Sequence[int], stop: Stop) -> None:
        self._budgets = budgets
        self._decision = DecisionReader(n_players, Goal(), stop)
        self._end: PlannedEnd | None = None
        self._readings: list[tuple[float, float]] = []  # loss in nats, and whether found

    def is_due(self, n_rounds: int) -> bool:
        """See `Reader.is_due`; every match counts."""
        return True

    def read(self, simulation: Simulation) -> bool:
        """See `Reader.read`."""
        if self._end is None and self._decision.read(simulation):
            self._end = self._decision.end(simulation.n_rounds, simulation.game.ratings)
        if simulation.n_rounds in self._budgets:
            self._readings.append(_named(simulation))
        return self._end is not None and len(self._readings) == len(self._budgets)

    def numbers(self, simulation: Simulation) -> EntryNumbers:
        """The outcome; a schedule that ended early is judged by its last ratings."""
        while len(self._readings) < len(self._budgets):
            self._readings.append(_named(simulation))
        return EntryNumbers(
            tuple(round(ELO_PER_NAT * loss, 1) for loss, _ in self._readings),
            round(self._readings[-1][1], 3),
            None if self._end is None else self._end.n_matches,
            self._end is not None and not self._end.is_right,
        )


def _named(simulation: Simulation) -> tuple[float, float]:
    """The loss of the player on top of the ratings, in nats, and whether it is the best."""
    for player, rating in enumerate(simulation.scheduler.ratings()):
        if np.isnan(rating):
            raise InvalidInput(
                f"a rating must be a number; after match {simulation.n_rounds}, that of player "
                f"{player} is {rating}"
            )
    reading = dict(zip(RaceCurves._fields, measure(simulation), strict=True))
    return float(reading["loss"]), float(reading["found"])


def made_entry(entry: str, n_players: int, rng: np.random.Generator) -> Scheduler:
    """The scheduler of an entry, or an error that says why there is none.

    Args:
        entry: a name with options, see `make_scheduler`; or package:Class, which is imported and
            called as `Class(n_players, rng=rng)`.
        n_players: how many players take part.
        rng: draws whatever the scheduler draws.

    >>> rng = np.random.default_rng(0)
    >>> type(made_entry("maxin.schedulers:Swiss", 4, rng)) is type(made_entry("swiss", 4, rng))
    True
    """
    name, factory = _factory(entry)
    try:
        return made(factory, name, n_players, rng)
    except UnknownName as error:
        if ":" in entry:  # an option is unknown
            raise
        raise InvalidInput(
            f"an entry must be a scheduler's name or a class, as module:Class; {error}"
        ) from None


def _factory(entry: str) -> tuple[str, Factory]:
    if CLASS.fullmatch(entry):
        return factory_of(Plugin(EntryPoint(entry, entry, "maxin.schedulers")).load())
    return entry, lambda n_players, rng: make_scheduler(entry, n_players, rng)
