import numpy as np
import pytest
from scipy.special import expit

from maxin.core import Result
from maxin.evaluation import verdict
from maxin.schedulers import TopTwo


def field(rng, kappa):
    ratings = rng.standard_normal(8)
    above = np.triu(kappa * rng.standard_normal((8, 8)), k=1)
    return np.subtract.outer(ratings, ratings) + above - above.T


def tournament(advantages, rng, budget=1000):
    """The verdict of a tournament, and whether it is right."""
    scheduler, waiting = TopTwo(8, rng=rng), []
    for _ in range(budget):
        while len(waiting) < 4:
            waiting.append(scheduler.ask())
        match = waiting.pop(int(rng.integers(len(waiting))))
        score = float(rng.random() < expit(advantages[match]))
        scheduler.tell(Result(match, score))
        posterior = scheduler.posterior
        said = verdict(posterior.ratings(), posterior.covariance(), indifference=50.0)
        if said.kind != "undecided":
            break
    return said, advantages.mean(axis=1).argmax() in said.players


@pytest.mark.slow
@pytest.mark.parametrize("kappa", [0.0, 1.0])
def test_stops_are_right_with_matches_in_flight(kappa):
    rng = np.random.default_rng(0)
    ends = [tournament(field(rng, kappa), rng) for _ in range(60)]
    stopped = [is_right for said, is_right in ends if said.kind != "undecided"]
    assert len(stopped) >= 36
    assert stopped.count(False) <= 4
