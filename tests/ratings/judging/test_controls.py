"""Controls: effects of covariates are recovered, with honest intervals, and taken out."""

import numpy as np
import pytest
from scipy.optimize import minimize

from maxin.core import InvalidInput
from maxin.ratings import Posterior
from maxin.ratings.judging.control_fit import EffectCurvature
from maxin.ratings.judging.control_log import MOST_CONTROLS, ControlLog, check_controls
from maxin.ratings.judging.judge_fit import fit_votes
from maxin.ratings.judging.judged_tally import JudgedTally
from maxin.ratings.judging.votes import expected, row_advantages
from maxin.views import Belief

EFFECT = 0.3  # nats per unit
BIASES = (0.4, -0.4, 0.0)  # of three judges


def sample(seed, *, n_players=8, n_votes=500, confounded=1.0, judges=(None,)):
    """Votes in which better players have more of the covariate; what `Belief` takes, and truth."""
    rng = np.random.default_rng(seed)
    strengths = rng.normal(0.0, 0.8, n_players)
    strengths -= strengths.mean()
    levels = confounded * (0.9 * strengths + rng.normal(0.0, 0.7, n_players))
    log, tally = ControlLog(["length"]), JudgedTally(n_players)
    for _ in range(n_votes):
        first, second = rng.choice(n_players, 2, replace=False).tolist()
        length = levels[first] - levels[second] + rng.normal()
        number = int(rng.integers(len(judges)))
        judge = judges[number]
        gap = strengths[first] - strengths[second] + EFFECT * length
        gap += 0.0 if judge is None else BIASES[number]
        score = float(rng.random() < 1.0 / (1.0 + np.exp(-gap)))
        log.add(first, second, [score], {"length": length}, judge=judge)
        if judge is None:
            tally.add(first, second, score)
        else:
            tally.add_judged(judge, first, second, [score])
    return strengths, tally, log


def controlled(tally, log):
    """The belief with controls; the effect in nats per unit, and its deviation."""
    belief = Belief([str(player) for player in range(tally.n_players)], tally, controls=log)
    fit = belief.effects
    return belief, fit.effects[0] / log.scales[0], fit.covariance[0, 0] ** 0.5 / log.scales[0]


def coverage(seeds, **how):
    """The mean effect, how often its interval has the truth, and how often those of ratings do.

    At last, the mean squared error of the ratings with and without controls.
    """
    found = []
    for seed in seeds:
        strengths, tally, log = sample(seed, **how)
        belief, effect, deviation = controlled(tally, log)
        off, plain = belief.ratings - strengths, Belief(belief.names, tally).ratings - strengths
        is_near = np.abs(off) <= 1.96 * np.sqrt(np.diag(belief.fit.covariance))
        is_right = abs(effect - EFFECT) <= 1.96 * deviation
        found.append([effect, is_right, is_near.mean(), np.square(off).mean(), plain @ plain / 8])
    return np.mean(found, axis=0)


def test_the_effect_is_recovered_and_taken_out_though_better_players_have_more():
    effect, covered, near, error, plain_error = coverage(range(60_000, 60_025), n_votes=800)
    assert effect == pytest.approx(EFFECT, abs=0.04)
    assert covered >= 0.84
    assert near >= 0.88
    assert error < 0.5 * plain_error


@pytest.mark.slow
@pytest.mark.parametrize("n_votes", [200, 800])
@pytest.mark.parametrize("judges", [(None,), ("ann", "bo", "cy")])
def test_intervals_of_effects_and_ratings_are_honest(n_votes, judges):
    effect, covered, near, *_ = coverage(range(61_000, 61_200), n_votes=n_votes, judges=judges)
    print(f"\n{n_votes} votes, judges {judges}: {effect:.3f}, covered {covered:.3f}, {near:.3f}")
    assert effect == pytest.approx(EFFECT, abs=0.06)  # its prior holds it back a little
    assert covered >= 0.9
    assert near >= 0.91


