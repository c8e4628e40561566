"""Pairing everyone at once: matchings in a graph of players; compiled.

A matching is an array of partners, -1 for those who have none.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maxin.core.compile import Floats, Ints, compiled

Flags = NDArray[np.bool_]
LEAST_GAIN = 1e-12  # of an exchange: smaller ones are rounding errors


@compiled
def common_base(partners: Ints, parents: Ints, bases: Ints, one: int, other: int) -> int:
    """The base at which the alternating paths of two players to the root meet."""
    seen = np.zeros(len(partners), dtype=np.bool_)
    while True:
        one = bases[one]
        seen[one] = True
        if partners[one] < 0:
            break
        one = parents[partners[one]]
    other = bases[other]
    while not seen[other]:
        other = bases[parents[partners[other]]]
    return other


@compiled
def mark_blossom(
    partners: Ints, parents: Ints, bases: Ints, marks: Flags, player: int, base: int, child: int
) -> None:
    """Mark the players of a blossom from `player` down to its base, and turn their parents."""
    while bases[player] != base:
        marks[bases[player]] = marks[bases[partners[player]]] = True
        parents[player] = child
        child = partners[player]
        player = parents[partners[player]]


@compiled
def extend(allowed: Flags, gone: Flags, partners: Ints, root: int) -> bool:
    """Give `root` a partner along an alternating path, if there is one (Edmonds 1965).

    The path ends at another player without a partner; players who are `gone` are left alone.
    """
    n_players = len(partners)
    parents, bases = np.full(n_players, -1), np.arange(n_players)
    reached, queue = gone.copy(), np.empty(n_players, dtype=np.int64)
    reached[root], queue[0], head, tail = True, root, 0, 1
    while head < tail:
        player = queue[head]
        head += 1
        for other in range(n_players):
            is_edge = allowed[player, other] and not gone[other] and other != player
            if not is_edge or bases[player] == bases[other] or partners[player] == other:
                continue
            if other == root or (partners[other] >= 0 and parents[partners[other]] >= 0):
                base = common_base(partners, parents, bases, player, other)
                marks = np.zeros(n_players, dtype=np.bool_)
                mark_blossom(partners, parents, bases, marks, player, base, other)
                mark_blossom(partners, parents, bases, marks, other, base, player)
                for one in range(n_players):
                    if marks[bases[one]]:
                        bases[one] = base
                        if not reached[one]:
                            reached[one], queue[tail] = True, one
                            tail += 1
            elif parents[other] < 0:
                parents[other] = player
                if partners[other] < 0:
                    turn_path(partners, parents, other)
                    return True
                reached[partners[other]], queue[tail] = True, partners[other]
                tail += 1
    return False


@compiled
def turn_path(partners: Ints, parents: Ints, end: int) -> None:
    """Swap who is paired along the path that ends at a player without a partner."""
    while end >= 0:
        parent = parents[end]
        following = partners[parent]
        partners[end], partners[parent] = parent, end
        end = following


@compiled
def largest_matching(allowed: Flags) -> Ints:
    """Partners such that as many players as possible have one, in pairs that are allowed."""
    partners: Ints = np.full(len(allowed), -1)
    gone = np.zeros(len(allowed), dtype=np.bool_)
    for player in range(len(allowed)):
        if partners[player] < 0:
            extend(allowed, gone, partners, player)
    return partners


@compiled
def preferred_matching(costs: Floats, allowed: Flags, order: Ints) -> Ints:
    """Everyone's partner, if each in turn gets the cheapest one with whom all can be paired.

    There must be a matching of all players in allowed pairs; each choice keeps one possible.
    """
    partners, gone = largest_matching(allowed), np.zeros(len(order), dtype=np.bool_)
    for player in order:
        refused = gone.copy()
        while not gone[player]:
            other = -1
            for one in range(len(order)):
                is_open = allowed[player, one] and one != player and not refused[one]
                if is_open and (other < 0 or costs[player, one] < costs[player, other]):
                    other = one
            gone[player] = gone[other] = True
            if partners[player] != other:
                left, right = partners[player], partners[other]
                partners[left] = partners[right] = -1
                if extend(allowed, gone, partners, left):
                    partners[player], partners[other] = other, player
                else:
                    partners[left], partners[right] = player, other
                    gone[player] = gone[other] = False
                    refused[other] = True
    return partners


@compiled
def heavy_matching(weights: Floats, heaviest: Ints) -> Ints:
    """Partners whose weights have a large sum: the heaviest free pair first, then exchanges.

    `heaviest` has all pairs as rows, by falling weight; the number of players is even. Two pairs
    exchange their partners as long as that is heavier. The sum need not be the largest of all.
    """
    partners: Ints = np.full(len(weights), -1)
    for first, second in heaviest:
        if partners[first] < 0 and partners[second] < 0:
            partners[first], partners[second] = second, first
    is_better = True
    while is_better:
        is_better = False
        for a in range(len(weights)):
            for c in range(a + 1, len(weights)):
                b, d = partners[a], partners[c]
                if c == b:
                    continue
                gain = weights[a, c] + weights[b, d] - weights[a, b] - weights[c, d]
                if gain > LEAST_GAIN:
                    partners[a], partners[c] = c, a
                    partners[b], partners[d] = d, b
                    is_better = True
    return partners
