import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxin.core import InvalidInput, Match
from maxin_studies.theory import (
    algebraic_connectivity,
    best_lead,
    check_lemma1,
    check_lemma2,
    check_lemma3,
    curvature,
    g1,
    g2,
    lemma1_bound,
    lemma3_assumption,
    lemma3_constant,
    lemma3_convexity,
    lemmas,
)


def laplacian(matches, n_players):
    steps = np.eye(n_players)[[x for x, _ in matches]] - np.eye(n_players)[[y for _, y in matches]]
    return steps.T @ steps


def widths_of_a_run(first_batch, n_players, n_matches, choose):
    """The widths of matches chosen after the first batch, by a plain inverse each time."""
    v, pairs = laplacian(first_batch, n_players), np.triu_indices(n_players, 1)
    steps = np.eye(n_players)[pairs[0]] - np.eye(n_players)[pairs[1]]
    widths = []
    for _ in range(n_matches):
        every = np.sqrt(np.einsum("pi,ij,pj->p", steps, np.linalg.pinv(v), steps))
        pair = choose(every)
        widths.append(every[pair])
        v = v + np.outer(steps[pair], steps[pair])
    return np.array(widths)


@pytest.mark.parametrize("n_players", [2, 3, 6, 12])
@pytest.mark.parametrize("greedy", [True, False], ids=["widest", "random"])
def test_lemma_1_holds_where_the_first_batch_connects_the_players(n_players, greedy):
    rng = np.random.default_rng(n_players)
    star = [Match(0, player) for player in range(1, n_players)]  # connectivity 1, the least allowed
    assert algebraic_connectivity(star, n_players) >= 1.0 - 1e-12
    choose = np.argmax if greedy else (lambda widths: rng.integers(len(widths)))
    widths = widths_of_a_run(star, n_players, 150, choose)
    check = check_lemma1(widths, n_players, batch_size=len(star))
    assert check.holds
    np.testing.assert_allclose(check.sums, np.cumsum(widths))
    assert check.bounds[9] == lemma1_bound(10, n_players, len(star))


def test_lemma_1_fails_where_players_start_unconnected():
    unconnected = np.full(3, 1e3)  # the width of unconnected pairs with V + 1e-6 I
    assert not check_lemma1(unconnected, n_players=4, batch_size=3).holds


def test_lemma_1_says_nothing_before_the_first_match():
    assert check_lemma1(np.array([]), n_players=4, batch_size=3).holds


TRUTH = np.array([0.6, 0.1, -0.7])


def lemma2(estimates, widths, **options):
    settings = {"batch_size": 5, "n_matches": 100, "convexity": 3.0} | options
    return check_lemma2(estimates, widths, TRUTH, **settings)


def test_lemma_2_compares_all_pairs_after_all_batches():
    rng = np.random.default_rng(0)
    estimates, widths = rng.normal(size=(4, 3)), rng.random((4, 3, 3))
    check = lemma2(estimates, widths)
    near = curvature(TRUTH, 1.0)
    for j in range(1, 5):
        for x in range(3):
            for y in range(3):
                gap = abs((estimates[j - 1, x] - estimates[j - 1, y]) - (TRUTH[x] - TRUTH[y]))
                bound = g1(5 * j, 3, 100, near) * widths[j - 1, x, y]
                bound += g2(j, 5, 3.0) * math.sqrt(2 / j)
                assert check.errors[j - 1, x, y] == pytest.approx(gap)
                assert check.bounds[j - 1, x, y] == pytest.approx(bound)
    assert check.holds == bool((check.errors <= check.bounds).all())
    assert check.largest_ratio == pytest.approx((check.errors / check.bounds).max())


