"""The lemmas and Theorem 1 along runs."""

import math

import numpy as np
import pytest

from maxin.core import Result
from maxin.evaluation import regret
from maxin.games import elo_game
from maxin_studies.reproduction.theory_checks import (
    CONSTANTS,
    TheoryRecorder,
    TheorySettings,
    check_theory,
    even_game,
    largest_convexity,
    needed_batch,
    theorem1_settings,
    useful_after,
)
from maxin_studies.theory import batch_size, curvature, exploration, regret_bound

GAME = elo_game(np.random.default_rng(0), n_players=8, spread=1.0)


def test_a_run_is_recorded_round_by_round():
    settings, rng = (
        TheorySettings(rounds=60, batch_size=20, convexity=4.0),
        np.random.default_rng(0),
    )
    recorder, alone = TheoryRecorder(GAME, settings, rng), np.random.default_rng(1)
    matches, members, widths = [], [], []
    for t in range(60):
        if t >= 20:
            members.append(recorder.candidates())
        match = recorder.ask()
        if t >= 20:
            widths.append(recorder.width(match))
        recorder.tell(Result(match, GAME.play(match, alone)))
        matches.append(match)
    assert [np.flatnonzero(row).tolist() for row in recorder.members] == members
    np.testing.assert_array_equal(recorder.widths, widths)
    assert len(recorder.estimates) == len(recorder.all_widths) == 2  # after 20 and 40 results
    assert recorder.step_size == 0.25
    assert recorder.exploration == 1.0


def test_a_check_adds_up_the_regret_and_knows_all_bounds():
    settings = TheorySettings(rounds=300, batch_size=40)
    check = check_theory(GAME, settings, seed=3)
    again = check_theory(GAME, settings, seed=3)
    assert again == check
    assert check.lemma1_holds == (check.sum_of_widths < check.lemma1_bound)
    assert check.lemma2_holds
    assert 0.0 < check.lemma2_ratio < 1.0
    assert check.best_stays == (check.best_share == 1.0)
    assert check.regret_bound == regret_bound(GAME.ratings, 300, 40, 1.0)
    assert check.regret <= check.largest_regret == pytest.approx(300 * np.ptp(GAME.ratings))
    assert not check.assumption.is_met
    everyone = [(x, y) for x in range(8) for y in range(8)]
    per_match = regret(np.array(everyone), GAME.ratings)[-1] / len(everyone)
    assert check.random_regret == pytest.approx(300 * per_match)


def test_the_best_player_can_be_expelled():
    """On a field this wide a gamma of 1 is too small in some runs; the check must notice."""
    game = elo_game(np.random.default_rng(0), n_players=30)
    checks = [check_theory(game, TheorySettings(300, 21), seed) for seed in range(6)]
    shares = [check.best_share for check in checks]
    assert min(shares) < 1.0
    assert [check.best_stays for check in checks] == [share == 1.0 for share in shares]


def test_the_exploration_of_lemma_3_grows_with_the_rounds():
    settings = TheorySettings(50, 10, is_lemma3_exploration=True)
    recorder = TheoryRecorder(GAME, settings, np.random.default_rng(0))
    near = curvature(GAME.ratings, 1.0)
    assert recorder.exploration == exploration(1, 8, 50, near)
    recorder.tell(Result(recorder.ask(), 1.0))
    assert recorder.exploration == exploration(2, 8, 50, near)


@pytest.mark.parametrize(("n_players", "lead", "n_batches"), [(2, 0.1, 4), (3, 0.3, 2)])
def test_settings_of_theorem_1_satisfy_eq_tau(n_players, lead, n_batches):
    ratings = even_game(n_players, lead).ratings
    rounds, tau, alpha, scheduled = theorem1_settings(ratings, n_batches)
    assert scheduled
    assert rounds == n_batches * tau
    far = curvature(ratings, 3.0)

    def eq_tau(convexity):
        return batch_size(
            n_players,
            rounds,
            near_curvature=curvature(ratings, 1.0),
            far_curvature=far,
            information=2.0 / (n_players - 1),
            convexity=convexity,
            constants=CONSTANTS,
        )

    assert eq_tau(far) == tau  # the smallest alpha
    assert eq_tau(0.999 * alpha) == tau  # the largest
    assert eq_tau(1.001 * alpha) > tau
    assert alpha > far
    assert alpha < far * tau / (2 * (n_players - 1))


@pytest.mark.parametrize("lead", [0.0, 0.1, 1.0, 5.0])
def test_steps_of_35_batches_overshoot_on_any_game(lead):
    """The slope at the true ratings is more than 17 times c_3, so 4 slope / (c_3 j) > 2."""
    slope = math.exp(-lead) / (1.0 + math.exp(-lead)) ** 2
    assert 4.0 * slope / (curvature(np.array([lead, 0.0]), 3.0) * 35) > 2.0


def test_the_bound_is_below_the_largest_regret_from_there_on():
    ratings = np.array([1.0, 0.0])

    def excess(rounds):
        tau = needed_batch(ratings, rounds)
        alpha = largest_convexity(ratings, rounds, tau)
        return regret_bound(ratings, rounds, tau, alpha) / rounds

    found = int(useful_after(ratings))
    assert excess(found) < 1.0 < excess(int(found / 1.02))
    assert found > 1e16
