"""Kuhn poker, solved exactly for all of its pure strategies."""

from __future__ import annotations

from itertools import permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxin.core import check_name
from maxin.games.base import Game
from maxin.games.limits import check_count
from maxin.games.payoffs import Table, seat_average

JACK, QUEEN, KING = CARDS = range(3)
LARGEST_STAKE = 2  # the ante plus one bet
MOST_GAMES = 1_000_000


class Habits(NamedTuple):
    """What each player does with each card, shape (players, 3): bets if nobody has bet, calls."""

    bets: NDArray[np.bool_]
    calls: NDArray[np.bool_]


def kuhn_poker(rng: np.random.Generator, *, habits: str = "same", games: int = 0) -> Game:
    """Kuhn poker: the players are its 64 pure strategies, each in both seats equally often.

    There are three cards, J < Q < K; each player antes 1 and is dealt one card. The first player
    checks or bets 1. After a bet, the second folds or calls. After a check, the second checks or
    bets 1, and after that bet the first folds or calls. A fold loses the ante; otherwise the
    higher card takes the stakes.

    A player has six yes-or-no habits: with each card, whether it bets if nobody has bet, and
    whether it calls a bet. The payoff is its mean gain over all deals and both seats, divided by
    the largest stake, 2. The paper's file follows `habits=paired,games=100`: means of simulated
    games, which hardly ever tie. It differs in the cards dealt.

    Args:
        rng: Deals the cards if `games` is given. Otherwise the game is the same for every seed.
        habits: "same": the same habits in both seats; bit c of a player's index says whether it
            bets with card c, bit 3 + c whether it calls. "paired": a player reads its index once
            per seat, from the highest bit, as bets, calls for one card after the other, in the
            order J, Q, K in the first seat and Q, K, J in the second. This is the order in which a
            walk through all deals meets the cards.
        games: Simulate this many games per pair and seat, and divide the mean gains by the largest;
            0 for exact means.

    >>> kuhn_poker(np.random.default_rng(0)).payoffs[:2, :3]  # never bets, bluffs with J, with Q
    array([[ 0.   , -0.333, -0.167],
           [ 0.333,  0.   ,  0.083]])
    """
    check_name(habits, ("same", "paired"), "kind of habits")
    check_count(games, "games", least=0, most=MOST_GAMES)
    gains = deal_gains(*(_same_habits() if habits == "same" else _paired_habits()))
    if games == 0:
        return Game("kuhn-poker", seat_average(gains.mean(axis=0) / LARGEST_STAKE, "kuhn-poker"))
    shares = np.full(len(gains), 1.0 / len(gains))
    deals = rng.multinomial(games, shares, size=gains.shape[1:])
    totals = np.einsum("dij,ijd->ij", gains, deals)
    margins = totals - totals.T
    return Game("kuhn-poker", margins / np.abs(margins).max())


def deal_gains(first: Habits, second: Habits) -> Table:
    """Gain of each first player (row) from each second one (column) in each of the six deals.

    >>> always = np.ones((1, 3), dtype=bool)
    >>> thieves = Habits(bets=always, calls=~always)
    >>> deal_gains(thieves, thieves).mean()  # every bet steals the ante
    np.float64(1.0)
    """
    gains = []
    for mine, theirs in permutations(CARDS, 2):
        ante = 1.0 if mine > theirs else -1.0
        after_bet = np.where(second.calls[:, theirs], LARGEST_STAKE * ante, 1.0)
        called_or_folded = np.where(first.calls[:, mine], LARGEST_STAKE * ante, -1.0)
        after_check = np.where(second.bets[None, :, theirs], called_or_folded[:, None], ante)
        gains.append(np.where(first.bets[:, mine, None], after_bet[None, :], after_check))
    return np.array(gains)


def _same_habits() -> tuple[Habits, Habits]:
    bits = (np.arange(64)[:, None] >> np.arange(6)) & 1 == 1
    habits = Habits(bits[:, :3], bits[:, 3:])
    return habits, habits


def _paired_habits() -> tuple[Habits, Habits]:
    bits = (np.arange(64)[:, None] >> np.arange(5, -1, -1)) & 1 == 1
    bets, calls = bits[:, ::2], bits[:, 1::2]
    turned = [QUEEN, KING, JACK]
    from_jack = np.argsort(turned)  # the place of J, Q and K in the order of the second seat
    return Habits(bets, calls), Habits(bets[:, from_jack], calls[:, from_jack])
