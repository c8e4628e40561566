"""The posterior: ratings and pair effects, with everything still uncertain about them."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from maxin.core import (
    InvalidInput,
    Match,
    Result,
    check_match,
    check_n_players,
    check_result,
    check_whole,
)
from maxin.core.half_life import check_in_matches
from maxin.core.linalg import one_blas_thread
from maxin.kernels import posterior as kernels
from maxin.kernels.core import normal_cdf, student_quantile
from maxin.kernels.posterior import KAPPA2, PAIRS, PHI, ROWS, SPLIT, SPREAD2, PosteriorState
from maxin.ratings.base import Array, read_only
from maxin.ratings.bradley_terry import check_points, check_prior
from maxin.ratings.fitting.features.prior import FeaturePrior
from maxin.ratings.fitting.features.table import Features, check_features
from maxin.ratings.odds import best_odds
from maxin.ratings.posterior.fitting import (
    folded,
    kappa_gap,
    most_rows,
    prior_gap,
    refit,
    refit_gap,
    settle,
)
from maxin.ratings.posterior.state import (
    before_any_match,
    members_of,
    with_faded,
    with_players,
    with_predicted,
    with_prior,
    with_results,
    with_room,
)

SETTLED = 1e-8  # `settle` stops at changes below this: of ratings in nats, of scales relative
NEARLY_SETTLED = 1e-6  # the same with features
MOST_STEPS = 200  # of `settle`; the most that a thousand random crosstables took is 17
EASILY_FADED = 0.9  # results that fade more at once need more than a step of a refit
LEAST_FREEDOM = 10  # the fewest degrees of freedom of an interval; see `interval_reach`


class Posterior:
    """Bradley-Terry ratings with an effect per pair: logit P(i beats j) = r_i - r_j + e_ij.

    A priori r_i ~ N(0, s^2) and e_ij = -e_ji ~ N(0, kappa^2); both scales are learnt. The effects
    account for cycles: many matches of one pair then say much about that pair and little about
    the ratings. A player is rated by its mean advantage over the field, itself included,

        t_i = mean over j of (r_i - r_j + e_ij).

    A score has mean p and variance phi p (1 - p). The dispersion phi is learnt as well: it is 1 if
    all matches are won or lost, and less if many are drawn, have two games, or are graded.

    A player that leaves the field keeps its rating, and its results still inform the others'
    ratings, but advantages over it no longer count.

    The posterior is kept as a normal distribution. Its mean balances every averaged surprise with
    the prior, and its precision is the averaged curvature (a variational fit: see
    docs/explanation/notes/posterior.md). A match is a Gaussian update, which costs O(n) for each
    match since the last refit: at certain match counts, a Newton step that also refits the scales.

    So the order of results matters a little. Between two random orders, ratings mostly differ by
    less than a quarter of a standard deviation; a sorted order can change them by a whole one.
    `settle` moves to the fixed point, which is the same for every order to within 1e-5.

    Args:
        n_players: how many players there are; others can `join`, and players can `leave`.
        kappa: the scale of the pair effects in a field that has any, in nats; a priori, 85 %
            of fields have none.
        features: what is known of the players before any match, a row each: an array or
            `Features`. Then r ~ N(0, s^2 R), where R relates players with similar features, as far
            as the results show that these matter.
        half_life: after how many further results a result counts half; by default they never fade.

    >>> posterior = Posterior(3)
    >>> posterior.tell_all([Result(Match(0, 1), 1.0), Result(Match(1, 2), 0.5)] * 10)
    >>> posterior.ratings()
    array([ 1.667, -0.957, -0.710])
    >>> posterior.chance(Match(0, 2))
    0.866
    """

    def __init__(
        self,
        n_players: int,
        *,
        kappa: float = 1.0,
        features: Features | ArrayLike | None = None,
        half_life: float | None = None,
    ) -> None:
        n_players = check_n_players(n_players)
        self.half_life = check_in_matches(half_life)
        self.state = before_any_match(n_players, check_prior(kappa, "kappa") ** 2)
        self.prior: FeaturePrior | None = None
        if features is not None:
            self.prior = FeaturePrior(check_features(features, n_players))
            self.state = with_prior(self.state, self.prior)
        self.n_told = 0
        self.is_faded = False  # whether results count less than they did
        self._next_refit = refit_gap(0, n_players)
        self._next_kappa = kappa_gap(0, n_players)
        self._next_prior = prior_gap(0, n_players)

    @property
    def n_players(self) -> int:
        """How many players are rated."""
        return len(self.state.ratings)

    @property
    def spread(self) -> float:
        """The standard deviation s of the ratings learnt so far, in nats."""
        return math.sqrt(self.state.scales[SPREAD2])

    @property
    def phi(self) -> float:
        """The dispersion of scores learnt so far: Var(score) = phi p (1 - p); 1 for a coin."""
        return float(self.state.scales[PHI])

    @property
    def kappa(self) -> float:
        """The standard deviation kappa of the pair effects learnt so far, in nats."""
        return math.sqrt(self.state.scales[KAPPA2])

    def tell(self, result: Result) -> None:
        """Learn from a result; a draw counts half a point, and says more than a coin: see `phi`."""
        (i, j), score = _check_played(result, self.n_players)
        if self.half_life is not None and self.n_told and not self.n_told % self.half_life.period:
            self.fade(self.half_life.weight(1))
        if i > j:
            i, j, score = j, i, 1.0 - score
        self.state = with_room(self.state, n_pairs=1, n_rows=1)
        kernels.observe(self.state, i, j, score)
        self.n_told += 1
        if self.n_told == self._next_refit:
            is_due = self.n_told >= self._next_prior
            learns_kappa = self.n_told >= self._next_kappa
            prior = self.prior if is_due else None
            self.state = refit(self.state, prior, learns_kappa=learns_kappa)
            if learns_kappa:
                self._next_kappa = self.n_told + kappa_gap(self._n_counted(), self.n_players)
            if is_due:
                self._next_prior = self.n_told + prior_gap(self._n_counted(), self.n_players)
            self._next_refit += refit_gap(self.n_told, self.n_players)
        elif self.state.counts[ROWS] == most_rows(self.n_players):
            self.state = folded(self.state)

    def fade(self, share: float) -> None:
        """Let all results count only this share of what they did, and refit.

        >>> posterior = Posterior(2)
        >>> posterior.fit([[0, 12], [8, 0]])
        >>> before = posterior.intervals()[0]
        >>> posterior.fade(0.5)
        >>> before, posterior.intervals()[0]
        (array([-0.208,  0.567]), array([-0.357 ,  0.681]))
        """
        if not 0.0 <= share <= 1.0:
            raise InvalidInput(f"results can fade by a factor from 0 to 1; got {share!r}")
        if share == 1.0:
            return
        self.is_faded = True
        self.state = with_faded(self.state, share)
        self.state = refit(self.state)
        if share < EASILY_FADED:
            self.settle()
        self._next_refit = self.n_told + refit_gap(self.n_told, self.n_players)

    def _n_counted(self) -> int:
        """How many fresh results the results are worth."""
        if not self.is_faded:
            return self.n_told
        return round(float(self.state.played[: self.state.counts[PAIRS]].sum()))

    def start_with(self, state: PosteriorState, n_told: int) -> None:
        """Take over a state of as many players, which has counted this many results."""
        self.state, self.n_told = state, n_told
        self._next_refit = n_told + refit_gap(n_told, self.n_players)
        self._next_kappa = n_told + kappa_gap(n_told, self.n_players)

    def tell_all(self, results: Iterable[Result]) -> None:
        """Learn from results, one after another."""
        for result in results:
            self.tell(result)

    def fit(
        self, points: ArrayLike, field: Iterable[int] | None = None, *, split: float = 0.0
    ) -> None:
        """Replace all results by a whole crosstable, and settle.

        The earlier state does not change the outcome, but the fit is faster from a similar state.

        Args:
            points: `points[i, j]` is what i scored against j, draws as half points.
            field: the players against whom strength is measured; everyone by default.
            split: the sum over all matches of score (1 - score), from which `phi` is learnt; 0 if
                every match was won or lost.

        >>> posterior = Posterior(2)
        >>> posterior.fit([[0, 3], [1, 0]])
        >>> posterior.ratings()
        array([ 0.346, -0.346])
        """
        table = np.ascontiguousarray(points, dtype=np.float64)
        check_points(table)
        if len(table) != self.n_players:
            raise InvalidInput(
                f"the crosstable must have {self.n_players} players; got {len(table)}"
            )
        members = range(self.n_players) if field is None else field
        self.state.members[:] = members_of(members, self.n_players)
        self.state = with_results(self.state, table)
        self.state.scales[SPLIT] = self._checked_split(split, float(table.sum()))
        self.n_told = round(float(table.sum()))
        self._next_refit = self.n_told + refit_gap(self.n_told, self.n_players)
        self._next_kappa = self.n_told + kappa_gap(self.n_told, self.n_players)
        self._next_prior = self.n_told + prior_gap(self.n_told, self.n_players)
        self.settle()

    @staticmethod
    def _checked_split(split: float, n_matches: float) -> float:
        """The sum of score (1 - score), which is at most 1/4 for each match."""
        if not 0.0 <= split <= 0.25 * n_matches + 1e-6:
            raise InvalidInput(
                f"the sum of score (1 - score) over {n_matches:g} matches must be from 0 to "
                f"{0.25 * n_matches:g}; got {split!r}"
            )
        return float(split)

    def settle(self) -> None:
        """Move to the fixed point, which does not depend on the order of the results."""
        tolerance = SETTLED if self.prior is None else NEARLY_SETTLED
        self.state = settle(self.state, tolerance, MOST_STEPS, self.prior)

    def join(self, n_new: int = 1, *, features: Features | ArrayLike | None = None) -> int:
        """Add new players about whom no result is known; returns the number of the first.

        If the others have features, theirs are needed, a row each, and predict their ratings.

        >>> posterior = Posterior(2)
        >>> posterior.join()
        2
        >>> posterior.ratings()
        array([0., 0., 0.])
        """
        if check_whole(n_new, "the number of new players") < 1:
            raise InvalidInput(f"at least one player must join; got {n_new}")
        first = self.n_players
        if (features is None) != (self.prior is None):
            raise InvalidInput(
                "players join with features if the others have them, and without if they do not"
            )
        if self.prior is None or features is None:
            self.state = with_players(self.state, n_new)
        else:
            self.prior = self.prior.joined_by(check_features(features, n_new))
            self.state = with_predicted(self.state, self.prior)
        return first

    def leave(self, player: int) -> None:
        """Remove a player from the field against which strength is measured.

        >>> posterior = Posterior(3)
        >>> posterior.tell_all([Result(Match(0, 1), 1.0), Result(Match(1, 2), 1.0)] * 5)
        >>> posterior.ratings()
        array([ 1.386, -0.002, -1.384])
        >>> posterior.leave(2)
        >>> posterior.ratings()
        array([ 0.784, -0.784, -2.076])
        """
        staying = np.flatnonzero(self.state.members).tolist()
        if player not in staying:
            raise InvalidInput(f"only a player in the field can leave it; got {player!r}")
        staying.remove(player)
        self.state.members[:] = members_of(staying, self.n_players)
        self.state = with_players(self.state, 0)

    def ratings(self) -> Array:
        """The posterior means of the strengths t, the mean advantages over the field, in nats."""
        return read_only(self.state.strengths)

    def covariance(self) -> Array:
        """The posterior covariance of the strengths, shape (players, players)."""
        with one_blas_thread():
            return kernels.strength_cov(self.state)

    def intervals(self, level: float = 0.9) -> Array:
        """An interval per rating that contains it with probability `level`, shape (players, 2)."""
        deviations = np.sqrt(self.state.strength_var)
        half = interval_reach(level, self.n_players) * deviations
        return np.stack([self.state.strengths - half, self.state.strengths + half], axis=1)

    def chance(self, match: Match) -> float:
        """P(the first player beats the second), averaged over the posterior."""
        i, j = check_match(match, self.n_players)
        if i == j:
            return 0.5
        means, variances = kernels.advantages(self.state, i)
        return kernels.expected_score(means[j], variances[j])[0]

    def lead_chance(self, match: Match) -> float:
        """P(the first player would win more than half of many matches against the second)."""
        i, j = check_match(match, self.n_players)
        if i == j:
            return 0.5
        means, variances = kernels.advantages(self.state, i)
        return normal_cdf(float(means[j] / math.sqrt(variances[j])))

    def chances(self) -> Array:
        """P(the row's player beats the column's) for every pair, shape (players, players)."""
        return kernels.expected_scores(self.state)

    def top_chances(self, rng: np.random.Generator, *, k: int = 1, n_draws: int = 2_000) -> Array:
        """P(being among the k best of the field), by counting draws from the posterior.

        >>> posterior = Posterior(3)
        >>> posterior.tell_all([Result(Match(0, 1), 1.0), Result(Match(0, 2), 1.0)])
        >>> posterior.top_chances(np.random.default_rng(0)).round(1)
        array([0.6, 0.2, 0.2])
        """
        n_members = round(self.state.members.sum())
        if not 1 <= check_whole(k, "k") < n_members:
            raise InvalidInput(
                f"k, the size of the top, must be from 1 to {n_members - 1}; got {k}"
            )
        field, chances = np.flatnonzero(self.state.members), np.zeros(self.n_players)
        cov = self.covariance()[np.ix_(field, field)]
        chances[field] = best_odds(self.ratings()[field], cov, k, rng=rng, draws=n_draws)
        return chances

    def cyclic_share(self) -> float:
        """Share of the variance of an advantage that is the pair's own effect.

        kappa^2 / (kappa^2 + 2 s^2) with the scales learnt so far: 0 in a game without cycles.

        >>> Posterior(10).cyclic_share()
        0.07
        """
        kappa2, spread2 = self.kappa**2, self.spread**2
        return kappa2 / (kappa2 + 2.0 * spread2)


def interval_reach(level: float, n_players: int) -> float:
    """How many standard deviations an interval extends to either side.

    It is Student's quantile with one degree of freedom per player, because the spread of the
    ratings is itself learnt from that many players; at least ten, which is enough for two players.

    >>> interval_reach(0.9, n_players=2), interval_reach(0.9, n_players=100)
    (1.812, 1.66)
    """
    if not (isinstance(level, int | float) and 0.0 < level < 1.0):
        raise InvalidInput(f"the level of an interval must be between 0 and 1; got {level!r}")
    return student_quantile(max(n_players, LEAST_FREEDOM), 0.5 + level / 2.0)


def _check_played(result: Result, n_players: int) -> Result:
    """The checked result of two different players, or an error."""
    checked = check_result(result, n_players)
    if checked.match.first == checked.match.second:
        raise InvalidInput(f"nobody can play themselves; player {checked.match.first} did")
    return checked
