import numpy as np
import pytest

from maxin.core import InvalidInput, UnknownName
from maxin.ratings import Features
from maxin.ratings.fitting.features.table import check_features


def test_an_array_and_named_columns_are_the_same():
    table = Features(np.array([[1.0, 5.0], [2.0, 6.0]]))
    assert table == Features({"1": [1, 2], "2": [5, 6]})
    assert hash(table) == hash(Features([[1, 5], [2, 6]]))
    assert repr(table) == "<Features of 2 players: 1, 2>"


def test_numbers_may_be_categories():
    table = Features({"version": [1, 2, 1], "step": [1, 2, 3]}, kinds={"version": "category"})
    assert table.codes().ravel().tolist() == [0, 1, 0]
    assert table.numbers("number", "smooth").tolist() == [[1.0], [2.0], [3.0]]
    assert table.of([1, 2]).followed_by(table.of([0])) == table.of([1, 2, 0])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({}, "features need 1 to 10,000 columns; got 0"),
        ({"step": []}, "feature 'step' needs one value per player; got none"),
        ({"step": [1.0, float("nan")]}, "feature 'step' must be a finite number; got nan"),
        ({"step": [1.0, None]}, "feature 'step' must be a finite number; got None"),
        ({"step": [1, 2], "size": [1]}, "one value per player; got columns of \\[1, 2\\] values"),
        (np.zeros((2, 2, 2)), "must have a row per player; got the shape \\(2, 2, 2\\)"),
    ],
)
def test_invalid_tables_are_refused(columns, message):
    with pytest.raises(InvalidInput, match=message):
        Features(columns)


def test_unknown_names_and_kinds_are_refused():
    with pytest.raises(UnknownName, match="no feature named 'stp'"):
        Features({"step": [1, 2]}, kinds={"stp": "linear"})
    with pytest.raises(UnknownName, match="no kind of feature named 'curved'"):
        Features({"step": [1, 2]}, kinds={"step": "curved"})
    with pytest.raises(InvalidInput, match="join need the features step; got size"):
        Features({"step": [1, 2]}).followed_by(Features({"size": [1]}))


def test_a_field_must_fit_its_features():
    with pytest.raises(InvalidInput, match="3 players need as many rows of features; got 2"):
        check_features(np.zeros(2), 3)
    with pytest.raises(InvalidInput, match=r"at most 2,000 players.*got 2,001"):
        check_features(np.zeros(2_001), 2_001)
