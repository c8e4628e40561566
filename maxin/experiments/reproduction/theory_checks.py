"""Lemma 1 and the bound of Theorem 1, evaluated on simulated runs of MaxIn-Elo."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from maxin.core import Match
from maxin.evaluation import algebraic_connectivity, check_lemma1, regret_bound
from maxin.experiments.simulation import Simulation
from maxin.games import Game
from maxin.ratings import Elo
from maxin.schedulers import MaxIn


class TheoryCheck(NamedTuple):
    """One run: the bounds of the lemma and the theorem, and the measured values."""

    game: str
    batch_size: int
    connectivity: float  # lambda_min(V) after the first batch, orthogonal to 1; the lemma needs 1
    sum_of_widths: float
    lemma_bound: float
    lemma_holds: bool  # at every round
    regret: float
    regret_bound: float


class WidthRecorder(MaxIn):
    """MaxIn-Elo that records the width of each match before it is played, after the first batch."""

    def __init__(self, n_players: int, batch_size: int, rng: np.random.Generator) -> None:
        super().__init__(Elo(n_players), batch_size=batch_size, rng=rng, alone="self")
        self.widths: list[float] = []

    def ask(self) -> Match | None:
        """See `Scheduler.ask`."""
        match = super().ask()
        if match is not None:
            self.withdraw(match)  # a pending match counts as information: the width is without it
            if self.n_told >= self.batch_size:
                self.widths.append(self.width(match))
        return match


def check_theory(game: Game, rounds: int, batch_size: int, seed: int) -> TheoryCheck:
    """Run MaxIn-Elo and compare its widths and its regret with their bounds."""
    rng = np.random.default_rng(seed)
    scheduler = WidthRecorder(game.n_players, batch_size, rng)
    simulation = Simulation(game, scheduler, rng)
    simulation.advance(rounds)
    matches, widths = simulation.matches, np.array(scheduler.widths)
    check = check_lemma1(widths, n_players=game.n_players, batch_size=batch_size)
    losses = game.ratings.max() - game.ratings[np.array(matches)]
    return TheoryCheck(
        game.name,
        batch_size,
        algebraic_connectivity(matches[:batch_size], game.n_players),
        float(check.sums[-1]),
        float(check.bounds[-1]),
        check.holds,
        float(losses.mean(axis=1).sum()),
        regret_bound(game.ratings, rounds, batch_size, convexity=1.0),
    )
