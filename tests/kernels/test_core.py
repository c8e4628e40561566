"""What all kernels share: functions of numbers, and how arrays cross the border."""

import copy
import pickle

import numpy as np
import pytest
import scipy

from maxin.kernels.core import mirror_lower, normal_cdf, sigmoid, student_quantile
from maxin.kernels.posterior import Steps, keep, observe
from maxin.ratings.posterior.fitting import no_steps
from maxin.ratings.posterior.state import before_any_match


@pytest.mark.parametrize("x", [-800.0, -3.0, 0.0, 1e-9, 2.5, 800.0])
def test_sigmoid_equals_the_formula_and_never_overflows(x):
    with np.errstate(over="ignore"):
        assert sigmoid(x) == pytest.approx(1.0 / (1.0 + np.exp(-x)), abs=1e-15)


def test_the_normal_distribution_equals_that_of_scipy():
    x = np.append(np.linspace(-37.0, 37.0, 501), [-np.inf, np.inf])
    np.testing.assert_allclose(normal_cdf(x), scipy.special.ndtr(x), rtol=1e-12)
    assert normal_cdf(1.0) == pytest.approx(scipy.special.ndtr(1.0), rel=1e-14)
    assert np.isnan(normal_cdf(np.array([np.nan])))


@pytest.mark.parametrize("freedom", [10, 11, 50, 999, 1_001, 10**6])
def test_quantiles_of_student_equal_those_of_scipy(freedom):
    for chance in (0.50001, 0.6, 0.9, 0.95, 0.995, 0.9999):
        expected = scipy.special.stdtrit(freedom, chance)
        assert student_quantile(freedom, chance) == pytest.approx(expected, rel=1e-9)
    assert student_quantile(freedom, 0.5) == 0.0
    assert student_quantile(freedom, 1.0) == np.inf


def read_only(array):
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    "array",
    [
        np.eye(3, dtype=np.float32),
        np.eye(3, dtype=np.int64),
        np.eye(3, dtype=">f8"),
        np.arange(9.0).reshape(3, 3).T,
        np.arange(9.0),
        np.eye(6)[::2, ::2],
        read_only(np.eye(3)),
        [[1.0]],
        None,
    ],
)
def test_a_kernel_takes_only_arrays_of_its_type(array):
    with pytest.raises(TypeError, match="incompatible function arguments"):
        mirror_lower(array)


def test_a_class_of_arrays_gives_the_very_arrays_it_was_made_of():
    points, filled = np.zeros((4, 2)), np.zeros(1, dtype=np.int64)
    steps = Steps(points, moves=points.copy(), filled=filled)
    assert steps.points is points
    keep(steps, np.array([1.0, 2.0]), np.zeros(2))
    assert points[0].tolist() == [1.0, 2.0]
    assert filled[0] == 1


def test_replacing_an_array_leaves_the_others_shared_and_the_old_ones_alive():
    steps, other = no_steps(2), np.ones((4, 2))
    old = steps.points
    changed = steps.replace(points=other)
    assert changed.points is other
    assert changed.moves is steps.moves
    assert steps.points is old
    steps.points = other
    assert (steps.points == 1.0).all()
    old[:] = 7.0  # its memory is still there
    assert old.sum() == 56.0


@pytest.mark.parametrize("copied_by", [copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))])
def test_a_deep_copy_shares_nothing(copied_by):
    steps = no_steps(2)
    copied = copied_by(steps)
    keep(copied, np.ones(2), np.ones(2))
    assert (steps.filled[0], copied.filled[0]) == (0, 1)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "an array is missing, or given twice"),
        ({"points": np.zeros((4, 2)), "moves": np.zeros((4, 2))}, "missing"),
        ({"points": np.zeros(4)}, r"Steps\.points must be an array of float64 with 2 axes"),
        ({"wrong": np.zeros(4)}, "Steps has no array 'wrong'"),
    ],
)
def test_a_class_of_arrays_names_what_is_wrong(given, message):
    with pytest.raises(TypeError, match=message):
        Steps(**given)


def test_a_state_without_room_is_left_alone():
    state = before_any_match(2, 1.0)
    for _ in range(len(state.rows)):
        observe(state, 0, 1, 1.0)
    with pytest.raises(ValueError, match="no room for a row"):
        observe(state, 0, 1, 1.0)
    state = state.replace(pairs=np.empty((0, 2), dtype=np.int64), counts=np.zeros(2, np.int64))
    state.heads[:] = -1
    with pytest.raises(ValueError, match="no room for a pair"):
        observe(state, 0, 1, 1.0)


def test_too_many_arrays_are_refused():
    with pytest.raises(TypeError, match="Steps has 3 arrays; got 4"):
        Steps(*[np.zeros((4, 2))] * 4)
