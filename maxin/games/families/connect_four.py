"""Connect four: a population of players with different styles and different care."""

from __future__ import annotations

import numpy as np

from maxin.games.base import Game
from maxin.games.limits import check_count, check_size
from maxin.games.payoffs import Table, seat_average
from maxin.kernels.connect_four import COLUMNS, mean_results

MOST_PLAYERS, MOST_GAMES = 500, 1_000
# The largest weights of four features: makes four, prevents four, allows four, own neighbours.
STYLES = np.array([3.0, 3.0, 2.0, 0.4])
CENTRE = np.array([0.0, 0.2, 0.4, 0.6, 0.4, 0.2, 0.0])  # the mean taste for each column
FANCY = 0.3  # how much tastes differ
CARE = (0.3, 10.0)  # the least and the most careful player: a factor of all weights
PURE = 1e6  # the care of a player who always makes the same move in a position


def connect_four(
    rng: np.random.Generator, *, n_players: int = 50, games: int = 20, pure: int = 0
) -> Game:
    """Connect four on the board of 7 x 6: players of different styles and different care.

    A player judges a move by whether it makes four, prevents four, or allows four on top of it, by
    the own stones next to it, and by its taste for the column. It chooses the move with
    probability proportional to exp(care * judgement). Styles are random, and care is evenly spaced
    by ratio. Payoffs are the mean results of simulated games.

    Args:
        rng: Draws the players and plays the games.
        n_players: How many players to draw.
        games: Simulate this many games per pair and seat.
        pure: 1 for players who always make the same move in a position, so that one game per seat
            is enough; 0 for others.

    >>> connect_four(np.random.default_rng(0), n_players=3).payoffs[0]
    array([ 0. , -1. , -0.9])
    """
    check_size(n_players, most=MOST_PLAYERS)
    check_count(games, "games", least=1, most=MOST_GAMES)
    weights = drawn_styles(n_players, rng)
    if check_count(pure, "pure", least=0, most=1):
        weights, games = PURE * weights, 1
    else:
        weights *= rng.permutation(np.geomspace(*CARE, n_players))[:, None]
    return Game("connect four", seat_average(mean_results(weights, games, rng), "connect four"))


def drawn_styles(n_players: int, rng: np.random.Generator) -> Table:
    """The weights of the features and the tastes of each player.

    >>> drawn_styles(2, np.random.default_rng(0)).shape
    (2, 11)
    """
    styles = rng.random((n_players, len(STYLES))) * STYLES
    tastes = CENTRE + FANCY * rng.standard_normal((n_players, COLUMNS))
    return np.hstack([styles, tastes])
