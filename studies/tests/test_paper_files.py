"""The paper's payoff files, next to the games that rules make in their place."""

import numpy as np
import pytest

from maxin.evaluation import players_in_cycles, sink_players
from maxin.games import load_game, make_game
from maxin.games.kuhn_poker import Habits, deal_gains
from maxin.games.payoffs import seat_average
from maxin_studies.reproduction.figures import ELO_GAMES, GOOD_BAD, MELO_GAMES

RULES = {game.name: game.rules for game in (*GOOD_BAD, *ELO_GAMES, *MELO_GAMES)}
SEEDS = range(20)
NOISES = ("", " + noise=0.01", " + noise=0.05")


@pytest.fixture
def file(shared):
    return lambda name: load_game(shared / "games" / f"{name}.npy", average_seats=True)


def made(name, seed, rules=None):
    return make_game(rules or RULES[name], np.random.default_rng([seed, 0]))


def strengths(game):
    """The mean payoffs in log-odds, which are uniform in the Elo games without much noise."""
    return np.sort(2 * np.arctanh(np.clip(game.payoffs, -0.9999, 0.9999)).mean(axis=1))


STATISTICS = {
    "the spread of mean scores": lambda game: game.mean_scores.std(),
    "the best mean score": lambda game: game.mean_scores.max(),
    "the worst mean score": lambda game: game.mean_scores.min(),
    "the mean size of a payoff": lambda game: np.abs(game.payoffs).mean(),
    "certain wins": lambda game: (game.payoffs == 1).mean(),
    "draws": lambda game: (game.payoffs == 0).mean(),
    "the largest payoff": lambda game: game.payoffs.max(),
    "the unevenness of strengths": lambda game: np.diff(strengths(game)).std(),
    "players in cycles": lambda game: len(players_in_cycles(game.probabilities)),
    "players in the top": lambda game: len(sink_players(game.probabilities)),
}
IN_LAW = [
    "Elo game", "Elo game + noise=0.01", "Elo game + noise=0.05", "Elo game + noise=0.1",
    "Transitive game", "Kuhn-poker", "Blotto",
]  # fmt: skip


def unlikely(game, others, statistics=STATISTICS):
    """The statistics in which a game is over four standard deviations from the mean of others."""
    found = []
    for name in statistics:
        statistic = STATISTICS[name]
        values = [statistic(other) for other in others]
        if abs(statistic(game) - np.mean(values)) > 4 * np.std(values) + 1e-9:
            found.append(name)
    return found


@pytest.mark.parametrize("name", IN_LAW)
def test_a_file_looks_like_one_more_draw_from_its_rule(name, file):
    assert unlikely(file(name), [made(name, seed) for seed in SEEDS]) == []


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("Elo game", "elo"),
        ("Elo game + noise=0.01", "elo:noise=0.01,pool=1000"),
        ("Elo game + noise=0.05", "elo:noise=0.05,pool=1000"),
        ("Elo game + noise=0.1", "elo:noise=0.1"),
        ("Transitive game", "transitive"),
        ("Kuhn-poker", "kuhn-poker:games=100"),
        ("Blotto", "blotto:soldiers=10,fields=4,payoff=margin,n_players=100"),
    ],
)
def test_a_file_does_not_look_like_a_draw_from_a_simpler_rule(name, rules, file):
    assert unlikely(file(name), [made(name, seed, rules) for seed in SEEDS]) != []


def test_three_files_are_made_exactly(file):
    for name in ("2 Good, 2 Bad", "5,3-Blotto"):
        np.testing.assert_allclose(made(name, 0).payoffs, file(name).payoffs, atol=1e-15)
    ranked = []
    for game in (made("Triangular game", 0), file("Triangular game")):
        order = np.argsort(game.mean_scores)
        ranked.append(game.payoffs[np.ix_(order, order)])
    np.testing.assert_array_equal(*ranked)


def test_two_noises_are_the_same_draws_on_the_same_players(shared):
    """In the files, noise is per entry; the rules do the same before they average the seats."""
    tables = [np.load(shared / "games" / f"Elo game{end}.npy") for end in NOISES]
    plain, small, large = tables
    inside = (np.abs(small) < 1) & (np.abs(large) < 1)
    np.testing.assert_allclose((large - plain)[inside], 5 * (small - plain)[inside], atol=1e-12)
    noise = ((small - plain) / 0.01)[inside & (np.abs(plain) < 0.8)]
    assert (noise.mean(), noise.std()) == (pytest.approx(0, abs=0.06), pytest.approx(1, abs=0.04))
    assert np.abs(small + small.T).max() > 0.01  # it is not fair to both seats


def test_the_rules_of_two_noises_share_draws_and_players_too():
    plain, small, large = (made(f"Elo game{end}", 3).payoffs for end in NOISES)
    inside = np.abs(plain) < 0.6  # far from where noise is clipped
    np.testing.assert_allclose((large - plain)[inside], 5 * (small - plain)[inside], atol=1e-12)
    noise = ((small - plain) / 0.01)[np.triu(inside, k=1)]
    assert noise.std() == pytest.approx(np.sqrt(0.5), abs=0.05)


def test_kuhn_poker_is_simulated_from_the_rules_strategies(file):
    """Players agree one by one: what remains of the file is the luck of 100 deals per seat."""
    bits = (np.arange(64)[:, None] >> np.arange(5, -1, -1)) & 1 == 1
    bets, calls = bits[:, ::2], bits[:, 1::2]
    first, second = Habits(bets, calls), Habits(bets[:, [2, 0, 1]], calls[:, [2, 0, 1]])
    exact = made("", 0, "kuhn-poker:habits=paired").payoffs
    gains = deal_gains(first, second)
    np.testing.assert_allclose(exact, seat_average(gains.mean(axis=0) / 2, "exact"), atol=1e-15)
    games = file("Kuhn-poker").payoffs * 241  # the largest margin over 200 games
    np.testing.assert_allclose(games, np.round(games), atol=1e-4)
    variance = 100 * (gains.var(axis=0) + gains.var(axis=0).T)
    luck = (games - 400 * exact)[np.triu(variance > 0, k=1)]
    expected = np.sqrt(variance[np.triu(variance > 0, k=1)])
    assert (luck / expected).std() == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize("name", ["tic_tac_toe", "hex(board_size=3)"])
def test_board_games_have_pure_players_like_the_files(name, file):
    rules, spread = f"{RULES[name]},n_players=40", "the spread of mean scores"
    others = [made(name, seed, rules) for seed in range(3)]
    np.testing.assert_array_equal(np.unique(others[0].payoffs), np.unique(file(name).payoffs))
    assert unlikely(file(name), others, [spread]) == [spread]
