"""Means, intervals and matches needed, against values worked out by hand."""

import math

import numpy as np
import pytest

from maxin_studies.estimates import (
    Estimate,
    matches_needed,
    mean_over,
    needed_interval,
    wilson,
)


def test_few_seeds_decide_nothing():
    assert Estimate.of([1.0, 1.0]).is_above(Estimate.of([0.0, 0.0])) is None
    assert Estimate.of([1.0] * 5).is_above(Estimate.of([0.0] * 5)) is True
    assert Estimate.of([1.0, 1.0]).is_at_most(5.0) is None
    assert Estimate.of([1.0] * 5).is_at_most(1.0) is True
    assert str(Estimate.of([3.0])) == "3.00"
    assert Estimate.of([3.0]).interval() == (3.0, 3.0)


def test_the_interval_of_a_mean_is_students():
    values = [1.0, 2.0, 3.0, 4.0, 5.0]
    reach = 2.776 * math.sqrt(2.5 / 5)  # the quantile with four degrees of freedom, from a table
    assert Estimate.of(values).interval() == pytest.approx((3.0 - reach, 3.0 + reach), abs=1e-3)
    assert Estimate.of(values).is_at_most(3.0 + 1.01 * reach) is True
    assert Estimate.of(values).is_at_most(3.0) is None
    assert Estimate.of(values).is_at_most(3.0 - 1.01 * reach) is False


def test_matches_needed_by_hand():
    rounds = np.array([10, 20, 40, 80])
    found = np.array([[0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 1], [0, 0, 1, 1.0]])
    # means 0, 1/2, 3/4, 1: 0.9 lies three fifths of the way from 40 to 80
    assert matches_needed(found, rounds) == pytest.approx(64.0)
    assert matches_needed(found[:, :3], rounds[:3]) == math.inf
    assert matches_needed(np.ones((2, 4)), rounds) == 10.0
    low, high = needed_interval(found, rounds, np.random.default_rng(0))
    assert low <= 64.0 <= high
    np.testing.assert_allclose(mean_over(found[:1], rounds), [(0 * 10 + 0.5 * 20 + 40) / 70])
    np.testing.assert_allclose(mean_over(found[:1], rounds, start=0.5), [1.0])


@pytest.mark.parametrize(("k", "n"), [(0, 20), (3, 20), (20, 20), (7, 2000)])
def test_wilson_is_where_the_score_test_turns(k, n):
    for bound in wilson(k, n):
        if 0.0 < bound < 1.0:
            score = (k / n - bound) / math.sqrt(bound * (1.0 - bound) / n)
            assert abs(score) == pytest.approx(1.96, abs=1e-3)
