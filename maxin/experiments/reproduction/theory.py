"""Lemma 1 and the bound of Theorem 1, evaluated along real runs of MaxIn-Elo."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from maxin.core import Match, Result
from maxin.evaluation import algebraic_connectivity, lemma1, regret_bound
from maxin.games import Game
from maxin.ratings import Elo
from maxin.schedulers import MaxIn


class TheoryCheck(NamedTuple):
    """One run: what the lemma and the theorem say of it, and what happened."""

    game: str
    batch_size: int
    connectivity: float  # lambda_min(V) after the first batch, orthogonal to 1; the lemma needs 1
    sum_of_widths: float
    lemma_bound: float
    lemma_holds: bool  # at every round
    regret: float
    regret_bound: float


def check_theory(game: Game, rounds: int, batch_size: int, seed: int) -> TheoryCheck:
    """Run MaxIn-Elo, reading the width of every match just before it is played."""
    rng = np.random.default_rng(seed)
    scheduler = MaxIn(Elo(game.n_players), batch_size=batch_size, rng=rng, alone="self")
    matches: list[Match] = []
    widths: list[float] = []
    for t in range(rounds):
        match = scheduler.ask()
        assert match is not None  # with alone="self" there is always a match
        scheduler.withdraw(match)
        if t >= batch_size:
            widths.append(scheduler.width(match))
        scheduler.tell(Result(match, game.play(match, rng)))
        matches.append(match)
    check = lemma1(np.array(widths), n_players=game.n_players, batch_size=batch_size)
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
