"""Seats: balanced within every pair, by chance only when level."""

import numpy as np
import pytest

from maxin.core import Match
from maxin.core.seating import SeatCounts, balanced_seats
from maxin.core.stored import StoredArrays, Unusable


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


def test_stored_counts_are_restored_whatever_their_order():
    counts = counted((2, 0), (0, 1), (70_000, 3), (0, 1))
    stored = counts.stored()
    assert stored.tolist() == [[0, 1, 2], [2, 0, 1], [70_000, 3, 1]]
    again = SeatCounts()
    again.restore(StoredArrays({"seats": stored}), "seats", 70_001)
    assert again.n_first(Match(0, 1)) == 2
    np.testing.assert_array_equal(again.stored(), stored)


@pytest.mark.parametrize(
    "rows",
    [[[0, 0, 1]], [[0, 3, 1]], [[0, 1, 0]], [[0, 1, 1], [0, 1, 1]], [[1, 0, 1], [0, 1, 1]]],
)
def test_counts_of_impossible_seats_are_not_restored(rows):
    with pytest.raises(Unusable, match="one row per seating"):
        SeatCounts().restore(StoredArrays({"seats": np.array(rows)}), "seats", 3)
