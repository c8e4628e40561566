import numpy as np
import pytest

from maxin.core import InvalidInput, UnknownName
from maxin.ratings import BradleyTerry
from maxin.schedulers import make_scheduler


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("maxim", UnknownName, "no scheduler named 'maxim'; did you mean 'maxin'"),
        ("maxin:gama=1", UnknownName, "no option of scheduler 'maxin' named 'gama'"),
        ("maxin:exploration=lots", InvalidInput, "exploration must be float; got 'lots'"),
        ("maxin:batch_size=0", InvalidInput, "must be at least 1; got 0"),
        ("maxin:batch_size", InvalidInput, "options are written key=value"),
        ("maxin+glicko", UnknownName, "no rating model of maxin named 'glicko'"),
        ("random+glicko", UnknownName, "no rating named 'glicko'"),
        ("maxinp+elo", InvalidInput, "bradley-terry ratings only; got 'elo'"),
        ("rg-ucb:delta=2", InvalidInput, "between 0 and 1; got 2.0"),
        ("knockout:cycles=0", InvalidInput, "at least 1, or None for no limit; got 0"),
    ],
)
def test_errors_name_the_unknown_name_or_the_invalid_option(text, error, words):
    with pytest.raises(error, match=words):
        make_scheduler(text, 5, rng())


def test_ratings_after_a_plus_are_used():
    assert isinstance(make_scheduler("random+bradley-terry", 5, rng()).learner, BradleyTerry)
    melo = make_scheduler("random+melo:dimensions=4,step_size=0.1", 5, rng()).learner
    assert (melo.model.dimensions, melo.step_size) == (4, 0.1)
    assert make_scheduler("maxin+melo:dimensions=2", 5, rng()).model.dimensions == 2
