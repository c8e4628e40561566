"""Judges: biases and reliabilities are recovered, and bad judges do little harm."""

import numpy as np
import pytest

from maxin.ratings import Posterior
from maxin.ratings.judging.judge_fit import JudgeFit, fit_judges
from maxin.ratings.judging.judged_tally import JudgedTally

N_PLAYERS = 6


def judged(seed, reliability, bias, n_votes):
    """Random votes of some judges on players whose strengths are returned too."""
    rng = np.random.default_rng(seed)
    strengths = rng.normal(0.0, 0.8, N_PLAYERS)
    tally = JudgedTally(N_PLAYERS)
    for _ in range(n_votes):
        first, second = rng.choice(N_PLAYERS, 2, replace=False).tolist()
        judge = int(rng.integers(len(bias)))
        gap = strengths[first] - strengths[second]
        chance = 1.0 / (1.0 + np.exp(-(reliability[judge] * gap + bias[judge])))
        tally.add_judged(f"judge {judge}", first, second, [float(rng.random() < chance)])
    return strengths, tally


def fitted(tally):
    """The posterior without regard to judges, that with it, and the judges in their order."""
    plain, posterior = Posterior(N_PLAYERS), Posterior(N_PLAYERS)
    for one in (plain, posterior):
        one.fit(tally.crosstable(), split=float(tally.splits.sum()))
    judges = fit_judges(posterior, tally)
    order = [judges.names.index(name) for name in sorted(judges.names)]
    return plain, posterior, JudgeFit(sorted(judges.names), *(x[order] for x in judges[1:]))


def test_known_biases_are_within_their_intervals():
    bias, reliability = np.array([0.5, -0.3, 0.0]), np.array([1.0, 1.0, 0.3])
    is_within = []
    for seed in range(10):
        _, _, judges = fitted(judged(seed, reliability, bias, 900)[1])
        is_within += [np.abs(judges.bias - bias) <= 1.96 * judges.bias_deviation]
        off = np.abs(judges.reliability - reliability)
        is_within += [off <= 1.96 * judges.reliability_deviation]
    assert np.mean(is_within) >= 0.88


@pytest.mark.parametrize("worst", [0.0, -1.0])
def test_a_bad_judge_is_found_and_its_votes_do_less_harm(worst):
    reliability, errors = np.array([1.0, 1.0, 1.0, worst]), []
    for seed in range(8):
        strengths, tally = judged(seed, reliability, np.zeros(4), 800)
        plain, posterior, judges = fitted(tally)
        assert judges.reliability.argmin() == 3
        assert judges.reliability[3] < 0.6 + worst
        centred = strengths - strengths.mean()
        errors.append([np.square(one.ratings() - centred).sum() for one in (plain, posterior)])
    assert np.mean(errors, axis=0)[1] < np.mean(errors, axis=0)[0]


def test_an_inverted_judge_does_not_invert_the_answer():
    tally = JudgedTally(2)
    for judge, score, times in (("ann", 1.0, 30), ("bo", 1.0, 30), ("cy", 0.0, 50)):
        tally.add_judged(judge, 0, 1, [score], times)
        tally.add_judged(judge, 1, 0, [1.0 - score], times)
        tally.add_judged(judge, 0, 1, [1.0 - score], 10)
    posterior = Posterior(2)
    posterior.fit(tally.crosstable())
    before = posterior.ratings()[0]
    judges = fit_judges(posterior, tally)
    assert posterior.ratings()[0] > max(before, 0.0)
    assert judges.reliability[2] < 0.0


def test_one_judge_without_a_bias_changes_nothing():
    tally = JudgedTally(3)
    for first, second, score in [(0, 1, 1.0), (1, 0, 0.0), (1, 2, 0.5), (2, 1, 0.5)] * 5:
        tally.add_judged("ann", first, second, [score])
    posterior = Posterior(3)
    posterior.fit(tally.crosstable(), split=float(tally.splits.sum()))
    before = posterior.ratings().copy()
    judges = fit_judges(posterior, tally)
    assert judges.reliability == pytest.approx([1.0])
    assert judges.bias == pytest.approx([0.0], abs=1e-6)
    assert posterior.ratings() == pytest.approx(before, abs=1e-5)


