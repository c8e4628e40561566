import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import norm

from maxin.core import InvalidInput, Stop
from maxin.core.units import ELO_PER_NAT
from maxin.evaluation import order_verdict, top_verdict
from maxin.evaluation.stopping_rule import SHARE


def plain_claims(means, cov, top, tolerance=0.0):
    """The doubt and the shortfall in all, and the sum over the top of the largest relative one."""
    rest = [j for j in range(len(means)) if j not in top]
    doubt, total, strain = 0.0, 0.0, 0.0
    for i in top:
        parts = []
        for j in rest:
            variance = cov[i, i] + cov[j, j] - 2 * cov[i, j]
            z = (means[i] - means[j] + tolerance / ELO_PER_NAT) / np.sqrt(variance)
            shortfall = np.sqrt(variance) * (norm.pdf(z) - z * ndtr(-z))
            doubt, total = doubt + ndtr(-z), total + shortfall
            parts.append(shortfall / max(tolerance / ELO_PER_NAT, variance / 2.0))
        strain += max(parts)
    return doubt, total, strain


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("tolerance", [0.0, 30.0])
def test_a_verdict_has_the_odds_and_the_shortfall_of_its_top(k, tolerance):
    rng = np.random.default_rng(0)
    half = rng.standard_normal((6, 6))
    means, cov = 3.0 * rng.standard_normal(6), half @ half.T / 20.0
    verdict = top_verdict(means, cov, Stop(tolerance=tolerance), k=k)
    doubt, shortfall, _ = plain_claims(means, cov, verdict.players, tolerance)
    assert verdict.players == tuple(np.argsort(-means)[:k].tolist())
    assert verdict.odds == pytest.approx(max(0.0, 1.0 - doubt))
    assert verdict.shortfall == pytest.approx(shortfall)


@pytest.mark.parametrize("tolerance", [0.0, 10.0, 100.0])
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_the_top_is_decided_once_little_is_expected_to_be_missed(tolerance, confidence):
    means, cov = np.array([1.0, 0.0, 0.9]), np.diag([0.5, 0.0, 0.1])
    stop, kinds = Stop(confidence=confidence, tolerance=tolerance), set()
    for scale in np.geomspace(1e-4, 1.0, 200):
        verdict = top_verdict(means, cov * scale, stop)
        doubt, _, strain = plain_claims(means, cov * scale, (0,), tolerance)
        is_small = strain <= SHARE * (1.0 - confidence) and doubt <= (1.0 - confidence) / 2.0
        assert (verdict.kind == "decided") == is_small
        assert (verdict.shortfall <= verdict.needed) == is_small
        kinds.add(verdict.kind)
    assert len(kinds) == 2


def test_players_who_are_all_level_are_decided_only_with_a_tolerance():
    means = np.zeros(4)
    for scale in (1e-2, 1e-5, 1e-8):
        assert top_verdict(means, scale * np.eye(4), Stop(tolerance=0.0)).kind == "undecided"
    assert top_verdict(means, 1e-5 * np.eye(4)).kind == "decided"


def test_more_confidence_never_decides_sooner():
    means, cov = np.array([1.0, 0.0, 0.5]), 0.02 * np.eye(3)
    kinds = [top_verdict(means, cov, Stop(confidence=c)).kind for c in (0.5, 0.9, 0.99, 0.99999)]
    assert kinds == sorted(kinds)


def test_a_tolerance_decides_between_players_that_are_level():
    means, cov = np.array([0.0, 2.0, 1.99, 2.01]), 1e-4 * np.eye(4)
    verdict = top_verdict(means, cov, Stop(tolerance=0.1 * ELO_PER_NAT))
    assert (verdict.kind, verdict.players) == ("decided", (3,))
    assert top_verdict(means, cov, Stop(tolerance=0.0)).kind == "undecided"
    assert top_verdict(means, cov, Stop(tolerance=0.01 * ELO_PER_NAT)).kind == "undecided"
    assert top_verdict(means, cov, Stop(tolerance=0.0), k=3).kind == "decided"


def test_a_larger_tolerance_never_decides_later():
    means, cov = np.array([0.3, 0.25, -1.0]), 0.004 * np.eye(3)
    found = [top_verdict(means, cov, Stop(tolerance=elo)) for elo in (0.0, 10.0, 30.0, 100.0)]
    assert [one.odds for one in found] == sorted(one.odds for one in found)
    kinds = [one.kind for one in found]
    assert kinds == sorted(kinds, reverse=True)
    assert len(set(kinds)) == 2


def test_the_order_is_decided_when_every_pair_is():
    rng = np.random.default_rng(1)
    half = rng.standard_normal((5, 5))
    means, cov = 4.0 * rng.standard_normal(5), half @ half.T / 30.0
    order = np.argsort(-means)
    doubt = sum(
        plain_claims(means[order[place:]], cov[np.ix_(order[place:], order[place:])], [0])[0]
        for place in range(4)
    )
    verdict = order_verdict(means, cov, Stop(tolerance=0.0))
    assert verdict.players == tuple(order.tolist())
    assert verdict.odds == pytest.approx(max(0.0, 1.0 - doubt))
    assert order_verdict(means, cov / 1e8).kind == "decided"
    best = top_verdict(means, cov, Stop(tolerance=0.0))
    assert best.odds >= verdict.odds  # the best alone is easier


def test_an_order_with_level_players_in_the_middle():
    means, cov = np.array([3.0, 2.0, 2.001, -3.0]), 1e-5 * np.eye(4)
    assert top_verdict(means, cov, Stop(tolerance=0.0)).kind == "decided"
    assert order_verdict(means, cov, Stop(tolerance=0.0)).kind == "undecided"
    verdict = order_verdict(means, cov)
    assert (verdict.kind, verdict.players) == ("decided", (0, 2, 1, 3))


@pytest.mark.parametrize(
    "options",
    [{"k": 0}, {"k": 2}],
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
