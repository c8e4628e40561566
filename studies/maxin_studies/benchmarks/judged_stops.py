"""Tournaments that judges decide: stops with and without a model of the judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxin.core import Match, Stop
from maxin.core.units import ELO_PER_NAT
from maxin.kernels.core import sigmoid
from maxin.ratings import Tally
from maxin.ratings.judging.judged_tally import JudgedTally
from maxin.schedulers import make_scheduler
from maxin.simulation.planned_tournament import DecisionReader, StrengthGame
from maxin.simulation.simulation import Simulation
from maxin.tournament.goals import Goal
from maxin_studies.benchmarks.races import game_of
from maxin_studies.document import Section
from maxin_studies.estimates import wilson
from maxin_studies.tasks import StoredTask

GAME = "field:n_players=8,spread=0.8"
ROUNDS, N_SEEDS = 1500, 40
MODELS = ("plain results", "with judges")

# By name: each judge's reliability, and the position bias of all of them in nats.
PANELS: Mapping[str, tuple[tuple[float, ...], float]] = {
    "4 good judges": ((1.0, 1.0, 1.0, 1.0), 0.0),
    "1 of 4 flips coins": ((1.0, 1.0, 1.0, 0.0), 0.0),
    "1 of 4 is inverted": ((1.0, 1.0, 1.0, -1.0), 0.0),
    "all have bias 0.5": ((1.0, 1.0, 1.0, 1.0), 0.5),
}


class JudgedTimes(NamedTuple):
    """The stop of each of `MODELS`."""

    matches: NDArray[np.float64]  # all of them if it never stopped
    has_stopped: NDArray[np.float64]
    is_wrong: NDArray[np.float64]  # 1 if it stopped for another than the best player
    loss: NDArray[np.float64]  # how far the player named at the end is from the best, in nats


@dataclass(frozen=True)
class JudgedStop(StoredTask[JudgedTimes]):
    """A tournament of random fields, each match voted on by a random judge of a panel.

    Args:
        panel: a name of `PANELS`.
        rounds: the largest number of votes.
        seed: of all random numbers in it.
        confidence: of the stops.
    """

    kind: ClassVar[str] = "judged stop"
    version: ClassVar[int] = 5
    outcome_type: ClassVar[type] = JudgedTimes
    folder: ClassVar[str] = "judged"
    weight: ClassVar[int] = 40

    panel: str
    rounds: int
    seed: int
    confidence: float = 0.95

    def run(self) -> JudgedTimes:
        """Vote until both models have stopped, or to the last vote.

        >>> JudgedStop("4 good judges", 20, seed=0).run().matches
        array([20., 20.])
        """
        game = JudgedGame(game_of(GAME, self.seed).ratings, *PANELS[self.panel])
        scheduler = make_scheduler("top-two", game.n_players, np.random.default_rng(self.seed))
        reader = JudgedReader(game, self)
        rng = np.random.default_rng(self.seed)
        Simulation(game, scheduler, rng, reader=reader).advance(self.rounds)
        return reader.times()


class JudgedGame(StrengthGame):
    """A random judge of a panel sees the two players in random order, and votes.

    Args:
        strengths: of the players, in nats.
        reliability: of each judge.
        bias: the position bias of all of them, in nats.
    """

    def __init__(
        self, strengths: NDArray[np.float64], reliability: Sequence[float], bias: float
    ) -> None:
        super().__init__(strengths)
        self.reliability, self.bias = reliability, bias
        self.plain = Tally(len(strengths))  # all votes
        self.judged = JudgedTally(len(strengths))  # the same, by their judges

    def play(self, match: Match, rng: np.random.Generator) -> float:
        """The first player's score in one vote."""
        is_swapped = rng.random() < 0.5
        seated = Match(match.second, match.first) if is_swapped else match
        judge = int(rng.integers(len(self.reliability)))
        gap = self.strengths[seated.first] - self.strengths[seated.second]
        score = float(rng.random() < sigmoid(self.reliability[judge] * gap + self.bias))
        self.plain.add(*seated, score)
        self.judged.add_judged(str(judge), *seated, [score])
        return 1.0 - score if is_swapped else score


