"""What features say about ratings: how much they explain, and the curve over a number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypedDict

import numpy as np

from maxin.core.text import listed, visible
from maxin.core.units import ELO_PER_NAT
from maxin.ratings import Features
from maxin.ratings.base import Array
from maxin.ratings.fitting.features.prior import FeatureWay
from maxin.ratings.fitting.features.shared import shared_part
from maxin.ratings.posterior.posterior import Posterior, interval_reach
from maxin.views.belief import Belief
from maxin.views.formats import share
from maxin.views.scale import is_signed

LEVEL = 0.9  # of the band around a curve
EVEN = 41  # places of a curve that are evenly spaced; as many are where the players are
READ = 5  # places of a curve in a sentence
LEAST = 0.005  # the least share that is shown


class CurveDocument(TypedDict):
    """The rating that a number alone predicts, in JSON."""

    feature: str
    values: list[float]
    ratings: list[float]
    margins: list[float]


class FeaturesDocument(TypedDict):
    """What features say about ratings, in JSON."""

    explained: float
    ways: list[dict[str, Any]]
    curve: CurveDocument | None


class FeatureCurve(NamedTuple):
    """The rating that a number alone predicts, in Elo points on the leaderboard's scale.

    Args:
        feature: the name of the number.
        values: of the number, rising.
        ratings: the mean rating of players with these values.
        margins: half the 90 % intervals of those.
        players: the number of each player, by name.
        has_anchor: whether an anchor sets the scale; then ratings are written without a sign.
    """

    feature: str
    values: Array
    ratings: Array
    margins: Array
    players: dict[str, float]
    has_anchor: bool = False

    def document(self) -> CurveDocument:
        """The same for JSON."""
        return {
            "feature": self.feature,
            "values": self.values.round(6).tolist(),
            "ratings": self.ratings.round(6).tolist(),
            "margins": self.margins.round(6).tolist(),
        }

    @property
    def sentence(self) -> str:
        """The curve at a few evenly spaced values."""
        places = np.linspace(self.values[0], self.values[-1], READ)
        ratings, margins = (
            np.interp(places, self.values, column) for column in (self.ratings, self.margins)
        )
        rows = zip(places.tolist(), ratings.tolist(), margins.tolist(), strict=True)
        shown = [
            f"{round(rating):{'d' if self.has_anchor else '+d'}} ± {margin:.0f} at {_short(place)}"
            for place, rating, margin in rows
        ]
        return (
            f"expected rating by {visible(self.feature)}, with 90 % intervals: {', '.join(shown)}"
        )


class FeatureEffects(NamedTuple):
    """What features say about ratings.

    Args:
        explained: rho, the share of the variance of ratings that features explain.
        ways: that share by the way in which they act, the largest first.
        curve: the rating over the only feature, if that is a number that differs.

    >>> from maxin.ratings import Tally
    >>> tally = Tally(4)
    >>> tally.add_many([1, 2, 3] * 8, [0, 1, 2] * 8, [0.75] * 24)
    >>> names, table = ["a", "b", "c", "d"], Features({"step": [100, 200, 300, 400]})
    >>> effects = FeatureEffects.of(Belief(names, tally, features=table))
    >>> effects.sentence
    'step explains 45 % of the variance of ratings'
    >>> effects.curve.ratings[[0, -1]].round()
    array([-139.,  139.])
    """

    explained: float
    ways: list[FeatureWay]
    curve: FeatureCurve | None

    @classmethod
    def of(cls, belief: Belief) -> FeatureEffects | None:
        """The effects of a belief's features; None without features or a fit."""
        features = belief.features
        if features is None or len(belief.names) < 2:
            return None
        posterior = belief.fit.posterior
        if not isinstance(posterior, Posterior) or posterior.prior is None:
            return None
        ways = [way for way in posterior.prior.ways() if way.share >= LEAST]
        return cls(posterior.prior.explained, ways, _curve(belief, features, posterior))

    @property
    def sentence(self) -> str:
        """How much the features explain, and by which ways if there are several features."""
        explained = f"{share(self.explained)} of the variance of ratings"
        if self.curve is not None:
            return f"{visible(self.curve.feature)} explains {explained}"
        parts = [f"{way_words(way)} {share(way.share)}" for way in self.ways[:READ]]
        return f"features explain {explained}" + (f": {', '.join(parts)}" if parts else "")

    @property
    def notes(self) -> list[str]:
        """A line or two for people."""
        return [self.sentence] if self.curve is None else [self.sentence, self.curve.sentence]

    def document(self) -> FeaturesDocument:
        """The same for JSON."""
        curve = None if self.curve is None else self.curve.document()
        ways = [way._asdict() for way in self.ways]
        return {"explained": self.explained, "ways": ways, "curve": curve}


def _short(value: float) -> str:
    """A number with three digits.

    >>> _short(14_399.0), _short(0.01234)
    ('14,400', '0.0123')
    """
    return f"{float(f'{value:.3g}'):,.10g}"


def way_words(way: FeatureWay) -> str:
    """A way in which features act, as people read it.

    >>> way_words(FeatureWay("curve by category", ("step", "family"), 0.3))
    'step and family (curve by category)'
    """
    return f"{listed(way.features)} ({way.way})"


def _curve(belief: Belief, features: Features, posterior: Posterior) -> FeatureCurve | None:
    """The curve over the only feature; None if there are others, or it does not differ."""
    if len(features.columns) > 1 or features.columns[0].kind == "category":
        return None
    prior, [column] = posterior.prior, features.columns
    values = dict(zip(belief.names, map(float, column.values), strict=True))
    present = zip(belief.names, belief.states, strict=True)
    players = {name: values[name] for name, state in present if state != "removed"}
    places = _places(list(players.values()))
    if prior is None or places[0] == places[-1]:
        return None
    others = Features({column.name: places.tolist()}, kinds={column.name: column.kind})
    base = belief.scale.base
    means, variances = shared_part(posterior.state, prior, others, base)
    # A strength is a rating minus the mean of the field, plus effects, which an anchor has too.
    field = np.flatnonzero(posterior.state.members)
    state, strengths = posterior.state, posterior.ratings()
    means += state.ratings[base].mean() - state.ratings[field].mean() - strengths[base].mean()
    reach = ELO_PER_NAT * interval_reach(LEVEL, belief.scale.n_players)
    ratings = ELO_PER_NAT * means + belief.scale.zero
    margins, has_anchor = reach * np.sqrt(variances), not is_signed(belief.scale.anchor)
    return FeatureCurve(column.name, places, ratings, margins, players, has_anchor)


def _places(values: Sequence[float]) -> Array:
    """Evenly spaced values, and those of players, or evenly many of those."""
    even = np.linspace(min(values), max(values), EVEN)
    where = np.quantile(values, np.linspace(0.0, 1.0, EVEN), method="nearest")
    return np.unique(np.concatenate([even, where]))
