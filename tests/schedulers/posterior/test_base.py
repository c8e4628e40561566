import numpy as np
import pytest

from maxin.core import InvalidInput, Result
from maxin.schedulers import DoubleThompson, Ranking, TopTwo, make_scheduler

N = 6


@pytest.mark.parametrize("make", [TopTwo, DoubleThompson, Ranking])
def test_pending_matches_narrow_the_posterior_and_withdrawn_ones_do_not(make):
    scheduler = make(N, rng=np.random.default_rng(0))
    for _ in range(20):
        match = scheduler.ask()
        scheduler.tell(Result(match, float(match.first > match.second)))
    quiet = scheduler.state_with_pending().rating_var.copy()
    asked = [scheduler.ask() for _ in range(4)]
    busy = scheduler.state_with_pending().rating_var
    assert (busy <= quiet).all()
    assert busy.sum() < quiet.sum()
    for match in (asked[1], asked[0], asked[3], asked[2]):
        scheduler.withdraw(match)
    np.testing.assert_array_equal(scheduler.state_with_pending().rating_var, quiet)


@pytest.mark.parametrize(
    "text", ["top-two:k=0", "top-two:k=6", "double-thompson:alone=stop", "ranking:kappa=-1"]
)
def test_invalid_options_are_refused(text):
    with pytest.raises(InvalidInput):
        make_scheduler(text, N, np.random.default_rng(0))
