"""MaxIn asks the same matches as a slow, literal version of the paper's algorithms."""

import importlib.util
import json
import sys

import numpy as np
import pytest
from scipy.special import expit

from maxin.core import Match, Result
from maxin.ratings import MElo, crosstable, fit_bradley_terry
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
        # For a graph in two parts, the golden inverse itself is only accurate to 1e-11 of a width
        # of 774, as exact fractions show. So widths above 1 are compared relatively.
        width = golden["widths"][t - tau]
        assert scheduler.width(Match(first, second)) == pytest.approx(width, rel=1e-9, abs=1e-9)
        assert scheduler.ask() == (first, second)
        score = float(golden["uniform"][t] < chances[first][second])
        scheduler.tell(Result(Match(first, second), score))


@pytest.mark.parametrize(
    ("n_players", "tau", "dimensions", "gamma"),
    [(30, 21, 0, 0.8), (30, 21, 4, 1.2), (30, 10, 0, 1.0), (40, 28, 0, 2.0), (20, 40, 2, 0.5)],
)
def test_maxin_follows_the_literal_algorithm(n_players, tau, dimensions, gamma, reference):
    literal = import_from(reference / "maxin_reference.py")
    rng = np.random.default_rng(n_players + tau)
    truth, rounds = rng.normal(0.0, 2.0, n_players), 8 * tau
    luck = rng.random(rounds)

    def play(x, y, t):
        return float(luck[t] < expit(truth[x] - truth[y]))

    pairs = [tuple(rng.choice(n_players, size=2, replace=False).tolist()) for _ in range(tau)]
    first = [(x, y, play(x, y, t)) for t, (x, y) in enumerate(pairs)]
    start = rng.normal(0.0, 1.0 / 8.0, (n_players, dimensions))
    fit = fit_bradley_terry(crosstable(*zip(*first, strict=True), n_players=n_players)).ratings
    trace = literal.run(play, first, fit, start, gamma, 1.0, rounds)
    GOLDEN.update(c_start=start, r_hat=fit)
    scheduler = MaxIn(
        Given(n_players, dimensions=dimensions),
        exploration=gamma,
        batch_size=tau,
        rng=rng,
        alone="self",
    )
    for x, y, score in first:
        scheduler.tell(Result(Match(x, y), score))
    for t in range(tau, rounds):
        theirs = Match(*trace.pairs[t])
        their_width = scheduler.width(theirs)
        ours = scheduler.ask()
        if ours != theirs:
            # Pairs of unconnected players tie at widths of hundreds, where the plain inverse is
            # only accurate to ten digits and may choose either. From there on the runs differ.
            scheduler.withdraw(ours)
            assert scheduler.width(ours) == pytest.approx(their_width, rel=1e-9)
            assert their_width > 100.0
            return
        scheduler.tell(Result(ours, trace.scores[t]))


def import_from(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # its dataclass needs to find its module there
    spec.loader.exec_module(module)
    return module
