"""Stops: a tournament that ends when the best player is known, and whether it was right."""

from __future__ import annotations

import functools
import math
from dataclasses import asdict, dataclass
from typing import NamedTuple, Protocol, TypeGuard

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from maxin.core.units import ELO_PER_NAT
from maxin.evaluation import Verdict, verdict
from maxin.experiments.benchmarks.races import game_of
from maxin.experiments.reproduction.runs import key_of
from maxin.experiments.simulation import start_simulation
from maxin.ratings import Posterior
from maxin.schedulers import Scheduler

VERSION = 2  # of what a stop computes; a change of it makes every stored stop unknown
LEVEL = 0.9  # of the intervals
ROUNDING = 1e-9  # below it two strengths are equal

# When other rules stop, watched in the same tournaments. d = 1 - confidence, z_j the leader's
# lead over rival j in standard deviations, t the number of matches.
RULES = (
    "decided",  # the verdict
    "decided or tied",  # the verdict with an indifference
    "sum P(z) < d",  # sum over j of Phi(-z_j) <= d
    "log 1/d",  # min z_j^2 / 2 above this
    "log (1 + log t)/d",
    "log (n - 1)/d",
)
DECIDED, TIED = 0, 1


@dataclass(frozen=True)
class Stop:
    """The whole description of a tournament with a stop; equal descriptions give equal numbers.

    Args:
        game: see `Race`.
        fingerprint: see `Race`.
        scheduler: one that has a posterior.
        rounds: the most matches played; it ends sooner, once all rules have stopped.
        seed: of everything random in it.
        in_flight: how many matches are being played at any time.
        confidence: how sure the verdict is to be.
        indifference: how many Elo points do not matter.
    """

    game: str
    fingerprint: str
    scheduler: str
    rounds: int
    seed: int
    in_flight: int = 1
    confidence: float = 0.95
    indifference: float = 0.0

    @functools.cached_property
    def key(self) -> str:
        """A name for the description, short enough for a file."""
        return key_of({"stop": VERSION, **asdict(self)})


class Ending(NamedTuple):
    """When each of `RULES` stopped, and what was true then."""

    matches: NDArray[np.float32]  # -1 if it never stopped
    is_wrong: NDArray[np.float32]  # 1 if what it said was not true
    is_tied: float  # 1 if the second rule said that players are tied
    covered: float  # share of the 90 % intervals that hold the true strength, at the verdict
    leader_covered: float  # 1 if the leader's does


class HasPosterior(Protocol):
    """A scheduler that knows how much it does not know."""

    posterior: Posterior


def has_posterior(scheduler: object) -> TypeGuard[HasPosterior]:
    """Whether a scheduler can be asked for a verdict.

    >>> from maxin.schedulers import make_scheduler
    >>> rng = np.random.default_rng(0)
    >>> [has_posterior(make_scheduler(name, 3, rng)) for name in ("top-two", "random")]
    [True, False]
    """
    return isinstance(getattr(scheduler, "posterior", None), Posterior)


def run_stop(stop: Stop) -> Ending:
    """Play until every rule has stopped, or to the last match.

    >>> ending = run_stop(Stop("good-bad:good=1,bad=3", "", "top-two", 200, seed=0))
    >>> ending.matches[DECIDED], ending.is_wrong[DECIDED]
    (np.float32(22.0), np.float32(0.0))
    """
    game = game_of(stop.game, stop.seed)
    simulation = start_simulation(
        game, stop.scheduler, stop.seed, every=stop.rounds + 1, in_flight=stop.in_flight
    )
    watch = Watch(_posterior_of(simulation.scheduler), game.ratings, stop)
    while simulation.n_rounds < stop.rounds and not (simulation.is_over or watch.is_over):
        simulation.advance(1)
        watch.look(simulation.n_rounds)
    return watch.ending()


def _posterior_of(scheduler: Scheduler) -> Posterior:
    assert has_posterior(scheduler), "checked at the door"
    return scheduler.posterior


