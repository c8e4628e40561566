"""Judges: biases and reliabilities are recovered, and bad judges do little harm."""

import numpy as np
import pytest

from maxin.ratings import Posterior
from maxin.ratings.judging.judge_fit import JudgeFit, fit_judges
from maxin.ratings.judging.judged_tally import JudgedTally
from maxin.ratings.judging.votes import judged_votes

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
        assert judges.estimate.argmin() == 3
        assert judges.estimate[3] < 0.6 + worst
        assert judges.reliability[3] < 0.6
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
    assert judges.estimate[2] < 0.0
    assert judges.reliability[2] == 0.0  # on one pair, it may have a taste of its own


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


def many_judged(seed, reliability, n_votes, *, taste=0.0, n_players=8):
    """The tally of random votes; each judge has a taste of its own in each pair."""
    rng = np.random.default_rng(seed)
    strengths, n_judges = rng.normal(0.0, 0.8, n_players), len(reliability)
    tastes = np.triu(rng.normal(0.0, 1.0, (n_judges, n_players, n_players)), 1) * taste
    tastes -= tastes.transpose(0, 2, 1)
    first = rng.integers(n_players, size=n_votes)
    second = (first + rng.integers(1, n_players, size=n_votes)) % n_players
    judge = rng.integers(n_judges, size=n_votes)
    gaps = np.array(reliability)[judge] * (strengths[first] - strengths[second])
    chances = 1.0 / (1.0 + np.exp(-(gaps + tastes[judge, first, second])))
    scores, tally = (rng.random(n_votes) < chances).astype(float), JudgedTally(n_players)
    tally.add_many(first, second, scores)
    for number in range(n_judges):
        own = judge == number
        tally.of(f"judge {number}").add_many(first[own], second[own], scores[own])
    return tally


def reversed_in(tally):
    """Whether the votes of each judge count reversed."""
    posterior = Posterior(tally.n_players)
    posterior.fit(tally.crosstable())
    return fit_judges(posterior, tally).reliability < 0.0


@pytest.mark.parametrize(
    ("reliability", "taste", "n_votes"),
    [
        ([1.0, 1.0, 1.0, 0.0], 0.0, 60),
        ([1.0, 1.0, 1.0, 0.0], 0.0, 800),
        ([1.0, 1.0, 0.0, 0.0], 0.0, 800),
        ([1.0, 1.0, 1.0, 0.0], 0.5, 800),
        ([1.0] * 5 + [0.0] * 5, 0.0, 1000),
    ],
)
def test_nobody_who_is_not_inverted_is_counted_reversed(reliability, taste, n_votes):
    seeds = range(50_000, 50_025)
    found = [reversed_in(many_judged(seed, reliability, n_votes, taste=taste)) for seed in seeds]
    assert not np.any(found)


def test_an_inverted_judge_is_counted_reversed_once_the_evidence_is_strong():
    shares = []
    for n_votes in (60, 3000):
        seeds = range(51_000, 51_015)
        found = [reversed_in(many_judged(seed, [1, 1, 1, -1], n_votes)) for seed in seeds]
        assert not np.any([one[:3] for one in found])
        shares.append(np.mean([one[3] for one in found]))
    assert shares[0] == 0.0
    assert shares[1] >= 0.9


def test_of_two_judges_who_contradict_each_other_nobody_is_reversed():
    assert not reversed_in(many_judged(3, [1.0, -1.0], 4000)).any()
    third = many_judged(3, [1.0, 1.0, -1.0], 6000)
    assert reversed_in(third).tolist() == [False, False, True]


def test_results_without_a_judge_are_witnesses():
    tally = many_judged(4, [1.0, -1.0], 4000)
    tally.add_tally(tally.judged.pop("judge 0"))  # twice, and by nobody
    assert reversed_in(tally).tolist() == [True]


def test_a_judge_that_counts_for_nothing_does_not_change_the_ratings():
    whole, without = JudgedTally(3), JudgedTally(3)
    for tally in (whole, without):
        for judge in ("ann", "bo"):
            for first, second in ((0, 1), (1, 2), (0, 2)):
                tally.add_judged(judge, first, second, [1.0], 12)
                tally.add_judged(judge, second, first, [1.0], 4)
    for first, second in ((0, 1), (1, 2), (0, 2)):
        whole.add_judged("cy", first, second, [0.0], 6)
    found = []
    for tally in (whole, without):
        posterior = Posterior(3)
        posterior.fit(tally.crosstable())
        judges = fit_judges(posterior, tally)
        found.append(posterior.ratings())
    assert judges.n_ignored == 0
    posterior = Posterior(3)
    posterior.fit(whole.crosstable())
    assert (fit_judges(posterior, whole).n_ignored, fit_judges(posterior, whole).n_reversed) == (
        1,
        0,
    )
    assert found[0] == pytest.approx(found[1], abs=1e-4)


def test_votes_are_all_results_whoever_was_seen_first():
    tally = JudgedTally(3)
    tally.add_many([0, 2, 1], [1, 0, 2], [1.0, 0.5, 0.0])
    tally.add_judged("ann", 0, 1, [1.0, 0.5], is_swapped=True)
    tally.add_judged("ann", 2, 1, [0.25])
    votes = judged_votes(tally)
    table = votes.table(votes.points) + votes.table(votes.games - votes.points).T
    assert table == pytest.approx(tally.crosstable())
    assert votes.n_votes.tolist() == [2.0, 3.0]
    assert votes.splits.sum() == pytest.approx(tally.splits.sum())


@pytest.mark.slow
@pytest.mark.parametrize("last", [1.0, 0.0, -1.0])
def test_intervals_cover_the_reliability_of_good_and_bad_judges(last):
    """Three judges see everything; the last one does, flips coins, or is inverted."""
    truth, n_panels = np.array([1.0, 1.0, 1.0, last]), 100
    covered, unbiased = np.zeros(4), np.zeros(4)
    for seed in range(10_000, 10_000 + n_panels):
        _, tally = judged(seed, truth, np.zeros(4), n_votes=400)
        found = fitted(tally)[2]
        covered += np.abs(found.estimate - truth) <= 1.96 * found.reliability_deviation
        unbiased += np.abs(found.bias) <= 1.96 * found.bias_deviation
    print(f"\nlast judge {last:+g}: covered {covered / n_panels}, bias {unbiased / n_panels}")
    assert covered[:3].min() >= 0.9 * n_panels
    assert covered[3] >= 0.7 * n_panels  # the prior holds a bad judge back
    assert unbiased.min() >= 0.93 * n_panels
