"""Stopped tournaments: when stop rules end them, and whether the rules were right."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxin.core import Stop
from maxin.core.units import ELO_PER_NAT, TOLERANCE
from maxin.kernels.core import normal_cdf
from maxin.ratings import Tally
from maxin.simulation.planned_tournament import DecisionReader, is_check_due
from maxin.simulation.simulation import Simulation
from maxin.tournament.goals import Goal
from maxin.views import Belief, BeliefCache
from maxin_studies.benchmarks.races import GameTask, game_of

LEVEL = 0.9  # of the intervals whose coverage is measured
ROUNDING = 1e-9  # strengths that differ by less are equal

# The verdict, and other rules for comparison in the same tournaments: all of them look at the same
# fits, when a tournament would. d = 1 - confidence, z_j is the leader's lead over rival j in
# standard deviations, t the number of matches.
RULES = (
    "decided",  # the verdict, with its tolerance
    "tolerance 0",  # the verdict on the best itself
    "former rule",  # sum over j of P(t_j > t_l + tolerance) (1 + log(1 + 0.1 / V_j))^2 <= d / 5
    "sum P(z) < d",  # sum over j of Phi(-z_j) <= d
    "log (1 + log t)/d",  # min z_j^2 / 2 exceeds this
    "log (n - 1)/d",
)
DECIDED, EXACT, FORMER = 0, 1, 2


class StopTimes(NamedTuple):
    """When each of `RULES` stopped, and whether it was right."""

    matches: NDArray[np.float32]  # -1 if the rule never stopped
    is_wrong: NDArray[np.float32]  # 1 if the rule named the wrong players
    covered: float  # share of the 90 % intervals that contain the true strength, at the verdict
    leader_covered: float  # 1 if the leader's interval does


@dataclass(frozen=True)
class StopRace(GameTask[StopTimes]):
    """A tournament that is played until every rule has stopped.

    Args:
        confidence: of the rules.
        tolerance: by how many Elo points the player named may miss the best.
    """

    kind: ClassVar[str] = "stop"
    version: ClassVar[int] = 6
    outcome_type: ClassVar[type] = StopTimes
    folder: ClassVar[str] = "stops"
    weight: ClassVar[int] = 12

    confidence: float = 0.95
    tolerance: float = TOLERANCE

    def run(self) -> StopTimes:
        """Play until every rule has stopped, or to the last match.

        >>> times = StopRace("good-bad:good=1,bad=3", "", "top-two", 200, seed=0).run()
        >>> times.matches[DECIDED], times.is_wrong[DECIDED]
        (np.float32(14.0), np.float32(0.0))
        """
        reader = StopReader(game_of(self.game, self.seed).ratings, self)
        self.simulate(reader)
        return reader.times()


class StopReader:
    """Notes when each rule stops and whether it was right; ends the run when all have stopped.

    Args:
        strengths: the true ratings.
        race: the confidence and the tolerance of the verdict.
    """

    def __init__(self, strengths: NDArray[np.float64], race: StopRace) -> None:
        self.strengths, self.race = strengths, race
        self.matches = np.full(len(RULES), -1.0)
        self.is_wrong = np.zeros(len(RULES))
        self.coverage: tuple[float, float] | None = None  # of all intervals, of the leader's
        self.losses = strengths.max() - strengths  # of naming each player, in nats
        self.tally, beliefs = Tally(len(strengths)), BeliefCache()
        self.verdicts = {
            rule: DecisionReader(
                len(strengths),
                Goal(),
                Stop(confidence=race.confidence, tolerance=tolerance),
                tally=self.tally,
                beliefs=beliefs,
            )
            for rule, tolerance in ((DECIDED, race.tolerance), (EXACT, 0.0))
        }

    @property
    def is_over(self) -> bool:
        """Whether all rules have stopped."""
        return bool((self.matches >= 0.0).all())

    def is_due(self, n_rounds: int) -> bool:
        """See `Reader.is_due`."""
        return True

    def read(self, simulation: Simulation) -> bool:
        """See `Reader.read`."""
        self.tally.add(*simulation.matches[-1], simulation.last_score)
        if is_check_due(self.tally.n_players, simulation.n_rounds):
            self.look(simulation.n_rounds)
        return self.is_over

    def look(self, n_matches: int) -> None:
        """Apply every rule that has not stopped yet, after `n_matches`."""
        for rule, verdict in self.verdicts.items():
            if self.matches[rule] < 0.0 and verdict.check(n_matches):
                named = int(verdict.belief().leaders(1)[0])
                self._note(rule, n_matches, named, verdict.stop.tolerance)
                self.coverage = self.coverage or self._coverage(verdict.belief())
        if (self.matches[FORMER:] < 0.0).any():
            self._compare(*self.verdicts[DECIDED].belief().playing, n_matches)

    def _compare(
        self, means: NDArray[np.float64], cov: NDArray[np.float64], n_matches: int
    ) -> None:
        """Apply the rules that the verdict is compared with."""
        leader = int(means.argmax())
        tails, evidence = evidence_for(means, cov, leader)
        risk = 1.0 - self.race.confidence
        if former_doubt(means, cov, leader, self.race.tolerance) <= risk / 5.0:
            self._note(FORMER, n_matches, leader, self.race.tolerance)
        stops = (
            tails <= risk,
            evidence > math.log((1.0 + math.log(n_matches)) / risk),
            evidence > math.log((len(means) - 1.0) / risk),
        )
        for rule, has_stopped in enumerate(stops, start=FORMER + 1):
            if has_stopped:
                self._note(rule, n_matches, leader)

    def _note(self, rule: int, n_matches: int, named: int, tolerance: float = 0.0) -> None:
        """A rule stops, if it has not before; it is wrong to miss the best by over `tolerance`."""
        if self.matches[rule] >= 0.0:
            return
        allowed = tolerance / ELO_PER_NAT + ROUNDING
        self.matches[rule], self.is_wrong[rule] = n_matches, self.losses[named] > allowed

    def _coverage(self, belief: Belief) -> tuple[float, float]:
        low, high = belief.fit.posterior.intervals(LEVEL).T
        holds = (low <= self.strengths) & (self.strengths <= high)
        return float(holds.mean()), float(holds[belief.leaders(1)[0]])

    def times(self) -> StopTimes:
        """The outcome; intervals are those of the last match if no verdict was reached."""
        coverage = self.coverage or self._coverage(self.verdicts[DECIDED].belief())
        matches, is_wrong = self.matches.astype(np.float32), self.is_wrong.astype(np.float32)
        return StopTimes(matches, is_wrong, *coverage)


def former_doubt(
    means: NDArray[np.float64], cov: NDArray[np.float64], leader: int, tolerance: float
) -> float:
    """The sum over rivals of P(t_j > t_l + tolerance), times the square of how often it was seen.

    It is seen again whenever the information 1 / V has grown by a factor e: V is the variance of
    t_l - t_j.

    >>> former_doubt(np.array([2.0, 0.0]), 0.5 * np.eye(2), leader=0, tolerance=0.0)
    0.0273
    """
    variances = np.maximum(cov[leader, leader] - 2.0 * cov[leader] + cov.diagonal(), 1e-300)
    leads = means[leader] - means + tolerance / ELO_PER_NAT
    doubts = normal_cdf(-leads / np.sqrt(variances)) * (1.0 + np.log1p(0.1 / variances)) ** 2
    return float(np.delete(doubts, leader).sum())


def evidence_for(
    means: NDArray[np.float64], cov: NDArray[np.float64], leader: int
) -> tuple[float, float]:
    """The sum of Phi(-z_j) and the least z_j^2 / 2 over the rivals j of the leader.

    >>> evidence_for(np.array([2.0, 0.0]), 0.5 * np.eye(2), leader=0)
    (0.0228, 2.0)
    """
    variances = cov[leader, leader] - 2.0 * cov[leader] + cov.diagonal()
    variances[leader] = 1.0
    z = (means[leader] - means) / np.sqrt(np.maximum(variances, 1e-300))
    z[leader] = math.inf
    return float(normal_cdf(-z).sum()), float(z.min()) ** 2 / 2.0
