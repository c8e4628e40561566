"""When a tournament ends: what is refused, and what is read back."""

import json

import numpy as np
import pytest

from maxin.core import InvalidInput, Stop
from maxin.core.stop import Used


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ({"budget": 0}, "budget must be a whole number of at least 1; got 0"),
        ({"budget": 2.5}, "budget must be a whole number"),
        ({"confidence": 0.3}, "confidence must be"),
        ({"confidence": 1.0}, "confidence must be"),
        ({"confidence": "x"}, "confidence must be"),
        ({"tolerance": -1.0}, "tolerance must be a number of Elo points from 0 to 1000; got -1.0"),
        ({"tolerance": None}, "tolerance must be"),
        ({"tolerance": True}, "tolerance must be"),
        ({"sprt": "elo0=5,elo1=0"}, "sprt: elo0 must be below elo1; got elo0=5,elo1=0"),
        ({"sprt": "elo0=0"}, "sprt needs elo1, as in elo0=0,elo1=5"),
        ({"sprt": "elo0=0,elo1=x"}, "sprt: elo1 must be a number from -200 to 200; got 'x'"),
        ({"sprt": {"elo0": 0, "elo1": 300}}, "elo1 must be a number from -200 to 200; got 300"),
        ({"sprt": "elo0=0,elo1=5,alpha=0.5"}, "alpha must be a number above 0 and below 0.5"),
        ({"sprt": "elo0=0,elo1=5,model=x"}, "no key of sprt named 'model'"),
        ({"sprt": "5"}, "options are written key=value"),
        ({"sprt": 5}, "sprt must be a text such as elo0=0,elo1=5; got 5"),
        ({"budget_cost": 0.0}, "budget_cost must be a positive number; got 0.0"),
        ({"budget_cost": "20"}, "budget_cost must be a positive number; got '20'"),
        ({"budget_cost": float("nan")}, "budget_cost must be a positive number; got nan"),
        ({"budget_time": "soon"}, 'budget_time must be a time of at least a second, "2h", "30m"'),
        ({"budget_time": "0s"}, "budget_time must be a time of at least a second"),
        ({"budget_time": "2"}, "budget_time must be a time"),
        ({"budget_time": 7200}, "budget_time must be a time .*; got 7200"),
    ],
)
def test_invalid_terms_are_refused(terms, message):
    with pytest.raises(InvalidInput, match=message):
        Stop(**terms)


def test_numbers_of_numpy_become_plain_ones():
    stop = Stop(budget=np.int64(5), tolerance=np.int64(7))
    known = {"budget": 5, "confidence": 0.95, "tolerance": 7.0}
    unused = {"sprt": None, "budget_cost": None, "budget_time": None}
    assert json.dumps(vars(stop)) == json.dumps(known | unused)


def test_a_run_needs_an_end():
    Stop(budget=1, confidence=None).check_end()
    Stop().check_end()
    Stop(confidence=None, sprt="elo0=0,elo1=5").check_end()
    Stop(budget_cost=1.0, confidence=None).check_end()
    Stop(budget_time="1h", confidence=None).check_end()
    with pytest.raises(InvalidInput, match="a run needs an end"):
        Stop(confidence=None).check_end()


def test_equal_times_are_equal_budgets():
    assert Stop(budget_time="120m") == Stop(budget_time=" 2 h ") != Stop(budget_time="2m")


@pytest.mark.parametrize(
    "stop",
    [
        Stop(),
        Stop(7, None, 0.0),
        Stop(confidence=0.8),
        Stop(sprt="elo0=0,elo1=5"),
        Stop(budget_cost=2, budget_time="90s"),
    ],
)
def test_a_stop_is_read_back_from_its_terms(stop):
    assert Stop.read(vars(stop)) == stop


@pytest.mark.parametrize("stored", [{}, {"budget": "x", "confidence": [], "tolerance": None}])
def test_terms_that_cannot_be_read_are_left_out(stored):
    assert Stop.read(stored) == Stop(confidence=None)


@pytest.mark.parametrize(
    ("used", "is_spent"),
    [
        (Used(), False),
        (Used(n_matches=8, cost=0.8, n_priced=8), False),
        (Used(n_matches=9, cost=0.9, n_priced=9), False),  # another one costs 0.1: 1.0 in all
        (Used(n_matches=10, cost=1.0, n_priced=10), True),
        (Used(n_matches=8, n_pending=1, cost=0.8, n_priced=8), False),
        (Used(n_matches=8, n_pending=2, cost=0.8, n_priced=8), True),  # these cost 0.2
        (Used(n_matches=9, cost=0.9, n_priced=3), True),  # only three say that they cost 0.3 each
        (Used(n_matches=9, n_unpriced=9), False),
        (Used(n_matches=10, n_unpriced=10), True),  # nobody knows what they cost
        (Used(n_matches=10, cost=0.0, n_priced=10), False),  # they cost nothing
    ],
)
def test_no_match_is_handed_out_that_would_exceed_the_cost(used, is_spent):
    assert (Stop(budget_cost=1.0).spent(used) is not None) is is_spent


def test_the_time_is_over_at_its_end():
    stop = Stop(budget_time="1m")
    assert stop.spent(Used(seconds=59.9)) is None
    spent = stop.spent(Used(seconds=60.0))
    assert spent is not None
    assert (spent.reason, spent.detail, spent.is_late) == (
        "the budget of 1 minute is spent",
        "the time of 1 minute is over",
        True,
    )
