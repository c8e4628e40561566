import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from maxin.core import InvalidInput, Match
from maxin.evaluation import regret
from maxin_studies.theory import (
    algebraic_connectivity,
    batch_size,
    curvature,
    exploration,
    g1,
    g2,
    lemma1_bound,
    proposition1_batch,
    regret_bound,
)

SETTINGS = {
    "near_curvature": 0.1,
    "far_curvature": 0.05,
    "information": 0.3,
    "convexity": 2.0,
    "constants": (1.0, 2.0),
}


def laplacian(matches, n_players):
    steps = np.eye(n_players)[[x for x, _ in matches]] - np.eye(n_players)[[y for _, y in matches]]
    return steps.T @ steps


@given(st.integers(2, 5), st.floats(0.0, 3.0), st.integers(0, 1000))
def test_curvature_is_the_least_slope_in_the_ball(n_players, radius, seed):
    rng = np.random.default_rng(seed)
    ratings = rng.normal(size=n_players)
    found = curvature(ratings, radius)
    worst = ratings.copy()
    worst[ratings.argmax()] += radius / math.sqrt(2)
    worst[ratings.argmin()] -= radius / math.sqrt(2)
    steps = rng.normal(size=(200, n_players))
    steps *= radius / np.linalg.norm(steps, axis=1, keepdims=True)
    for point in [worst, *(ratings + steps)]:
        gaps = point[:, None] - point
        slopes = expit(gaps) * expit(-gaps)
        assert found <= slopes.min() + 1e-12
    gap = np.ptp(worst)
    assert found == pytest.approx(expit(gap) * expit(-gap))


def test_random_matches_have_an_eigenvalue_of_two_over_n():
    n_players = 5
    pairs = [(x, y) for x in range(n_players) for y in range(n_players)]
    mean = laplacian(pairs, n_players) / len(pairs)
    assert np.linalg.eigvalsh(mean)[1] == pytest.approx(2 / n_players)
    assert algebraic_connectivity(np.array(pairs), n_players) / len(pairs) == pytest.approx(0.4)


def test_batch_size_is_the_papers_formula():
    n, log_t = 10, math.log(2000)
    spread = math.sqrt(n) + 2 * math.sqrt(2 * log_t)
    tau_1 = 2 * (spread / 0.2) ** 2 + 16 * (n + 2 * log_t) / (0.1**2 * 0.2)
    assert batch_size(n, 2000, **SETTINGS) == math.ceil(tau_1)
    steep = SETTINGS | {"convexity": 1e6}
    tau_2 = 2 * (spread / 0.3) ** 2 + 4e6 / (0.05 * 0.3)
    assert batch_size(n, 2000, **steep) == math.ceil(tau_2)


def random_batch(n_players, size, rng):
    """Pairs of independently drawn players, as in the analysis."""
    return rng.integers(n_players, size=(size, 2))


@pytest.mark.parametrize(("n_players", "information", "failure"), [(4, 5.0, 0.1), (8, 20.0, 0.05)])
def test_proposition_1_holds_for_uniform_pairs(n_players, information, failure):
    """With C_1 = C_2 = 1 its batches inform enough; a few times smaller ones do not."""
    rng = np.random.default_rng(n_players)
    size = proposition1_batch(
        n_players,
        information=information,
        eigenvalue=2.0 / n_players,
        failure=failure,
        constants=(1.0, 1.0),
    )

    def share(matches):
        batches = (random_batch(n_players, matches, rng) for _ in range(300))
        found = [algebraic_connectivity(batch, n_players) >= information for batch in batches]
        return np.mean(found)

    assert share(size) >= 1.0 - failure
    assert share(math.ceil(information * n_players / 2.0)) < 1.0 - failure


def test_proposition_1_is_the_papers_formula():
    spread = 0.5 * math.sqrt(6) + 2.0 * math.sqrt(math.log(20))
    expected = 2 * (spread / 0.3) ** 2 + 4 * 7.0 / 0.3
    found = proposition1_batch(
        6, information=7.0, eigenvalue=0.3, failure=0.05, constants=(0.5, 2.0)
    )
    assert found == math.ceil(expected)


