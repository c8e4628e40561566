import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit

from maxin.core import InvalidInput
from maxin.ratings import Tally, crosstable, fit_bradley_terry, fit_seats
from maxin.ratings.judging.seats import ADVANTAGE_SCALE

N = 5
games = st.tuples(
    st.permutations(range(N)).map(lambda order: order[:2]),
    st.sampled_from([0.0, 0.25, 0.5, 1.0]),
    st.sampled_from([0.5, 1.0, 3.0]),
)
logs = st.lists(games, max_size=60)


def tally_of(log):
    tally = Tally(N)
    for (first, second), score, weight in log:
        tally.add(first, second, score, weight)
    return tally


def simulated(rng, truth, advantage, n_matches):
    n_players = len(truth)
    first = rng.integers(n_players, size=n_matches)
    second = (first + rng.integers(1, n_players, size=n_matches)) % n_players
    chances = expit(truth[first] - truth[second] + advantage)
    tally = Tally(n_players)
    tally.add_many(first, second, rng.random(n_matches) < chances)
    return tally


@given(logs)
def test_adding_many_games_equals_adding_them_one_by_one(log):
    at_once = Tally(N)
    first = [match[0] for match, _, _ in log]
    second = [match[1] for match, _, _ in log]
    at_once.add_many(first, second, [s for _, s, _ in log], [w for _, _, w in log])
    assert at_once.is_like(tally_of(log))


@given(logs)
def test_crosstable_and_counts_are_those_of_a_log_without_seats(log):
    whole = [(match, score, 1.0) for match, score, _ in log]
    tally = tally_of(whole)
    columns = [m[0] for m, _, _ in log], [m[1] for m, _, _ in log], [s for _, s, _ in log]
    points = crosstable(*columns, n_players=N)
    np.testing.assert_allclose(tally.crosstable(), points, atol=1e-12)
    counts = [sum(player in match for match, _, _ in log) for player in range(N)]
    np.testing.assert_array_equal(tally.n_matches, counts)
    for player, count in enumerate(counts):
        if count:
            assert tally.scores[player] == pytest.approx(points[player].sum() / count)
        else:
            assert np.isnan(tally.scores[player])


def test_a_match_of_two_games_counts_once():
    tally = Tally(2)
    tally.add(0, 1, 1.0, 0.5)
    tally.add(1, 0, 0.5, 0.5)
    assert tally.n_matches.tolist() == [1.0, 1.0]
    assert tally.scores.tolist() == [0.75, 0.25]


def test_a_grown_tally_keeps_its_games_and_does_not_share_them():
    tally = Tally(2)
    tally.add(0, 1, 1.0)
    larger = tally.copy()
    larger.grow(3)
    larger.add(2, 0, 1.0)
    assert tally.table(tally.games).tolist() == [[0, 1], [0, 0]]
    assert larger.table(larger.games).tolist() == [[0, 1, 0], [0, 0, 0], [1, 0, 0]]
    assert larger.table(larger.points).tolist() == [[0, 1, 0], [0, 0, 0], [1, 0, 0]]


def test_a_million_games_can_be_added_at_once():
    rng = np.random.default_rng(0)
    first = rng.integers(100, size=1_000_000)
    second = (first + rng.integers(1, 100, size=1_000_000)) % 100
    tally = Tally(100)
    tally.add_many(first, second, rng.random(1_000_000))
    assert tally.games.sum() == 1_000_000


@given(log=logs, scale=st.sampled_from([0.3, 1.0, 4.0]))
def test_without_an_advantage_the_fit_is_bradley_terry(log, scale):
    tally = tally_of(log)
    fit = fit_seats(tally, prior_scale=scale)
    plain = fit_bradley_terry(tally.crosstable(), prior_scale=scale)
    np.testing.assert_array_equal(fit.ratings, plain.ratings)
    np.testing.assert_allclose(fit.covariance, plain.covariance, atol=1e-12)
    assert (fit.prior_scale, fit.advantage, fit.advantage_deviation) == (scale, 0.0, 0.0)


