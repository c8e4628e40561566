"""Mixed steps against a plain version of Anderson's formula."""

from __future__ import annotations

import numpy as np
import pytest

from maxin.kernels import posterior as kernels
from maxin.ratings.posterior.fitting import N_KEPT, no_steps

SIZE = 5


def plain_mixture(points, moves):
    changes = moves[:-1] - moves[1:]
    amounts = np.linalg.lstsq(changes.T, moves[0], rcond=None)[0]
    ends = points + moves
    way = -amounts @ (ends[:-1] - ends[1:])
    return ends[0] + way * min(1.0, kernels.LONGEST_JUMP / np.abs(way).max())


def taken_steps(points, moves):
    steps = no_steps(SIZE)
    for point, move in zip(points, moves, strict=True):
        kernels.keep(steps, point, move)
    return steps


def test_a_mixture_is_that_of_the_plain_formula():
    rng = np.random.default_rng(0)
    points, moves = rng.normal(size=(2, 4, SIZE)) * 0.1
    expected = plain_mixture(points[::-1], moves[::-1])
    assert np.allclose(kernels.mixture(taken_steps(points, moves)), expected, atol=1e-8)


def test_the_mixture_of_a_linear_iteration_is_its_fixed_point():
    rng = np.random.default_rng(1)
    end, axes = rng.normal(size=SIZE), rng.normal(size=(2, SIZE))
    rates = np.array([0.95, -0.6])  # one slow direction and one that oscillates
    points, here = [], np.array([0.3, 0.2])
    for _ in range(4):
        points.append(end + here @ axes)
        here = rates * here
    rows = np.array(points)
    steps = taken_steps(rows[:-1], np.diff(rows, axis=0))
    assert np.allclose(kernels.mixture(steps), end, atol=1e-6)


def test_only_the_latest_steps_are_kept():
    rows = np.arange(6.0)[:, None] * np.ones(SIZE)
    steps = taken_steps(rows, rows)
    assert steps.points[:, 0].tolist() == [5.0, 4.0, 3.0, 2.0]
    assert steps.filled[0] == N_KEPT == 4


def test_no_coordinate_jumps_further_than_allowed():
    points = np.array([0.0, 0.1])[:, None] * np.ones(SIZE)
    moves = np.array([0.1, 0.0999])[:, None] * np.ones(SIZE)  # they lead to 100
    mixed = kernels.mixture(taken_steps(points, moves))
    assert mixed == pytest.approx(0.1999 + kernels.LONGEST_JUMP)
