"""What a set of results says about its players: one fit, from which every view is made."""

from __future__ import annotations

import copy
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxin.core import InvalidInput, Stop
from maxin.core.units import ELO_PER_NAT
from maxin.evaluation import Verdict, matches_left, order_verdict, top_verdict
from maxin.evaluation.stopping_rule import is_level
from maxin.ratings import Features, Posterior, Tally
from maxin.ratings.base import MOST_EXACT, Array
from maxin.ratings.fading import FadingTally, weighed
from maxin.ratings.judging.control_fit import ControlFit
from maxin.ratings.judging.control_log import ControlLog
from maxin.ratings.judging.judge_fit import JudgeFit
from maxin.ratings.judging.judged_tally import JudgedTally
from maxin.ratings.judging.votes import Votes, judged_votes
from maxin.ratings.odds import draw_tops, holding_set, lead_certainty
from maxin.ratings.sparse.contenders import Contenders
from maxin.ratings.sparse.field_fit import FieldFit
from maxin.schedulers.sieve.field_verdict import FieldVerdict, field_verdict
from maxin.views.fits import POSTERIOR, MethodFit, RatingMethod, WholeFit, rating_method
from maxin.views.scale import Scale

AWAY = ("retired", "removed")  # the states of players who cannot be the best
SEED = 0  # of the draws behind the odds: the same results always give the same odds
TIGHT = 0.9  # from here on, the bound of the leaders' odds replaces the odds
DECIMALS = 9  # of a rating in nats; smaller differences are rounding and must not order players


class DrawnTops(NamedTuple):
    """The top k in draws from the posterior of the rivals, and the chances of all others."""

    tops: NDArray[np.bool_]  # whether each rival is in the top, by draw
    inside: Array  # by draw, P(nobody outside the rivals belongs to the top)
    outside: Array  # for all other players, P(it belongs to the top)

    def odds(self) -> Array:
        """P(in the top) of each rival."""
        return np.asarray(self.inside @ self.tops / len(self.tops))

    def odds_of_all(self, places: NDArray[np.int64]) -> float:
        """The probability that these rivals are the top."""
        return float((self.tops[:, places].all(axis=1) * self.inside).mean())


