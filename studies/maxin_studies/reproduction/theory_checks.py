"""The paper's lemmas and Theorem 1, evaluated on simulated runs of MaxIn-Elo."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import scipy

from maxin.core import Match
from maxin.games import Game
from maxin.ratings import Elo
from maxin.schedulers import MaxIn
from maxin.simulation.simulation import GridReader, Simulation
from maxin_studies.theory import (
    RequiredLead,
    algebraic_connectivity,
    batch_size,
    check_lemma1,
    check_lemma2,
    check_lemma3,
    curvature,
    exploration,
    lemma3_assumption,
    regret_bound,
)

CONSTANTS = (1.0, 1.0)  # C_1 and C_2 of Eq. tau; the paper only says that they exist
FOREVER = 10**60  # matches; no bound is looked for beyond


class TheorySettings(NamedTuple):
    """How MaxIn-Elo runs: T, tau, alpha = 1 / eta, and whether gamma is 2 g_1(t) instead of 1."""

    rounds: int
    batch_size: int
    convexity: float = 1.0
    is_lemma3_exploration: bool = False


class TheoryCheck(NamedTuple):
    """One run: what the lemmas and the theorem say, and the measured values."""

    game: Game
    settings: TheorySettings
    connectivity: float  # lambda_min(V) after the first batch, orthogonal to 1; Lemma 1 needs 1
    sum_of_widths: float
    lemma1_bound: float
    lemma1_holds: bool  # at every round
    lemma2_ratio: float  # the largest error in units of its bound
    lemma2_holds: bool  # after every batch, for all pairs
    best_share: float  # of the rounds after the first batch with the best player in S
    best_stays: bool  # in all of these rounds
    assumption: RequiredLead
    regret: float
    regret_bound: float

    @property
    def largest_regret(self) -> float:
        """T Delta_max, which no run exceeds."""
        return self.settings.rounds * float(np.ptp(self.game.ratings))

    @property
    def random_regret(self) -> float:
        """What T uniformly drawn pairs cost on average."""
        ratings = self.game.ratings
        return self.settings.rounds * float(ratings.max() - ratings.mean())


class TheoryRecorder(MaxIn):
    """MaxIn-Elo that records, after the first batch, what the lemmas are about.

    In each round the candidates and the width of the match, before it is played; at the start of
    each batch the ratings and all widths.
    """

    def __init__(self, game: Game, settings: TheorySettings, rng: np.random.Generator) -> None:
        n_players, rounds = game.n_players, settings.rounds
        near = curvature(game.ratings, 1.0)

        def growing(n_results: int) -> float:
            return exploration(n_results + 1, n_players, rounds, near)

        super().__init__(
            Elo(n_players),
            batch_size=settings.batch_size,
            step_size=1.0 / settings.convexity,
            exploration=growing if settings.is_lemma3_exploration else 1.0,
            rng=rng,
            alone="self",
        )
        self.widths: list[float] = []
        self.members: list[np.ndarray] = []
        self.estimates: list[np.ndarray] = []
        self.all_widths: list[np.ndarray] = []

    def ask(self) -> Match | None:
        """See `Scheduler.ask`."""
        if self.n_batches:
            self._record_candidates()
        match = super().ask()
        if match is not None and self.n_batches:
            self.withdraw(match)  # a pending match counts as information: the width is without it
            self.widths.append(self.width(match))
        return match

    def _record_candidates(self) -> None:
        members = np.zeros(self.n_players, dtype=bool)
        members[self.candidates()] = True
        self.members.append(members)
        if self.n_told % self.batch_size == 0:
            self.estimates.append(self.ratings())
            self.all_widths.append(self.uncertainty.widths())


def check_theory(game: Game, settings: TheorySettings, seed: int) -> TheoryCheck:
    """Run MaxIn-Elo and compare what it did with the lemmas and the theorem."""
    rng = np.random.default_rng(seed)
    recorder = TheoryRecorder(game, settings, rng)
    nothing = GridReader(np.empty(0, dtype=np.int64), lambda _: ())
    simulation = Simulation(game, recorder, rng, reader=nothing)
    simulation.advance(settings.rounds)
    rounds, tau, alpha, _ = settings
    lemma1 = check_lemma1(np.array(recorder.widths), game.n_players, tau)
    lemma2 = check_lemma2(
        recorder.estimates,
        recorder.all_widths,
        game.ratings,
        batch_size=tau,
        n_matches=rounds,
        convexity=alpha,
    )
    lemma3 = check_lemma3(np.array(recorder.members), game.ratings)
    return TheoryCheck(
        game,
        settings,
        algebraic_connectivity(simulation.matches[:tau], game.n_players),
        float(lemma1.sums[-1]),
        float(lemma1.bounds[-1]),
        lemma1.holds,
        lemma2.largest_ratio,
        lemma2.holds,
        lemma3.share,
        lemma3.holds,
        lemma3_assumption(game.ratings, rounds, tau),
        simulation.regret,
        regret_bound(game.ratings, rounds, tau, alpha),
    )


def even_game(n_players: int, lead: float) -> Game:
    """A game whose Elo ratings are `lead` apart, the first player's the highest.

    >>> even_game(3, 0.5).ratings
    array([ 0.5,  0. , -0.5])
    """
    ratings = -lead * np.arange(n_players)
    chances = scipy.special.expit(np.subtract.outer(ratings, ratings))
    return Game(f"{n_players} players, {lead:g} apart", 2.0 * chances - 1.0)


def needed_batch(ratings: np.ndarray, rounds: int) -> int:
    """The least tau of Eq. tau, at alpha = c_3, for the most informative matches possible.

    No schedule has a lambda_f above 2 / (n - 1), and C_1 = C_2 = 1.

    >>> needed_batch(np.array([0.5, 0.0]), rounds=100_000)
    32002
    """
    n_players, far = len(ratings), curvature(ratings, 3.0)
    return batch_size(
        n_players,
        rounds,
        near_curvature=curvature(ratings, 1.0),
        far_curvature=far,
        information=2.0 / (n_players - 1),
        convexity=far,
        constants=CONSTANTS,
    )


def largest_convexity(ratings: np.ndarray, rounds: int, tau: int) -> float:
    """The largest alpha that tau_2 of Eq. tau allows at this tau, with lambda_f = 2 / (n - 1).

    >>> largest_convexity(np.array([0.5, 0.0]), rounds=100_000, tau=32_002)
    136.98
    """
    n_players = len(ratings)
    information = 2.0 / (n_players - 1)
    spread = CONSTANTS[0] * math.sqrt(n_players)
    spread += CONSTANTS[1] * math.sqrt(2.0 * math.log(rounds))
    left = tau - 2.0 * (spread / information) ** 2
    return left * curvature(ratings, 3.0) * information / 4.0


def theorem1_settings(ratings: np.ndarray, n_batches: int) -> TheorySettings:
    """Settings with all that Theorem 1 asks for, except the lead that no player can have.

    T is `n_batches` times tau, and tau follows from T by Eq. tau, so the two are found in turn.

    >>> theorem1_settings(np.array([0.5, 0.0]), n_batches=2)[:2]
    (61520, 30760)
    """
    rounds = n_batches
    while (more := n_batches * needed_batch(ratings, rounds)) != rounds:
        rounds = more
    tau = rounds // n_batches
    return TheorySettings(rounds, tau, largest_convexity(ratings, rounds, tau), True)


def useful_after(ratings: np.ndarray) -> float:
    """The number of matches T from which Theorem 1's bound is below T Delta_max, to 1 %.

    No match has more regret than Delta_max, so a larger bound says nothing.

    >>> f"{useful_after(np.array([0.5, 0.0])):.1e}"
    '1.3e+16'
    """
    low, high = 2, FOREVER
    while high > 1.01 * low:
        middle = math.isqrt(low * high)
        tau = needed_batch(ratings, middle)
        says_something = tau <= middle and (
            regret_bound(ratings, middle, tau, largest_convexity(ratings, middle, tau))
            < middle * float(np.ptp(ratings))
        )
        low, high = (low, middle) if says_something else (middle, high)
    return float(high)
