"""Random fields: players, gaps, cycles and draws as requested."""

import numpy as np
import pytest

from maxin.core import InvalidInput, Match, UnknownName
from maxin.games import make_game


def test_fields_are_as_requested():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        game = make_game("field:n_players=4,most_players=6,kappa=1,least_gap=0.1,most_gap=0.5", rng)
        assert 4 <= game.n_players <= 6
        second, best = np.sort(game.ratings)[-2:]
        assert 0.1 <= best - second <= 0.5 + 1e-9
    flat = make_game("field:n_players=40,spread=0,kappa=1,cycles=sparse", np.random.default_rng(0))
    assert 0.05 < (flat.payoffs != 0).mean() < 0.15
    ladder = make_game("field:n_players=10", np.random.default_rng(0))
    advantages = np.log(ladder.probabilities / ladder.probabilities.T)
    np.testing.assert_allclose(advantages, np.subtract.outer(*[ladder.ratings] * 2), atol=1e-9)


def test_draws_are_as_frequent_as_requested():
    game = make_game("field:n_players=2,spread=0.5,draws=0.6", np.random.default_rng(1))
    rng, chance = np.random.default_rng(0), game.probabilities[0, 1]
    scores = np.array([game.play(Match(0, 1), rng) for _ in range(20_000)])
    assert scores.mean() == pytest.approx(chance, abs=0.015)
    assert (scores == 0.5).mean() == pytest.approx(1.2 * min(chance, 1 - chance), abs=0.015)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("field:n_players=5,most_players=4", "most_players must be at least 5"),
        ("field:spread=2,most_spread=1", "most_spread must be at least 2"),
        ("field:spread=50", "spread must be from 0 to 10"),
        ("field:draws=1.5", "draws must be from 0 to 1"),
        ("field:kappa=1,cycles=round", "no kind of cycles named 'round'"),
        ("field:n_players=2,least_gap=90", "a gap from 90 to inf nats"),
    ],
)
def test_impossible_fields_are_refused(text, words, monkeypatch):
    monkeypatch.setattr("maxin.games.random_field.MOST_TRIES", 1_000)
    with pytest.raises(InvalidInput, match=words):
        make_game(text, np.random.default_rng(0))
    assert issubclass(UnknownName, InvalidInput)


@pytest.mark.parametrize(
    ("options", "phi"),
    [("steady_draws=0.6", 0.4), ("openings=0", 0.5), ("openings=2", 0.21), ("graded=0.1", 0.1)],
)
def test_scores_have_the_mean_of_the_payoffs_and_the_dispersion_of_their_kind(options, phi):
    rng = np.random.default_rng(1)
    game = make_game(f"field:n_players=2,spread=0.1,{options}", rng)
    chance = game.probabilities[0, 1]
    scores = np.array([game.play(Match(0, 1), rng) for _ in range(4000)])
    assert scores.mean() == pytest.approx(chance, abs=0.03)
    assert scores.var() == pytest.approx(phi * chance * (1.0 - chance), rel=0.1)


def test_a_field_has_one_kind_of_scores():
    with pytest.raises(InvalidInput, match="not several"):
        make_game("field:draws=0.5,graded=0.1", np.random.default_rng(0))
