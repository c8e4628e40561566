"""The sequential test: its log-likelihood ratio, its estimates, and how often it errs."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxin.core import Sprt
from maxin.evaluation.sprt import PER_DEVIATION, Sample, likeliest

EQUAL = (0.05, 0.2, 0.5, 0.2, 0.05)  # the chances of a pair's scores, of equal players


def stronger(points):
    """The chances of a pair's scores of a player who is so many normalised Elo points stronger."""
    return likeliest(np.linspace(0.0, 1.0, 5), EQUAL, math.sqrt(2.0) * points / PER_DEVIATION)


def test_numbers_agree_with_those_that_fishtest_shows():
    """Of a public test with the pairs [13, 37, 50, 25, 3], and the bounds 0 and 4."""
    sample = Sample((13, 37, 50, 25, 3))
    assert sample.log_ratio(Sprt(0.0, 4.0)) == pytest.approx(-0.54912, abs=5e-6)
    assert sample.elo.value == pytest.approx(-43.6578, abs=5e-5)
    assert sample.normalised.value == pytest.approx(-63.97, abs=5e-3)
    assert sample.deviation**2 == pytest.approx(0.05762, abs=5e-6)


def test_single_games_have_the_interval_of_a_mean():
    """160 wins, 400 draws, 140 losses: a score of 0.5143 with the standard error 0.01235."""
    sample = Sample((140, 400, 160))
    assert sample.n_games == 700
    assert sample.error == pytest.approx(math.sqrt((300 / 700 / 4 - (10 / 700) ** 2) / 700))
    low, high = (sample.score + sign * 1.96 * sample.error for sign in (-1.0, 1.0))
    elo = [-400.0 * math.log10(1.0 / score - 1.0) for score in (low, high)]
    assert sample.elo.margin == pytest.approx((elo[1] - elo[0]) / 2.0, rel=1e-4)
    assert 0.87 < sample.superiority < 0.88


@given(
    st.lists(st.integers(0, 5000), min_size=5, max_size=5)
    | st.lists(st.integers(0, 5000), min_size=3, max_size=3),
    st.floats(-200.0, 200.0),
)
def test_the_likeliest_chances_obey_the_hypothesis(counts, points):
    scores = np.linspace(0.0, 1.0, len(counts))
    shares = np.array([count or 1e-3 for count in counts])
    shift = points / PER_DEVIATION
    chances = np.array(likeliest(scores, shares / shares.sum(), shift))
    mean = chances @ scores
    assert (chances > 0.0).all()
    assert chances.sum() == pytest.approx(1.0)
    deviation = math.sqrt(chances @ (scores - mean) ** 2)
    assert mean - 0.5 == pytest.approx(shift * deviation, abs=1e-6)


def test_no_other_chances_that_obey_it_are_likelier():
    shares, shift = np.array([0.1, 0.2, 0.4, 0.2, 0.1]), 0.1
    scores = np.linspace(0.0, 1.0, 5)
    best = shares @ np.log(likeliest(scores, shares, shift))
    rng = np.random.default_rng(1)
    for other in rng.dirichlet(60.0 * shares, 300):
        moved = np.array(likeliest(scores, other, shift))
        assert shares @ np.log(moved) <= best + 1e-9


@given(st.lists(st.integers(0, 300), min_size=5, max_size=5).filter(any))
def test_swapped_players_have_the_opposite_ratio(counts):
    sample, swapped = Sample(tuple(counts)), Sample(tuple(reversed(counts)))
    ratio = sample.log_ratio(Sprt(0.0, 10.0))
    assert swapped.log_ratio(Sprt(-10.0, 0.0)) == pytest.approx(-ratio, abs=1e-4)
    assert swapped.score == pytest.approx(1.0 - sample.score)


def test_a_sweep_decides_and_has_no_bounded_difference():
    test = Sprt(0.0, 100.0)
    assert Sample((0, 0, 0, 0, 20)).decision(test) == "H1"
    assert Sample((20, 0, 0, 0, 0)).decision(test) == "H0"
    assert Sample((0, 0, 0)).decision(test) is None
    assert Sample((0, 0, 9)).elo is None
    assert Sample((0, 9, 0)).normalised is None
    assert Sample((0, 9, 0)).superiority == 0.5


def accepted(chances, test, rng, most=2000):
    """The hypothesis that a simulated test accepts, and after how many pairs."""
    counts = [0] * 5
    for n_pairs, score in enumerate(rng.choice(5, size=most, p=chances), start=1):
        counts[score] += 1
        if found := Sample(tuple(counts)).decision(test):
            return found, n_pairs
    return None, most


def error_rates(test, n_tests, seed):
    """How often H1 is accepted if H0 is true, and H0 if H1 is; and the mean pairs of either."""
    rates, lengths = [], []
    for points, wrong in ((test.elo0, "H1"), (test.elo1, "H0")):
        rng, chances = np.random.default_rng(seed), stronger(points)
        found = [accepted(chances, test, rng) for _ in range(n_tests)]
        rates.append(sum(kind == wrong for kind, _ in found) / n_tests)
        lengths.append(sum(n_pairs for _, n_pairs in found) / n_tests)
    return rates, lengths


def test_the_test_errs_as_rarely_as_it_says():
    """With 150 tests each, a true rate of 10 % gives 24 errors or fewer in 99 % of seeds."""
    test = Sprt(0.0, 150.0, alpha=0.1, beta=0.1)
    rates, lengths = error_rates(test, 150, seed=11)
    assert max(rates) <= 24 / 150
    assert max(lengths) < 40  # pairs


@pytest.mark.slow
@pytest.mark.parametrize(("elo1", "alpha", "beta"), [(100.0, 0.05, 0.05), (100.0, 0.02, 0.2)])
def test_both_errors_are_as_rare_as_they_are_set(elo1, alpha, beta):
    """Within three standard deviations of 1,000 tests; an overshoot makes them rarer."""
    test = Sprt(0.0, elo1, alpha, beta)
    (false, missed), _ = error_rates(test, 1000, seed=12)
    assert false <= alpha + 3.0 * math.sqrt(alpha * (1.0 - alpha) / 1000)
    assert missed <= beta + 3.0 * math.sqrt(beta * (1.0 - beta) / 1000)
