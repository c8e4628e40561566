"""Seats: balanced within every pair, by chance only when level."""

import numpy as np

from maxin.core import Match
from maxin.core.seating import balanced_seats


def test_seats_of_a_pair_never_differ_by_more_than_one():
    counts, rng = np.zeros((2, 2), dtype=np.int64), np.random.default_rng(0)
    for _ in range(51):
        seated = balanced_seats(Match(0, 1), counts, lambda: rng.random() < 0.5)
        counts[seated] += 1
        assert abs(int(counts[0, 1] - counts[1, 0])) <= 1


def test_chance_decides_only_when_both_sat_first_equally_often():
    flips = []

    def flip():
        flips.append(1)
        return True

    level, ahead = np.array([[0, 1], [1, 0]]), np.array([[0, 1], [2, 0]])
    assert balanced_seats(Match(0, 1), level, flip) == Match(1, 0)
    assert balanced_seats(Match(0, 1), ahead, flip) == Match(0, 1)
    assert balanced_seats(Match(1, 0), ahead, flip) == Match(0, 1)
    assert len(flips) == 1