class Watch:
    """Notes when each rule stops, and whether it was right to.

    Args:
        posterior: what is known.
        strengths: what is true.
        stop: which confidence and indifference.
    """

    def __init__(self, posterior: Posterior, strengths: NDArray[np.float64], stop: Stop) -> None:
        self.posterior, self.strengths, self.stop = posterior, strengths, stop
        self.matches = np.full(len(RULES), -1.0)
        self.is_wrong = np.zeros(len(RULES))
        self.is_tied = 0.0
        self.coverage: tuple[float, float] | None = None  # of all intervals and of the leader's
        self.best = set(np.flatnonzero(strengths >= strengths.max() - ROUNDING).tolist())

    @property
    def is_over(self) -> bool:
        """Whether all rules have stopped."""
        return bool((self.matches >= 0.0).all())

    def look(self, n_matches: int) -> None:
        """Ask every rule that has not stopped, after `n_matches`."""
        means, cov = self.posterior.belief.strengths, self.posterior.belief.strength_cov
        leader = int(means.argmax())
        if self.matches[TIED] < 0.0 or self.matches[DECIDED] < 0.0:
            self._judge(n_matches)
        tails, sure = evidence(means, cov, leader)
        risk = 1.0 - self.stop.confidence
        said = (
            tails <= risk,
            sure > -math.log(risk),
            sure > math.log((1.0 + math.log(n_matches)) / risk),
            sure > math.log((len(means) - 1.0) / risk),
        )
        for rule, is_sure in enumerate(said, start=TIED + 1):
            if is_sure and self.matches[rule] < 0.0:
                self._note(rule, n_matches, leader not in self.best)

    def _judge(self, n_matches: int) -> None:
        """Ask for the verdict."""
        said = verdict(
            self.posterior.ratings(),
            self.posterior.covariance(),
            confidence=self.stop.confidence,
            indifference=self.stop.indifference,
        )
        if said.kind == "decided" and self.matches[DECIDED] < 0.0:
            self._note(DECIDED, n_matches, said.players[0] not in self.best)
            self.coverage = self._coverage()
        if said.kind != "undecided" and self.matches[TIED] < 0.0:
            self._note(TIED, n_matches, self._is_wrong(said))
            self.is_tied = float(said.kind == "tied")

    def _note(self, rule: int, n_matches: int, is_wrong: bool) -> None:
        self.matches[rule], self.is_wrong[rule] = n_matches, is_wrong

    def _is_wrong(self, said: Verdict) -> bool:
        """Whether the best is not named, or one named is further from the first than was said."""
        lags = self.strengths[said.players[0]] - self.strengths[list(said.players)]
        is_far = bool((np.abs(lags) * ELO_PER_NAT > self.stop.indifference).any())
        if said.kind == "decided":
            return said.players[0] not in self.best
        return is_far or not self.best & set(said.players)

    def _coverage(self) -> tuple[float, float]:
        low, high = self.posterior.intervals(LEVEL).T
        holds = (low <= self.strengths) & (self.strengths <= high)
        return float(holds.mean()), float(holds[self.posterior.ratings().argmax()])

    def ending(self) -> Ending:
        """Everything seen."""
        covered, leader_covered = self.coverage or self._coverage()
        matches, is_wrong = self.matches.astype(np.float32), self.is_wrong.astype(np.float32)
        return Ending(matches, is_wrong, self.is_tied, covered, leader_covered)


def evidence(
    means: NDArray[np.float64], cov: NDArray[np.float64], leader: int
) -> tuple[float, float]:
    """Sum of Phi(-z_j) and least z_j^2 / 2 over the rivals j of the leader.

    >>> evidence(np.array([2.0, 0.0]), 0.5 * np.eye(2), leader=0)
    (0.0228, 2.0)
    """
    variances = cov[leader, leader] - 2.0 * cov[leader] + cov.diagonal()
    variances[leader] = 1.0
    z = (means[leader] - means) / np.sqrt(np.maximum(variances, 1e-300))
    z[leader] = math.inf
    return float(ndtr(-z).sum()), float(z.min()) ** 2 / 2.0
