"""Three players, solved exactly: the best choice of matches that exists, by backward induction."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from maxin.core import InvalidInput, check_whole

STEP = 0.1  # nats between the points of the grid; the sums are exact to about 1e-5
REACH = 8.5  # spreads to the end of the grid: 6 standard deviations of a difference
MOST_MATCHES = 40  # more could overflow where ratings are far apart
PAIRS = ((0, 1), (0, 2), (1, 2))

Array = NDArray[np.float64]
Choice = Callable[[Array, int], Array]  # the options of `expected_loss` and the matches so far


class ThreePlayers:
    """Three players with independent ratings N(0, spread^2) and logistic results.

    Results count by the matches of each pair, n_01, n_02 and n_12, and the wins of each player,
    s_0, s_1 and s_2: with them, the probability of the results is

        L = prod over i of exp(s_i r_i) / prod over pairs of (exp(r_i) + exp(r_j))^n_ij.

    Let U be the integral over the prior of L times the rating of the player that is named in the
    end. At the last match, U is the largest of three integrals, one for each player that can be
    named. Before, L is the sum of its values after a win and after a loss of any pair, so the best
    choice of matches has U = max over pairs of (U after a win + U after a loss). Since L = 1
    without results, this U is the expected rating of the player named.

    The integrals are sums on a grid of u = r_0 - r_2 and v = r_1 - r_2, which converge fast, as
    those of smooth functions do that vanish at both ends.

    Args:
        spread: the standard deviation of ratings, in nats.

    >>> three = ThreePlayers(spread=1.0)
    >>> three.best, three.least_loss(1), three.least_loss(6)
    (0.8463, 0.4831, 0.1642)
    """

    def __init__(self, spread: float) -> None:
        self.best = 1.5 * spread / math.sqrt(math.pi)  # the expected rating of the best player
        n_steps = math.ceil(REACH * spread / STEP)
        self._grid = np.arange(-n_steps, n_steps + 1) * STEP
        u, v = self._grid[:, None], self._grid[None, :]
        density = np.exp(-(u * u - u * v + v * v) / (3.0 * spread**2))
        self._prior = density / density.sum()
        # Minus the mean of all three, which no result depends on.
        self._ratings = np.stack([(2.0 * u - v) / 3.0, (2.0 * v - u) / 3.0, -(u + v) / 3.0])
        self._widths = np.stack([_log_cosh(u - v), _log_cosh(u + 0.0 * v), _log_cosh(v + 0.0 * u)])
        top = self._ratings.max(axis=0)
        is_tie = np.isclose(self._ratings, top).sum(axis=0) > 1
        # The largest rating has a kink at ties; a sum on a grid lacks step^2 / 12 of each.
        self._top = top + is_tie * STEP / 12.0

    def naming_losses(self, wins: Array) -> Array:
        """The expected loss of naming each player, given how often each beat each other.

        >>> ThreePlayers(1.0).naming_losses(np.array([[0, 2, 1], [0, 0, 1], [0, 0, 0]]))
        array([0.1147, 1.1418, 1.5947])
        """
        matches = wins + wins.T
        weights = self._weights([matches[pair] for pair in PAIRS])
        excess = (wins.sum(axis=1) - wins.sum(axis=0)) / 2.0
        weights *= np.exp(excess[0] * self._grid)[:, None] * np.exp(excess[1] * self._grid)
        weights /= weights.sum()
        means = np.tensordot(self._ratings, weights, axes=2)
        losses: Array = np.vdot(self._top, weights) - means
        return losses

    def least_loss(self, n_matches: int) -> float:
        """The expected loss of the player named after the best choice of `n_matches` matches."""
        return self.expected_loss(n_matches, lambda options, _: options.max(axis=0))

    def expected_loss(self, n_matches: int, choose: Choice) -> float:
        """The expected loss of the best player to name, after matches chosen by `choose`.

        It is called with U for each choice of the next pair, in the order of `PAIRS`, and the
        number of matches before it, t. For each pair, U has the shape (t + 1,) * 4: one place for
        each n_01, n_02, s_0 and s_1, of which those that cannot be are ignored. It returns U.

        >>> in_turn = lambda options, t: options[t % 3]
        >>> ThreePlayers(1.0).expected_loss(6, in_turn)
        0.2175
        """
        values, _ = self.last_values(n_matches)
        for played in reversed(range(n_matches)):
            values = choose(options_of(values), played)
        return self.best - values.item()

    def last_values(self, n_matches: int) -> tuple[Array, Array]:
        """U after the last match, and the integral of L, which is the chance of the results."""
        if not 0 <= check_whole(n_matches, "n_matches") <= MOST_MATCHES:
            raise InvalidInput(f"n_matches must be from 0 to {MOST_MATCHES}; got {n_matches}")
        values, chances = np.zeros((2, *(n_matches + 1,) * 4))
        with threadpool_limits(1):  # the matrices are too small for more
            for n_01 in range(n_matches + 1):
                for n_02 in range(n_matches + 1 - n_01):
                    n_12 = n_matches - n_01 - n_02
                    weights = self._weights([n_01, n_02, n_12])
                    by_first, by_second = self._powers(n_01 + n_02), self._powers(n_01 + n_12)
                    of_wins = [
                        by_first @ (weights * factor) @ by_second.T
                        for factor in (1.0, *self._ratings[:2])
                    ]
                    here = n_01, n_02, slice(n_01 + n_02 + 1), slice(n_01 + n_12 + 1)
                    chances[here], zero, one = of_wins
                    values[here] = np.maximum(np.maximum(zero, one), -zero - one)
        return values, chances

    def _weights(self, matches: list[float]) -> Array:
        """The prior times the part of L that depends on the number of matches alone."""
        weights: Array = self._prior * np.exp(-np.tensordot(matches, self._widths, axes=1))
        return weights

    def _powers(self, n_matches: int) -> Array:
        """The part of L that depends on a player's wins, 0 to `n_matches`: one row each."""
        return np.exp(np.outer(np.arange(n_matches + 1) - n_matches / 2.0, self._grid))


