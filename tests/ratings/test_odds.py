import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr

from maxin.core import InvalidInput
from maxin.ratings import best_odds, credible_set, lead_certainty
from maxin.ratings.odds import LEAST_DRAWS, MOST_DRAWS, drawn_tops

STANDARD_ERROR = 0.5 / MOST_DRAWS**0.5


def rng(seed=0):
    return np.random.default_rng(seed)


def random_case(seed, n_players):
    draw = rng(seed)
    root = draw.normal(size=(n_players, n_players))
    return draw.normal(size=n_players), root @ root.T / n_players


cases = st.builds(random_case, st.integers(0, 10_000), st.integers(2, 8))


def test_the_odds_of_two_players_follow_from_their_gap():
    covariance = np.array([[2.0, 0.5], [0.5, 1.0]])
    odds = best_odds([0.7, 0.0], covariance, rng=rng())
    exact = ndtr(0.7 / np.sqrt(2.0))
    np.testing.assert_allclose(odds, [exact, 1.0 - exact], atol=3 * STANDARD_ERROR)


def test_equal_players_are_equally_likely_to_be_in_the_top():
    odds = best_odds(np.zeros(5), np.eye(5), k=2, rng=rng())
    np.testing.assert_allclose(odds, 0.4, atol=4 * STANDARD_ERROR)


@given(case=cases, k=st.integers(1, 2))
@settings(max_examples=30)
def test_odds_add_up_to_k_and_are_reproducible(case, k):
    odds = best_odds(*case, k, rng=rng())
    assert odds.sum() == pytest.approx(k)
    assert ((odds >= 0.0) & (odds <= 1.0)).all()
    np.testing.assert_array_equal(odds, best_odds(*case, k, rng=rng()))


@given(case=cases)
@settings(max_examples=20)
def test_odds_agree_with_plain_draws(case):
    ratings, covariance = case
    drawn = rng(1).multivariate_normal(ratings, covariance, size=40_000)
    plain = np.bincount(drawn.argmax(axis=1), minlength=len(ratings)) / 40_000
    np.testing.assert_allclose(best_odds(*case, rng=rng()), plain, atol=6 * STANDARD_ERROR)


@given(case=cases, level=st.sampled_from([1e-3, 1.0, 1e6]))
@settings(max_examples=20)
def test_a_common_level_changes_nothing(case, level):
    ratings, covariance = case
    odds = best_odds(ratings + 3.0, covariance + level, rng=rng())
    np.testing.assert_allclose(odds, best_odds(*case, rng=rng()), atol=1e-3)
    assert lead_certainty(ratings, covariance + level) == pytest.approx(
        lead_certainty(*case), abs=1e-6
    )


@pytest.mark.parametrize(
    ("covariance", "odds"),
    [
        (np.zeros((3, 3)), [1.0, 0.0, 0.0]),
        (np.ones((3, 3)) * 1e9, [1.0, 0.0, 0.0]),
        (np.full((3, 3), 1e-200), [1.0, 0.0, 0.0]),
        (np.outer([1, -1, -1], [1, -1, -1]), [ndtr(0.5), ndtr(-0.5), 0.0]),
        (np.diag([1.0, 0.0, 0.0]), [ndtr(1.0), ndtr(-1.0), 0.0]),
        (np.diag([1e-12, 1e-12, 1e12]), [0.5, 0.0, 0.5]),
    ],
    ids=["none", "level", "tiny", "rank one", "one unsure", "ill-conditioned"],
)
def test_a_singular_covariance_is_handled(covariance, odds):
    found = best_odds([1.0, 0.0, -0.5], covariance, rng=rng())
    np.testing.assert_allclose(found, odds, atol=4 * STANDARD_ERROR)


def test_hopeless_players_change_nothing():
    ratings = np.concatenate([[0.3, 0.0], np.full(998, -50.0)])
    odds = best_odds(ratings, np.eye(1000), rng=rng())
    np.testing.assert_array_equal(odds[:2], best_odds(ratings[:2], np.eye(2), rng=rng()))
    assert not odds[2:].any()


@given(case=cases, k=st.integers(1, 2), confidence=st.sampled_from([0.5, 0.8, 0.95]))
@settings(max_examples=40)
def test_the_credible_set_is_the_smallest_that_includes_the_top(case, k, confidence):
    tops = drawn_tops(*case, k, rng=rng())
    chosen = credible_set(*case, k, confidence=confidence, rng=rng())
    odds = tops.mean(axis=0)
    assert sorted(odds[chosen], reverse=True) == list(odds[chosen])
    assert odds[chosen].min() >= np.delete(odds, chosen).max(initial=0.0)

    def held(players):
        return (tops[:, players].sum(axis=1) == k).mean()

    assert held(chosen) >= confidence
    assert len(chosen) == k or held(chosen[:-1]) < confidence


def test_a_clear_leader_is_alone():
    assert credible_set([9.0, 0.0, -1.0], np.eye(3), rng=rng()).tolist() == [0]


@given(case=cases, k=st.integers(1, 2))
@settings(max_examples=60)
def test_lead_certainty_is_never_more_than_the_chance_of_the_lead(case, k):
    ratings, covariance = case
    tops = drawn_tops(ratings, covariance / 20.0, k, rng=rng())
    leaders = np.argsort(-ratings)[:k]
    chance = (tops[:, leaders].sum(axis=1) == k).mean()
    assert lead_certainty(ratings, covariance / 20.0, k) <= chance + 6 * STANDARD_ERROR


def test_lead_certainty_is_the_chance_itself_for_two_players():
    assert lead_certainty([1.0, 0.0], np.eye(2)) == pytest.approx(ndtr(0.5**0.5))


@pytest.mark.parametrize(("gap", "certainty"), [(1.0, 1.0), (0.0, 0.0)])
def test_lead_certainty_without_doubt(gap, certainty):
    assert lead_certainty([gap, 0.0], np.zeros((2, 2))) == certainty


def test_a_top_of_everyone_includes_everyone():
    assert best_odds([1.0, 0.0], np.eye(2), k=2, rng=rng()).tolist() == [1.0, 1.0]
    assert lead_certainty([1.0, 0.0], np.eye(2), k=2) == 1.0
    assert sorted(credible_set([0.0, 1.0], np.eye(2), k=2, rng=rng())) == [0, 1]


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda: lead_certainty([1.0], np.eye(2)), r"got shapes \(1,\) and \(2, 2\)"),
        (lambda: lead_certainty([1.0, np.nan], np.eye(2)), "finite; at least one"),
        (lambda: best_odds([1.0, 0.0], np.full((2, 2), np.inf), rng=rng()), "finite; at least one"),
        (lambda: best_odds([1.0, 0.0], np.eye(2), k=3, rng=rng()), "must be from 1 to 2; got 3"),
        (lambda: best_odds([1.0, 0.0], np.eye(2), k=0, rng=rng()), "must be from 1 to 2; got 0"),
        (
            lambda: credible_set([1.0, 0.0], np.eye(2), confidence=1.0, rng=rng()),
            "confidence must be a number from 0.5 to below 1; got 1.0",
        ),
    ],
)
def test_errors_name_the_invalid_input(act, words):
    with pytest.raises(InvalidInput, match=words):
        act()


def test_many_players_who_may_be_best_are_drawn_less_often():
    few = drawn_tops(np.zeros(256), np.eye(256), rng=rng())
    many = drawn_tops(np.zeros(300), np.eye(300), rng=rng())
    most = drawn_tops(np.zeros(800), np.eye(800), rng=rng())
    assert [len(tops) for tops in (few, many, most)] == [MOST_DRAWS, 11930, LEAST_DRAWS]
