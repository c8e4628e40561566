"""The fit of a large field, against the exact posterior of the same results."""

import numpy as np
import pytest
from scipy.special import expit

from maxin.core import InvalidInput, Match
from maxin.kernels.sparse import log_density, normal_prior
from maxin.ratings import Posterior, Tally
from maxin.ratings.sparse.field_fit import N_CONTENDERS, FieldFit

N = 700  # more than there are contenders, and few enough for an exact posterior


def sieved_log(seed=0, n_rounds=12):
    """Neighbours by score meet; half of the players leave after every third round."""
    rng = np.random.default_rng(seed)
    ratings, points = rng.normal(size=N), np.zeros(N)
    first, second, scores = [], [], []
    for number in range(n_rounds):
        order = np.lexsort((rng.random(N), -points))[: N // 2 ** (number // 3) // 2 * 2]
        for i, j in order.reshape(-1, 2).tolist():
            score = float(rng.random() < expit(ratings[i] - ratings[j]))
            first, second, scores = [*first, i], [*second, j], [*scores, score]
            points[[i, j]] += score, 1.0 - score
    return first, second, scores


def tally_of(log):
    tally = Tally(N)
    tally.add_many(*log)
    return tally


@pytest.fixture(scope="module")
def tally():
    return tally_of(sieved_log())


@pytest.fixture(scope="module")
def fit(tally):
    return FieldFit(tally)


@pytest.fixture(scope="module")
def exact(tally):
    posterior = Posterior(N)
    posterior.fit(tally.crosstable())
    return posterior


def test_ratings_and_variances_are_close_to_the_exact_ones(fit, exact):
    deviations = np.sqrt(np.diagonal(exact.covariance()))
    assert (np.abs(fit.ratings() - exact.ratings()) < 0.12 * deviations).all()
    np.testing.assert_allclose(np.sqrt(fit.variances()), deviations, rtol=0.03)
    leaders = np.argsort(-exact.ratings())[:20]
    assert np.isin(leaders, fit.contenders).all()
    np.testing.assert_allclose(
        np.sqrt(fit.variances_from(np.arange(N)))[leaders], deviations[leaders], rtol=0.03
    )


def test_contenders_are_known_jointly_and_others_are_independent(fit):
    one, two = fit.contenders[:2].tolist()
    outsider = int(np.flatnonzero(fit.places < 0)[0])
    cov, variances = fit.covariance_of([one, two]), fit.variances()
    np.testing.assert_allclose(variances[[one, two]], np.diagonal(cov))
    found = fit.difference_variances([one, one], [two, outsider])
    assert found[0] == pytest.approx(cov[0, 0] + cov[1, 1] - 2.0 * cov[0, 1])
    assert found[1] == pytest.approx(variances[one] + variances[outsider])
    with pytest.raises(InvalidInput, match="only contenders have a covariance"):
        fit.covariance_of([outsider])


def test_an_anchor_has_no_variance_of_its_own(fit):
    found = fit.variances_from([5])
    assert found[5] == 0.0
    assert found[6] == pytest.approx(fit.difference_variances([6], [5])[0])


def test_chances_are_fair_and_close_to_the_exact_ones(fit, exact):
    some = np.concatenate([fit.contenders[:5], np.flatnonzero(fit.places < 0)[:5]])
    chances = fit.chances(some)
    np.testing.assert_allclose(chances + chances.T, 1.0, atol=1e-9)
    np.testing.assert_allclose(chances, exact.chances()[np.ix_(some, some)], atol=0.02)
    for i, j in ((0, 1), (0, 7)):
        match = Match(int(some[i]), int(some[j]))
        assert fit.lead_chance(match) == pytest.approx(exact.lead_chance(match), abs=0.02)


def test_outsiders_may_be_stronger_than_any_level(fit):
    levels = np.linspace(0.0, 3.0, 50)
    nobody, chances = fit.outside(levels)
    assert (np.diff(nobody) >= 0.0).all()
    assert nobody[0] < 1e-6
    assert nobody[-1] > 0.9
    assert (chances[fit.contenders] == 0.0).all()
    assert (chances[fit.places < 0] > 0.0).all()


def test_the_chance_that_no_outsider_is_stronger_is_a_product(fit):
    """Of the outsiders' own chances, each by its density on a grid."""
    outsiders = np.flatnonzero(fit.places < 0)
    state, level = fit.graph.state, 2.0
    product = 1.0
    for player in outsiders.tolist():
        deviation = 1.0 / np.sqrt(state.precisions[player])
        grid = np.linspace(state.ratings[player] - 6 * deviation, 8.0, 2_000)
        density = np.exp(log_density(state, player, grid, normal_prior(state, grid)))
        product *= 1.0 - density[grid > level + fit.graph.mean()].sum() / density.sum()
    assert fit.outside(np.array([1.9, level, 2.1]))[0][1] == pytest.approx(product, abs=0.02)


def test_the_order_of_results_does_not_matter(fit):
    first, second, scores = sieved_log()
    reverse = [second[::-1], first[::-1], [1.0 - score for score in scores[::-1]]]
    np.testing.assert_array_equal(FieldFit(tally_of(reverse)).ratings(), fit.ratings())


def test_a_player_who_left_the_field_is_not_a_contender(tally, fit):
    leader = int(np.argmax(fit.ratings()))
    staying = np.delete(np.arange(N), leader)
    rest = FieldFit(tally, staying)
    assert leader not in rest.contenders
    assert rest.ratings()[staying].mean() == pytest.approx(0.0, abs=0.01)
    few = FieldFit(tally, np.arange(40))
    assert few.contenders.tolist() == list(range(40))
    assert len(fit.contenders) == N_CONTENDERS
