"""The effects of covariates of a match, which are taken out of the ratings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from maxin.core.text import counted, visible
from maxin.core.units import ELO_PER_NAT
from maxin.ratings.judging.control_fit import ControlFit
from maxin.ratings.judging.control_log import ControlLog
from maxin.storage import PlayedMatch
from maxin.views.columns import signed
from maxin.views.scale import Z95


class ControlEffect(NamedTuple):
    """The effect of a covariate, with its 95 % interval; ratings are without it.

    Args:
        control: the name of the covariate.
        effect: what one standard deviation more of it is worth, in Elo points.
        low: where the interval begins.
        high: where it ends.
        deviation: the standard deviation of the difference between two players, around 0.
        per_unit: what one more is worth, in Elo points.
        per_unit_low: where the interval begins.
        per_unit_high: where it ends.
        n_missing: how many matches do not have it; both players count as equal in them.

    >>> print(ControlEffect("length", 45.0, 33.0, 57.0, 90.0, 0.5, 0.367, 0.633, 0))
    length: +45 ± 12 Elo per standard deviation (90), +0.50 ± 0.13 per unit, taken out of the...
    """

    control: str
    effect: float
    low: float
    high: float
    deviation: float
    per_unit: float
    per_unit_low: float
    per_unit_high: float
    n_missing: int

    def __str__(self) -> str:
        margin, unit_margin = self.high - self.effect, self.per_unit_high - self.per_unit
        missing = ""
        if self.n_missing:
            missing = f"; {counted(self.n_missing, 'match')} without a value count as equal"
        return (
            f"{visible(self.control)}: {signed(self.effect)} ± {margin:.0f} Elo per standard "
            f"deviation ({self.deviation:.3g}), {_with_margin(self.per_unit, unit_margin)} per "
            f"unit, taken out of the ratings{missing}"
        )


def _with_margin(value: float, margin: float) -> str:
    """A value with its margin, whose first two digits are shown.

    >>> _with_margin(0.14235, 0.03821), _with_margin(1234.5, 321.0)
    ('+0.142 ± 0.038', '+1234 ± 321')
    """
    n_digits = max(0, 1 - math.floor(math.log10(margin)))
    return f"{value:+.{n_digits}f} ± {margin:.{n_digits}f}"


def control_effects(fit: ControlFit | None, log: ControlLog | None) -> list[ControlEffect]:
    """The effects of the covariates of a log, in their order."""
    if fit is None or log is None:
        return []
    found = []
    deviations = fit.covariance.diagonal() ** 0.5
    rows = zip(log.names, fit.effects, deviations, log.scales, log.n_missing, strict=True)
    for name, effect, deviation, scale, n_missing in rows:
        reach, unit = Z95 * deviation, float(scale)
        ends = (effect, effect - reach, effect + reach)
        middle, low, high = (float(ELO_PER_NAT * end) for end in ends)
        units = (middle / unit, low / unit, high / unit)
        found.append(ControlEffect(name, middle, low, high, unit, *units, n_missing))
    return found


def read_controls(
    matches: Iterable[PlayedMatch[str]], numbers: Mapping[str, int], names: Sequence[str]
) -> ControlLog:
    """The covariates of matches.

    Args:
        matches: the results, in the order of the record.
        numbers: of the players, by name.
        names: of the covariates.

    >>> matches = [PlayedMatch(1, "anna", "bo", 1.0, data={"length": 120})]
    >>> read_controls(matches, {"anna": 0, "bo": 1}, ["length"]).values
    array([[120.]])
    """
    log = ControlLog(names)
    for match in matches:
        add_controlled(log, match, numbers)
    return log


def add_controlled(
    log: ControlLog, match: PlayedMatch[str], numbers: Mapping[str, int], source: str = ""
) -> None:
    """Add a match with its covariates; `source` is the file that it comes from, for errors."""
    judge, is_swapped = (None, False) if match.judge is None else match.judge
    if match.number is not None:
        place = f"match {match.number}"
    else:
        place = f"{match.source or source}, line {match.line}"
    log.add(
        numbers[match.first],
        numbers[match.second],
        match.games or (match.score,),
        match.data,
        judge=judge,
        is_swapped=is_swapped,
        place=place,
    )
