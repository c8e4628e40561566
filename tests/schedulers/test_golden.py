"""The two golden runs of the slow literal version, followed by the real MaxIn."""

import json

import numpy as np
import pytest

from maxin.core import Match, Result
from maxin.ratings import MElo
from maxin.schedulers import MaxIn


class Given(MElo):
    """An mElo model that starts and fits as the golden run did."""

    def start(self, rng):
        return np.hstack([np.zeros((self.n_players, 1)), GOLDEN["c_start"]])

    def fit(self, parameters, results):
        fitted = parameters.copy()
        fitted[:, 0] = GOLDEN["r_hat"]
        return fitted


GOLDEN: dict = {}


@pytest.fixture(params=["elo", "melo"])
def golden(request, reference):
    run = json.loads((reference / f"golden_{request.param}.json").read_text())
    n_players = len(run["P"])
    run["c_start"] = np.array(run["c_start"]).reshape(n_players, -1)
    GOLDEN.update(run)
    return run


def test_maxin_follows_the_golden_run(golden):
    chances, tau = golden["P"], golden["tau"]
    dimensions = golden["c_start"].shape[1]
    scheduler = MaxIn(
        Given(len(chances), dimensions=dimensions),
        exploration=golden["gamma"],
        batch_size=tau,
        step_size=golden["eta"],
        radius=golden["radius"],
        rng=np.random.default_rng(0),
        alone="self",
    )
    for x, y, score in golden["first_batch"]:
        scheduler.tell(Result(Match(x, y), score))
    for t in range(tau, golden["rounds"]):
        if t % tau == 0:
            batch = t // tau - 1
            cyclic = np.array(golden["mean_cyclic"][batch]).reshape(len(chances), -1)
            mean = np.array(golden["mean_ratings"][batch])
            np.testing.assert_allclose(scheduler.ratings(), mean, rtol=0, atol=1e-9)
            np.testing.assert_allclose(scheduler.estimate[:, 1:], cyclic, rtol=0, atol=1e-9)
        assert scheduler.candidates() == golden["candidates"][t - tau]
        first, second = golden["pairs"][t]
        # The golden inverse of a graph in two parts is itself only good to 1e-11 of a width
        # of 774 (exact rationals show it), so widths above 1 are compared relatively.
        width = golden["widths"][t - tau]
        assert scheduler.width(Match(first, second)) == pytest.approx(width, rel=1e-9, abs=1e-9)
        assert scheduler.ask() == (first, second)
        score = float(golden["uniform"][t] < chances[first][second])
        scheduler.tell(Result(Match(first, second), score))
