"""A posterior of very many players, on the sparse graph of their matches."""

from __future__ import annotations

import numpy as np

from maxin.core import InvalidInput, Result, check_n_players, check_result, check_whole
from maxin.core.arrays import Floats, Ints
from maxin.kernels import sparse as kernels
from maxin.kernels.posterior import (
    CYCLIC_KAPPA2,
    KAPPA2,
    LEAST_PHI,
    LEAST_SPREAD2,
    MOST_SPREAD2,
    N_LEARNT,
    PAIRS,
    PHI,
    PRIOR_INFORMATION,
    SPLIT,
    SPREAD2,
    keep,
    log_scales,
    mixture,
    set_ahead,
)
from maxin.ratings.base import Array, read_only
from maxin.ratings.bradley_terry import check_prior
from maxin.ratings.posterior.fitting import no_steps
from maxin.ratings.sparse.sparse_state import (
    empty_state,
    joined_state,
    roomy_state,
)

TOLERANCE = 0.01  # nats: ratings that move by less are left alone
MOST_REFITS = 60  # of the scales, until they are settled
GROWTH = 1.5  # the scales are refitted when there are so many times as many results


class SparsePosterior:
    """The ratings of `Posterior`, for up to millions of players: O(1) per match.

    The model is that of `Posterior`. Means are found by visiting the players of a match and
    all who would move because of them; variances by belief propagation, which is exact if the
    graph of matches is a tree, and close to it while most players have few rivals (see
    docs/explanation/notes/sieve.md). A rating is relative to the mean of the field. The mean effect
    of a player's pairs, of the order kappa / n, is left out.

    The spread s and the dispersion phi are refitted when the number of results has grown by half.
    kappa is not learnt: pairs of a sparse graph meet too rarely. `learn_kappa` sets it.

    Args:
        n_players: how many players there are; others can `join`, and players can `leave`.
        kappa: see `Posterior`.

    >>> posterior = SparsePosterior(100_000)
    >>> posterior.tell_many(np.array([[0, 1], [1, 2], [3, 0]]), np.array([1.0, 1.0, 0.0]))
    >>> posterior.ratings()[:4].round(2)
    array([ 0.67,  0.04, -0.4 , -0.31])
    >>> posterior.variances()[:5].round(2)
    array([0.77, 0.76, 0.86, 0.87, 1.  ])
    """

    def __init__(self, n_players: int, *, kappa: float = 1.0) -> None:
        n_players, kappa2 = check_n_players(n_players), check_prior(kappa, "kappa") ** 2
        self.state = empty_state(n_players, kappa2)
        self.n_told = 0
        self._next_scales = max(n_players // 2, 2)
        self._next_kappa2 = float(self.state.scales[KAPPA2])

    @property
    def n_players(self) -> int:
        """How many players are rated."""
        return len(self.state.ratings)

    @property
    def n_members(self) -> int:
        """How many players are in the field."""
        return int(self.state.members.sum())

    def tell(self, result: Result) -> None:
        """Learn from one result."""
        (first, second), score = check_result(result, self.n_players)
        if first == second:
            raise InvalidInput(f"nobody can play themselves; player {first} did")
        self.learn(first, second, score)

    def learn(self, first: int, second: int, score: float) -> None:
        """Learn from one result that is known to be valid."""
        self._learn(np.array([[first, second]]), np.array([score]))

    def tell_many(self, matches: Ints, scores: Floats) -> None:
        """Learn from results of matches (first, second), given as rows, all at once.

        The ratings are those of learning one by one, to within the tolerance of 0.01 nats.
        """
        matches, scores = self._checked(matches, scores)
        if len(scores):
            self._learn(matches, scores)

    def _checked(self, matches: Ints, scores: Floats) -> tuple[Ints, Floats]:
        """Rows of two players and a score for each, or an error."""
        matches = np.ascontiguousarray(matches, dtype=np.int64).reshape(-1, 2)
        scores = np.ascontiguousarray(scores, dtype=np.float64)
        is_known = ((matches >= 0) & (matches < self.n_players)).all()
        if scores.shape != (len(matches),) or not is_known:
            raise InvalidInput(
                f"each match must have a score and two players from 0 to {self.n_players - 1}; "
                f"got {len(matches)} matches and {scores.size} scores"
            )
        if (matches[:, 0] == matches[:, 1]).any() or not ((scores >= 0) & (scores <= 1)).all():
            raise InvalidInput("nobody can play themselves, and scores must be from 0 to 1")
        return matches, scores

    def _learn(self, matches: Ints, scores: Floats) -> None:
        self.state = roomy_state(self.state, len(scores))
        kernels.learn_and_relax(self.state, matches, scores, TOLERANCE)
        self.n_told += len(scores)
        if self.n_told >= self._next_scales:
            self._next_scales = int(GROWTH * self.n_told)
            self.refit_scales()

    def refit_scales(self, tolerance: float = TOLERANCE) -> None:
        """s^2 = (1 + sum of r_i^2 + Var(r_i)) / (n + 1), and phi as in `Posterior`; then settle."""
        state, scales = self.state, self.state.scales
        total = 1.0 + float(np.square(state.ratings).sum() + (1.0 / state.precisions).sum())
        spread2 = min(max(total / (self.n_players + 1.0), LEAST_SPREAD2), MOST_SPREAD2)
        information = PRIOR_INFORMATION + kernels.information_in_all(state)
        scales[SPREAD2], scales[KAPPA2] = spread2, self._next_kappa2
        scales[PHI] = max(1.0 - scales[SPLIT] / information, LEAST_PHI)
        self.settle(tolerance)

    def settle_scales(self, tolerance: float) -> None:
        """Refit the scales until none moves by more than the tolerance, relative.

        Each step of theirs may be nearly as long as the last one, so they are mixed.
        """
        steps, scales = no_steps(N_LEARNT), self.state.scales
        for _ in range(MOST_REFITS):
            before = log_scales(scales)
            self.refit_scales(tolerance)
            move = log_scales(scales) - before
            if np.abs(move).max() <= tolerance:
                return
            keep(steps, before, move)
            if steps.filled[0] > 1:
                set_ahead(scales, before, mixture(steps))
                self.settle(tolerance)

    def settle(self, tolerance: float = TOLERANCE) -> None:
        """Visit everyone until no rating moves by more than the tolerance, in nats."""
        kernels.relax_everyone(self.state, tolerance)

    def learn_kappa(self, kappa2: float) -> None:
        """Set the kappa^2 that takes effect when the scales are refitted next."""
        self._next_kappa2 = kappa2

    def replace(self, matches: Ints, points: Floats, played: Floats, split: float) -> None:
        """Replace all results: `points` of the first players in `played` matches of each pair.

        `split` is the sum of score (1 - score) over all matches.
        """
        kappa2, members = self.state.scales[[CYCLIC_KAPPA2, KAPPA2]], self.state.members
        self.state = roomy_state(empty_state(self.n_players, kappa2[0]), len(matches))
        self.state.members[:] = members
        kernels.add_results(self.state, matches, points / played)
        n_pairs = self.state.counts[PAIRS]
        self.state.played[:n_pairs], self.state.points[:n_pairs] = played, points
        self.state.scales[KAPPA2], self.state.scales[SPLIT] = kappa2[1], split
        self.n_told = round(float(played.sum()))
        self._next_scales = max(int(GROWTH * self.n_told), self.n_players // 2, 2)
        self.settle()
        self.settle_scales(TOLERANCE)

    def join(self, n_new: int = 1) -> int:
        """Add new players about whom nothing is known; returns the number of the first.

        >>> SparsePosterior(3_000).join(2)
        3000
        """
        if check_whole(n_new, "the number of new players") < 1:
            raise InvalidInput(f"at least one player must join; got {n_new}")
        first = self.n_players
        self.state = joined_state(self.state, n_new)
        return first

    def leave(self, player: int) -> None:
        """Remove a player from the field: it keeps its rating, and cannot be the best.

        >>> posterior = SparsePosterior(3)
        >>> posterior.leave(2)
        >>> posterior.n_members
        2
        """
        is_member = 0 <= check_whole(player, "a player's number") < self.n_players
        if not (is_member and self.state.members[player]):
            raise InvalidInput(f"only a player in the field can leave it; got {player!r}")
        if self.n_members == 2:
            raise InvalidInput("a field must have at least two players: strength is relative")
        self.state.members[player] = False

    def ratings(self) -> Array:
        """The posterior means of the ratings, relative to the mean of the field, in nats."""
        return read_only(self.state.ratings - self.mean())

    def mean(self) -> float:
        """The mean rating of the field, on the scale of the prior."""
        return float(self.state.ratings[self.state.members].mean())

    def variances(self) -> Array:
        """The variance of each rating, by belief propagation."""
        return 1.0 / self.state.precisions
