from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxin.core import InvalidInput, Match, Result
from maxin.games import make_game
from maxin.ratings import Posterior
from maxin.ratings.posterior_kernels import narrow, observe
from maxin.schedulers import DoubleThompson, Ranking, TopTwo, make_scheduler
from maxin.schedulers.posterior import information as telling

N = 6
seeds = st.integers(0, 10_000)


def some_belief(seed, n_matches=30):
    rng = np.random.default_rng(seed)
    posterior = Posterior(N)
    for _ in range(n_matches):
        i, j = rng.choice(N, size=2, replace=False).tolist()
        posterior.tell(Result(Match(i, j), float(rng.choice([0.0, 0.5, 1.0]))))
    return posterior.belief


def copied(belief):
    return type(belief)(*(array.copy() for array in belief))


def difference_variance(belief, x, y):
    cov = belief.strength_cov
    return cov[x, x] + cov[y, y] - 2.0 * cov[x, y]


@given(seed=seeds)
@settings(max_examples=30)
def test_a_lesson_is_what_a_match_in_flight_narrows(seed):
    belief = some_belief(seed)
    x, y = np.random.default_rng(seed).choice(N, size=2, replace=False).tolist()
    before, lessons = difference_variance(belief, x, y), {}
    for i in range(N):
        for j in range(i + 1, N):
            after = copied(belief)
            narrow(after, i, j)
            lessons[i, j] = before - difference_variance(after, x, y)
            assert telling.lesson(belief, x, y, i, j) == pytest.approx(lessons[i, j], abs=1e-12)
    first, second = telling.most_telling(belief, x, y)
    best = max(lessons.values())
    assert lessons[min(first, second), max(first, second)] == pytest.approx(best, abs=1e-12)


def plain_value(belief, i, j):
    """By how much a match is expected to lower P(i and j are misordered)."""

    def misorder(state):
        gap = state.strengths[i] - state.strengths[j]
        return telling.misorder(gap, difference_variance(state, i, j))

    posterior = Posterior(N)
    posterior.belief = belief
    chance = posterior.chance(Match(i, j))
    value = misorder(belief)
    for score, odds in ((1.0, chance), (0.0, 1.0 - chance)):
        after = copied(belief)
        observe(after, i, j, score)
        value -= odds * misorder(after)
    return value


@given(seed=seeds)
@settings(max_examples=30)
def test_doubtful_neighbours_are_those_of_a_look_ahead(seed):
    belief = some_belief(seed)
    order = np.argsort(-belief.strengths).tolist()
    neighbours = [sorted(pair) for pair in pairwise(order)]
    values = [plain_value(belief, i, j) for i, j in neighbours]
    found = sorted(telling.doubtful_neighbours(belief))
    assert values[neighbours.index(found)] == pytest.approx(max(values), abs=1e-12)


@given(seed=seeds, k=st.integers(1, N - 1))
def test_boundary_pair_is_one_in_and_one_out(seed, k):
    belief = some_belief(seed)
    normals = np.random.default_rng(seed).standard_normal((21, N))
    x, y = telling.boundary_pair(belief, normals, k)
    draw = belief.strengths + normals[0] @ belief.root
    top = set(np.argsort(-draw)[:k].tolist())
    np.testing.assert_allclose(telling.drawn(belief, normals[0], 1.0), draw, atol=1e-12)
    assert x in top
    assert y not in top


@pytest.mark.parametrize("make", [TopTwo, DoubleThompson, Ranking])
def test_matches_in_flight_narrow_and_withdrawn_ones_do_not(make):
    scheduler = make(N, rng=np.random.default_rng(0))
    for _ in range(20):
        match = scheduler.ask()
        scheduler.tell(Result(match, float(match.first > match.second)))
    quiet = scheduler._belief().strength_cov.copy()
    asked = [scheduler.ask() for _ in range(4)]
    busy = scheduler._belief().strength_cov
    assert (np.diagonal(busy) <= np.diagonal(quiet)).all()
    assert np.trace(busy) < np.trace(quiet)
    for match in (asked[1], asked[0], asked[3], asked[2]):
        scheduler.withdraw(match)
    np.testing.assert_array_equal(scheduler._belief().strength_cov, quiet)
    np.testing.assert_array_equal(scheduler.posterior.covariance(), quiet)


def test_no_rival_left_to_find_means_self_matches_in_the_regret_mode():
    scheduler = make_scheduler("double-thompson:alone=self", N, np.random.default_rng(0))
    asked = []
    for _ in range(300):
        asked.append(scheduler.ask())
        first, second = asked[-1]
        scheduler.tell(Result(asked[-1], 0.5 if first == second else float(first > second)))
    assert sum(first == second for first, second in asked[-100:]) > 80
    assert scheduler.posterior.n_told == sum(first != second for first, second in asked)


@pytest.mark.parametrize("text", ["top-two:k=3", "ranking"])
def test_top_three_and_the_order_are_found(text):
    game = make_game("triangular:n_players=12", np.random.default_rng(0))
    scheduler = make_scheduler(text, 12, np.random.default_rng(1))
    rng = np.random.default_rng(2)
    for _ in range(600):
        match = scheduler.ask()
        scheduler.tell(Result(match, game.play(match, rng)))
    order = np.argsort(-scheduler.ratings()).tolist()
    truth = np.argsort(-game.ratings).tolist()
    assert set(order[:3]) == set(truth[:3])
    if text == "ranking":
        assert order == truth


@pytest.mark.parametrize(
    "text", ["top-two:k=0", "top-two:k=6", "double-thompson:alone=stop", "ranking:kappa=-1"]
)
def test_bad_options_are_refused(text):
    with pytest.raises(InvalidInput):
        make_scheduler(text, N, np.random.default_rng(0))