class JudgedReader:
    """Notes when each of `MODELS` stops, and for whom; ends the run when both have.

    Args:
        game: has the votes.
        task: the number of votes, and the confidence of the stops.
    """

    def __init__(self, game: JudgedGame, task: JudgedStop) -> None:
        self.strengths = game.strengths
        self.matches = np.full(len(MODELS), float(task.rounds))
        self.has_stopped, self.is_wrong, self.loss = np.zeros((3, len(MODELS)))
        stop = Stop(confidence=task.confidence)
        self._decisions = [
            DecisionReader(game.n_players, Goal(), stop, tally=tally)
            for tally in (game.plain, game.judged)
        ]

    def is_due(self, n_rounds: int) -> bool:
        """See `Reader.is_due`."""
        return True

    def read(self, simulation: Simulation) -> bool:
        """See `Reader.read`."""
        for place, decision in enumerate(self._decisions):
            if not self.has_stopped[place] and decision.check(simulation.n_rounds):
                self.has_stopped[place], self.matches[place] = 1.0, simulation.n_rounds
                self.loss[place] = self._loss(decision)
                self.is_wrong[place] = self.loss[place] > 0.0
        return bool(self.has_stopped.all())

    def times(self) -> JudgedTimes:
        """The outcome; a model that has not stopped names its leader after the last vote."""
        for place, decision in enumerate(self._decisions):
            if not self.has_stopped[place]:
                self.loss[place] = self._loss(decision)
        return JudgedTimes(self.matches, self.has_stopped, self.is_wrong, self.loss)

    def _loss(self, decision: DecisionReader) -> float:
        named = decision.belief().leaders(1)[0]
        return float(self.strengths.max() - self.strengths[named])


def tournaments(
    rounds: int, seeds: Sequence[int], confidence: float
) -> dict[str, list[JudgedStop]]:
    """The tournaments of each panel, one per seed.

    >>> len(tournaments(100, range(10_000, 10_003), 0.95)["1 of 4 flips coins"])
    3
    """
    return {
        panel: [JudgedStop(panel, rounds, seed, confidence) for seed in seeds] for panel in PANELS
    }


def judges_section(found: Mapping[str, Sequence[JudgedTimes]], confidence: float) -> Section:
    """Votes to a stop, wrong stops and losses, with and without a model of the judges."""
    section = Section("bench-judges", f"Judges that err, at {confidence:g}")
    section.notes = [
        "Fields of 8 players, whose matches `top-two` chooses, each voted on by one of four judges "
        "at random. Both models see the same votes: plain results count all judges alike, and the "
        "other one fits each judge's position bias and reliability. Loss is how far the player "
        "named at the stop, or at the last vote, is from the best, in Elo points.",
        "Ratios are relative to four good judges and plain results.",
    ]
    section.header = ["judges", "ratings from", "tournaments", "undecided", "mean votes", "ratio",
                      "wrong / decided", "95 % interval", "mean loss"]  # fmt: skip
    first = 0.0
    for panel, some in found.items():
        for place, model in enumerate(MODELS):
            stopped = int(sum(times.has_stopped[place] for times in some))
            is_wrong = int(sum(times.is_wrong[place] for times in some))
            votes = float(np.mean([times.matches[place] for times in some]))
            first = first or votes
            low, high = wilson(is_wrong, stopped)
            loss = ELO_PER_NAT * float(np.mean([times.loss[place] for times in some]))
            section.rows.append([
                panel, model, str(len(some)), str(len(some) - stopped), f"{votes:.0f}",
                f"{votes / first:.2f}", f"{is_wrong} / {stopped}", f"[{low:.3f}, {high:.3f}]",
                f"{loss:.1f}",
            ])  # fmt: skip
    return section
