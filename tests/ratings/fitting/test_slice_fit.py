"""Ratings per slice: against plain linear algebra, integrals, the overall fit, and the truth."""

import numpy as np
import pytest

from maxin.ratings import Posterior, Tally
from maxin.ratings.fitting import slice_fit
from maxin.ratings.fitting.slice_fit import fit_slices
from maxin.ratings.judging.judge_fit import fit_judges
from maxin.ratings.judging.judged_tally import JudgedTally
from tests.helpers.sliced import Found, found_out


def results(seed, n_players, n_slices, n_matches, spread):
    """A tally per slice of random matches, and the true ratings in each."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=n_players) + spread * rng.normal(size=(n_slices, n_players))
    tallies = [Tally(n_players) for _ in range(n_slices)]
    for number in range(n_matches):
        place, (i, j) = number % n_slices, rng.choice(n_players, 2, replace=False)
        chance = 1.0 / (1.0 + np.exp(truth[place, j] - truth[place, i]))
        tallies[place].add(int(i), int(j), float(rng.random() < chance))
    return truth, tallies


def overall(tallies, **options):
    """The posterior of all results together."""
    points = sum(tally.crosstable() for tally in tallies)
    posterior = Posterior(len(points), **options)
    split = sum(float(tally.splits.sum()) for tally in tallies)
    posterior.fit(points, split=split)
    return posterior


def centred(ratings):
    return ratings - ratings.mean(axis=-1, keepdims=True)


def test_covariances_are_those_of_the_whole_precision_matrix():
    _, tallies = results(1, 5, 3, 60, 0.5)
    field = slice_fit._given(overall(tallies))
    rows = [slice_fit._rows(tally, None) for tally in tallies]
    weights = [0.2 * row.games for row in rows]
    for spread in (0.3, 1.2):
        blocks = slice_fit._Blocks(field, rows, spread, weights)
        whole = np.kron(np.diag([3.0, 1.0, 1.0, 1.0]), np.eye(5)) / spread**2
        for place in range(3):
            there = slice(5 * (place + 1), 5 * (place + 2))
            whole[there, there] += blocks.laplacians[place]
            whole[:5, there] = whole[there, :5] = -np.eye(5) / spread**2
        whole[:5, :5] += field.precision
        inverse = np.linalg.inv(whole)
        np.testing.assert_allclose(blocks.overall, inverse[:5, :5], atol=1e-10)
        for place in range(3):
            there = slice(5 * (place + 1), 5 * (place + 2))
            np.testing.assert_allclose(blocks.covariance(place), inverse[there, there], atol=1e-10)
        pulls = list(np.random.default_rng(2).normal(size=(3, 5)))
        right = np.concatenate([np.zeros(5), *pulls])
        mean, found = blocks.solution(pulls)
        np.testing.assert_allclose(np.append(mean, found.ravel()), inverse @ right, atol=1e-10)


def test_the_bound_of_the_evidence_is_below_it_and_close(monkeypatch):
    """The integral of two players' results in two slices, over the differences of ratings."""
    one, other = Tally(2), Tally(2)
    one.add_many([0] * 12, [1] * 12, [1.0] * 10 + [0.0] * 2)
    other.add_many([0] * 12, [1] * 12, [1.0] * 3 + [0.0] * 9)
    posterior = overall([one, other])
    field = slice_fit._given(posterior)._replace(effects=np.zeros((2, 2)), phi=1.0)
    rows = [slice_fit._rows(tally, None) for tally in (one, other)]
    variance = 2.0 / field.precision[0, 0]
    grid = np.linspace(-9.0, 9.0, 601)
    likelihood = [
        np.exp(10 * grid - 12 * np.logaddexp(0.0, grid)),
        np.exp(3 * grid - 12 * np.logaddexp(0.0, grid)),
    ]
    gaps = []
    for spread in (0.2, 0.5, 1.0):
        covariance = variance * np.ones((2, 2)) + 2.0 * spread**2 * np.eye(2)
        inverse = np.linalg.inv(covariance)
        x, y = np.meshgrid(grid, grid, indexing="ij")
        form = inverse[0, 0] * x**2 + 2.0 * inverse[0, 1] * x * y + inverse[1, 1] * y**2
        prior = np.exp(-0.5 * form) / (2.0 * np.pi * np.sqrt(np.linalg.det(covariance)))
        exact = np.log((prior * np.outer(*likelihood)).sum() * (grid[1] - grid[0]) ** 2)
        # The bound leaves out log det Q, which is the same for every tau.
        constant = 0.5 * float(np.log(np.linalg.det(field.precision)))
        found = slice_fit._fit(field, rows, spread, np.zeros((2, 2))).bound + constant
        gaps.append(exact - found)
    assert min(gaps) > -1e-3
    assert max(gaps) < 0.1


