"""Kuhn poker, solved exactly for all of its pure strategies."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from maxin.games.base import Game
from maxin.games.payoffs import Table

JACK, QUEEN, KING = CARDS = range(3)
LARGEST_STAKE = 2  # the ante plus one bet


def kuhn_poker(rng: np.random.Generator) -> Game:
    """Kuhn poker: the players are its 64 pure strategies, each in both seats equally often.

    There are three cards, J < Q < K; each player antes 1 and is dealt one card. The first player
    checks or bets 1. After a bet, the second folds or calls. After a check, the second checks or
    bets 1, and after that bet the first folds or calls. A fold loses the ante; otherwise the
    higher card takes the stakes.

    A player has six yes-or-no habits, the same in both seats: bit c of its index says whether it
    bets with card c if nobody has bet, bit 3 + c whether it calls a bet with card c. The payoff is
    its mean gain over all deals and both seats, divided by the largest stake, 2.

    >>> kuhn_poker(np.random.default_rng(0)).payoffs[:2, :3]  # never bets, bluffs with J, with Q
    array([[ 0.   , -0.333, -0.167],
           [ 0.333,  0.   ,  0.083]])
    """
    habits = (np.arange(64)[:, None] >> np.arange(6)) & 1 == 1
    gains = first_seat_gains(bets=habits[:, :3], calls=habits[:, 3:])
    return Game("kuhn-poker", (gains - gains.T) / (2 * LARGEST_STAKE))


def first_seat_gains(bets: NDArray[np.bool_], calls: NDArray[np.bool_]) -> Table:
    """Mean gain of each player (row), moving first, against each other (column).

    `bets` and `calls` say what each player does with each card, shape (players, 3).

    >>> always = np.ones((1, 3), dtype=bool)
    >>> first_seat_gains(bets=always, calls=~always)  # every bet steals the ante
    array([[1.]])
    """
    deals = list(permutations(CARDS, 2))
    gains = np.zeros((len(bets), len(bets)))
    for mine, theirs in deals:
        ante = 1.0 if mine > theirs else -1.0
        after_bet = np.where(calls[:, theirs], LARGEST_STAKE * ante, 1.0)
        called_or_folded = np.where(calls[:, mine], LARGEST_STAKE * ante, -1.0)
        after_check = np.where(bets[None, :, theirs], called_or_folded[:, None], ante)
        gains += np.where(bets[:, mine, None], after_bet[None, :], after_check)
    return gains / len(deals)
