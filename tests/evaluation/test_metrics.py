from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from maxin.core import InvalidInput, Match
from maxin.evaluation import (
    hit_ratio,
    naming_loss,
    ndcg,
    rank_of_best,
    rating_error,
    reciprocal_rank,
    regret,
    top_k_curves,
)

N = 5
levels = st.integers(0, 4).map(float)  # few values, so that ties are common
vectors = arrays(float, N, elements=levels)
orders = st.permutations(range(N)).map(np.array)
matches = st.lists(st.builds(Match, st.integers(0, N - 1), st.integers(0, N - 1)), max_size=20)


def broken_ties(predicted):
    """Every ranking of the players that respects the predicted ratings."""
    for order in permutations(range(N)):
        ranked = [predicted[player] for player in order]
        if ranked == sorted(ranked, reverse=True):
            yield order


def true_top(strengths, k):
    return {x for x in range(N) if strengths[x] >= sorted(strengths, reverse=True)[k - 1]}


@given(played=matches, ratings=vectors)
def test_regret_is_the_papers_sum(played, ratings):
    total, expected = 0.0, []
    for x, y in played:
        total += max(ratings) - 0.5 * (ratings[x] + ratings[y])
        expected.append(total)
    np.testing.assert_allclose(regret(played, ratings), expected)


@given(played=matches.filter(len), ratings=vectors, shift=st.floats(-100, 100))
def test_regret_ignores_where_ratings_are_centred_and_never_falls(played, ratings, shift):
    of_array = regret(np.array(played), ratings + shift)
    np.testing.assert_allclose(regret(played, ratings), of_array, atol=1e-9)
    assert (np.diff(of_array, prepend=0.0) >= -1e-9).all()


def test_no_matches_have_no_regret():
    assert regret([], np.array([1.0, 2.0])).shape == (0,)


@given(predicted=vectors, strengths=vectors)
def test_rank_is_the_best_place_of_any_best_player(predicted, strengths):
    best = {x for x in range(N) if strengths[x] == max(strengths)}
    places = [order.index(x) + 1 for order in broken_ties(predicted) for x in best]
    assert rank_of_best(predicted, strengths) == min(places)
    assert reciprocal_rank(predicted, strengths) == 1 / min(places)


@given(predicted=vectors, strengths=vectors, k=st.integers(1, N))
def test_hit_ratio_is_the_mean_over_the_orders_of_tied_players(predicted, strengths, k):
    top = true_top(strengths, k)
    hits = [len(top & set(order[:k])) / k for order in broken_ties(predicted)]
    assert hit_ratio(predicted, strengths, k) == pytest.approx(np.mean(hits))


@given(predicted=vectors, strengths=vectors, k=st.integers(1, N))
def test_ndcg_is_the_mean_over_the_orders_of_tied_players(predicted, strengths, k):
    top = true_top(strengths, k)
    gains = [
        sum((2 ** (x in top) - 1) / np.log2(i + 1) for i, x in enumerate(order[:k], start=1))
        for order in broken_ties(predicted)
    ]
    perfect = sum(1 / np.log2(i + 1) for i in range(1, k + 1))
    assert ndcg(predicted, strengths, k) == pytest.approx(np.mean(gains) / perfect)


@given(predicted=vectors, strengths=vectors, most=st.integers(1, N))
def test_curves_over_k_are_the_metrics_at_each_k(predicted, strengths, most):
    ks = range(1, most + 1)
    hits, ndcgs = top_k_curves(predicted, strengths, most)
    np.testing.assert_allclose(hits, [hit_ratio(predicted, strengths, k) for k in ks])
    np.testing.assert_allclose(ndcgs, [ndcg(predicted, strengths, k) for k in ks])


@given(strengths=vectors, k=st.integers(1, N))
def test_the_true_ranking_gets_the_best_values(strengths, k):
    assert rank_of_best(strengths, strengths) == 1
    assert hit_ratio(strengths, strengths, k) == pytest.approx(1.0)
    assert ndcg(strengths, strengths, k) == pytest.approx(1.0)