def test_exploration_is_twice_g1_and_grows():
    values = [exploration(t, 10, 1000, near_curvature=0.2) for t in (0, 1, 10, 1000)]
    assert values == sorted(values)
    assert values[0] == pytest.approx(2 * math.sqrt(2 * math.log(1000)) / 0.4)
    expected = math.sqrt(5 * math.log(1 + 2000 / 10) + 2 * math.log(1000)) / 0.4
    assert values[-1] == pytest.approx(2 * expected)
    assert g1(1000, 10, 1000, 0.2) == pytest.approx(expected)


def test_g2_is_the_papers_formula():
    assert g2(20, batch_size=7, convexity=0.5) == pytest.approx(14 * math.sqrt(1 + math.log(20)))


def test_regret_bound_is_the_papers_sum():
    ratings, n_matches, tau, alpha = np.array([1.0, 0.2, -0.5]), 500, 30, 3.0
    g_1 = g1(500, 3, 500, curvature(ratings, 1.0))
    widths = math.sqrt(2 * 3 * 500 * math.log((60 + 500) / 3))
    steps = 4 * g2(16, tau, alpha) * math.sqrt(30 * 500)
    expected = 30 * 1.5 + 32 * g_1 * widths + steps
    assert regret_bound(ratings, n_matches, tau, alpha) == pytest.approx(expected)


@given(st.integers(2, 20), st.integers(0, 1000), st.integers(1, 300))
def test_no_run_has_more_regret_than_the_bound(n_players, seed, n_matches):
    rng = np.random.default_rng(seed)
    ratings = rng.normal(size=n_players)
    n_matches += n_players
    worst = np.full((n_matches, 2), ratings.argmin())
    bound = regret_bound(ratings, n_matches, batch_size=min(20, n_matches), convexity=1.0)
    assert regret(worst, ratings)[-1] <= bound


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=30))
def test_connectivity_is_the_least_eigenvalue_orthogonal_to_1(pairs):
    matches = [Match(*pair) for pair in pairs]
    v = laplacian(matches, 6) if matches else np.zeros((6, 6))
    shifted = v + 100.0 * np.ones((6, 6))  # raises the eigenvalue of 1 above the others
    expected = np.linalg.eigvalsh(shifted)[0]
    assert algebraic_connectivity(matches, 6) == pytest.approx(expected, abs=1e-9)


def test_unconnected_players_have_connectivity_0():
    assert algebraic_connectivity([Match(0, 1), Match(2, 3)], 4) == pytest.approx(0.0, abs=1e-12)
    assert algebraic_connectivity([], 3) == 0.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: lemma1_bound(1, n_players=10, batch_size=2), r"2 tau \+ t >= n; got tau = 2"),
        (lambda: lemma1_bound(-1, n_players=2, batch_size=2), r"t = -1"),
        (lambda: g1(-1, 10, 100, 0.1), r"t = -1"),
        (lambda: g1(1, 10, 0, 0.1), r"n_matches = 0"),
        (lambda: g1(1, 1, 10, 0.1), r"at least two players"),
        (lambda: g1(1, 10, 100, 0.0), r"near_curvature must be positive.*0.0"),
        (lambda: g2(0, 5, 1.0), r"j = 0"),
        (lambda: g2(1, 5, -1.0), r"convexity must be positive"),
        (lambda: batch_size(5, 10, **SETTINGS | {"information": 0.0}), r"eigenvalue must be"),
        (
            lambda: proposition1_batch(
                5, information=1.0, eigenvalue=0.5, failure=1.5, constants=(1.0, 1.0)
            ),
            r"failure \(delta\) must be above 0 and at most 1; got 1.5",
        ),
        (
            lambda: proposition1_batch(
                5, information=1.0, eigenvalue=0.0, failure=0.1, constants=(1.0, 1.0)
            ),
            "eigenvalue must be positive and finite; got 0.0",
        ),
        (lambda: regret_bound(np.array([0.0, 1.0]), 10, 11, 1.0), "batch_size must be from 1"),
        (lambda: curvature(np.array([0.0]), 1.0), r"at least two players"),
        (lambda: curvature(np.array([0.0, 1.0]), -1.0), r"radius.*-1.0"),
        (lambda: algebraic_connectivity([Match(0, 3)], 3), r"names player 3"),
    ],
)
def test_errors_name_the_values_outside_the_theory(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
