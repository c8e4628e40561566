"""MaxIn and MaxInP as in the authors' scripts, against plain NumPy versions of the same facts."""

import numpy as np
import pytest
from scipy.special import expit

from maxin.core import Match, Result
from maxin.games import make_game
from maxin.kernels import elo as elo_kernels
from maxin.ratings import Elo, MElo
from maxin.schedulers import make_scheduler
from maxin_studies.reproduction.printed.script_schedulers import (
    PRINTED,
    PrintedMaxIn,
    PrintedMaxInP,
    likelihood_fit,
    likelihood_loss,
)


def random_results(rng, n_players, n_matches):
    first = rng.integers(n_players, size=n_matches)
    second = (first + rng.integers(1, n_players, size=n_matches)) % n_players
    return first, second, rng.integers(2, size=n_matches).astype(float)


def test_the_loss_and_its_slope_are_those_of_the_likelihood():
    rng = np.random.default_rng(0)
    first, second, scores = random_results(rng, 6, 40)
    ratings, slope = rng.normal(size=6), np.zeros(6)
    chances = expit(ratings[first] - ratings[second])
    expected = -(scores * np.log(chances) + (1 - scores) * np.log(1 - chances)).sum()
    assert likelihood_loss(ratings, first, second, scores, slope) == pytest.approx(expected)
    plain = np.zeros(6)
    np.add.at(plain, first, chances - scores)
    np.add.at(plain, second, scores - chances)
    np.testing.assert_allclose(slope, plain, atol=1e-12)


def test_far_ratings_do_not_overflow():
    slope = np.zeros(2)
    ends = np.array([0]), np.array([1]), np.array([0.0])
    assert likelihood_loss(np.array([2000.0, 0.0]), *ends, slope) == pytest.approx(2000.0)
    np.testing.assert_allclose(slope, [1.0, -1.0])


def test_a_fit_that_exists_is_found_and_one_that_does_not_is_cut_off():
    rng = np.random.default_rng(1)
    first, second, scores = random_results(rng, 5, 400)
    fit = likelihood_fit(first, second, scores, 5)
    slope = np.zeros(5)
    likelihood_loss(fit, first, second, scores, slope)
    assert np.abs(slope).max() < 1e-3
    endless = likelihood_fit(np.array([0, 1]), np.array([1, 2]), np.array([1.0, 1.0]), 3)
    assert np.isfinite(endless).all()
    assert endless[0] - endless[1] > 5.0


def played(scheduler, game, n_rounds, seed=3):
    """Play a scheduler; returns its results."""
    rng, results = np.random.default_rng(seed), []
    for _ in range(n_rounds):
        match = scheduler.ask()
        result = Result(match, game.play(match, rng))
        scheduler.tell(result)
        results.append(result)
    return results


GAME = make_game("elo:n_players=10", np.random.default_rng(0))


def widths(results, n_players):
    laplacian = 1e-6 * np.eye(n_players)
    for (x, y), _ in results:
        step = np.eye(n_players)[x] - np.eye(n_players)[y]
        laplacian += np.outer(step, step)
    inverse = np.linalg.inv(laplacian)
    diagonal = np.diag(inverse)
    return np.sqrt(np.maximum(diagonal[:, None] + diagonal[None, :] - 2 * inverse, 0.0))


def expected_pair(advantages, width, gamma):
    """The widest pair of candidates with h >= 0, or the lone candidate twice; None if nobody."""
    h = advantages + gamma * width
    np.fill_diagonal(h, 1.0)
    left = np.flatnonzero((h >= 0.0).all(axis=1))
    if not len(left):
        return None
    inner = width[np.ix_(left, left)]
    return {int(x) for x in left[list(np.unravel_index(inner.argmax(), inner.shape))]}


