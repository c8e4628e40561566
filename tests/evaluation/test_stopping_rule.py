import numpy as np
import pytest
from scipy.special import ndtr

from maxin.core import InvalidInput
from maxin.evaluation import order_verdict, top_verdict
from maxin.evaluation.stopping_rule import ELO_PER_NAT, MARGIN


def plain_doubt(means, cov, top):
    rest = [j for j in range(len(means)) if j not in top]
    sd = {(i, j): np.sqrt(cov[i, i] + cov[j, j] - 2 * cov[i, j]) for i in top for j in rest}
    return sum(ndtr((means[j] - means[i]) / sd[i, j]) for i in top for j in rest)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_odds_are_one_minus_the_doubt(k):
    rng = np.random.default_rng(0)
    half = rng.standard_normal((6, 6))
    means, cov = 3.0 * rng.standard_normal(6), half @ half.T / 20.0
    verdict = top_verdict(means, cov, k=k)
    assert verdict.players == tuple(np.argsort(-means)[:k].tolist())
    assert verdict.odds == pytest.approx(max(0.0, 1.0 - plain_doubt(means, cov, verdict.players)))


def test_the_top_is_decided_once_the_doubt_is_below_the_margin():
    means, cov = np.array([1.0, 0.0]), np.diag([0.5, 0.0])

    def doubt(scale):
        return ndtr(-1.0 / np.sqrt(0.5 * scale))

    scales = np.linspace(0.05, 1.0, 200)
    kinds = [top_verdict(means, cov * scale).kind for scale in scales]
    wanted = ["decided" if doubt(scale) <= 0.05 / MARGIN else "undecided" for scale in scales]
    assert kinds == wanted


def test_more_confidence_never_decides_sooner():
    means, cov = np.array([1.0, 0.0, 0.5]), 0.02 * np.eye(3)
    kinds = [top_verdict(means, cov, confidence=c).kind for c in (0.5, 0.9, 0.99, 0.99999)]
    assert kinds == sorted(kinds)


def test_a_tie_names_only_the_players_that_are_level():
    means, cov = np.array([0.0, 2.0, 1.99, 2.01]), 1e-4 * np.eye(4)
    verdict = top_verdict(means, cov, indifference=0.1 * ELO_PER_NAT)
    assert verdict.kind == "tied"
    assert verdict.players == (3, 1, 2)
    assert top_verdict(means, cov).kind == "undecided"
    assert top_verdict(means, cov, indifference=0.01 * ELO_PER_NAT).kind == "undecided"
    assert top_verdict(means, cov, indifference=0.1 * ELO_PER_NAT, k=3).kind == "decided"


def test_a_tie_at_the_boundary_of_the_top():
    means, cov = np.array([5.0, 2.0, 2.001, -3.0]), 1e-5 * np.eye(4)
    verdict = top_verdict(means, cov, indifference=10.0, k=2)
    assert verdict.kind == "tied"
    assert verdict.players == (2, 1)


def test_the_order_is_decided_when_every_pair_is():
    rng = np.random.default_rng(1)
    half = rng.standard_normal((5, 5))
    means, cov = 4.0 * rng.standard_normal(5), half @ half.T / 30.0
    order = np.argsort(-means)
    doubt = sum(
        plain_doubt(means[order[place:]], cov[np.ix_(order[place:], order[place:])], [0])
        for place in range(4)
    )
    verdict = order_verdict(means, cov)
    assert verdict.players == tuple(order.tolist())
    assert verdict.odds == pytest.approx(max(0.0, 1.0 - doubt))
    assert order_verdict(means, cov / 1e8).kind == "decided"
    assert top_verdict(means, cov).odds >= verdict.odds  # the best alone is easier


def test_an_order_with_level_players_in_the_middle():
    means, cov = np.array([3.0, 2.0, 2.001, -3.0]), 1e-5 * np.eye(4)
    assert top_verdict(means, cov).kind == "decided"
    assert order_verdict(means, cov).kind == "undecided"
    verdict = order_verdict(means, cov, indifference=10.0)
    assert verdict.kind == "tied"
    assert verdict.players == (2, 1)


@pytest.mark.parametrize(
    "options",
    [{"confidence": 1.0}, {"confidence": "x"}, {"indifference": -1.0}, {"k": 0}, {"k": 2}],
)
def test_invalid_input_is_refused(options):
    with pytest.raises(InvalidInput):
        top_verdict(np.array([0.0, 1.0]), np.eye(2), **options)


@pytest.mark.parametrize(
    "covariance", [np.eye(3), np.ones(2), -np.eye(2), np.full((2, 2), np.nan), 1.0]
)
def test_an_invalid_covariance_is_refused(covariance):
    for rule in (top_verdict, order_verdict):
        with pytest.raises(InvalidInput, match="covariances"):
            rule(np.array([0.0, 1.0]), covariance)