def test_lemma_2_fails_if_one_pair_is_off_after_one_batch():
    estimates, widths = np.tile(TRUTH, (3, 1)), np.full((3, 3, 3), 0.1)
    right = lemma2(estimates + 7.0, widths)  # a constant does not matter
    assert right.holds
    assert right.largest_ratio == pytest.approx(0.0, abs=1e-12)
    estimates[1, 2] += 1.01 * right.bounds[1, 2, 0]
    wrong = lemma2(estimates, widths)
    assert not wrong.holds
    assert wrong.largest_ratio > 1.0
    estimates[1, 2] -= 0.02 * right.bounds[1, 2, 0]
    assert lemma2(estimates, widths).holds


def test_lemma_2_says_nothing_before_the_first_batch():
    check = lemma2(np.empty((0, 3)), np.empty((0, 3, 3)))
    assert check.holds
    assert check.largest_ratio == 0.0


def test_lemma_3_needs_a_lead_above_g1_times_c():
    assert best_lead(TRUTH) == pytest.approx(0.5)
    constant = math.sqrt(2 * 3 * 400 * math.log((400 + 20) / 3))
    assert lemma3_constant(3, 400, 20) == pytest.approx(constant)
    found = lemma3_assumption(TRUTH, 400, 20)
    assert found.needed == pytest.approx(g1(400, 3, 400, curvature(TRUTH, 1.0)) * constant)
    assert not found.is_met
    assert lemma3_convexity(TRUTH, 400, 20) == math.inf


def test_where_the_lead_suffices_lemma_3_asks_for_a_finite_alpha(monkeypatch):
    """Only a wrong g_1 makes the lead large enough."""
    monkeypatch.setattr(lemmas, "g1", lambda *_: 0.001)
    lead, needed, is_met = lemma3_assumption(TRUTH, 400, 20)
    assert is_met
    expected = math.sqrt(2) * 20 * math.sqrt(1 + math.log(3)) / ((lead - needed) * math.sqrt(3))
    assert lemma3_convexity(TRUTH, 400, 20, batch=3) == pytest.approx(expected)
    alphas = [lemma3_convexity(TRUTH, 400, 20, batch=j) for j in range(1, 20)]
    assert alphas == sorted(alphas, reverse=True)


@given(st.integers(2, 100), st.floats(0.0, 20.0), st.integers(1, 1000), st.integers(0, 5000))
def test_no_lead_is_as_large_as_lemma_3_assumes(n_players, lead, tau, more):
    ratings = np.zeros(n_players)
    ratings[0] = lead
    found = lemma3_assumption(ratings, n_players + more, tau)
    assert found.needed > 5.0 * math.exp(lead)
    assert not found.is_met


def test_lemma_3_holds_while_the_best_player_is_a_candidate():
    members = np.array([[True, True, False], [True, False, False], [True, False, True]])
    assert check_lemma3(members, TRUTH).holds
    members[1] = [False, True, True]
    check = check_lemma3(members, TRUTH)
    assert not check.holds
    assert check.share == pytest.approx(2 / 3)
    np.testing.assert_array_equal(check.is_candidate, [True, False, True])
    assert check_lemma3(members, np.array([1.0, 1.0, 0.0])).holds  # two are best


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: lemma2(np.zeros((2, 2)), np.zeros((2, 3, 3))), r"\(batches, 3\).*got \(2, 2\)"),
        (lambda: lemma2(np.zeros((2, 3)), np.zeros((1, 3, 3))), r"and \(1, 3, 3\)"),
        (lambda: lemma2(np.zeros((1, 3)), np.zeros((1, 3, 3)), convexity=0.0), "convexity must be"),
        (lambda: best_lead(np.array([1.0])), "at least two players"),
        (lambda: lemma3_constant(10, 3, 4), r"T \+ tau >= n.*T = 3, tau = 4, n = 10"),
        (lambda: lemma3_convexity(TRUTH, 100, 5, batch=0), "j = 0"),
        (lambda: check_lemma3(np.ones((4, 2), bool), TRUTH), r"\(rounds, 3\).*got \(4, 2\)"),
        (lambda: check_lemma3(np.empty((0, 3), bool), TRUTH), "at least one round"),
    ],
)
def test_errors_name_the_values_outside_the_lemmas(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
