"""When a tournament ends: what is refused, and what is read back."""

import json

import numpy as np
import pytest

from maxin.core import InvalidInput, Stop


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
    ],
)
def test_invalid_terms_are_refused(terms, message):
    with pytest.raises(InvalidInput, match=message):
        Stop(**terms)


def test_numbers_of_numpy_become_plain_ones():
    stop = Stop(budget=np.int64(5), tolerance=np.int64(7))
    assert (
        json.dumps(vars(stop))
        == '{"budget": 5, "confidence": 0.95, "tolerance": 7.0, "sprt": null}'
    )


def test_a_run_needs_an_end():
    Stop(budget=1, confidence=None).check_end()
    Stop().check_end()
    Stop(confidence=None, sprt="elo0=0,elo1=5").check_end()
    with pytest.raises(InvalidInput, match="a run needs an end"):
        Stop(confidence=None).check_end()


@pytest.mark.parametrize(
    "stop", [Stop(), Stop(7, None, 0.0), Stop(confidence=0.8), Stop(sprt="elo0=0,elo1=5")]
)
def test_a_stop_is_read_back_from_its_terms(stop):
    assert Stop.read(vars(stop)) == stop


@pytest.mark.parametrize("stored", [{}, {"budget": "x", "confidence": [], "tolerance": None}])
def test_terms_that_cannot_be_read_are_left_out(stored):
    assert Stop.read(stored) == Stop(confidence=None)
