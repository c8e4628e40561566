import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from maxin.core import InvalidInput, Match
from maxin.games import Game


def fair(table):
    return np.triu(table, 1) - np.triu(table, 1).T


sizes = st.integers(2, 6)
entries = st.floats(-1.0, 1.0)
fair_tables = sizes.flatmap(lambda n: arrays(np.float64, (n, n), elements=entries)).map(fair)


@given(fair_tables)
def test_chances_of_the_two_players_sum_to_one_exactly(payoffs):
    p = Game("g", payoffs).probabilities
    np.testing.assert_array_equal(p + p.T, 1.0)
    np.testing.assert_array_equal(np.diag(p), 0.5)


def softened(payoffs):
    """P, with wins that are certain in floating point replaced by 0.99."""
    certain = (1.0 + np.abs(payoffs)) / 2.0 == 1.0
    return np.where(certain, 0.5 + 0.49 * np.sign(payoffs), (1.0 + payoffs) / 2.0)


@given(fair_tables)
def test_chances_are_the_payoffs_with_certain_wins_softened(payoffs):
    expected = softened(payoffs)
    np.testing.assert_allclose(Game("g", payoffs).probabilities, expected, rtol=1e-12, atol=1e-15)


@given(fair_tables)
def test_ratings_are_row_means_of_log_odds(payoffs):
    game = Game("g", payoffs)
    p = softened(payoffs)
    exact = 8 * np.finfo(float).eps / np.minimum(p, 1 - p).min()  # a chance near 1 has few digits
    np.testing.assert_allclose(game.ratings, np.log(p / (1 - p)).mean(axis=1), atol=1e-12 + exact)
    np.testing.assert_allclose(game.mean_scores, ((payoffs + 1) / 2).mean(axis=1), atol=1e-12)


@given(fair_tables, st.randoms(use_true_random=False))
def test_renumbering_the_players_renumbers_their_ratings_exactly(payoffs, random):
    order = random.sample(range(len(payoffs)), len(payoffs))
    game, renumbered = Game("g", payoffs), Game("g", payoffs[np.ix_(order, order)])
    np.testing.assert_array_equal(renumbered.ratings, game.ratings[order])
    np.testing.assert_array_equal(renumbered.mean_scores, game.mean_scores[order])


@given(fair_tables, st.integers(0, 99))
def test_playing_never_changes_a_game(payoffs, seed):
    given_payoffs = payoffs.copy()
    game, fresh, rng = Game("g", payoffs), Game("g", payoffs), np.random.default_rng(seed)
    for _ in range(20):
        game.play(Match(*rng.integers(game.n_players, size=2).tolist()), rng)
    np.testing.assert_array_equal(game.payoffs, fresh.payoffs)
    np.testing.assert_array_equal(game.probabilities, fresh.probabilities)
    np.testing.assert_array_equal(game.ratings, fresh.ratings)
    np.testing.assert_array_equal(payoffs, given_payoffs)


@pytest.mark.parametrize("table", ["payoffs", "probabilities", "ratings", "mean_scores"])
def test_the_tables_of_a_game_are_read_only(table):
    game = Game("g", [[0, 1], [-1, 0]])
    with pytest.raises(ValueError, match="read-only"):
        getattr(game, table)[0] = 9.0


def test_the_callers_table_is_copied():
    payoffs = np.array([[0.0, 0.5], [-0.5, 0.0]])
    game = Game("g", payoffs)
    payoffs[0, 1] = 1.0
    assert game.payoffs[0, 1] == 0.5


def test_scores_follow_the_probabilities():
    game, rng = Game("g", [[0, 0.4, 1], [-0.4, 0, -1], [-1, 1, 0]]), np.random.default_rng(0)
    n_matches = 20_000
    for match in [Match(0, 1), Match(1, 0), Match(0, 2), Match(2, 2)]:
        p = game.probabilities[match]
        scores = [game.play(match, rng) for _ in range(n_matches)]
        assert set(scores) <= {0.0, 1.0}
        assert abs(np.mean(scores) - p) < 4 * np.sqrt(p * (1 - p) / n_matches)


def test_same_seed_same_scores():
    game = Game("g", [[0, 0.4], [-0.4, 0]])
    first, second = np.random.default_rng(3), np.random.default_rng(3)
    match = Match(0, 1)
    scores = [game.play(match, first) for _ in range(50)]
    assert scores == [game.play(match, second) for _ in range(50)]


@pytest.mark.parametrize("match", [Match(0, 2), Match(-1, 0)])
def test_a_match_with_an_unknown_player_is_refused(match):
    with pytest.raises(InvalidInput, match=r"numbered 0\.\.1"):
        Game("g", [[0, 1], [-1, 0]]).play(match, np.random.default_rng(0))


def test_top_is_best_first_with_ties():
    game = Game("g", np.sign(np.subtract.outer([1, 3, 2, 3], [1, 3, 2, 3])))
    assert game.top() == [1, 3]
    assert game.top(2) == [1, 3]
    assert game.top(3) == [1, 3, 2]
    assert game.top(99) == [1, 3, 2, 0]


@pytest.mark.parametrize("k", [0, -1])
def test_an_empty_top_is_refused(k):
    with pytest.raises(InvalidInput, match="at least 1"):
        Game("g", [[0, 1], [-1, 0]]).top(k)


def test_repr_is_short():
    assert repr(Game("coin", [[0, 1], [-1, 0]])) == "Game('coin', n_players=2)"


def test_a_tiny_unfairness_is_averaged_away():
    game = Game("g", [[0, 0.5 + 4e-7], [-0.5, 0]])
    np.testing.assert_array_equal(game.payoffs, -game.payoffs.T)
    np.testing.assert_array_equal(game.probabilities + game.probabilities.T, 1.0)


@pytest.mark.parametrize(
    ("payoffs", "message"),
    [
        ([0, 1], r"square.*shape \(2,\)"),
        ([[0, 1, 1], [-1, 0, 1]], r"square.*shape \(2, 3\)"),
        (np.zeros((2, 2, 2)), r"square.*shape \(2, 2, 2\)"),
        ([[0]], "at least two players; got 1"),
        (np.zeros((0, 0)), "at least two players; got 0"),
        ([[0, np.nan], [-1, 0]], r"finite; entry \(0, 1\) is nan"),
        ([[0, 1], [-np.inf, 0]], r"finite; entry \(1, 0\) is -inf"),
        ([[0, 1.5], [-1.5, 0]], r"in \[-1, 1\]; entry \(0, 1\) is 1.5"),
        ([[0, 0.5], [0.3, 0]], r"\(0, 1\) is 0.5 and entry \(1, 0\) is 0.3.*average_seats"),
        ([[0.5, 0.7], [0.3, 0.5]], "win probabilities P have the payoffs 2 P - 1"),
        ([[0.1, 0], [0, 0]], r"\(0, 0\) is 0.1"),
        ([[0, 1], [-1]], "the same length"),
        ([["0", "a"], ["b", "0"]], "real numbers"),
        ([[0, 1j], [-1j, 0]], "real numbers"),
    ],
)
def test_errors_name_the_payoffs_that_break_a_rule(payoffs, message):
    with pytest.raises(InvalidInput, match=f"game 'g': .*{message}"):
        Game("g", payoffs)
