"""Runs of MaxIn, by the paper's theory: Lemma 1, and an exploration that grows with t."""

import numpy as np
import pytest

from maxin.core import Result
from maxin.games import elo_game
from maxin.ratings import Elo
from maxin.schedulers import MaxIn
from maxin_studies.theory import algebraic_connectivity, check_lemma1, curvature
from maxin_studies.theory import exploration as lemma3_exploration


def maxin(n_players=6, *, seed=0, **options):
    settings = {"exploration": 1.0, "batch_size": 4, "step_size": 1.0} | options
    return MaxIn(Elo(n_players), rng=np.random.default_rng(seed), **settings)


def play(scheduler, game, n_rounds, seed=1):
    rng = np.random.default_rng(seed)
    matches = []
    for _ in range(n_rounds):
        match = scheduler.ask()
        if match is None:
            break
        scheduler.tell(Result(match, game.play(match, rng)))
        matches.append(match)
    return matches


def plain_candidates(ratings, matches, gamma):
    """S by its definition, with a plain inverse of V + ridge I."""
    n_players = len(ratings)
    steps = np.array([np.eye(n_players)[x] - np.eye(n_players)[y] for x, y in matches])
    inverse = np.linalg.inv(steps.T @ steps + 1e-6 * np.eye(n_players))
    own = np.diag(inverse)
    widths = np.sqrt(np.maximum(own[:, None] + own - 2.0 * inverse, 0.0))
    ahead = ratings[:, None] - ratings + gamma * widths > 0.0
    np.fill_diagonal(ahead, True)
    return np.flatnonzero(ahead.all(axis=1)).tolist(), widths


def growing(game, rounds, scale):
    near = curvature(game.ratings, 1.0)

    def gamma(n_results):
        return scale * lemma3_exploration(n_results + 1, game.n_players, rounds, near)

    return gamma


@pytest.mark.parametrize("scale", [1.0, 0.02], ids=["2 g_1(t)", "smaller"])
def test_a_scheduled_gamma_is_used_in_every_round(scale):
    """Compared with a plain twin; only the smaller schedule rules players out."""
    game, rounds, tau = elo_game(np.random.default_rng(0), n_players=4, spread=1.0), 240, 12
    gamma = growing(game, rounds, scale)
    scheduler = maxin(4, batch_size=tau, exploration=gamma, step_size=0.1, alone="self")
    rng, matches, sizes = np.random.default_rng(2), [], []
    for t in range(rounds):
        assert scheduler.exploration == gamma(t)
        match = scheduler.ask()
        if t >= tau:
            expected, widths = plain_candidates(scheduler.ratings(), matches, gamma(t))
            scheduler.withdraw(match)
            assert scheduler.candidates() == expected
            scheduler.expect(match)
            among = widths[np.ix_(expected, expected)]
            assert set(match) <= set(expected)
            assert widths[match] == pytest.approx(among.max(), abs=1e-9)
            sizes.append(len(expected))
        scheduler.tell(Result(match, game.play(match, rng)))
        matches.append(match)
    assert (min(sizes) < 4) == (scale < 1.0)


def test_lemma_1_holds_on_a_run_whose_first_batch_connects_everyone():
    game = elo_game(np.random.default_rng(0), n_players=20, spread=1.0)
    scheduler, rng = maxin(20, batch_size=200, exploration=2.0), np.random.default_rng(1)
    first = play(scheduler, game, 200)
    assert algebraic_connectivity(first, 20) >= 1.0
    widths = []
    for _ in range(800):
        match = scheduler.ask()
        scheduler.withdraw(match)
        widths.append(scheduler.width(match))
        scheduler.tell(Result(match, game.play(match, rng)))
    check = check_lemma1(np.array(widths), n_players=20, batch_size=200)
    assert check.holds
    assert check.sums[-1] > 0.1 * check.bounds[-1]  # the bound is not trivially loose
