import choix
import evalica
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit

from maxin.core import InvalidInput, Match, Result
from maxin.ratings import BradleyTerry, crosstable, fit_bradley_terry

N = 5
crosstables = st.lists(
    st.sampled_from([0.0, 0.5, 1.0, 2.0, 7.0]), min_size=N * N, max_size=N * N
).map(lambda values: np.array(values).reshape(N, N) * ~np.eye(N, dtype=bool))


def strong_log(n_players=8, n_matches=600, seed=0):
    """A log in which the maximum likelihood exists: everybody won and lost."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=n_players)
    first, second = np.array(
        [rng.choice(n_players, size=2, replace=False) for _ in range(n_matches)]
    ).T
    scores = (rng.random(n_matches) < expit(truth[first] - truth[second])).astype(float)
    return first, second, scores


@given(points=crosstables, prior_scale=st.sampled_from([0.1, 1.0, 10.0]))
def test_fit_is_the_maximum_and_its_covariance_the_inverse_hessian(points, prior_scale):
    fit = fit_bradley_terry(points, prior_scale=prior_scale)
    chances = expit(np.subtract.outer(fit.ratings, fit.ratings))
    played = points + points.T
    gradient = (points - played * chances).sum(axis=1) - fit.ratings / prior_scale**2
    np.testing.assert_allclose(gradient, 0.0, atol=1e-7)
    weights = played * chances * (1.0 - chances)
    hessian = np.diag(weights.sum(axis=1) + prior_scale**-2) - weights
    np.testing.assert_allclose(fit.covariance @ hessian, np.eye(N), atol=1e-6)
    np.testing.assert_array_equal(fit.covariance, fit.covariance.T)


@given(points=crosstables, order=st.permutations(range(N)))
def test_renumbering_players_renumbers_the_fit(points, order):
    fit, moved = fit_bradley_terry(points), fit_bradley_terry(points[np.ix_(order, order)])
    np.testing.assert_allclose(moved.ratings, fit.ratings[order], atol=1e-9)
    np.testing.assert_allclose(moved.covariance, fit.covariance[np.ix_(order, order)], atol=1e-9)


def test_agrees_with_a_general_optimiser():
    points = crosstable(*strong_log(), n_players=8)

    def loss(ratings):
        gaps = np.subtract.outer(ratings, ratings)
        return (points * np.logaddexp(0.0, -gaps)).sum() + ratings @ ratings / 8.0

    found = minimize(loss, np.zeros(8), method="BFGS", options={"gtol": 1e-9}).x
    np.testing.assert_allclose(fit_bradley_terry(points, prior_scale=2.0).ratings, found, atol=1e-5)


def test_agrees_with_choix_where_its_fit_exists():
    first, second, scores = strong_log()
    wins = [(a, b) if s else (b, a) for a, b, s in zip(first, second, scores, strict=True)]
    for prior_scale in (0.5, 1e4):  # choix adds alpha r^2, a prior adds precision / 2 r^2
        theirs = choix.opt_pairwise(8, wins, alpha=prior_scale**-2 / 2.0, tol=1e-12)
        ours = fit_bradley_terry(
            crosstable(first, second, scores, n_players=8), prior_scale=prior_scale
        ).ratings
        np.testing.assert_allclose(ours - ours.mean(), theirs - theirs.mean(), atol=1e-5)


def test_agrees_with_evalica_where_its_fit_exists():
    first, second, scores = strong_log()
    names = [f"player {player}" for player in range(8)]
    winners = [evalica.Winner.X if s else evalica.Winner.Y for s in scores]
    theirs = evalica.bradley_terry(
        [names[i] for i in first], [names[j] for j in second], winners, tolerance=1e-12, limit=10000
    ).scores
    points = crosstable(first, second, scores, n_players=8)
    ours = fit_bradley_terry(points, prior_scale=1e4).ratings
    log_scores = np.log([theirs[name] for name in names])
    np.testing.assert_allclose(ours - ours.mean(), log_scores - log_scores.mean(), atol=1e-4)


def test_an_unbeaten_player_has_the_highest_and_least_certain_rating():
    points = crosstable([0, 0, 1, 2, 1], [1, 2, 2, 1, 2], [1, 1, 1, 1, 0.5], n_players=3)
    fit = fit_bradley_terry(points)
    assert np.isfinite(fit.ratings).all()
    assert fit.ratings.argmax() == 0
    assert np.diag(fit.covariance).argmax() == 0


def test_groups_that_never_met_are_rated_apart_with_the_priors_variance():
    fit = fit_bradley_terry(crosstable([0, 2], [1, 3], [1, 1], n_players=5))
    np.testing.assert_allclose(fit.ratings[[0, 1]], fit.ratings[[2, 3]], atol=1e-12)
    assert fit.ratings[4] == 0.0
    assert fit.covariance[4, 4] == pytest.approx(1.0)
    np.testing.assert_array_equal(fit.covariance[:2, 2:], 0.0)


def test_an_empty_log_gives_the_prior():
    fit = fit_bradley_terry(crosstable([], [], [], n_players=3), prior_scale=2.0)
    np.testing.assert_array_equal(fit.ratings, np.zeros(3))
    np.testing.assert_allclose(fit.covariance, 4.0 * np.eye(3))


def test_a_one_sided_log_with_a_weak_prior_still_converges():
    points = np.triu(np.full((30, 30), 1e6), k=1)  # a strict order, a million times over
    fit = fit_bradley_terry(points, prior_scale=100.0)
    assert (np.diff(fit.ratings) < 0.0).all()


@pytest.mark.parametrize("prior_scale", [1e-6, 1.0, 1e3, 1e6])
@pytest.mark.parametrize(
    "points",
    [
        [[0, 0], [100, 0]],
        [[0, 1e9], [0, 0]],
        [[0, 5, 5], [5, 0, 5], [5, 5, 0]],
        [[0, 1e9, 1], [0, 0, 1e9], [1, 0, 0]],
        np.diag(np.full(4, 1e6), 1),
    ],
    ids=str,
)
def test_any_counts_and_any_prior_give_centred_finite_ratings(points, prior_scale):
    fit = fit_bradley_terry(points, prior_scale=prior_scale)
    assert np.isfinite(fit.ratings).all()
    assert np.isfinite(fit.covariance).all()
    assert (np.diag(fit.covariance) > 0.0).all()
    assert fit.ratings.sum() == pytest.approx(0.0, abs=1e-9)


def test_the_learner_follows_an_upset_after_a_one_sided_series():
    learner = BradleyTerry(2, prior_scale=100.0)
    for _ in range(500):
        learner.tell(Result(Match(0, 1), 1.0))
    learner.tell(Result(Match(0, 1), 0.0))
    fit = fit_bradley_terry(learner.points(), prior_scale=100.0)
    np.testing.assert_allclose(learner.ratings(), fit.ratings, atol=1e-6)


def test_intervals_cover_the_truth_at_their_level():
    """Ratings drawn from the prior lie inside 90 % intervals in about 90 % of logs."""
    rng = np.random.default_rng(7)
    inside, total = 0, 0
    for _ in range(300):
        truth = rng.normal(size=6)
        pairs = np.array([rng.choice(6, size=2, replace=False) for _ in range(40)])
        scores = rng.random(40) < expit(truth[pairs[:, 0]] - truth[pairs[:, 1]])
        fit = fit_bradley_terry(crosstable(pairs[:, 0], pairs[:, 1], scores, n_players=6))
        z = np.abs(truth - fit.ratings) / np.sqrt(np.diag(fit.covariance))
        inside, total = inside + int((z < 1.645).sum()), total + 6
    assert 0.87 < inside / total < 0.93


@given(
    st.lists(
        st.builds(
            Result,
            st.permutations(range(N)).map(lambda order: Match(*order[:2])),
            st.sampled_from([0.0, 0.3, 0.5, 1.0]),
        ),
        max_size=60,
    ),
    st.sampled_from([0.3, 1.0, 5.0]),
)
def test_the_learner_is_the_fit_of_all_its_results(log, prior_scale):
    learner = BradleyTerry(N, prior_scale=prior_scale)
    points = np.zeros((N, N))
    for (i, j), score in log:
        learner.tell(Result(Match(i, j), score))
        points[i, j] += score
        points[j, i] += 1.0 - score
        fit = fit_bradley_terry(points, prior_scale=prior_scale)
        np.testing.assert_allclose(learner.ratings(), fit.ratings, atol=1e-7)
    np.testing.assert_allclose(learner.points(), points, atol=1e-12)
    fit = fit_bradley_terry(points, prior_scale=prior_scale)
    np.testing.assert_allclose(learner.covariance(), fit.covariance, atol=1e-8)
    again = BradleyTerry(N, prior_scale=prior_scale)
    again.tell(Result(Match(0, 1), 1.0))
    again.fit(points)
    for one in (learner, again):
        one.tell(Result(Match(1, 2), 0.0))
    np.testing.assert_allclose(again.ratings(), learner.ratings(), atol=3e-7)
    np.testing.assert_allclose(again.points(), learner.points(), atol=1e-12)


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda: fit_bradley_terry([[0, 1]]), r"a crosstable is square; got shape \(1, 2\)"),
        (lambda: fit_bradley_terry([[0.0]]), "at least two players; got 1"),
        (lambda: fit_bradley_terry([[0, -1], [0, 0]]), r"\[0, 1\] is np.float64\(-1.0\)"),
        (lambda: fit_bradley_terry([[0, np.nan], [0, 0]]), r"finite and not negative; \[0, 1\]"),
        (lambda: fit_bradley_terry([[1, 0], [0, 0]]), "nobody plays themselves"),
        (
            lambda: fit_bradley_terry([[0, 1], [0, 0]], prior_scale=0.0),
            "prior_scale must be positive",
        ),
        (lambda: BradleyTerry(2, prior_scale=np.inf), "prior_scale must be positive and finite"),
        (lambda: crosstable([0], [1], [1, 0], n_players=2), "one first player, second player"),
        (lambda: crosstable([0, 0], [1, 2], [1, 1], n_players=2), "match 1 of the log: players"),
        (lambda: crosstable([0], [1], [2.0], n_players=2), "match 0 of the log: a score"),
        (lambda: crosstable([1], [1], [1.0], n_players=2), "player 1 cannot play itself"),
        (lambda: crosstable([0.9], [1.9], [1.0], n_players=3), "first players are a list of whole"),
        (lambda: crosstable([[0]], [[1]], [[1.0]], n_players=3), "first players are a list"),
        (lambda: crosstable([0], [1], ["won"], n_players=3), "scores are a list of numbers"),
        (lambda: fit_bradley_terry([[0, 1], [0, 0]], prior_scale=1e8), "from 1e-6 to 1e6"),
        (lambda: BradleyTerry(3).fit([[0, 1], [0, 0]]), "must have 3 players; got 2"),
        (lambda: BradleyTerry(3).tell(Result(Match(0, 3), 1.0)), "names player 3"),
        (lambda: BradleyTerry(3).tell(Result(Match(0, 1), np.nan)), "got nan"),
        (
            lambda: BradleyTerry(3).tell(Result(Match(1, 1), 1.0)),
            "nobody can play themselves; player 1 did",
        ),
    ],
)
def test_errors_name_the_invalid_input(act, words):
    with pytest.raises(InvalidInput, match=words):
        act()