class Belief:
    """The posterior of all results, fitted once, when it is first needed.

    It depends on the set of results alone, not on their order. Retired players keep a rating, and
    their results inform the others', but strength is measured against those in play.

    Args:
        names: the names of all players, in the tally's order.
        tally: their results; those of a `FadingTally` count less the older they are.
        states: "active", "paused", "retired" or "removed" by name; players not named are active.
        anchor: a player and its rating in Elo points, which set the scale of all views.
        start: the fit of similar results, from which this one is made sooner.
        features: of the players, if their ratings are predicted from them.
        ratings: "posterior", the name of another rating method, or such a method: see
            `rating_method`.
        controls: the same results with their covariates, whose effects are taken out of the
            ratings.
        ignore_judges: whether all votes count alike, whoever judged.

    >>> tally = Tally(3)
    >>> tally.add_many([0, 0, 1] * 9, [1, 2, 2] * 9, [1.0, 1.0, 0.5] * 9)
    >>> belief = Belief(["anna", "bo", "cy"], tally)
    >>> belief.top_verdict(1, Stop()).kind
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
        features: Features | None = None,
        ratings: str | RatingMethod = POSTERIOR,
        controls: ControlLog | None = None,
        ignore_judges: bool = False,
    ) -> None:
        self.rated_by, self._method = rating_method(ratings)
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
        self.scale = Scale.of(self.names, self.in_play, kept, n_present=len(present))
        self._start, self.features = start, features
        self.controls, self.ignore_judges = controls, ignore_judges
        if controls is not None:
            self._check_controls(controls)
        self._tops: dict[tuple[int, float], DrawnTops] = {}
        self._field_verdicts: dict[tuple[int, Stop], FieldVerdict] = {}

    def __repr__(self) -> str:
        return f"<Belief of {len(self.names)} players>"

    def is_of(self, names: Sequence[str], tally: Tally, states: Mapping[str, str]) -> bool:
        """Whether this belief is that of the given players and results."""
        return (
            self.names == list(names)
            and self.states == [states.get(name, "active") for name in names]
            and self.tally.is_like(tally)
        )

    @property
    def weighed(self) -> Tally:
        """What the results count now."""
        return weighed(self.tally)

    @property
    def is_large(self) -> bool:
        """Whether there are too many players for a covariance of all of them."""
        return len(self.names) > MOST_EXACT

    @cached_property
    def fit(self) -> WholeFit | FieldFit:
        """The fit: strength is measured against those in play, or everyone if fewer than two."""
        start, self._start = self._start, None
        field = self.in_play if self.in_play.size > 1 else None
        if self._method is not None:
            return MethodFit(self.rated_by, self._method, self._crosstable())
        if self.is_large:
            return FieldFit(self.weighed, field)
        is_similar = start is not None and start.n_players == self.tally.n_players
        fitted = copy.deepcopy(start) if is_similar else None
        fitted = fitted or Posterior(self.tally.n_players, features=self.features)
        members = None if field is None else field.tolist()
        now = self.weighed
        fitted.fit(now.crosstable(), members, split=float(now.splits.sum()))
        return WholeFit(fitted, self.votes(now))

    def votes(self, tally: Tally, n_matches: int | None = None) -> Votes | None:
        """Results as the votes of judges, with the controls; None if there are neither.

        Args:
            tally: the results.
            n_matches: how many of the first matches it has; by default all.
        """
        if self.controls is not None:
            with_judges = not self.ignore_judges
            return self.controls.votes(tally.n_players, n_matches, with_judges=with_judges)
        if isinstance(tally, JudgedTally) and tally.judged and not self.ignore_judges:
            return judged_votes(tally)
        return None

    def _check_controls(self, controls: ControlLog) -> None:
        if self._method is not None:
            raise InvalidInput(f"controls need the posterior; {self.rated_by} knows none")
        if self.is_large or isinstance(self.tally, FadingTally):
            given = f"{len(self.names):,} players" if self.is_large else "results that fade"
            raise InvalidInput(
                f"controls need at most {MOST_EXACT:,} players and results that do not fade; got "
                f"{given}"
            )
        controls.check(len(self.names))

    def _crosstable(self) -> Array:
        """The points of every pair, for a rating method."""
        if self.is_large:
            raise InvalidInput(
                f"{self.rated_by} rates at most {MOST_EXACT:,} players, and there are "
                f"{len(self.names):,}; the posterior rates more"
            )
        return self.weighed.crosstable()

    @property
    def judges(self) -> JudgeFit | None:
        """What the votes of each judge are worth; None without judges, or in a large field."""
        found = self._whole_fit.judges if self._whole_fit is not None else None
        if found is None or not isinstance(self.tally, FadingTally):
            return found
        return found._replace(n_votes=self.tally.n_votes(found.names))

    @property
    def effects(self) -> ControlFit | None:
        """The effects of the controls; None without any."""
        return None if self._whole_fit is None else self._whole_fit.controls

    @property
    def _whole_fit(self) -> WholeFit | None:
        """The fit, unless the field is large or has fewer than two players."""
        fit = self.fit if len(self.names) > 1 else None
        return fit if isinstance(fit, WholeFit) else None

    @cached_property
    def ratings(self) -> Array:
        """The rating of every player, in nats."""
        if len(self.names) < 2:
            return np.zeros(len(self.names))
        return self.fit.ratings().round(DECIMALS)

    @cached_property
    def margins(self) -> Array:
        """Half the 95 % interval of every rating on the leaderboard's scale, in Elo points."""
        if len(self.names) < 2:
            return np.zeros(len(self.names))
        variances = self.fit.variances_from(self.scale.base)
        return self.scale.margins(variances, is_spread_learnt=self._method is None)

    def difference_variances(self, one: NDArray[np.int64], other: NDArray[np.int64]) -> Array:
        """The variance of the difference of ratings, for each two players."""
        if len(self.names) < 2:
            return np.zeros(len(one))
        return self.fit.difference_variances(one, other)

    @cached_property
    def rivals(self) -> NDArray[np.int64]:
        """Those in play who may be the best and are known jointly: all, if the field is small."""
        if not self.is_large:
            return self.in_play
        return np.intersect1d(self.fit.contenders, self.in_play)

    @cached_property
    def playing(self) -> tuple[Array, Array]:
        """Ratings and covariance of the rivals."""
        if len(self.names) < 2:
            return self.ratings[self.rivals], np.zeros((len(self.rivals),) * 2)
        return self.ratings[self.rivals], self.fit.covariance_of(self.rivals)

    def top_size(self, k: int) -> int:
        """How many players a top of k names: all in play if they are fewer, but at least one."""
        return max(1, min(k, self.in_play.size))

    def drawn_tops(self, k: int, tolerance: float = 0.0) -> DrawnTops:
        """The tops of the rivals in draws from the posterior; the same results give the same.

        With a tolerance, in Elo points, the leaders count as that much stronger.
        """
        if (k, tolerance) not in self._tops:
            rng, is_large = np.random.default_rng(SEED), self.is_large
            rated = self._raised(k, tolerance)
            tops, lowest = draw_tops(*rated, k, rng=rng, has_level=is_large)
            inside, outside = np.ones(len(tops)), np.zeros(len(self.names))
            if is_large and isinstance(self.fit, FieldFit):
                inside, chances = self.fit.outside(lowest)
                outside = chances * ((1.0 - inside.mean()) / max(chances.sum(), 1e-300))
            self._tops[k, tolerance] = DrawnTops(tops, inside, outside)
        return self._tops[k, tolerance]

    def _raised(self, k: int, tolerance: float) -> tuple[Array, Array]:
        """Ratings and covariance of the rivals, with the k leaders raised by the tolerance."""
        ratings, covariance = self.playing
        raised = ratings.copy()
        raised[self._first(k)] += tolerance / ELO_PER_NAT
        return raised, covariance

    def leaders(self, k: int) -> NDArray[np.int64]:
        """The numbers of the k players rated highest of those in play."""
        return self.rivals[self._first(k)]

    def _first(self, k: int) -> NDArray[np.int64]:
        """The places of the k rivals rated highest."""
        return np.argsort(-self.playing[0], kind="stable")[:k]

    def lead_odds(self, k: int, tolerance: float = 0.0) -> float:
        """The probability that the k players rated highest of those in play are the true top k.

        With a tolerance, that nobody else is stronger than one of them by more Elo points.

        Above `TIGHT` it is the bound by which the stopping rule decides: it is exact to half a
        per cent there, and has no noise of draws. Below, it is counted in draws. Of two players,
        it is always exact.
        """
        bound = lead_certainty(*self._raised(k, tolerance), k)
        is_exact = bound >= TIGHT or (k, self.in_play.size) == (1, 2)
        if is_exact and not self.is_large:
            return bound
        drawn = self.drawn_tops(k, tolerance).odds_of_all(self._first(k))
        return drawn if self.is_large else max(bound, drawn)

    def candidates(self, k: int, certainty: float, tolerance: float = 0.0) -> NDArray[np.int64]:
        """The fewest players that include the whole top k with this certainty, likeliest first.

        With a tolerance, in Elo points, the leaders count as that much stronger, as they do in a
        decision. In a large field, half of the remaining probability is for rivals, half for the
        others.
        """
        drawn = self.drawn_tops(k, tolerance)
        outside = drawn.outside
        if not outside.any():
            return self.rivals[holding_set(drawn.tops, certainty)]
        allowed = 0.5 * (1.0 - certainty)
        order = np.argsort(-outside, kind="stable")
        n_others = np.count_nonzero(outside.sum() - np.cumsum(outside[order]) > allowed)
        n_others += int(outside.sum() > allowed)
        inside = holding_set(drawn.tops, 1.0 - allowed)
        return np.concatenate([self.rivals[inside], order[:n_others]])

    @cached_property
    def best_odds(self) -> Array:
        """The probability of being the best, for every player; zero for those not in play.

        The leader's is `lead_odds(1)`, and the others share the rest as they do in draws.
        """
        if not self.in_play.size:
            return np.zeros(len(self.names))
        drawn, lead = self.drawn_tops(1), self.lead_odds(1)
        leader, odds = int(self._first(1)[0]), drawn.outside.copy()
        inside, shares = 1.0 - float(odds.sum()), drawn.odds()
        shares *= (inside - lead) / max(inside - shares[leader], 1.0 / len(drawn.tops))
        shares[leader] = lead
        odds[self.rivals] = shares
        return odds

    def matches_left(self, k: int | None, stop: Stop) -> int | None:
        """About how many more matches decide the top k, or the whole order if k is None.

        None before there is a match per player: then it is too early to tell. None for a large
        field, of which few are contenders, and if older results fade: then it may never be.
        """
        n_matches = self.tally.n_matches.sum() / 2.0
        if n_matches < self.in_play.size or self.is_large:
            return None
        if self.in_play.size <= (k or 1):
            return 0
        if isinstance(self.tally, FadingTally):
            return None
        return math.ceil(matches_left(*self.playing, n_matches, stop, k=k))

    def top_verdict(self, k: int, stop: Stop) -> Verdict:
        """Whether the top k of those in play are known; see `maxin.evaluation.top_verdict`.

        The verdict names players by number. With no more than k in play there is nothing to
        decide. In a large field it is that of `field_verdict`.
        """
        if self.in_play.size <= k:
            return Verdict("decided", tuple(self.in_play.tolist()), 1.0)
        if self.is_large:
            found = self._field_verdict(k, stop).verdict
            return found._replace(kind="undecided") if self.unplayed.size else found
        return self._numbered(top_verdict(*self.playing, stop, k=k))

    def is_level(self, stop: Stop) -> bool:
        """Whether the only two players in play do not differ by more than the tolerance."""
        return not self.is_large and not self.unplayed.size and is_level(*self.playing, stop)

    def obstacle(self, k: int, stop: Stop) -> str:
        """What prevents a decision on the top k of a large field, once all have played."""
        return self._field_verdict(k, stop).obstacle

    def _field_verdict(self, k: int, stop: Stop) -> FieldVerdict:
        if (k, stop) not in self._field_verdicts:
            assert isinstance(self.fit, FieldFit)
            rated = self.fit.graph, self.fit.contenders, k, self.fit.posterior
            self._field_verdicts[k, stop] = field_verdict(Contenders(*rated), stop)
        return self._field_verdicts[k, stop]

    def order_verdict(self, stop: Stop) -> Verdict:
        """Whether the whole order of those in play is known, give or take the tolerance."""
        if self.in_play.size <= 1:
            return Verdict("decided", tuple(self.in_play.tolist()), 1.0)
        if self.is_large:
            order = self.in_play[np.argsort(-self.ratings[self.in_play], kind="stable")]
            return Verdict("undecided", tuple(order.tolist()), 0.0)
        return self._numbered(order_verdict(*self.playing, stop))

    @cached_property
    def unplayed(self) -> NDArray[np.int64]:
        """The players in play without a result, unless features tell something about them."""
        is_known = (self.tally.n_matches[self.in_play] > 0) | (self.features is not None)
        return np.asarray(self.in_play[~is_known])

    def _numbered(self, found: Verdict) -> Verdict:
        """The verdict with the players' numbers; undecided while somebody has not played."""
        kind = "undecided" if self.unplayed.size else found.kind
        return found._replace(players=tuple(self.in_play[list(found.players)].tolist()), kind=kind)


