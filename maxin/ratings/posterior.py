"""The posterior: ratings and what each pair adds to them, with everything that is not yet known."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, stdtrit

from maxin.core import (
    InvalidInput,
    Match,
    Result,
    check_match,
    check_n_players,
    check_result,
    check_whole,
)
from maxin.ratings import posterior_kernels as kernels
from maxin.ratings.base import Array, read_only
from maxin.ratings.bradley_terry import check_points, check_prior
from maxin.ratings.posterior_kernels import Belief

SETTLED = 1e-9  # change of a rating, in nats, or of a scale, relative
MOST_STEPS, MOST_ENTRIES = 2_000, 500_000  # of a settling fit; the few take more steps
LEAST_FREEDOM = 10  # degrees of freedom of intervals; see `interval_reach`


class Posterior:
    """Bradley-Terry ratings with an effect of each pair: logit P(i beats j) = r_i - r_j + e_ij.

    A priori r_i ~ N(0, s^2) and e_ij = -e_ji ~ N(0, kappa^2); both scales are learnt. The effects
    take up cycles: many matches of one pair then say much about that pair and little about the
    ratings. What a player is rated by is its mean advantage over the field, itself included,

        t_i = mean over j of (r_i - r_j + e_ij).

    Who leaves the field is rated on, and its matches still tell about the others; but being good
    against it is worth nothing any more.

    The posterior is kept as the normal distribution whose mean balances every averaged surprise
    with the prior, and whose precision is the averaged curvature (a variational fit: see
    docs/notes/posterior.md). A match costs O(n^2): a Gaussian update, and a Newton step with the
    scales refitted every so many matches, at counts that depend on nothing but the count.

    The order of results therefore matters a little: told in two random orders, ratings mostly
    differ by less than a fifth of a standard deviation; told in a sorted one, by up to a whole.
    `settle` goes to the fixed point itself, which is the same for every order to within 1e-6.

    Args:
        n_players: how many players there are; more may `join`, and some may `leave`.
        kappa: the root of the prior mean of kappa^2, in nats.

    >>> posterior = Posterior(3)
    >>> posterior.tell_all([Result(Match(0, 1), 1.0), Result(Match(1, 2), 0.5)] * 10)
    >>> posterior.ratings()
    array([ 1.303, -0.928, -0.375])
    >>> posterior.chance(Match(0, 2))
    0.703
    """

    def __init__(self, n_players: int, *, kappa: float = 1.0) -> None:
        n_players = check_n_players(n_players)
        self.belief = _before_any_match(n_players, check_prior(kappa, "kappa") ** 2)
        self.n_told = 0
        self._next_refit = kernels.refit_gap(0, n_players)

    @property
    def n_players(self) -> int:
        """How many players are rated."""
        return len(self.belief.ratings)

    @property
    def spread(self) -> float:
        """The standard deviation s of the ratings, as learnt so far, in nats."""
        return math.sqrt(self.belief.scales[kernels.SPREAD2])

    @property
    def kappa(self) -> float:
        """The size kappa of the effects of pairs, as learnt so far, in nats."""
        return math.sqrt(self.belief.scales[kernels.KAPPA2])

    def tell(self, result: Result) -> None:
        """Learn from a result; a draw is half a point."""
        (i, j), score = _check_played(result, self.n_players)
        if i > j:
            i, j, score = j, i, 1.0 - score
        kernels.observe(self.belief, i, j, score)
        self.n_told += 1
        if self.n_told == self._next_refit:
            kernels.refit(self.belief)
            self._next_refit += kernels.refit_gap(self.n_told, self.n_players)

    def tell_all(self, results: Iterable[Result]) -> None:
        """Learn from results, one after the other."""
        for result in results:
            self.tell(result)

    def fit(self, points: ArrayLike, field: Iterable[int] | None = None) -> None:
        """Take a whole crosstable in place of all that was told, and settle.

        The result does not depend on what the posterior was before; being near, it is quicker.

        Args:
            points: `points[i, j]`, what i scored against j, draws as half points.
            field: the players whom strength is measured against; everyone by default.

        >>> posterior = Posterior(2)
        >>> posterior.fit([[0, 3], [1, 0]])
        >>> posterior.ratings()
        array([ 0.407, -0.407])
        """
        table = np.ascontiguousarray(points, dtype=np.float64)
        check_points(table)
        if len(table) != self.n_players:
            raise InvalidInput(f"a crosstable of {self.n_players} players; got {len(table)}")
        members = range(self.n_players) if field is None else field
        self.belief.members[:] = _members(members, self.n_players)
        above = np.triu_indices(self.n_players, 1)
        self.belief.points[above] = table[above]
        self.belief.played[above] = (table + table.T)[above]
        self.n_told = round(float(table.sum()))
        self._next_refit = self.n_told + kernels.refit_gap(self.n_told, self.n_players)
        self.settle()

    def settle(self) -> None:
        """Go to the fixed point, which does not know in which order the results came."""
        most_steps = max(MOST_STEPS, MOST_ENTRIES // self.n_players**2)
        kernels.settle(self.belief, SETTLED, most_steps)

    def join(self, n_new: int = 1) -> int:
        """Take in new players, of whom nothing is known; returns the first one's number.

        >>> posterior = Posterior(2)
        >>> posterior.join()
        2
        >>> posterior.ratings()
        array([0., 0., 0.])
        """
        if check_whole(n_new, "the number of new players") < 1:
            raise InvalidInput(f"at least one player joins; got {n_new}")
        first, old = self.n_players, self.belief
        grown = Posterior(first + n_new, kappa=math.sqrt(old.scales[kernels.PRIOR_KAPPA2]))
        new = grown.belief
        new.members[:first] = old.members
        for name in ("played", "points", "weights", "effects", "rating_cov"):
            getattr(new, name)[:first, :first] = getattr(old, name)
        new.ratings[:first] = old.ratings
        new.scales[:] = old.scales
        np.fill_diagonal(new.rating_cov[first:, first:], old.scales[kernels.SPREAD2])
        kernels.spread_out(new)
        self.belief = new
        return first

    def leave(self, player: int) -> None:
        """Take a player out of the field against which strength is measured.

        >>> posterior = Posterior(3)
        >>> posterior.tell_all([Result(Match(0, 1), 1.0), Result(Match(1, 2), 1.0)] * 5)
        >>> posterior.ratings()
        array([ 1.267, -0.004, -1.263])
        >>> posterior.leave(2)
        >>> posterior.ratings()
        array([ 1.052, -1.052, -1.895])
        """
        staying = np.flatnonzero(self.belief.members).tolist()
        if player not in staying:
            raise InvalidInput(f"only a player of the field leaves it; got {player!r}")
        staying.remove(player)
        self.belief.members[:] = _members(staying, self.n_players)
        kernels.spread_out(self.belief)

    def ratings(self) -> Array:
        """The mean of each player's mean advantage over the field, in nats."""
        return read_only(self.belief.strengths)

    def covariance(self) -> Array:
        """Of the mean advantages, shape (players, players)."""
        return read_only(self.belief.strength_cov)

    def intervals(self, level: float = 0.9) -> Array:
        """An interval per rating that holds it with probability `level`, shape (players, 2)."""
        deviations = np.sqrt(np.diagonal(self.belief.strength_cov))
        half = interval_reach(level, self.n_players) * deviations
        return np.stack([self.belief.strengths - half, self.belief.strengths + half], axis=1)

    def chance(self, match: Match) -> float:
        """P(the first player beats the second), averaged over what is not known."""
        i, j = check_match(match, self.n_players)
        if i == j:
            return 0.5
        low, high = min(i, j), max(i, j)
        variance = kernels.advantage_variance(self.belief, low, high)
        mean = kernels.pair_advantage(self.belief, low, high)
        return kernels.expected_score(mean if i == low else -mean, variance)[0]

    def lead_chance(self, match: Match) -> float:
        """P(the first player wins more than half of many matches against the second)."""
        i, j = check_match(match, self.n_players)
        if i == j:
            return 0.5
        low, high = min(i, j), max(i, j)
        mean = kernels.pair_advantage(self.belief, low, high)
        deviation = math.sqrt(kernels.advantage_variance(self.belief, low, high))
        return float(ndtr((mean if i == low else -mean) / deviation))

    def chances(self) -> Array:
        """P(the row's player beats the column's), shape (players, players)."""
        return kernels.expected_scores(self.belief)

    def top_chances(self, rng: np.random.Generator, *, k: int = 1, n_draws: int = 2_000) -> Array:
        """P(being among the k best of the field), by counting draws from the posterior.

        >>> posterior = Posterior(3)
        >>> posterior.tell_all([Result(Match(0, 1), 1.0), Result(Match(0, 2), 1.0)])
        >>> posterior.top_chances(np.random.default_rng(0)).round(1)
        array([0.7, 0.1, 0.1])
        """
        n_members = round(self.belief.members.sum())
        if not 1 <= check_whole(k, "k") < n_members:
            raise InvalidInput(f"the top holds 1 to {n_members - 1} players; got k={k}")
        noise = rng.standard_normal((n_draws, self.n_players)) @ self.belief.root
        draws = np.where(self.belief.members, self.belief.strengths + noise, -np.inf)
        best = np.argpartition(draws, -k, axis=1)[:, -k:]
        return np.bincount(best.ravel(), minlength=self.n_players) / n_draws

    def cyclic_share(self) -> float:
        """Of the variance of an advantage between two players, how much is the pair's own.

        kappa^2 / (kappa^2 + 2 s^2), with the scales learnt so far: 0 where strength is a ladder.

        >>> Posterior(10).cyclic_share()
        0.333
        """
        kappa2, spread2 = self.kappa**2, self.spread**2
        return kappa2 / (kappa2 + 2.0 * spread2)


