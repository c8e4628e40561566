"""Every scheduler against every other: paired differences, corrected for their number."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import combinations
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from maxin_studies.document import Section
from maxin_studies.estimates import FEWEST_SEEDS, Estimate, holm

LEVEL = 0.05  # of the corrected p-values

GameT = TypeVar("GameT", bound=Hashable)
OutcomeT = TypeVar("OutcomeT")
Values = list[NDArray[np.float64]]  # per game, one value per seed


def pairs_sections(
    name: str,
    title: str,
    measure: str,
    found: Mapping[tuple[GameT, str], Sequence[OutcomeT]],
    value: Callable[[GameT, Sequence[OutcomeT]], NDArray[np.float64]],
    *,
    is_loss: bool = False,
) -> list[Section]:
    """The section of all pairs of schedulers; none for a single scheduler.

    Args:
        name: of the section that it belongs to.
        title: of the section that it belongs to.
        measure: what the values are.
        found: the outcomes per game and scheduler, one per seed.
        value: the values of one game and scheduler, one per seed.
        is_loss: whether smaller values are better.
    """
    values: dict[str, Values] = {}
    for (game, scheduler), some in found.items():
        values.setdefault(scheduler, []).append(value(game, some))
    if len(values) < 2:
        return []
    section = Section(f"{name}-pairs", f"{title}: every scheduler against every other")
    section.notes = [
        f"Compared by {measure}; {'less' if is_loss else 'more'} is better. A difference is taken "
        "per game and seed, for which both schedulers have the same players, and is the mean over "
        "games, each of which counts alike. The better scheduler of a pair comes first.",
        "P-values are two-sided, from Student's t over seeds, and corrected for the number of "
        f"pairs in the table (Holm). A difference is beyond noise if that is below {LEVEL:g}: of "
        f"tables in which nothing differs, at most {100.0 * LEVEL:g} % show a difference. They are "
        "about these games, and say nothing about others.",
    ]
    section.header = ["scheduler", "against", "difference", "standard error", "better on games",
                      "p", "p, corrected", "beyond noise"]  # fmt: skip
    section.rows = _rows(values, -1.0 if is_loss else 1.0)
    return [section]


def _rows(values: Mapping[str, Values], sign: float) -> list[list[str]]:
    ranked = sorted(values, key=lambda name: -sign * Estimate.over_games(values[name]).mean)
    pairs = list(combinations(ranked, 2))
    gaps = [[a - b for a, b in zip(values[one], values[two], strict=True)] for one, two in pairs]
    estimates = [Estimate.over_games(gap) for gap in gaps]
    digits = 0 if max(abs(one.mean) for one in estimates) >= 100.0 else 3
    return [
        [
            *pair,
            f"{estimate.mean:+.{digits}f}",
            f"{estimate.error:.{digits}f}",
            f"{sum(sign * float(here.mean()) > 0.0 for here in gap)} of {len(gap)}",
            *verdict,
        ]
        for pair, gap, estimate, verdict in zip(
            pairs, gaps, estimates, _verdicts(estimates), strict=True
        )
    ]


def _verdicts(estimates: Sequence[Estimate]) -> list[list[str]]:
    """P-value, corrected p-value and verdict of each; all have equally many seeds."""
    p_values = [p for one in estimates if (p := one.p_value()) is not None]
    if not p_values:
        return [["", "", f"fewer than {FEWEST_SEEDS} seeds"]] * len(estimates)
    return [
        [_shown(p), _shown(corrected), "yes" if corrected < LEVEL else "no"]
        for p, corrected in zip(p_values, holm(p_values), strict=True)
    ]


def _shown(p_value: float) -> str:
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"
