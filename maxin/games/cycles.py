"""Cyclic games: everyone is beaten by someone."""

from __future__ import annotations

import numpy as np

from maxin.games.base import Game
from maxin.games.limits import check_size


def disc(rng: np.random.Generator, *, n_players: int = 100) -> Game:
    """Points of the unit disc in a cycle: the payoff of x against y is x_1 y_2 - x_2 y_1.

    Each player beats those up to half a turn ahead (Balduzzi et al. 2018, "Re-evaluating
    evaluation"), more often the further both are from the centre.

    >>> disc(np.random.default_rng(0), n_players=3).payoffs[0]
    array([ 0.   , -0.397, -0.098])
    """
    n_players = check_size(n_players)
    radii = np.sqrt(rng.random(n_players))  # the root makes the points uniform over the area
    angles = rng.uniform(0.0, 2.0 * np.pi, n_players)
    x, y = radii * np.cos(angles), radii * np.sin(angles)
    return Game("disc", np.outer(x, y) - np.outer(y, x))


def rock_paper_scissors(rng: np.random.Generator) -> Game:
    """Rock (player 0) beats scissors (2), scissors beat paper (1), and paper beats rock.

    >>> rock_paper_scissors(np.random.default_rng(0)).payoffs
    array([[ 0., -1.,  1.],
           [ 1.,  0., -1.],
           [-1.,  1.,  0.]])
    """
    return Game("rock-paper-scissors", [[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