def test_without_a_spread_all_slices_are_the_overall_fit(monkeypatch):
    _, tallies = results(3, 12, 4, 600, 0.0)
    posterior = overall(tallies)
    monkeypatch.setattr(slice_fit, "SPREADS", np.array([0.0, 1e-3]))
    found = fit_slices(posterior, tallies)
    for ratings, covariance in zip(centred(found.ratings), found.covariances, strict=True):
        np.testing.assert_allclose(ratings, posterior.ratings(), atol=0.01)
        level = np.eye(12) - 1.0 / 12
        mine = np.diagonal(level @ covariance @ level)
        theirs = np.diagonal(level @ posterior.covariance() @ level)
        np.testing.assert_allclose(np.sqrt(mine), np.sqrt(theirs), rtol=0.02)


def test_cycles_are_taken_from_the_overall_fit(monkeypatch):
    """Rock, paper, scissors in both slices: the effects of pairs are not differences of slices."""
    tally = Tally(3)
    tally.add_many([0, 1, 2] * 60, [2, 0, 1] * 60, [1.0, 1.0, 1.0] * 50 + [0.0, 0.0, 0.0] * 10)
    tally.add_many([0] * 20, [2] * 20, [1.0] * 20)
    posterior = overall([tally, tally])
    assert posterior.kappa > 0.5
    monkeypatch.setattr(slice_fit, "SPREADS", np.array([0.0, 1e-3]))
    found = fit_slices(posterior, [tally, tally])
    np.testing.assert_allclose(centred(found.ratings[0]), posterior.ratings(), atol=0.03)
    level = np.eye(3) - 1.0 / 3
    mine = np.sqrt(np.diagonal(level @ found.covariances[0] @ level))
    theirs = np.sqrt(np.diagonal(level @ posterior.covariance() @ level))
    np.testing.assert_allclose(mine, theirs, rtol=0.1)


def test_features_predict_in_every_slice():
    _, tallies = results(4, 8, 2, 100, 0.3)
    features = np.arange(8.0)[:, None]
    with_features = fit_slices(overall(tallies, features=features), tallies)
    assert np.isfinite(with_features.ratings).all()
    assert (np.linalg.eigvalsh(with_features.covariances[0]) > 0.0).all()


def test_the_order_of_the_slices_does_not_matter():
    _, tallies = results(5, 6, 3, 120, 0.5)
    posterior = overall(tallies)
    found, turned = fit_slices(posterior, tallies), fit_slices(posterior, tallies[::-1])
    np.testing.assert_allclose(found.ratings, turned.ratings[::-1], atol=1e-6)
    assert found.spread == pytest.approx(turned.spread)


def test_a_slice_without_results_has_the_overall_ratings_and_the_widest_intervals():
    _, tallies = results(6, 6, 3, 300, 0.5)
    found = fit_slices(overall(tallies), [*tallies, Tally(6)])
    near = np.abs(centred(found.ratings)[3] - centred(found.ratings)[:3].mean(axis=0)).max()
    assert near < 0.2
    widths = [np.trace(covariance) for covariance in found.covariances]
    assert widths[3] > max(widths[:3])
    assert np.trace(found.covariances[3]) < 6 * (found.spread**2 + 1.0)


@pytest.mark.parametrize("n_matches", [1, 3])
def test_a_few_results_are_enough(n_matches):
    _, tallies = results(7, 4, 3, n_matches, 0.5)
    found = fit_slices(overall(tallies), tallies)
    assert np.isfinite(found.ratings).all()
    assert found.interval[0] == 0.0
    assert found.interval[1] > 1.0  # nothing is known of tau


