"""What a set of results says about its players: one fit, from which every view is made."""

from __future__ import annotations

import copy
import math
import threading
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from maxin.core import InvalidInput
from maxin.evaluation import Verdict, matches_left, order_verdict, top_verdict
from maxin.ratings import Posterior, Tally
from maxin.ratings.base import Array
from maxin.ratings.odds import drawn_tops, lead_certainty
from maxin.views.scale import Scale

AWAY = ("retired", "removed")  # the states of players who cannot be the best
SEED = 0  # of the draws behind the odds: the same results always give the same odds
TIGHT = 0.9  # from here on, a bound of the leaders' odds stands for the odds
DECIMALS = 9  # of a rating in nats; smaller differences are rounding and must not order players


class Belief:
    """The posterior of all results, fitted once, when it is first needed.

    It depends on the set of results alone, not on their order. Retired players keep a rating, and
    their results inform the others', but strength is measured against those in play.

    Args:
        names: the names of all players, in the tally's order.
        tally: their results.
        states: "active", "paused", "retired" or "removed" by name; players not named are active.
        anchor: a player and its rating in Elo points, which set the scale of all views.
        start: the fit of similar results, from which this one is made sooner.

    >>> tally = Tally(3)
    >>> tally.add_many([0, 0, 1] * 9, [1, 2, 2] * 9, [1.0, 1.0, 0.5] * 9)
    >>> belief = Belief(["anna", "bo", "cy"], tally)
    >>> belief.top_verdict(1, confidence=0.95).kind
    'decided'
    """

    def __init__(
        self,
        names: Sequence[str],
        tally: Tally,
        states: Mapping[str, str] | None = None,
        *,
        anchor: Mapping[str, float] | None = None,
        start: Posterior | None = None,
    ) -> None:
        if len(names) != tally.n_players:
            raise InvalidInput(
                f"a tally of {tally.n_players} players needs as many names; got {len(names)}"
            )
        self.names, self.tally = list(names), tally
        self.states = [(states or {}).get(name, "active") for name in names]
        in_play = [player for player, state in enumerate(self.states) if state not in AWAY]
        self.in_play: NDArray[np.int64] = np.array(in_play, dtype=np.int64)
        present = [name for name in names if (states or {}).get(name) != "removed"]
        kept = {name: rating for name, rating in (anchor or {}).items() if name in present}
        self.scale = Scale.of(self.names, self.in_play, kept)
        self._start = start
        self._tops: dict[int, NDArray[np.bool_]] = {}

    def __repr__(self) -> str:
        return f"<Belief of {len(self.names)} players>"

    def is_of(self, names: Sequence[str], tally: Tally, states: Mapping[str, str]) -> bool:
        """Whether this belief is that of the given players and results."""
        return (
            self.names == list(names)
            and self.states == [states.get(name, "active") for name in names]
            and self.tally.is_like(tally)
        )

    @cached_property
    def posterior(self) -> Posterior:
        """The fit: strength is measured against those in play, or everyone if fewer than two."""
        start, self._start = self._start, None
        is_similar = start is not None and start.n_players == self.tally.n_players
        fitted = copy.deepcopy(start) if is_similar else None
        fitted = fitted or Posterior(self.tally.n_players)
        is_field = self.in_play.size > 1
        field = self.in_play.tolist() if is_field else None
        fitted.fit(self.tally.crosstable(), field, split=float(self.tally.splits.sum()))
        return fitted

    @cached_property
    def ratings(self) -> Array:
        """The rating of every player, in nats."""
        if len(self.names) < 2:
            return np.zeros(len(self.names))
        return self.posterior.ratings().round(DECIMALS)

    @cached_property
    def covariance(self) -> Array:
        """The covariance of the ratings, shape (players, players)."""
        if len(self.names) < 2:
            return np.zeros((len(self.names),) * 2)
        return self.posterior.covariance()

    @property
    def playing(self) -> tuple[Array, Array]:
        """Ratings and covariance of those in play."""
        among = np.ix_(self.in_play, self.in_play)
        return self.ratings[self.in_play], self.covariance[among]

    def top_size(self, k: int) -> int:
        """How many players a top of k names: all in play if they are fewer, but at least one."""
        return max(1, min(k, self.in_play.size))

    def drawn_tops(self, k: int) -> NDArray[np.bool_]:
        """Which of those in play are in the top k, in each draw from the posterior."""
        if k not in self._tops:
            self._tops[k] = drawn_tops(*self.playing, k, rng=np.random.default_rng(SEED))
        return self._tops[k]

    def lead_odds(self, k: int) -> float:
        """The probability that the k players rated highest of those in play are the true top k.

        Above `TIGHT` it is the bound by which the stopping rule decides: it is exact to half a
        per cent there, and has no noise of draws. Below, it is counted in draws.
        """
        bound = lead_certainty(*self.playing, k)
        if bound >= TIGHT:
            return bound
        leaders = np.argsort(-self.playing[0], kind="stable")[:k]
        return max(bound, float(self.drawn_tops(k)[:, leaders].all(axis=1).mean()))

    @cached_property
    def best_odds(self) -> Array:
        """The probability of being the best, for every player; zero for those not in play.

        The leader's is `lead_odds(1)`, and the others share the rest as they do in draws.
        """
        odds = np.zeros(len(self.names))
        if self.in_play.size:
            drawn = self.drawn_tops(1).mean(axis=0)
            leader, lead = int(np.argmax(self.playing[0])), self.lead_odds(1)
            drawn *= (1.0 - lead) / max(1.0 - drawn[leader], 1.0 / len(self.drawn_tops(1)))
            drawn[leader] = lead
            odds[self.in_play] = drawn
        return odds

    def matches_left(self, k: int | None, *, confidence: float) -> int | None:
        """About how many more matches decide the top k, or the whole order if k is None.

        None before there is a match per player: then it is too early to tell.
        """
        n_matches = self.tally.n_matches.sum() / 2.0
        if n_matches < self.in_play.size:
            return None
        if self.in_play.size <= (k or 1):
            return 0
        found = matches_left(*self.playing, n_matches, confidence=confidence, k=k)
        return math.ceil(found)

    def top_verdict(self, k: int, *, confidence: float, indifference: float = 0.0) -> Verdict:
        """Whether the top k of those in play are known; see `maxin.evaluation.top_verdict`.

        The verdict names players by number. With no more than k in play there is nothing to
        decide.
        """
        if self.in_play.size <= k:
            return Verdict("decided", tuple(self.in_play.tolist()), 1.0)
        found = top_verdict(*self.playing, confidence=confidence, indifference=indifference, k=k)
        return self._numbered(found)

    def order_verdict(self, *, confidence: float, indifference: float = 0.0) -> Verdict:
        """Whether the whole order of those in play is known."""
        if self.in_play.size <= 1:
            return Verdict("decided", tuple(self.in_play.tolist()), 1.0)
        found = order_verdict(*self.playing, confidence=confidence, indifference=indifference)
        return self._numbered(found)

    def _numbered(self, found: Verdict) -> Verdict:
        """The verdict with the numbers that players have among all."""
        return found._replace(players=tuple(self.in_play[list(found.players)].tolist()))


class BeliefCache:
    """The latest belief, fitted again only when the results or the players have changed.

    The results themselves are compared, not a number in the record: what a transaction added
    before it failed has a number that something else gets later. Threads that ask for the same
    results at the same time share one fit.

    Args:
        anchor: see `Belief`.

    >>> cache, tally = BeliefCache(), Tally(2)
    >>> cache.get(["anna", "bo"], tally, {}) is cache.get(["anna", "bo"], tally, {})
    True
    """

    def __init__(self, anchor: Mapping[str, float] | None = None) -> None:
        self._lock = threading.Lock()
        self._belief: Belief | None = None
        self._anchor = anchor

    def get(self, names: Sequence[str], tally: Tally, states: Mapping[str, str]) -> Belief:
        """The belief of these results, with its fit made."""
        with self._lock:
            if self._belief is None or not self._belief.is_of(names, tally, states):
                last = self._belief
                start = None if last is None or len(last.names) < 2 else last.posterior
                results = tally.copy()
                self._belief = Belief(names, results, states, anchor=self._anchor, start=start)
            if len(names) > 1:
                _ = self._belief.posterior
            return self._belief
