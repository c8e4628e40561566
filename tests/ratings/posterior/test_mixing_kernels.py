"""Mixed steps against a plain version of Anderson's formula."""

from __future__ import annotations

import numpy as np
import pytest

from maxin.core import Match, Result
from maxin.ratings import Posterior
from maxin.ratings.posterior import mixing_kernels as kernels
from maxin.ratings.posterior.state_kernels import gaps_of

N_PLAYERS, N_PAIRS = 2, 1
N_MEASURED = 3 + N_PLAYERS + N_PAIRS  # scales, ratings, effects
SIZE = N_MEASURED + 2 * N_PAIRS + N_PLAYERS


@pytest.fixture
def posterior():
    fitted = Posterior(N_PLAYERS)
    fitted.tell_all([Result(Match(0, 1), score) for score in (1.0, 1.0, 0.5, 0.0)])
    return fitted


def plain_mixture(points, moves, n_players):
    weights = np.ones(N_MEASURED)
    weights[:3] = np.sqrt(n_players)
    changes = (moves[:-1] - moves[1:])[:, :N_MEASURED] * weights
    amounts = np.linalg.lstsq(changes.T, moves[0, :N_MEASURED] * weights, rcond=None)[0]
    ends = points + moves
    way = -amounts @ (ends[:-1] - ends[1:])
    return ends[0] + way * min(1.0, kernels.LONGEST_JUMP / np.abs(way[:3]).max())


def taken_steps(posterior, points, moves):
    steps = kernels.no_steps(posterior.state)
    for point, move in zip(points, moves, strict=True):
        kernels.keep(steps, point, move)
    return steps


def test_a_mixture_is_that_of_the_plain_formula(posterior):
    rng = np.random.default_rng(0)
    points, moves = rng.normal(size=(2, 4, SIZE)) * 0.1
    steps = taken_steps(posterior, points, moves)
    expected = plain_mixture(points[::-1], moves[::-1], N_PLAYERS)
    assert np.allclose(kernels.mixture(steps, N_PLAYERS, N_PAIRS), expected, atol=1e-8)


def test_the_mixture_of_a_linear_iteration_is_its_fixed_point(posterior):
    rng = np.random.default_rng(1)
    end, axes = rng.normal(size=SIZE), rng.normal(size=(2, SIZE))
    axes[:, :3] *= 0.1  # the scales need no long jump
    rates = np.array([0.95, -0.6])  # one slow direction and one that oscillates
    points, here = [], np.array([0.3, 0.2])
    for _ in range(4):
        points.append(end + here @ axes)
        here = rates * here
    rows = np.array(points)
    steps = taken_steps(posterior, rows[:-1], np.diff(rows, axis=0))
    assert np.allclose(kernels.mixture(steps, N_PLAYERS, N_PAIRS), end, atol=1e-6)


def test_only_the_latest_steps_are_kept(posterior):
    rows = np.arange(6.0)[:, None] * np.ones(SIZE)
    steps = taken_steps(posterior, rows, rows)
    assert steps.points[:, 0].tolist() == [5.0, 4.0, 3.0, 2.0]
    assert steps.filled[0] == kernels.N_KEPT == 4


def test_packed_states_are_unpacked_as_they_were(posterior):
    state, names = posterior.state, ("scales", "ratings", "effects", "weights", "rating_var")
    gaps = gaps_of(state)
    before = [gaps.copy(), *(getattr(state, name).copy() for name in names)]
    row = kernels.packed(state, gaps)
    kernels.unpack(state, gaps, np.zeros_like(row))
    assert (state.ratings.tolist(), gaps.tolist()) == ([0.0, 0.0], [0.0])
    kernels.unpack(state, gaps, row)
    for array, was in zip([gaps, *(getattr(state, name) for name in names)], before, strict=True):
        assert np.allclose(array, was, equal_nan=True)


def test_a_scale_jumps_no_further_than_allowed_and_all_else_in_proportion(posterior):
    points = np.array([0.0, 0.1])[:, None] * np.ones(SIZE)
    moves = np.array([0.1, 0.0999])[:, None] * np.ones(SIZE)  # they lead to 100
    mixed = kernels.mixture(taken_steps(posterior, points, moves), N_PLAYERS, N_PAIRS)
    assert mixed == pytest.approx(0.1999 + kernels.LONGEST_JUMP)