def test_maxinp_follows_the_scripts_pair_by_pair():
    scheduler = PrintedMaxInP(10, rng=np.random.default_rng(5), exploration=0.6)
    results = played(scheduler, GAME, 7)
    for _ in range(60):
        scores = np.array([score for _, score in results])
        if scores[0] == scores[1]:
            scores[1] = 1.0 - scores[1]
        (first, second), width = np.array([m for m, _ in results]).T.copy(), widths(results, 10)
        fit = likelihood_fit(first, second, scores, 10)
        fit = fit / (3.0 * np.abs(fit).max())
        np.testing.assert_allclose(scheduler.ratings(), fit, atol=1e-9)
        pair = expected_pair(np.subtract.outer(fit, fit), width, 0.6)
        [result] = played(scheduler, GAME, 1, seed=len(results))
        x, y = result.match
        if len(pair) == 2:  # widths may tie to rounding
            a, b = pair
            assert width[x, y] == pytest.approx(width[a, b], abs=1e-6)
        else:
            assert {x, y} == pair
            break
        results.append(result)


@pytest.mark.parametrize("model", [Elo(10), MElo(10, dimensions=4)])
@pytest.mark.parametrize("divisor", [1.0, 5.0])
def test_maxin_learns_as_the_scripts_do(model, divisor):
    scheduler = PrintedMaxIn(
        model, rng=np.random.default_rng(2), exploration=1.0, step_size=0.7, divisor=divisor
    )
    start = scheduler.iterate.copy()
    results = played(scheduler, GAME, 7)
    scores = np.array([score for _, score in results])
    if scores[0] == scores[1]:
        scores[1] = 1.0 - scores[1]
    first, second = np.array([match for match, _ in results]).T.copy()
    fit = likelihood_fit(first, second, scores, 10)
    fit = fit / (divisor * np.abs(fit).max())
    np.testing.assert_allclose(scheduler.ratings(), fit, atol=1e-9)  # no step on the first batch
    iterate = np.column_stack([fit, start[:, 1:]])
    means = [fit]
    for batch in (2, 3):
        slope = np.zeros_like(iterate)
        for (x, y), score in played(scheduler, GAME, 7, seed=batch):
            level = iterate.copy()
            level[:, 0] = 0.0  # the surprise ignores the ratings
            surprise = score - expit(elo_kernels.advantage(level, x, y))
            slope[x, 0] += surprise
            slope[y, 0] -= surprise
            for even in range(1, iterate.shape[1], 2):
                odd = even + 1
                slope[x, even] += surprise * iterate[y, odd]
                slope[x, odd] -= surprise * iterate[y, even]
                slope[y, even] -= surprise * iterate[x, odd]
                slope[y, odd] += surprise * iterate[x, even]
        iterate = iterate + 0.7 / batch * slope
        away = iterate[:, 0] - fit
        iterate[:, 0] = fit + away * min(1.0, 2.0 / np.linalg.norm(away))
        means.append(iterate[:, 0])
        np.testing.assert_allclose(scheduler.ratings(), np.mean(means, axis=0), atol=1e-9)


def test_undoing_all_differences_gives_the_text():
    text = make_scheduler("maxin:batch_size=7,alone=self+melo", 10, np.random.default_rng(4))
    options = "divisor=0,surprise=full,first_step=take,coordinates=mean"
    undone = make_scheduler(f"printed-maxin:{options}+melo", 10, np.random.default_rng(4), PRINTED)
    for scheduler in (text, undone):
        played(scheduler, GAME, 50)
    np.testing.assert_allclose(undone.ratings(), text.ratings(), atol=1e-12)


def test_without_a_candidate_a_random_pair_plays():
    scheduler = PrintedMaxIn(MElo(3, dimensions=2), rng=np.random.default_rng(0), exploration=1.0)
    for match in (Match(0, 1), Match(1, 2)):
        scheduler.tell(Result(match, 1.0))
    scheduler._consider(np.full((3, 3), np.inf))
    match = scheduler.ask()
    assert match.first != match.second
