"""PlayerGroups of players that results connect; compiled, see `maxin.core.compile`.

An array of pairs uses only the entries [i, j] with i < j.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from maxin.core.compile import Floats, Ints, compiled


class PlayerGroups(NamedTuple):
    """The pairs that met, and the groups of players that results connect.

    Given the scales, the ratings of different groups are independent: only the prior compares
    them. So a step inverts one small matrix per group.
    """

    pairs: Ints  # the pairs i < j that met, as rows, one group after another
    pair_ends: Ints  # where the pairs of each group end
    order: Ints  # the players, one group after another
    ends: Ints  # where the players of each group end
    places: Ints  # the place of every player in its group


@compiled
def roots_of(played: Floats) -> tuple[Ints, int]:
    """The first player of every player's group, and the number of pairs that met."""
    n_players, n_pairs = len(played), 0
    root = np.arange(n_players)
    for i in range(n_players):
        for j in range(i + 1, n_players):
            if played[i, j] != 0.0:
                n_pairs += 1
                one, two = i, j
                while root[one] != one:
                    one = root[one]
                while root[two] != two:
                    two = root[two]
                root[i] = root[j] = root[max(one, two)] = min(one, two)
    for i in range(n_players):
        root[i] = root[root[i]]  # a root is smaller than its players, so it is final by now
    return root, n_pairs


@compiled
def groups_of(played: Floats) -> PlayerGroups:
    """The groups of the players, in the order of their first players."""
    n_players = len(played)
    root, n_pairs = roots_of(played)
    order = np.argsort(root, kind="mergesort")
    places = np.zeros(n_players, dtype=np.int64)
    ends = np.zeros(n_players, dtype=np.int64)
    pairs, place, n_groups = np.empty((n_pairs, 2), dtype=np.int64), 0, 0
    pair_ends = np.zeros(n_players, dtype=np.int64)
    for x in range(n_players):
        i = order[x]
        if x > 0 and root[i] == root[order[x - 1]]:
            places[i] = places[order[x - 1]] + 1
        else:
            n_groups += 1
        for j in range(i + 1, n_players):
            if played[i, j] != 0.0:
                pairs[place, 0], pairs[place, 1] = i, j
                place += 1
        ends[n_groups - 1], pair_ends[n_groups - 1] = x + 1, place
    return PlayerGroups(pairs, pair_ends[:n_groups].copy(), order, ends[:n_groups].copy(), places)
