"""Tournaments that judges decide: stops with and without a model of the judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxin.core import Match, Result, Stop
from maxin.core.units import ELO_PER_NAT
from maxin.experiments.benchmarks.races import game_of
from maxin.experiments.document import Section
from maxin.experiments.estimates import wilson
from maxin.experiments.tasks import Task
from maxin.kernels.core import sigmoid
from maxin.ratings import Tally
from maxin.ratings.judging.judged_tally import JudgedTally
from maxin.schedulers import make_scheduler
from maxin.views import Belief

GAME = "field:n_players=8,spread=0.8"
ROUNDS, N_SEEDS = 1500, 40
FIRST_LOOK = 16  # votes before the first check; the next ones come after a twelfth more votes
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
class JudgedStop(Task[JudgedTimes]):
    """A tournament of random fields, each match voted on by a random judge of a panel.

    Args:
        panel: a name of `PANELS`.
        rounds: the largest number of votes.
        seed: of all random numbers in it.
        confidence: of the stops.
    """

    kind: ClassVar[str] = "judged stop"
    version: ClassVar[int] = 2
    outcome_type: ClassVar[type] = JudgedTimes
    folder: ClassVar[str] = "judged"

    panel: str
    rounds: int
    seed: int
    confidence: float = 0.95

    @property
    def size(self) -> int:
        """See `Task.size`; the fits take most of the time."""
        return 10 * self.rounds

    def run(self) -> JudgedTimes:
        """Vote until both models have stopped, or to the last vote.

        >>> JudgedStop("4 good judges", 20, seed=0).run().matches
        array([20., 20.])
        """
        reliability, bias = PANELS[self.panel]
        strengths, rng = game_of(GAME, self.seed).ratings, np.random.default_rng(self.seed)
        n_players = len(strengths)
        scheduler = make_scheduler("top-two", n_players, np.random.default_rng(self.seed))
        tally, times, due = JudgedTally(n_players), _Stops(strengths, self), FIRST_LOOK
        for number in range(1, self.rounds + 1):
            match = scheduler.choose()
            assert match is not None
            if rng.random() < 0.5:
                match = Match(match.second, match.first)
            judge = int(rng.integers(len(reliability)))
            gap = strengths[match.first] - strengths[match.second]
            score = float(rng.random() < sigmoid(reliability[judge] * gap + bias))
            tally.add_judged(str(judge), *match, [score])
            scheduler.tell(Result(match, score))
            if number >= due or number == self.rounds:
                due = number + max(8, number // 12)
                times.look(tally, number)
                if times.has_stopped.all():
                    break
        return JudgedTimes(times.matches, times.has_stopped, times.is_wrong, times.loss)


class _Stops:
    """When each model stopped, and for whom."""

    def __init__(self, strengths: NDArray[np.float64], task: JudgedStop) -> None:
        self.strengths, self.task = strengths, task
        self.matches = np.full(len(MODELS), float(task.rounds))
        self.has_stopped, self.is_wrong, self.loss = np.zeros((3, len(MODELS)))

    def look(self, tally: JudgedTally, n_votes: int) -> None:
        """Apply the verdict to each model that has not stopped yet."""
        plain = Tally(tally.n_players)
        plain.add_tally(tally)
        names = [str(player) for player in range(tally.n_players)]
        for place, results in enumerate((plain, tally)):
            if self.has_stopped[place]:
                continue
            belief = Belief(names, results)
            found = belief.top_verdict(1, Stop(confidence=self.task.confidence))
            leader = int(belief.leaders(1)[0])
            self.loss[place] = self.strengths.max() - self.strengths[leader]
            if found.kind == "decided":
                self.has_stopped[place], self.matches[place] = 1.0, n_votes
                self.is_wrong[place] = self.loss[place] > 0.0


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
            low, high = wilson(is_wrong, stopped) if stopped else (0.0, 1.0)
            loss = ELO_PER_NAT * float(np.mean([times.loss[place] for times in some]))
            section.rows.append([
                panel, model, str(len(some)), str(len(some) - stopped), f"{votes:.0f}",
                f"{votes / first:.2f}", f"{is_wrong} / {stopped}", f"[{low:.3f}, {high:.3f}]",
                f"{loss:.1f}",
            ])  # fmt: skip
    return section