def test_certain_results_have_a_fixed_point():
    """One player wins everything in one slice, and loses everything in the other."""
    one, other = Tally(2), Tally(2)
    one.add_many([0] * 5_000, [1] * 5_000, [1.0] * 5_000)
    other.add_many([0] * 5_000, [1] * 5_000, [0.0] * 5_000)
    found = fit_slices(overall([one, other]), [one, other])
    gaps = found.ratings[:, 0] - found.ratings[:, 1]
    assert gaps[0] > 2.0
    assert gaps[0] == pytest.approx(-gaps[1], abs=0.01)


def test_an_inverted_judge_is_turned_round_in_every_slice():
    rng = np.random.default_rng(8)
    tallies, truth = [JudgedTally(4), JudgedTally(4)], np.array([1.0, 0.3, -0.3, -1.0])
    for number in range(1_200):
        i, j = rng.choice(4, 2, replace=False)
        is_won = rng.random() < 1.0 / (1.0 + np.exp(truth[j] - truth[i]))
        judge = ["ann", "bob", "cy"][number % 3]
        score = float(is_won != (judge == "cy"))
        tallies[number // 3 % 2].add_judged(judge, int(i), int(j), [score])
    whole = JudgedTally(4)
    for tally in tallies:
        whole.add_tally(tally)
    posterior = overall([whole])
    judges = fit_judges(posterior, whole)
    assert judges.reliability[2] < -0.5
    fair, blind = fit_slices(posterior, tallies, judges), fit_slices(posterior, tallies)
    for ratings in centred(fair.ratings):
        np.testing.assert_allclose(ratings, posterior.ratings(), atol=0.35)
    assert np.ptp(centred(blind.ratings)) < 0.7 * np.ptp(centred(fair.ratings))


def test_judges_who_are_fair_change_little():
    """Votes that are worth what they say are results."""
    _, tallies = results(9, 4, 2, 400, 0.5)
    judged = [JudgedTally(4) for _ in tallies]
    for tally, same in zip(tallies, judged, strict=True):
        for i, j, games, points in zip(
            tally.first, tally.second, tally.games, tally.points, strict=True
        ):
            for score, times in ((1.0, points), (0.0, games - points)):
                for name in ("ann", "bob"):
                    if times:
                        same.add_judged(name, int(i), int(j), [score], round(times))
    whole = JudgedTally(4)
    for tally in judged:
        whole.add_tally(tally)
    posterior = overall([whole])
    judges = fit_judges(posterior, whole)
    assert np.abs(judges.reliability - 1.0).max() < 0.01
    found = fit_slices(posterior, judged, judges)
    plain = fit_slices(overall([whole]), judged)
    np.testing.assert_allclose(found.ratings, plain.ratings, atol=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("spread", [0.0, 0.5])
def test_slices_find_the_best_of_each_category(spread):
    """16 players, 5 categories, 480 matches: as many bests are named as P(best) claims."""
    n_tournaments = 60
    runs = np.array(
        [found_out(seed, spread=spread) for seed in range(10_000, 10_000 + n_tournaments)]
    )
    mean = Found(*runs.mean(axis=0))
    error = Found(*runs.std(axis=0, ddof=1) / np.sqrt(n_tournaments))
    print(f"\nspread {spread:g}: {mean}\nstandard errors: {error}")
    assert abs(mean.covered - 0.95) < 0.03 + 2.0 * error.covered
    assert abs(mean.claimed - mean.named) < 0.08 + 2.0 * error.named
    better, less = runs[:, 0] - runs[:, 1], runs[:, 3] - runs[:, 2]
    if spread:
        assert better.mean() > 3.0 * better.std() / np.sqrt(n_tournaments)
        assert less.mean() > 3.0 * less.std() / np.sqrt(n_tournaments)
    else:
        assert less.mean() > -0.03
    extra = runs[:, 4] - runs[:, 5]
    assert extra.mean() < 0.01 + 2.0 * extra.std() / np.sqrt(n_tournaments)