def joint_slope(tally, ratings, advantage, scale):
    """Gradient and minus the Hessian of the log-posterior of all ratings and the advantage."""
    chances = expit(np.subtract.outer(ratings, ratings) + advantage)
    games = tally.table(tally.games)
    surprises = tally.table(tally.points) - games * chances
    weights = games * chances * (1.0 - chances)
    slope = np.append(
        surprises.sum(1) - surprises.sum(0) - ratings / scale**2,
        surprises.sum() - advantage / ADVANTAGE_SCALE**2,
    )
    hessian = np.zeros((N + 1, N + 1))
    for i, j in np.ndindex(N, N):
        x = np.zeros(N + 1)
        x[i] += 1.0
        x[j] -= 1.0
        x[N] = 1.0
        hessian += weights[i, j] * np.outer(x, x)
    prior = np.append(np.full(N, scale**-2), ADVANTAGE_SCALE**-2)
    return slope, hessian + np.diag(prior)


@given(log=logs, scale=st.sampled_from([0.3, 1.0, 4.0]))
def test_the_joint_fit_is_the_maximum_and_its_spread_the_inverse_hessian(log, scale):
    tally = tally_of(log)
    fit = fit_seats(tally, prior_scale=scale, first_advantage=True)
    slope, hessian = joint_slope(tally, fit.ratings, fit.advantage, scale)
    np.testing.assert_allclose(slope, 0.0, atol=1e-7)
    covariance = np.linalg.inv(hessian)
    np.testing.assert_allclose(fit.covariance, covariance[:N, :N], atol=1e-7)
    assert fit.advantage_deviation == pytest.approx(np.sqrt(covariance[N, N]), abs=1e-7)


def test_agrees_with_a_general_optimiser():
    tally = simulated(np.random.default_rng(3), np.array([1.0, 0.5, 0.0, -0.5, -1.0]), 0.7, 300)

    def loss(values):
        gaps = np.subtract.outer(values[:N], values[:N]) + values[N]
        lost = tally.table(tally.points) * np.logaddexp(0, -gaps)
        lost += tally.table(tally.games - tally.points) * np.logaddexp(0, gaps)
        return lost.sum() + values[:N] @ values[:N] / 8.0 + values[N] ** 2 / 2 / ADVANTAGE_SCALE**2

    found = minimize(loss, np.zeros(N + 1), method="BFGS", options={"gtol": 1e-8}).x
    fit = fit_seats(tally, prior_scale=2.0, first_advantage=True)
    np.testing.assert_allclose(np.append(fit.ratings, fit.advantage), found, atol=1e-5)


@given(logs)
def test_swapping_the_seats_turns_the_advantage_and_nothing_else(log):
    swapped = [((second, first), 1.0 - score, w) for (first, second), score, w in log]
    fit = fit_seats(tally_of(log), first_advantage=True)
    other = fit_seats(tally_of(swapped), first_advantage=True)
    np.testing.assert_allclose(other.ratings, fit.ratings, atol=1e-8)
    np.testing.assert_allclose(other.covariance, fit.covariance, atol=1e-8)
    assert other.advantage == pytest.approx(-fit.advantage, abs=1e-8)
    assert other.advantage_deviation == pytest.approx(fit.advantage_deviation, abs=1e-8)


@given(logs)
def test_equal_games_in_both_seats_show_no_advantage(log):
    mirrored = log + [((second, first), 1.0 - score, w) for (first, second), score, w in log]
    fit = fit_seats(tally_of(mirrored), first_advantage=True, prior_scale=1.0)
    level = fit_seats(tally_of(mirrored), prior_scale=1.0)
    assert fit.advantage == pytest.approx(0.0, abs=1e-9)
    np.testing.assert_allclose(fit.ratings, level.ratings, atol=1e-9)


@given(log=logs, first_advantage=st.booleans())
@settings(max_examples=50)
def test_the_learnt_scale_is_the_fixed_point_of_expectation_maximisation(log, first_advantage):
    tally = tally_of(log)
    fit = fit_seats(tally, first_advantage=first_advantage)
    step = (fit.ratings @ fit.ratings + np.trace(fit.covariance) + 1.0) / (N + 1.0)
    assert 0.2 <= fit.prior_scale <= 5.0
    assert step == pytest.approx(fit.prior_scale**2, rel=1e-5)
    again = fit_seats(tally, prior_scale=fit.prior_scale, first_advantage=first_advantage)
    np.testing.assert_allclose(again.ratings, fit.ratings, atol=1e-9)


