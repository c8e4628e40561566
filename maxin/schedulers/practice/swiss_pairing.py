"""Who meets whom in a round of a Swiss tournament."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from maxin.core.arrays import Floats, Ints
from maxin.kernels.matching import largest_matching, preferred_matching
from maxin.kernels.posterior import PAIRS, PosteriorState

DIGITS = 9  # scores that agree in these are equal: graded scores add up with rounding errors


class SwissTable(NamedTuple):
    """What the pairing of a round depends on.

    `scores` are points minus half the matches, a bye counted as a win; `met` says how often each
    pair met, `byes` how many byes each player had; `seats` is how many times more it sat first
    than second; `last` is 1 if it sat first in its last match, -1 if second; `seeds` orders
    players with equal scores.
    """

    scores: Floats
    met: Floats
    byes: Ints
    seats: Ints
    last: Ints
    seeds: Ints

    @classmethod
    def of(
        cls, state: PosteriorState, byes: Ints, seats: Ints, last: Ints, seeds: Ints
    ) -> SwissTable:
        """The table of all results."""
        n_pairs, n_players = state.counts[PAIRS], len(state.ratings)
        first, second = state.pairs[:n_pairs].T
        played, won = state.played[:n_pairs], state.points[:n_pairs]
        scores, met = byes / 2.0, np.zeros((n_players, n_players))
        np.add.at(scores, first, won - 0.5 * played)
        np.add.at(scores, second, 0.5 * played - won)
        met[first, second] = met[second, first] = played
        return cls(scores.round(DIGITS), met, byes, seats, last, seeds)

    def order(self) -> Ints:
        """The players by score, and by seed if equal."""
        return np.lexsort((self.seeds, -self.scores))


def swiss_round(table: SwissTable) -> tuple[Ints, int | None]:
    """The pairs of the next round as rows, who sits first, and who has a bye.

    The highest player in turn gets the opponent that comes first in this order: met least often;
    nearest score; wants the other seat; half a score group away. But it never gets one with whom
    the others could no longer be paired without a rematch that is avoidable. If the number of
    players is odd, the lowest player with the fewest byes has one, under the same condition.

    >>> nobody = np.zeros(4, dtype=np.int64)
    >>> scores, met = np.array([0.5, -0.5, 0.5, -0.5]), np.zeros((4, 4))
    >>> swiss_round(SwissTable(scores, met, nobody, nobody, nobody, np.arange(4)))[0]
    array([[0, 2],
           [1, 3]])
    """
    order, n_players = table.order(), len(table.scores)
    costs, met = pairing_costs(table, order), table.met
    if n_players % 2:
        costs, met = _with_bye(costs, table.byes), _with_bye(met, table.byes)
        costs[-1, order] = table.byes[order] * n_players + np.arange(n_players)[::-1]
        order = np.insert(order, 0, n_players)
    allowed = met <= _least_meetings(met)
    np.fill_diagonal(allowed, False)
    partners = preferred_matching(costs, allowed, order)
    bye = int(partners[-1]) if n_players % 2 else None
    places = np.argsort(order)
    pairs = [(a, b) for a, b in enumerate(partners.tolist()) if places[a] < places[b]]
    pairs = sorted((pair for pair in pairs if n_players not in pair), key=lambda ab: places[ab[0]])
    return np.array([_seated(table, *pair) for pair in pairs], dtype=np.int64), bye


def pairing_costs(table: SwissTable, order: Ints) -> Floats:
    """What each pair costs: smaller is better, by the order of `swiss_round`."""
    n_players = len(order)
    _, groups, sizes = np.unique(-table.scores, return_inverse=True, return_counts=True)
    inside = np.empty(n_players)  # the place of each player in its score group
    inside[order] = np.arange(n_players) - np.searchsorted(groups[order], groups[order])
    gaps = np.abs(groups[:, None] - groups)
    size = sizes[groups][:, None]
    beyond = inside - inside[:, None] - size // 2  # places beyond the one half a group away
    fold = np.where(gaps > 0, inside, np.where(beyond >= 0, beyond, size - beyond))
    wants = np.sign(table.seats)
    clashes = (wants[:, None] * wants) > 0
    costs: Floats = ((table.met * n_players + gaps) * 2.0 + clashes) * 4.0 * n_players + fold
    return costs


def _with_bye(table: Floats, byes: Ints) -> Floats:
    """The table with a dummy player at its end: its opponent has a bye."""
    larger = np.zeros((len(table) + 1, len(table) + 1))
    larger[:-1, :-1] = table
    larger[-1, :-1] = larger[:-1, -1] = byes
    return larger


def _least_meetings(met: Floats) -> float:
    """The smallest m such that all can be paired with someone they met at most m times."""
    others = met + np.diag(np.full(len(met), np.inf))
    least = float(others.min(axis=1).max())
    while (largest_matching(others <= least) < 0).any():
        least = float(others[others > least].min())
    return least


def _seated(table: SwissTable, high: int, low: int) -> tuple[int, int]:
    """The pair with the player first who sat first less often, or who sat second last time."""
    for one, other in ((high, low), (low, high)):
        lead, last = table.seats[one] - table.seats[other], table.last[one] - table.last[other]
        if lead < 0 or (lead == 0 and last < 0):
            return one, other
    return high, low