class BeliefCache:
    """The latest belief, fitted again only when the results or the players have changed.

    The results themselves are compared, not a number in the record: what a transaction added
    before it failed has a number that something else gets later. Threads that ask for the same
    results at the same time share one fit.

    Args:
        anchor: see `Belief`.
        features: reads the features of all players; None if they have none.

    >>> cache, tally = BeliefCache(), Tally(2)
    >>> cache.get(["anna", "bo"], tally, {}) is cache.get(["anna", "bo"], tally, {})
    True
    """

    def __init__(
        self,
        anchor: Mapping[str, float] | None = None,
        features: Callable[[], Features | None] | None = None,
    ) -> None:
        self._lock = threading.Lock()
        self._belief: Belief | None = None
        self._anchor, self._features = anchor, features

    def get(self, names: Sequence[str], tally: Tally, states: Mapping[str, str]) -> Belief:
        """The belief of these results, with its fit made."""
        with self._lock:
            if self._belief is None or not self._belief.is_of(names, tally, states):
                last = self._belief
                start = None if last is None or len(last.names) < 2 else last.fit.posterior
                results = tally.copy()
                self._belief = self.other(names, results, states, start=start)
            if len(names) > 1:
                _ = self._belief.fit
            return self._belief

    def rated(
        self,
        ratings: str | RatingMethod,
        names: Sequence[str],
        tally: Tally,
        states: Mapping[str, str],
        *,
        controls: ControlLog | None = None,
        ignore_judges: bool = False,
    ) -> Belief:
        """The belief of these results by a rating method; see `Belief`."""
        if rating_method(ratings)[1] is None and controls is None and not ignore_judges:
            return self.get(names, tally, states)
        return self.other(
            names, tally, states, ratings=ratings, controls=controls, ignore_judges=ignore_judges
        )

    def other(
        self,
        names: Sequence[str],
        tally: Tally,
        states: Mapping[str, str],
        *,
        start: Posterior | None = None,
        ratings: str | RatingMethod = POSTERIOR,
        controls: ControlLog | None = None,
        ignore_judges: bool = False,
    ) -> Belief:
        """A belief with the same anchor, which is not kept; see `Belief`.

        It has the same features too, which only the posterior knows.
        """
        knows_features = rating_method(ratings)[1] is None
        found = self._features() if knows_features and self._features is not None else None
        features = None if found is None else found.of(range(len(names)))
        return Belief(
            names,
            tally,
            states,
            anchor=self._anchor,
            start=start,
            features=features,
            ratings=ratings,
            controls=controls,
            ignore_judges=ignore_judges,
        )