def test_the_effect_is_that_of_a_logistic_regression():
    _, tally, log = sample(7, n_votes=4000)
    _, effect, deviation = controlled(tally, log)
    votes = log.votes(8, with_judges=False)
    lengths, n_votes = log.values[:, 0], len(log.values)
    design = np.zeros((n_votes, 9))
    design[np.arange(n_votes), votes.first], design[np.arange(n_votes), votes.second] = 1.0, -1.0
    design[:, 8] = lengths

    def loss(coefficients):
        gaps = design @ coefficients
        return np.logaddexp(0.0, gaps).sum() - votes.points @ gaps + 1e-3 * coefficients[0] ** 2

    best = minimize(loss, np.zeros(9), method="BFGS")
    chances = 1.0 / (1.0 + np.exp(-design @ best.x))
    information = (design * (chances * (1.0 - chances))[:, None]).T @ design
    assert effect == pytest.approx(best.x[8], abs=0.2 * deviation)
    assert deviation == pytest.approx(np.linalg.pinv(information)[8, 8] ** 0.5, rel=0.05)


def test_judges_and_controls_are_fitted_together():
    _, tally, log = sample(8, n_votes=3000, judges=("ann", "bo", "cy"))
    belief, effect, deviation = controlled(tally, log)
    assert abs(effect - EFFECT) <= 2.5 * deviation
    assert belief.judges.names == ("ann", "bo", "cy")
    assert np.abs(belief.judges.bias - BIASES).max() <= 0.25
    ignoring = Belief(belief.names, tally, controls=log, ignore_judges=True)
    assert ignoring.judges is None
    assert ignoring.effects.effects[0] != belief.effects.effects[0]


def test_a_covariate_without_an_effect_changes_little():
    rng = np.random.default_rng(9)
    log, tally = ControlLog(["noise"]), JudgedTally(4)
    for _ in range(600):
        first, second = rng.choice(4, 2, replace=False).tolist()
        score = float(rng.random() < 1.0 / (1.0 + np.exp(0.5 * (first - second))))
        tally.add(first, second, score)
        log.add(first, second, [score], {"noise": rng.normal()})
    belief = Belief(list("abcd"), tally, controls=log)
    plain = Belief(list("abcd"), tally)
    assert np.abs(belief.ratings - plain.ratings).max() < 0.05
    assert np.diag(belief.fit.covariance) == pytest.approx(np.diag(plain.fit.covariance), rel=0.1)


def test_strengths_follow_an_effect_as_differences_of_fits_say():
    """d strengths / d beta is the change of the fit if the effect is held elsewhere."""
    _, _, log = sample(10, n_players=5, n_votes=300)
    votes, found = log.votes(5, with_judges=False), []
    posterior = Posterior(5)
    posterior.fit(votes.table(votes.points) + votes.table(votes.games - votes.points).T)
    fit_votes(posterior, votes)
    base, step = fit_votes(posterior, votes).controls.effects, 1e-3
    for effect in (base[0] - step, base[0] + step):
        found.append(_strengths_at(votes, posterior, effect))
    slopes = _slopes(posterior, votes, base[0])
    curvature = EffectCurvature(posterior, votes, slopes, np.ones(1), 1.0)
    assert curvature._strengths()[:, 0] == pytest.approx(
        (found[1] - found[0]) / (2 * step), abs=0.02
    )


def _slopes(posterior, votes, effect):
    means, variances = row_advantages(posterior, votes)
    return votes.games * expected(means, variances, votes.values[:, 0] * effect, 1.0)[1]


def _strengths_at(votes, posterior, effect):
    """Ratings with the effect held: Newton's method on the plain log-posterior of the ratings."""
    spread2, ratings = posterior.spread**2, np.zeros(5)
    rows = np.zeros((len(votes.games), 5))
    rows[np.arange(len(rows)), votes.first], rows[np.arange(len(rows)), votes.second] = 1.0, -1.0
    for _ in range(30):
        chances = 1.0 / (1.0 + np.exp(-(rows @ ratings + votes.values[:, 0] * effect)))
        slope = rows.T @ (votes.points - votes.games * chances) - ratings / spread2
        weights = votes.games * chances * (1.0 - chances)
        ratings += np.linalg.solve(rows.T @ (rows * weights[:, None]) + np.eye(5) / spread2, slope)
    return ratings - ratings.mean()