@given(predicted=vectors, strengths=vectors, k=st.integers(1, N), order=orders)
def test_renumbering_the_players_changes_nothing(predicted, strengths, k, order):
    for metric in (hit_ratio, ndcg):
        renumbered = metric(predicted[order], strengths[order], k)
        assert renumbered == pytest.approx(metric(predicted, strengths, k))
    assert rank_of_best(predicted[order], strengths[order]) == rank_of_best(predicted, strengths)


@given(predicted=vectors, strengths=vectors)
def test_the_whole_field_is_always_hit(predicted, strengths):
    assert hit_ratio(predicted, strengths, N) == pytest.approx(1.0)


def test_strengths_that_differ_by_rounding_are_tied():
    strengths = np.array([0.1 + 0.2, 0.3, 0.0])
    assert rank_of_best(np.array([0.0, 1.0, 0.5]), strengths) == 1
    assert hit_ratio(np.array([0.0, 1.0, 0.5]), strengths, k=1) == 1.0


@pytest.mark.parametrize("k", [0, 4, -1])
@pytest.mark.parametrize("metric", [ndcg, hit_ratio, top_k_curves])
def test_k_must_be_from_1_to_the_number_of_players(metric, k):
    with pytest.raises(InvalidInput, match=f"must be from 1 to 3; got {k}"):
        metric(np.arange(3.0), np.arange(3.0), k)


@pytest.mark.parametrize("metric", [rank_of_best, reciprocal_rank])
def test_errors_name_the_invalid_vector(metric):
    with pytest.raises(InvalidInput, match=r"predicted ratings must be numbers; player 1 has nan"):
        metric(np.array([0.0, np.nan]), np.array([0.0, 1.0]))
    with pytest.raises(InvalidInput, match=r"strengths must be numbers; player 0 has nan"):
        metric(np.array([0.0, 1.0]), np.array([np.nan, 1.0]))
    with pytest.raises(InvalidInput, match=r"shapes \(2,\) and \(3,\)"):
        metric(np.zeros(2), np.zeros(3))
    with pytest.raises(InvalidInput, match=r"shapes \(0,\) and \(0,\)"):
        metric(np.zeros(0), np.zeros(0))


@pytest.mark.parametrize(
    ("played", "ratings", "message"),
    [
        ([Match(0, 1), Match(0, 2)], [0.0, 1.0], r"0\.\.1; \(0, 2\) names player 2"),
        ([Match(-1, 1)], [0.0, 1.0], r"\(-1, 1\) names player -1"),
        (np.zeros((3, 3), dtype=int), [0.0, 1.0], r"shape \(3, 3\)"),
        (np.zeros((3, 2)), [0.0, 1.0], r"float64"),
        ([Match(0, 1)], [0.0, np.inf], r"ratings must be finite; player 1 has inf"),
        ([Match(0, 1)], [[0.0, 1.0]], r"one number per player; got shape \(1, 2\)"),
    ],
)
def test_regret_errors_name_the_invalid_value(played, ratings, message):
    with pytest.raises(InvalidInput, match=message):
        regret(played, np.array(ratings))


@given(predicted=vectors, strengths=vectors)
def test_the_loss_is_the_mean_over_the_orders_of_tied_players(predicted, strengths):
    named = [strengths[order[0]] for order in broken_ties(predicted)]
    assert naming_loss(predicted, strengths) == pytest.approx(max(strengths) - np.mean(named))


@given(strengths=vectors, shift=st.floats(-100, 100), noise=vectors)
def test_the_error_of_ratings_ignores_where_they_are_centred(strengths, shift, noise):
    assert rating_error(strengths + shift, strengths) == pytest.approx(0.0, abs=1e-9)
    misses = noise - noise.mean()
    expected = np.sqrt(np.mean(misses**2))
    assert rating_error(strengths + noise + shift, strengths) == pytest.approx(expected, abs=1e-9)
