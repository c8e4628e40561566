import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxin.runners import MatchFailed, Outcome
from maxin.runners.scores import LONGEST, read_text, read_value, shown


@given(st.floats(0.0, 1.0))
def test_every_score_is_read_back(score):
    assert read_text(repr(score)).score == score
    assert read_value(score).score == score
    assert read_text(f'{{"score": {score!r}}}').score == score


@pytest.mark.parametrize("text", ["1", "1.0", " 1\r", "+1", "1.", "1e0", '{"score": 1}'])
def test_ways_to_write_a_win(text):
    outcome = read_text(text)
    assert outcome.score == 1.0
    assert type(outcome.score) is float


@pytest.mark.parametrize("text", ["-0", "-0.0", '{"score": -0.0}'])
def test_a_loss_has_no_sign(text):
    assert str(read_text(text).score) == "0.0"


@pytest.mark.parametrize("value", [1, 1.0, np.float32(1), np.int64(1), Fraction(1)])
def test_kinds_of_numbers(value):
    assert read_value(value).score == 1.0


@pytest.mark.parametrize("kind", [bool, np.bool_, np.array])
def test_truth_values_are_scores(kind):
    assert [read_value(kind(value)).score for value in (True, False)] == [1.0, 0.0]
    assert [read_text(f'{{"score": {word}}}').score for word in ("true", "false")] == [1.0, 0.0]
    assert type(read_value(kind(True)).score) is float


RUBBISH = ["", "rubbish", "nan", "inf", "-1", "1.5", "1 0", "0_1", "\u0661", "1,0", "true", "null"]
RUBBISH += ["[1]", '"1"', "0x1", "1e999", '{"score": 1', "{}", '{"score": null}', '{"score": "1"}']
RUBBISH += ['{"score": NaN}', '{"score": 1' + "0" * 400 + "}", "{" * 100_000]
RUBBISH += ['{"score": 1, "errors": 3}', '{"score": 1, "data": [1]}', '{"score": 1, "data": 3}']
RUBBISH += ['{"score": 1, "data": {"x": NaN}}', '{"a":' * 100_000]


@pytest.mark.parametrize("text", RUBBISH, ids=lambda text: text[:20])
def test_rubbish_is_refused_in_one_short_line(text):
    with pytest.raises(MatchFailed) as caught:
        read_text(text)
    assert "\n" not in caught.value.reason
    assert len(caught.value.reason) < 2 * LONGEST + 100


@pytest.mark.parametrize("value", [None, "1", np.array([1.0]), 1j, [1], Decimal(1), 10**400])
def test_values_that_are_not_scores_are_refused(value):
    with pytest.raises(MatchFailed, match="share of the win"):
        read_value(value)


def test_errors_and_data_are_read():
    outcome = read_text('{"score": 0, "errors": ["b: late", 3], "data": {"moves": [1, 2]}}')
    assert outcome == Outcome(0.0, ("b: late", "3"), {"moves": [1, 2]})


def test_a_single_error_need_not_be_a_list():
    assert read_value({"score": 1, "errors": "late"}).errors == ("late",)
    assert read_value({"score": 1, "errors": None, "data": None}) == Outcome(1.0)


def test_data_is_what_json_would_give_back():
    assert read_value({"score": 1, "data": {1: (2, 3)}}).data == {"1": [2, 3]}
    with pytest.raises(MatchFailed, match="JSON"):
        read_value({"score": 1, "data": {"board": np.zeros(2)}})


@pytest.mark.parametrize(
    ("ranks", "score"), [((0, 1), 1.0), ((1, 0), 0.0), ((1, 1), 0.5), ((1.5, 3), 1.0)]
)
def test_the_lower_rank_wins(ranks, score):
    assert read_value({"ranks": list(ranks)}).score == score


def test_a_line_of_psyleague():
    line = (
        '{"ranks": [0, 1], "errors": [0, 1], "test_data": {"seed": 5},'
        ' "player_data": [{}, {"time": 3}]}'
    )
    data = {"test_data": {"seed": 5}, "player_data": [{}, {"time": 3}]}
    assert read_text(line) == Outcome(1.0, ("second: error",), data)


@pytest.mark.parametrize("ranks", [None, 1, "01", [1], [1, 2, 3], [1, None], [True, 0], ["0", "1"]])
def test_ranks_must_be_two_numbers(ranks):
    with pytest.raises(MatchFailed, match="ranks must"):
        read_value({"ranks": ranks})


def test_errors_of_psyleague_name_the_seat():
    assert read_value({"ranks": [0, 1], "errors": ["late", 2]}).errors == (
        "first: late",
        "second: error",
    )
    assert read_value({"ranks": [0, 1], "errors": None}).errors == ()


def test_errors_of_psyleague_must_be_two():
    with pytest.raises(MatchFailed, match="errors must"):
        read_value({"ranks": [0, 1], "errors": [1]})


def test_a_score_overrides_ranks():
    assert read_value({"score": 0.25, "ranks": [0, 1]}).score == 0.25


def test_shown_values_are_short():
    assert len(shown("x" * 10_000)) == LONGEST + 3


def test_data_that_is_too_large_is_named():
    # A character outside ASCII is short in the output, and six bytes in the JSON that is kept.
    line = '{"score": 1, "data": {"x": "' + "é" * 300_000 + '"}}'
    with pytest.raises(
        MatchFailed, match="data must have at most 1,048,576 bytes as JSON; got 1,8"
    ):
        read_text(line)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"cost": "0.3"}, "a cost must be a number of at least 0; got '0.3'"),
        ({"cost": -3}, "a cost must be a number of at least 0; got -3"),
        ({"cost": True}, "a cost must be a number of at least 0; got True"),
        ({"cost": 10**101}, "a cost must be a number of at most 1e+100; got 1000"),
        ({"games": [{"cost": 1}, {"cost": [1]}]}, "a cost must be a number of at least 0; got [1]"),
    ],
)
def test_a_cost_is_a_number_of_at_least_0(data, words):
    with pytest.raises(MatchFailed, match=re.escape(words)):
        read_value({"score": 1, "data": data})


@pytest.mark.parametrize("data", [{"cost": 0}, {"cost": 0.5}, {"cost": None}, {"games": 3}])
def test_data_with_a_cost_or_without_one_is_kept(data):
    assert read_value({"score": 1, "data": data}).data == data