@pytest.mark.parametrize(("scale", "found"), [(0.0, 0.2), (0.5, 0.5), (2.0, 2.0), (30.0, 5.0)])
def test_the_learnt_scale_is_that_of_the_truth_within_its_bounds(scale, found):
    rng = np.random.default_rng(1)
    truth = scale * np.sqrt(3) * np.linspace(-1, 1, 200)  # its standard deviation is `scale`
    fit = fit_seats(simulated(rng, truth, 0.0, 40_000))
    assert fit.prior_scale == pytest.approx(found, rel=0.1)


@pytest.mark.parametrize("n_players", [0, 1, 4])
def test_without_results_the_fit_is_the_prior(n_players):
    fit = fit_seats(Tally(n_players), first_advantage=True)
    assert fit.ratings.tolist() == [0.0] * n_players
    np.testing.assert_array_equal(fit.covariance, np.eye(n_players))
    assert fit[2:] == (1.0, 0.0, ADVANTAGE_SCALE)


@pytest.mark.parametrize("first_advantage", [False, True])
def test_one_sided_logs_have_finite_ratings(first_advantage):
    first, second = np.triu_indices(30, k=1)  # the better player sat first and won
    tally = Tally(30)
    tally.add_many(first, second, np.ones(len(first)), np.full(len(first), 1e6))
    fit = fit_seats(tally, first_advantage=first_advantage)
    assert np.isfinite(fit.ratings).all()
    assert np.isfinite(fit.covariance).all()
    assert (np.diff(fit.ratings) < 0.0).all()


def test_intervals_cover_ratings_and_advantage_at_their_level():
    """90 % intervals of relative ratings and of the advantage; the scale is learnt each time."""
    rng = np.random.default_rng(5)
    centre = np.eye(8) - 1.0 / 8.0
    inside, n_inside_advantage, n_covers_zero, repeats = 0, 0, 0, 300
    for _ in range(repeats):
        truth, advantage = rng.normal(0.0, 0.8, size=8), rng.normal(0.0, 0.5)
        fit = fit_seats(simulated(rng, truth, advantage, 100), first_advantage=True)
        spread = np.sqrt(np.diag(centre @ fit.covariance @ centre))
        inside += int((np.abs(centre @ (truth - fit.ratings)) < 1.645 * spread).sum())
        off = abs(fit.advantage - advantage)
        n_inside_advantage += int(off < 1.645 * fit.advantage_deviation)
        level = fit_seats(simulated(rng, truth, 0.0, 100), first_advantage=True)
        n_covers_zero += int(abs(level.advantage) < 1.645 * level.advantage_deviation)
    assert 0.86 < inside / (8 * repeats) < 0.93
    assert 0.85 < n_inside_advantage / repeats < 0.95
    assert 0.85 < n_covers_zero / repeats < 0.95


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda: Tally(-1), "the number of players must be 0 or more; got -1"),
        (lambda: Tally(2.5), "the number of players must be a whole number"),
        (lambda: Tally(2).add(0, 2, 1.0), "names player 2"),
        (lambda: Tally(2).add(1, 1, 1.0), "nobody can play themselves; player 1 did"),
        (lambda: Tally(2).add(0, 1, 1.5), "got 1.5"),
        (lambda: Tally(2).add(0, 1, 1.0, 0.0), "the weight of a game must be positive"),
        (lambda: Tally(2).add_many([0], [1], [np.nan]), "match 0 of the log: a score"),
        (lambda: Tally(2).add_many([0, 0], [1, 1], [1, 1], [1, -1]), "game 1 has -1.0"),
        (lambda: Tally(2).add_many([0, 0], [1, 1], [1, 1], [1]), "one number per game"),
        (lambda: Tally(3).grow(2), "cannot shrink from 3 players to 2"),
        (lambda: fit_seats(Tally(2), prior_scale=-1), "prior_scale must be positive"),
    ],
)
def test_errors_name_the_invalid_input(act, words):
    with pytest.raises(InvalidInput, match=words):
        act()