def interval_reach(level: float, n_players: int) -> float:
    """How many standard deviations an interval goes to either side.

    Student's quantile with a degree of freedom per player, since the spread of the ratings is
    itself learnt from so many; but ten at least, which is enough for two players.

    >>> interval_reach(0.9, n_players=2), interval_reach(0.9, n_players=100)
    (1.812, 1.66)
    """
    if not (isinstance(level, int | float) and 0.0 < level < 1.0):
        raise InvalidInput(f"the level of an interval lies between 0 and 1; got {level!r}")
    return float(stdtrit(max(n_players, LEAST_FREEDOM), 0.5 + level / 2.0))


def _before_any_match(n_players: int, kappa2: float) -> Belief:
    """Everyone at 0, with the scales of the prior."""
    square, line = (n_players, n_players), n_players
    belief = Belief(
        scales=np.array([1.0, kappa2, kappa2]),
        members=np.ones(line),
        played=np.zeros(square),
        points=np.zeros(square),
        weights=np.zeros(square),
        effects=np.zeros(square),
        ratings=np.zeros(line),
        strengths=np.zeros(line),
        rating_cov=np.eye(n_players),
        cross_cov=np.zeros(square),
        strength_cov=np.zeros(square),
        root=np.zeros(square),
    )
    kernels.spread_out(belief)
    return belief


def _members(field: Iterable[int], n_players: int) -> Array:
    """1 for the players of a field, 0 for the others; or an error."""
    marks = np.zeros(n_players)
    for player in field:
        if not 0 <= check_whole(player, "a player's number") < n_players:
            raise InvalidInput(f"players are 0 to {n_players - 1}; got {player}")
        marks[player] = 1.0
    if marks.sum() < 2.0:
        raise InvalidInput("a field has at least two players: strength is relative")
    return marks


def _check_played(result: Result, n_players: int) -> Result:
    """The checked result of two players, or an error."""
    checked = check_result(result, n_players)
    if checked.match.first == checked.match.second:
        raise InvalidInput(f"nobody can play themselves; player {checked.match.first} did")
    return checked