@pytest.mark.parametrize(
    "data",
    [
        {"length": 40},
        {"length": "40"},
        {"length": [100, 60]},
        {"length": "[100, 60]"},
        {"length_a": 100, "length_b": 60},
        {"length_first": "100", "length_second": "60"},
        {"white_length": 100, "black_length": 60.0},
        {"games": [{"length": 40}, {"length": -40}]},
        {"length": 40, "games": [{"ms": 3}, {"ms": 4}]},
    ],
)
def test_a_covariate_is_read_from_a_field_or_a_pair_of_fields(data):
    log = ControlLog(["length"])
    log.add(0, 1, [1.0, 0.0], data)
    assert log.values[:, 0].tolist() == [40.0, -40.0]
    votes = log.votes(2, with_judges=True)
    assert (votes.first.tolist(), votes.points.tolist()) == ([0, 1], [0.5, 0.5])


def test_a_switch_is_a_number_and_a_missing_value_is_counted():
    log = ControlLog(["markdown", "length"])
    log.add(0, 1, [1.0], {"markdown": [True, False], "length": ""})
    log.add(0, 1, [1.0], {"markdown": "", "length_a": 3, "length_b": ""})
    log.add(0, 1, [0.0], {"length": 4})
    assert log.n_missing == [2, 2]
    assert log.values[0, 0] == 1.0
    assert log.votes(2, with_judges=False).values.shape == (3, 2)


@pytest.mark.parametrize(
    "value", ["long", [1, 2, 3], {"a": 1}, "inf", "nan", "1e200", "[1", ["x", 1]]
)
def test_what_is_not_a_number_is_refused_with_its_place(value):
    with pytest.raises(InvalidInput, match=r"match 7: the control 'length' must be a number"):
        ControlLog(["length"]).add(0, 1, [1.0], {"length": value}, place="match 7")


def test_a_covariate_that_says_nothing_is_refused():
    log = ControlLog(["length"])
    log.add(0, 1, [1.0], {"words": 3, "ms": 5})
    with pytest.raises(InvalidInput, match=r"no match has the control 'length'.*words and ms"):
        log.check(2)
    log.add(0, 1, [1.0], {"length": [3, 3]})
    with pytest.raises(InvalidInput, match="'length' is the same for both players in every match"):
        log.check(2)


def test_a_number_that_hardly_varies_is_refused_and_one_of_some_matches_is_not():
    log = ControlLog(["time"])
    for number in range(40):  # as a column of time stamps
        log.add(number % 2, 2, [1.0], {"time": 1.7e9 + 1000 * number})
        log.add(2, number % 2, [1.0], {"time": 1.7e9 + 1000 * number})
    with pytest.raises(InvalidInput, match=r"'time' is nearly the same number in every match, so"):
        log.check(3)
    for _ in range(10):
        log.add(0, 2, [1.0], {})
    log.check(3)


def test_a_covariate_that_is_a_property_of_the_players_is_refused():
    log = ControlLog(["size"])
    for first, second in ((0, 1), (1, 2), (0, 2)) * 5:
        log.add(first, second, [1.0], {"size": second - first})
    with pytest.raises(InvalidInput, match="'size' depends on the players alone"):
        log.check(3)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ("length", "must be a list of names"),
        ([""], "must be a list of names"),
        ([3], "must be a list of names"),
        ({"length": 1}, "must be a list of names"),
        (["a", "a"], "only once"),
        ([str(number) for number in range(MOST_CONTROLS + 1)], "at most 20"),
    ],
)
def test_controls_are_names(given, problem):
    with pytest.raises(InvalidInput, match=problem):
        check_controls(given)
