import pickle

import numpy as np
import pytest

from maxin.core import InvalidInput, Match, Result
from maxin.games import elo_game, make_game
from maxin.ratings import Elo, MElo
from maxin.schedulers import MaxIn, MaxInP, make_scheduler
from maxin.schedulers.paper.maxin import project


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


def test_without_cyclic_coordinates_melo_is_elo():
    game = elo_game(np.random.default_rng(0), n_players=20)
    runs = [
        play(
            MaxIn(
                model,
                exploration=0.8,
                batch_size=14,
                step_size=0.5,
                rng=np.random.default_rng(5),
            ),
            game,
            200,
        )
        for model in (Elo(20), MElo(20, dimensions=0))
    ]
    assert runs[0] == runs[1]


def test_a_growing_gamma_lets_players_back_in_within_a_batch():
    scheduler = maxin(3, batch_size=8, exploration=lambda t: 0.1 if t < 10 else 100.0, alone="self")
    for _ in range(4):
        for loser in (1, 2):
            scheduler.tell(Result(Match(0, loser), 1.0))
    assert scheduler.candidates() == [0]
    assert scheduler.ask() == Match(0, 0)
    for _ in range(2):
        scheduler.tell(Result(Match(0, 0), 1.0))
    assert scheduler.candidates() == [0, 1, 2]
    assert scheduler.ask() == Match(1, 2)


def test_a_schedule_that_never_changes_is_the_number():
    game = elo_game(np.random.default_rng(0), n_players=15)
    number, schedule = (
        play(maxin(15, batch_size=10, exploration=gamma), game, 200)
        for gamma in (0.7, lambda _: 0.7)
    )
    assert number == schedule


def test_many_pending_matches_are_spread_over_pairs():
    scheduler, game = maxin(10, batch_size=10), elo_game(np.random.default_rng(0), n_players=10)
    play(scheduler, game, 60)
    wave = [scheduler.ask() for _ in range(16)]
    assert len(set(wave)) >= 3  # it would be 1 if pending matches did not count
    for match in wave:
        scheduler.withdraw(match)
    assert scheduler.ask() == wave[0]


def test_asking_a_batch_ahead_asks_the_same_matches_as_one_by_one():
    """V depends on who plays, not on scores, so asking ahead within a batch changes nothing."""
    game = elo_game(np.random.default_rng(0), n_players=12)
    alone, ahead = (maxin(12, batch_size=12, seed=3) for _ in range(2))
    for first, second in [(0, 1), (1, 2), (2, 3), (4, 5), (5, 6), (7, 8)] * 2:
        for scheduler in (alone, ahead):
            scheduler.tell(Result(Match(first, second), 1.0))
    one_by_one = play(alone, game, 36)
    rng, asked = np.random.default_rng(1), []
    for _ in range(3):
        batch = [ahead.ask() for _ in range(12)]
        for match in batch:
            ahead.tell(Result(match, game.play(match, rng)))
        asked += batch
    assert asked == one_by_one


def maxinp(n_players, **options):
    return MaxInP(n_players, rng=np.random.default_rng(0), **options)


@pytest.mark.parametrize("make", [maxin, maxinp])
def test_a_lone_candidate_meets_itself_a_rival_or_nobody(make):
    def lone(alone):
        scheduler = make(n_players=3, exploration=0.3, batch_size=6, alone=alone)
        for _ in range(20):
            for loser in (1, 2):
                scheduler.tell(Result(Match(0, loser), 1.0))
        assert scheduler.candidates() == [0]
        return scheduler

    assert lone("self").ask() == Match(0, 0)
    assert lone("stop").ask() is None
    assert lone("rival").ask() in (Match(0, 1), Match(0, 2))
    paper = lone("self")
    before = paper.ratings().copy()
    for _ in range(6):
        paper.tell(Result(paper.ask(), 1.0))
    if isinstance(paper, MaxInP):
        np.testing.assert_array_equal(paper.ratings(), before)
    with pytest.raises(InvalidInput, match="nobody can play themselves"):
        lone("rival").tell(Result(Match(0, 0), 1.0))


