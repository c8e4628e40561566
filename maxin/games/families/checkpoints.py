"""Checkpoints of one training run: a noisy learning curve, and a player who chases its past."""

from __future__ import annotations

import math

import numpy as np

from maxin.games.base import Game
from maxin.games.limits import check_amount, check_count, check_size


def checkpoints(
    rng: np.random.Generator,
    *,
    n_players: int = 60,
    gain: float = 2.0,
    noise: float = 0.2,
    memory: float = 0.8,
    chase: float = 0.5,
    window: int = 10,
) -> Game:
    """Checkpoints of a training run, in order: a learning curve with noise, and local cycles.

    Checkpoint k of n has the rating gain (1 - exp(-3 k / n)) + x_k, where x is noise that the next
    checkpoint inherits in part: x_k = memory x_(k - 1) + noise sqrt(1 - memory^2) z_k. Trained
    against its recent past, a checkpoint beats the last `window` ones more often than ratings say,
    and those before them less often: the log-odds of a checkpoint against one d steps older are
    the difference of ratings plus chase sin(pi d / window), up to d = 2 window.

    Args:
        rng: Draws the noise.
        n_players: How many checkpoints there are.
        gain: What the whole training is worth, in nats.
        noise: Standard deviation of the noise, in nats.
        memory: The share of its noise that a checkpoint inherits; 0 is the roughest curve.
        chase: How much a checkpoint is adapted to its recent past, in nats.
        window: How many checkpoints that past has.

    >>> checkpoints(np.random.default_rng(0)).ratings[[0, 20, 40, 59]]
    array([-1.377, -0.200,  0.347,  0.421])
    """
    steps = np.arange(check_size(n_players))
    check_amount(memory, "memory", most=1.0)
    rough = check_amount(noise, "noise", most=10.0) * rng.standard_normal(n_players)
    for step in range(1, n_players):
        rough[step] = memory * rough[step - 1] + math.sqrt(1.0 - memory**2) * rough[step]
    curve = check_amount(gain, "gain", most=10.0) * (1.0 - np.exp(-3.0 * steps / n_players))
    check_count(window, "window", least=1, most=n_players)
    older = np.subtract.outer(steps, steps)
    recent = np.where(np.abs(older) <= 2 * window, np.sin(np.pi * older / window), 0.0)
    ratings = curve + rough
    advantages = np.subtract.outer(ratings, ratings)
    advantages += check_amount(chase, "chase", most=10.0) * recent
    return Game("checkpoints", np.tanh(advantages / 2.0))
