"""Pair widths: how uncertain each rating difference still is."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from maxin.core import (
    InvalidInput,
    Match,
    check_match,
    check_n_players,
    check_positive,
    check_whole,
)
from maxin.core.linalg import factorised, inverted
from maxin.kernels import widths as kernels
from maxin.kernels.pairs import root_of
from maxin.kernels.widths import STEPS, TOUCHED
from maxin.ratings.base import Array
from maxin.ratings.fitting.curvature import MatchGroups
from maxin.ratings.fitting.pairs import Pairs

FEW_GROUPS = 8  # with this few candidates left, computing an inverse is cheaper than single rows
RIDGE = 1e-6  # added to the diagonal of V, a graph Laplacian, which is singular without it


class PairUncertainty:
    """Widths ||e_x - e_y|| in the norm of V^-1, V = ridge I + sum of (e_x - e_y)(e_x - e_y)'.

    A squared width is the effective resistance between two players in the graph of matches. It
    depends on who met, not on who won, and it never grows. The inverse is computed from the match
    counts by Cholesky (see `settle`): after the first batch, when few groups of players are not
    yet connected, and every n_players matches. Each match after that is one Sherman-Morrison step,
    stored as a vector and applied to a row of widths only when that row is needed. While groups
    are not connected, their sizes tell which rows are (see `kernels.cap_bounds`).

    Rounding errors are bounded: at most `n_players` steps, plus the pending matches, lie between
    a width and an exact inverse. A step subtracts a square, with a rounding error of 1e-16 of the
    width before it. So a squared width is off by about 1e-14, or by 1e-10 at worst, if its players
    were in unconnected groups (squared width 1e6) at the last inverse.

    Pending matches are counted after those with results, in the order asked. So the widths are a
    function of the results and the pending matches, to the last bit.

    Args:
        n_players: how many players there are.
        ridge: what is added to the diagonal of V, so that it has an inverse.
        first_batch: how many matches are observed before a width is needed; none by default.

    >>> uncertainty = PairUncertainty(3)
    >>> uncertainty.observe(Match(0, 1))
    >>> uncertainty.observe(Match(1, 2))
    >>> np.square(uncertainty.widths()).round(5)  # resistances in a row add up
    array([[0., 1., 2.],
           [1., 0., 1.],
           [2., 1., 0.]])
    """

    def __init__(self, n_players: int, *, ridge: float = RIDGE, first_batch: int = 0) -> None:
        check_n_players(n_players)
        self._ridge = check_positive(ridge, "ridge")
        self._settled = np.zeros((n_players, n_players))  # how often each pair met, until `settle`
        self._recent: list[tuple[int, int]] = []  # matches observed since then, in order
        self._first_batch = first_batch
        self._parents = np.arange(n_players)  # a forest: players of one tree are connected
        self._sizes = np.ones(n_players, dtype=np.int64)  # of the trees, at their roots
        self._n_groups = n_players
        self._widths = _no_widths(n_players)
        self._is_settled = False  # whether the base of the widths has all settled matches
        self._path: list[tuple[int, int]] = []  # the match of each step
        self._answer: tuple[int, int] | None = None  # the result of `widest`, until a change

    @property
    def n_touched(self) -> int:
        """How many widths `widest` has brought up to date so far; at most players^2 per round."""
        return int(self._widths.counts[TOUCHED])

    def observe(self, match: Match) -> None:
        """Count a played match; a match of a player against itself changes nothing."""
        first, second = match
        n_players = len(self._settled)
        is_plain = type(first) is type(second) is int
        if not (is_plain and 0 <= first < n_players and 0 <= second < n_players):
            first, second = match = check_match(match, n_players)
        if first == second:
            return
        pair = _ordered(match)
        place = len(self._recent)
        self._recent.append(pair)
        if place < len(self._path) and self._path[place] != pair:
            self._forget_steps()  # results did not come in the order asked
        self._first_batch -= 1
        are_few = self._n_groups > 1 and self._join(pair) and self._n_groups == FEW_GROUPS
        if are_few or self._first_batch == 0 or len(self._recent) == len(self._settled):
            self.settle()

    def _join(self, pair: tuple[int, int]) -> bool:
        """Connect the groups of two players; returns whether they were not connected."""
        one, two = sorted(root_of(player, self._parents) for player in pair)
        if one == two:
            return False
        self._parents[two] = one
        self._sizes[one] += self._sizes[two]
        self._n_groups -= 1
        return True

    def settle(self) -> None:
        """Let the next inverse be computed from all matches observed so far."""
        if self._recent:
            for first, second in self._recent:
                self._settled[first, second] += 1.0
                self._settled[second, first] += 1.0
            self._recent.clear()
            self._is_settled = False

    def restart(self) -> None:
        """Consider everyone a possible candidate again, because the floors have changed."""
        np.copyto(self._widths.bounds, self._widths.reach)
        self._answer = None

    def widest(self, floors: Array, in_flight: Sequence[Match] = ()) -> tuple[int, int]:
        """The pair of candidates with the largest width; ties go to the lowest players.

        A candidate's squared widths are above `floors[x, y]` for every y; see
        `kernels.floors_below`. The result (x, x) means that x is the only candidate, (-1, -1) that
        there is none. Until `restart`, the floors must stay the same: a player that is ruled out
        stays out, because widths only shrink.
        """
        self._catch_up(in_flight)
        if self._answer is None:
            if self._n_groups > 1:
                bounds = self._widths.bounds
                kernels.cap_bounds(bounds, self._parents, self._sizes, self._ridge)
            self._answer = kernels.widest_pair(self._widths, floors)
        return self._answer

    def widest_of_all(self, in_flight: Sequence[Match] = ()) -> tuple[int, int]:
        """The pair with the largest width of all, as if everyone were a candidate."""
        self.restart()
        pair = self.widest(np.full_like(self._settled, -1.0), in_flight)
        self.restart()
        return pair

    def widest_rival(self, player: int, in_flight: Sequence[Match] = ()) -> int:
        """The rival that `player` is least compared with."""
        row = self._squares(in_flight, [player])[player]
        return kernels.widest_rival(row, np.zeros(len(row)))

    def widths(self, in_flight: Sequence[Match] = ()) -> Array:
        """The width of every pair, shape (players, players); zero on the diagonal."""
        squares = self._squares(in_flight, range(len(self._settled)))
        return np.asarray(np.sqrt(np.maximum(squares, 0.0)))

    def width(self, match: Match, in_flight: Sequence[Match] = ()) -> float:
        """The width of one pair."""
        first, second = check_match(match, len(self._settled))
        row = self._squares(in_flight, [first])[first]
        return math.sqrt(max(float(row[second]), 0.0))

    def _squares(self, in_flight: Sequence[Match], players: Sequence[int]) -> Array:
        """The squared widths, brought up to date in the rows of `players`."""
        self._catch_up(in_flight)
        for player in players:
            kernels.refresh_row(self._widths, player)
        return self._widths.rows

    def _catch_up(self, in_flight: Sequence[Match]) -> None:
        """Add the steps of all observed and pending matches."""
        if not self._is_settled:
            self._rebuild()
        if not in_flight and len(self._path) == len(self._recent):
            return
        flying = [_ordered(match) for match in in_flight if match.first != match.second]
        known = self._path[len(self._recent) :]
        if known != flying[: len(known)]:
            self._forget_steps()  # a pending match was withdrawn
        for pair in (self._recent + flying)[len(self._path) :]:
            self._take_step(pair)

    def _take_step(self, pair: tuple[int, int]) -> None:
        steps = self._widths.steps
        if len(self._path) == len(steps):
            self._widths.steps = np.vstack([steps, np.empty_like(steps)])
        kernels.add_step(self._widths, *pair)
        self._path.append(pair)
        self._answer = None

    def _forget_steps(self) -> None:
        self._path.clear()
        self._widths.counts[STEPS] = 0
        self._widths.version.fill(-1)
        self._widths.reach.fill(math.inf)
        self.restart()

    def _rebuild(self) -> None:
        """Compute the squared widths of the settled matches, from an exact inverse."""
        matrix = np.diag(self._settled.sum(axis=1) + self._ridge) - self._settled
        groups = MatchGroups(Pairs.of_table(self._settled))
        if len(groups.sizes) == 1:
            inverse = _inverted_group(matrix)
        else:
            inverse = np.eye(len(matrix)) / (1.0 + self._ridge)
            for label in np.flatnonzero(groups.sizes > 1):
                block = np.ix_(groups.labels == label, groups.labels == label)
                inverse[block] = _inverted_group(matrix[block])
        levels = (1.0 / self._ridge - 1.0 / (1.0 + self._ridge)) / groups.sizes
        self._widths.base = kernels.resistances(inverse, groups.labels, levels)
        self._is_settled = True
        self._forget_steps()


def _no_widths(n_players: int) -> kernels.Widths:
    """Space for the widths of this many players, and for as many steps and a few more."""
    return kernels.Widths(
        base=np.empty((n_players, n_players)),
        rows=np.empty((n_players, n_players)),
        version=np.empty(n_players, dtype=np.int64),
        steps=np.empty((n_players + 16, n_players)),
        reach=np.empty(n_players),
        bounds=np.empty(n_players),
        counts=np.zeros(2, dtype=np.int64),
    )


def _inverted_group(block: Array) -> Array:
    """The inverse of V for connected players, plus 1 along their common level.

    There V is the ridge alone, too small for an accurate inverse. Widths within the group do not
    depend on it.
    """
    return inverted(factorised(block + 1.0 / len(block)))


def _ordered(match: Match) -> tuple[int, int]:
    """The pair with the lower player first; widths do not depend on the seats."""
    first, second = match
    return (first, second) if first < second else (second, first)


def check_exploration(exploration: float) -> float:
    """Return gamma, a number of widths, or raise unless it is at least 0."""
    is_number = isinstance(exploration, int | float | np.number)
    if not is_number or not exploration >= 0.0:
        raise InvalidInput(f"exploration (gamma) must be at least 0; got {exploration!r}")
    return exploration


def check_batch_size(batch_size: int | None, n_players: int) -> int:
    """Return tau, or the paper's 0.7 n if it is None, or raise unless it is at least 1.

    >>> check_batch_size(None, n_players=100)
    70
    """
    if batch_size is None:
        return max(1, round(0.7 * n_players))
    size = check_whole(batch_size, "batch_size (tau)")
    if size < 1:
        raise InvalidInput(f"batch_size (tau) must be at least 1; got {batch_size!r}")
    return size
