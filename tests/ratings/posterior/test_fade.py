import numpy as np
import pytest

from maxin.core import InvalidInput, Match, Result
from maxin.core.half_life import HalfLife
from maxin.ratings import Posterior
from maxin.ratings.fading import weights_of
from maxin.schedulers import SCHEDULERS, make_scheduler

N = 6


def log(n_results, seed=0):
    """Random results of N players."""
    rng = np.random.default_rng(seed)
    strengths = rng.normal(size=N)
    results = []
    for _ in range(n_results):
        i, j = rng.choice(N, 2, replace=False).tolist()
        chance = 1.0 / (1.0 + np.exp(strengths[j] - strengths[i]))
        results.append(Result(Match(i, j), float(rng.choice([rng.random() < chance, 0.5]))))
    return results


def weighted_fit(results, half_life, **options):
    """The posterior of the crosstable in which each result counts by its age."""
    table, split = np.zeros((N, N)), 0.0
    weights = weights_of(HalfLife.of(half_life), np.zeros(len(results)))
    for ((i, j), score), weight in zip(results, weights, strict=True):
        table[i, j] += weight * score
        table[j, i] += weight * (1.0 - score)
        split += weight * score * (1.0 - score)
    posterior = Posterior(N, **options)
    posterior.fit(table, split=split)
    return posterior


@pytest.mark.parametrize("half_life", [7, 100, 1_000])
def test_results_count_by_their_age(half_life):
    results = log(900)
    posterior = Posterior(N, half_life=half_life)
    posterior.tell_all(results)
    plain = weighted_fit(results, half_life)
    n_counted = weights_of(HalfLife.of(half_life), np.zeros(900)).sum()
    assert posterior.n_told == 900
    assert posterior.state.played[: posterior.state.counts[0]].sum() == pytest.approx(n_counted)
    posterior.settle()
    assert posterior.ratings() == pytest.approx(plain.ratings(), abs=1e-5)
    assert posterior.covariance() == pytest.approx(plain.covariance(), rel=1e-4)


def test_between_two_fits_it_is_near():
    results = log(900)
    posterior = Posterior(N, half_life=200)
    posterior.tell_all(results)
    plain = weighted_fit(results, 200)
    deviations = np.sqrt(np.diagonal(plain.covariance()))
    assert (np.abs(posterior.ratings() - plain.ratings()) < 0.3 * deviations).all()


def test_features_and_a_half_life_work_together():
    results, features = log(300), np.arange(N, dtype=float)
    posterior = Posterior(N, half_life=60, features=features)
    posterior.tell_all(results)
    posterior.settle()
    plain = weighted_fit(results, 60, features=features)
    assert posterior.ratings() == pytest.approx(plain.ratings(), abs=0.02)


def test_without_a_half_life_nothing_changes():
    one, two = Posterior(N), Posterior(N, half_life=None)
    one.tell_all(log(100))
    two.tell_all(log(100))
    assert np.array_equal(one.ratings(), two.ratings())
    assert not one.is_faded


def test_a_pause_of_many_half_lives_leaves_the_prior():
    posterior = Posterior(N)
    posterior.tell_all(log(200))
    posterior.fade(1e-12)
    assert posterior.ratings() == pytest.approx(np.zeros(N), abs=1e-6)
    assert posterior.state.counts[0] == 0
    posterior.tell_all(log(50, seed=1))
    with pytest.raises(InvalidInput, match=r"from 0 to 1; got -0\.5"):
        posterior.fade(-0.5)


FADING = ["top-two:k=2", "double-thompson", "ranking", "information", "swiss-information"]


@pytest.mark.parametrize("text", FADING)
def test_schedulers_let_results_fade(text):
    scheduler = make_scheduler(text, N, np.random.default_rng(0), half_life=20)
    again = make_scheduler(text, N, np.random.default_rng(0), half_life=20)
    for _ in range(80):
        match = scheduler.ask()
        assert again.ask() == match
        for one in (scheduler, again):
            one.tell(Result(match, float(match.first < match.second)))
    assert scheduler.posterior.is_faded
    assert scheduler.n_told == scheduler.posterior.n_told == 80


def test_other_schedulers_say_what_works():
    rng, fading = np.random.default_rng(0), {text.partition(":")[0] for text in FADING}
    for name in SCHEDULERS.keys() - fading:
        with pytest.raises(InvalidInput, match=f"half_life needs one of .*; got '{name}'"):
            make_scheduler(name, N, rng, half_life=100)
    with pytest.raises(InvalidInput, match=r"at most 2,000 players; got 2,001"):
        make_scheduler("top-two", 2_001, rng, half_life=100)
    with pytest.raises(InvalidInput, match=r"must be a number of matches: .*got '7d'"):
        make_scheduler("top-two", N, rng, half_life="7d")
    with pytest.raises(InvalidInput, match="got 0"):
        make_scheduler("top-two", N, rng, half_life=0)