class BestPolicy:
    """The best choice of matches of three players, for a given number of matches.

    A policy that chooses other matches has, for each of them, a cost: the loss of the best policy
    that begins with it, minus that of the best policy, both from there on and given the results
    so far. The expected loss of any policy is that of the best one plus the expected sum of its
    costs, and this sum has much less noise than the loss itself.

    Args:
        three: the players.
        n_matches: after how many matches a player is named.

    >>> policy = BestPolicy(ThreePlayers(spread=1.0), n_matches=6)
    >>> policy.loss
    0.1642
    >>> won = np.array([[0, 2, 0], [0, 0, 0], [0, 0, 0]])  # player 0 won twice against player 1
    >>> [policy.cost(won, *pair) for pair in PAIRS]
    [0.0242, 0.0, 0.0084]
    """

    def __init__(self, three: ThreePlayers, n_matches: int) -> None:
        self.n_matches = n_matches
        values, chances = three.last_values(n_matches)
        self._costs: list[NDArray[np.float32]] = []  # by the matches before, then as U
        for _ in range(n_matches):
            options, chances = options_of(values), options_of(chances)[0]
            values = options.max(axis=0)
            with np.errstate(divide="ignore", invalid="ignore"):  # results that cannot be
                self._costs.insert(0, ((values - options) / chances).astype(np.float32))
        self.loss = three.best - values.item()

    def cost(self, wins: Array, x: int, y: int) -> float:
        """The cost of a match of x and y, given how often each beat each other.

        It is 0 if a player was named already.
        """
        played = int(wins.sum())
        if played >= self.n_matches:
            return 0.0
        matches, won = wins + wins.T, wins.sum(axis=1)
        place = PAIRS.index((min(x, y), max(x, y)))
        counts = (matches[0, 1], matches[0, 2], won[0], won[1])
        return float(self._costs[played][place, *(int(count) for count in counts)])


def options_of(values: Array) -> Array:
    """U before a match of each pair, from U after it."""
    now, more = slice(None, -1), slice(1, None)
    options: Array = np.stack(
        [
            values[more, now, more, now] + values[more, now, now, more],
            values[now, more, more, now] + values[now, more, now, now],
            values[now, now, now, more] + values[now, now, now, now],
        ]
    )
    return options


def _log_cosh(differences: Array) -> Array:
    """log(2 cosh(d / 2))."""
    sizes = np.abs(differences)
    logs: Array = sizes / 2.0 + np.log1p(np.exp(-sizes))
    return logs
