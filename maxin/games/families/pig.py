"""Pig, a game of dice: roll on and risk the points of the turn, or hold them."""

from __future__ import annotations

import numpy as np

from maxin.games.base import Game
from maxin.games.limits import check_count, check_size
from maxin.games.payoffs import Table, seat_average

SIDES = range(2, 7)  # of the die that earn points; a 1 ends the turn and loses its points
FEW = 1e-12  # P(not there yet) below which the turns that follow do not matter


def pig(rng: np.random.Generator, *, n_players: int = 40, target: int = 100) -> Game:
    """Pig: player k holds as soon as a turn has earned k + 1 points; the first at the target wins.

    In a turn a player rolls a die as often as it likes. A 1 ends the turn, and its points are
    lost; all other sides are added to them. Holding keeps the points. The table is exact, with
    both seats equally often. Luck decides most games: the best players hold at about 20, and are
    nearly even.

    Args:
        rng: Not used: the game is the same for every seed.
        n_players: The players hold at 1, 2, ..., n_players points.
        target: Points that win.

    >>> game = pig(np.random.default_rng(0))
    >>> game.top()[0] + 1, game.probabilities[24, 19]  # holding at 25 against holding at 20
    (19, np.float64(0.512))
    """
    check_count(target, "target", least=10, most=1_000)
    check_size(n_players, most=target)
    ends = [finish_chances(hold, target) for hold in range(1, n_players + 1)]
    n_turns = max(map(len, ends))
    ended = np.array([np.pad(chances, (0, n_turns - len(chances))) for chances in ends])
    later = 1.0 - np.cumsum(ended, axis=1) + ended  # P(not there before this turn)
    first_seat = ended @ later.T
    return Game("pig", seat_average(2.0 * first_seat - 1.0, "pig"))


def turn_chances(hold: int) -> Table:
    """P(a turn earns so many points) if the player holds at `hold`.

    >>> turn_chances(1)  # one roll: nothing for a 1
    array([0.167, 0.   , 0.167, 0.167, 0.167, 0.167, 0.167])
    """
    reached = np.zeros(hold + max(SIDES))
    reached[0] = 1.0
    for points in range(hold):
        for side in SIDES:
            reached[points + side] += reached[points] / 6.0
    reached[:hold] = 0.0
    reached[0] = 1.0 - reached.sum()
    return reached


def finish_chances(hold: int, target: int) -> Table:
    """P(the target is reached in turn 1, 2, ...) of a player who holds at `hold`.

    >>> finish_chances(20, target=100).argmax() + 1  # in most games after so many turns
    np.int64(11)
    """
    following = np.zeros((target, target + hold + max(SIDES)))  # P(points after a turn)
    kept = turn_chances(hold)
    for points in range(target):
        if target - points < hold:  # it holds when it has won
            kept = turn_chances(target - points)
        following[points, points : points + len(kept)] = kept
    now, ends = np.eye(target)[0], []
    while now.sum() > FEW:
        after = now @ following
        ends.append(after[target:].sum())
        now = after[:target]
    return np.array(ends)
