"""Seats: balanced within every pair, by chance only when level."""

import numpy as np

from maxin.core import Match
from maxin.tournament.state.seating import SeatCounts, balanced_seats


def counted(*matches):
    counts = SeatCounts()
    for match in matches:
        counts.add(Match(*match))
    return counts


def test_seats_of_a_pair_never_differ_by_more_than_one():
    counts, rng = SeatCounts(), np.random.default_rng(0)
    for _ in range(51):
        seated = balanced_seats(Match(0, 1), counts, lambda: rng.random() < 0.5)
        counts.add(seated)
        assert abs(counts.n_first(Match(0, 1)) - counts.n_first(Match(1, 0))) <= 1
    assert counts.n_met(0, 1) == counts.n_met(1, 0) == 51


def test_chance_decides_only_when_both_sat_first_equally_often():
    flips = []

    def flip():
        flips.append(1)
        return True

    level, ahead = counted((0, 1), (1, 0)), counted((0, 1), (1, 0), (1, 0))
    assert balanced_seats(Match(0, 1), level, flip) == Match(1, 0)
    assert balanced_seats(Match(0, 1), ahead, flip) == Match(0, 1)
    assert balanced_seats(Match(1, 0), ahead, flip) == Match(0, 1)
    assert len(flips) == 1
