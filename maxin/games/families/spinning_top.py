"""A spinning top: cycles are wide among middling players, and vanish towards both ends."""

from __future__ import annotations

import numpy as np

from maxin.games.base import Game
from maxin.games.limits import check_amount, check_size


def spinning_top(
    rng: np.random.Generator, *, n_players: int = 100, skill: float = 4.0, cycle: float = 2.0
) -> Game:
    """A spinning top: skill decides, with a cycle among middling players (Czarnecki et al. 2020).

    The skills u are evenly spaced in [0, 1], and the angles a are random. The log-odds of i
    against j are skill (u_i - u_j) + cycle w_i w_j sin(a_i - a_j), with widths w = 4 u (1 - u).

    Args:
        rng: Draws the angles and the order of the players.
        n_players: How many players there are.
        skill: Log-odds, in nats, of the most skilled against the least skilled.
        cycle: Log-odds, in nats, between two middling players a quarter of a turn apart.

    >>> spinning_top(np.random.default_rng(0), n_players=3).mean_scores
    array([0.788, 0.212, 0.5  ])
    """
    levels = rng.permutation(np.linspace(0.0, 1.0, check_size(n_players)))
    angles = rng.uniform(0.0, 2.0 * np.pi, n_players)
    widths = 4.0 * levels * (1.0 - levels)
    leads = check_amount(skill, "skill", most=20.0) * np.subtract.outer(levels, levels)
    turns = np.sin(np.subtract.outer(angles, angles)) * np.outer(widths, widths)
    advantages = leads + check_amount(cycle, "cycle", most=20.0) * turns
    return Game("spinning top", np.tanh(advantages / 2.0))