def test_if_all_are_beaten_all_are_candidates():
    """In a certain cycle every player is beaten, so the widest of all pairs is asked."""

    class Cycle(Elo):
        def advantages(self, parameters):
            return 9.0 * np.array([[0.0, 1.0, -1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 0.0]])

    scheduler = MaxIn(
        Cycle(3), exploration=0.1, batch_size=3, step_size=1.0, rng=np.random.default_rng(0)
    )
    for match in (Match(0, 1), Match(0, 1), Match(1, 2)):
        scheduler.tell(Result(match, 0.5))
    assert scheduler.candidates() == [0, 1, 2]
    assert scheduler.ask() == Match(0, 2)


def test_ratings_stay_in_the_ball_around_the_first_fit():
    scheduler = maxin(8, step_size=10.0, radius=0.5, batch_size=8)
    play(scheduler, elo_game(np.random.default_rng(0), n_players=8), 200)
    assert np.linalg.norm(scheduler.iterate[:, 0] - scheduler.anchor) <= 0.5 + 1e-12


def test_without_a_ball_nothing_is_projected():
    scheduler = maxin(8, step_size=10.0, radius=np.inf, batch_size=8)
    play(scheduler, elo_game(np.random.default_rng(0), n_players=8), 100)
    assert np.isfinite(scheduler.ratings()).all()


def test_self_matches_in_the_first_batch_are_harmless():
    scheduler = maxin(4, alone="self", batch_size=3)
    scheduler.tell(Result(Match(2, 2), 1.0))
    for _ in range(30):
        scheduler.tell(Result(Match(0, 1), 1.0))
    assert scheduler.n_batches == 10
    assert scheduler.ratings()[0] > 0.0


def test_ratings_cannot_be_changed_from_outside():
    for text in ("maxin", "maxinp", "random+elo", "random+bradley-terry"):
        scheduler = make_scheduler(text, 4, np.random.default_rng(0))
        with pytest.raises(ValueError, match="read-only"):
            scheduler.ratings()[0] = 1.0


def test_projection_keeps_points_inside_the_ball_and_moves_others_to_its_surface():
    centre = np.array([1.0, 1.0])
    np.testing.assert_array_equal(project(np.array([1.5, 1.0]), centre, 2.0), [1.5, 1.0])
    np.testing.assert_allclose(project(np.array([1.0, 5.0]), centre, 2.0), [1.0, 3.0])


def test_memory_does_not_grow_with_rounds():
    scheduler, game = maxin(10, batch_size=7), elo_game(np.random.default_rng(0), n_players=10)
    sizes = []
    for _ in range(4):
        play(scheduler, game, 1001)  # whole batches, so that none is half full
        sizes.append(len(pickle.dumps(scheduler)))
    assert max(sizes) < 1.1 * sizes[0]


def test_maxin_has_less_regret_than_random():
    rng = np.random.default_rng(0)
    game = make_game("elo:n_players=30", rng)
    regrets = {}
    for text in ("maxin:alone=self", "random"):
        matches = play(make_scheduler(text, 30, np.random.default_rng(1)), game, 600)
        losses = game.ratings.max() - game.ratings[np.array(matches)]
        regrets[text] = losses.mean(axis=1).sum()
    assert regrets["maxin:alone=self"] < 0.5 * regrets["random"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"batch_size": 0}, r"batch_size \(tau\) must be at least 1; got 0"),
        ({"exploration": -0.1}, r"exploration \(gamma\) must be at least 0; got -0.1"),
        ({"exploration": float("nan")}, "got nan"),
        ({"step_size": 0.0}, r"step_size \(eta\) must be positive and finite; got 0.0"),
        ({"batch_size": 6.3}, "must be a whole number; got 6.3"),
        ({"radius": 0.0}, "radius must be positive and finite; got 0.0"),
        ({"exploration": lambda _: -1.0}, "exploration .gamma. must be at least 0; got -1.0"),
        ({"alone": "cry"}, "alone must be 'rival', 'stop' or 'self'; got 'cry'"),
        ({"n_players": 1}, "at least two players; got 1"),
    ],
)
def test_errors_name_the_invalid_argument(options, words):
    with pytest.raises(InvalidInput, match=words):
        maxin(**options)