def test_results_without_a_judge_count_in_full():
    alone, beside = JudgedTally(3), JudgedTally(3)
    for tally in (alone, beside):
        tally.add_many([0, 1, 2] * 20, [1, 2, 0] * 20, [1.0, 1.0, 0.0] * 20)
    beside.add_judged("ann", 0, 1, [1.0])
    found = []
    for tally in (alone, beside):
        posterior = Posterior(3)
        posterior.fit(tally.crosstable())
        if tally.judged:
            fit_judges(posterior, tally)
        found.append(posterior.ratings())
    assert found[0] == pytest.approx(found[1], abs=0.1)


def test_the_slope_of_the_log_posterior_vanishes_for_every_judge():
    _, tally = judged(3, [1.0, 0.5], [0.4, 0.0], 400)
    posterior = Posterior(N_PLAYERS)
    posterior.fit(tally.crosstable())
    judges = fit_judges(posterior, tally)
    for place, name in enumerate(judges.names):
        own, slope = tally.judged[name], -judges.bias[place] / 0.3**2
        for row in range(len(own.games)):
            i, j = own.first[row], own.second[row]
            mean, variance = advantage(posterior, i, j)
            scale = 1.0 / np.sqrt(1.0 + np.pi / 8.0 * judges.reliability[place] ** 2 * variance)
            level = scale * (judges.reliability[place] * mean + judges.bias[place])
            slope += own.points[row] - own.games[row] / (1.0 + np.exp(-level))
        assert slope == pytest.approx(0.0, abs=1e-2)


def advantage(posterior, i, j):
    """Mean and variance of an advantage, from what the posterior predicts."""
    from maxin.kernels.posterior import advantages

    means, variances = advantages(posterior.state, i)
    return means[j], variances[j]


@pytest.mark.parametrize("n_judges", [4, 30])
def test_judges_who_agree_by_chance_do_not_confirm_each_other(n_judges):
    leads = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        tally, found = JudgedTally(2), []
        for _ in range(200):
            judge, first = str(rng.integers(n_judges)), int(rng.integers(2))
            tally.add_judged(judge, first, 1 - first, [float(rng.random() < 0.5)])
        for is_judged in (False, True):
            posterior = Posterior(2)
            posterior.fit(tally.crosstable())
            if is_judged:
                fit_judges(posterior, tally)
            found.append(abs(posterior.ratings()[0]) / np.sqrt(posterior.covariance()[0, 0]))
        leads.append(found)
    plain, judged_leads = np.mean(leads, axis=0)
    assert judged_leads < 1.15 * plain


@pytest.mark.slow
@pytest.mark.parametrize("last", [1.0, 0.0, -1.0])
def test_intervals_cover_the_reliability_of_good_and_bad_judges(last):
    """Three judges see everything; the last one does, flips coins, or is inverted."""
    truth, n_panels = np.array([1.0, 1.0, 1.0, last]), 100
    covered, unbiased = np.zeros(4), np.zeros(4)
    for seed in range(10_000, 10_000 + n_panels):
        _, tally = judged(seed, truth, np.zeros(4), n_votes=400)
        found = fitted(tally)[2]
        covered += np.abs(found.reliability - truth) <= 1.96 * found.reliability_deviation
        unbiased += np.abs(found.bias) <= 1.96 * found.bias_deviation
    print(f"\nlast judge {last:+g}: covered {covered / n_panels}, bias {unbiased / n_panels}")
    assert covered[:3].min() >= 0.9 * n_panels
    assert covered[3] >= 0.8 * n_panels  # the prior holds a bad judge back a little
    assert unbiased.min() >= 0.93 * n_panels
