"""What the claims are judged by: one number per run, and the comparison of two lines by it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxin_studies.estimates import Estimate
from maxin_studies.reproduction.claims.base import Panel, Part, Verdict
from maxin_studies.reproduction.runs import reading_rounds
from maxin_studies.reproduction.tuning import Line

Array = NDArray[np.float64]
RR_IS_ONE = 0.95  # a mean reciprocal rank of at least this counts as 1
CONVERGED = 0.9  # a regret is near convergence once it has this share of its final value


class Measure(NamedTuple):
    """One number per run.

    Args:
        name: as text.
        values: the number of every run of a line.
        better: whether higher or lower numbers are better.
        bound: the best number there is, if there is one.
    """

    name: str
    values: Callable[[Line], Array]
    better: Literal["higher", "lower"]
    bound: float | None = None

    def of(self, line: Line) -> Estimate:
        """The mean of a line; all lines of a panel have the same seeds."""
        return Estimate.on_same_seeds(self.values(line))

    def is_better(self, one: Estimate, other: Estimate) -> Verdict:
        """Whether `one` is better than `other`."""
        return one.is_above(other) if self.better == "higher" else other.is_above(one)

    def best(self, values: Mapping[str, Estimate]) -> str:
        """The name of the best mean."""
        sign = 1.0 if self.better == "higher" else -1.0
        return max(values, key=lambda name: sign * values[name].mean)


def leads(
    panel: Panel, algorithm: str, measure: Measure, aside: Sequence[str] = (), ties: bool = False
) -> Part:
    """Whether a line is better than the best of the others, not counting those in `aside`.

    With `ties`, a line at the bound of the measure in every run is best whatever the others do.
    """
    values = {name: measure.of(line) for name, line in panel.lines.items() if name not in aside}
    return best_of(panel.label, values, [algorithm], measure, ties)


def best_of(
    label: str,
    values: Mapping[str, Estimate],
    expected: Sequence[str],
    measure: Measure,
    ties: bool = False,
) -> Part:
    """Whether the best of the `expected` lines is better than the best of the others."""
    here = {name: value for name, value in values.items() if name in expected}
    others = {name: value for name, value in values.items() if name not in expected}
    if not here or not others:
        return Part(None, label, "no line to compare with")
    ours, rival = measure.best(here), measure.best(others)
    is_unbeatable = ties and here[ours].mean == measure.bound
    holds = True if is_unbeatable else measure.is_better(here[ours], others[rival])
    return Part(holds, label, against(ours, here[ours], rival, others[rival]))


def against(one: str, value: Estimate, other: str, its: Estimate) -> str:
    """Two lines with their means, as text.

    >>> against("gamma = 1", Estimate(0.5, 0.1, 5), "gamma = 2", Estimate(0.2, 0.1, 5))
    'gamma = 1: 0.50 ± 0.10 against gamma = 2: 0.20 ± 0.10'
    """
    colon = ":" if "=" in one else ""  # two numbers must not stand side by side
    return f"{one}{colon} {value} against {other}{colon} {its}"


def slope_text(slope: Estimate) -> str:
    """A slope as text, with three digits if it is small.

    >>> slope_text(Estimate(-0.0142, 0.0031, 5)), slope_text(Estimate(124.2, 31.0, 5))
    ('-0.014 ± 0.003', '124 ± 31')
    """
    return slope.text(3) if abs(slope.mean) < 1.0 else str(slope)


def is_above_bar(value: Estimate, bar: float) -> Verdict:
    """Whether a mean is above a number.

    >>> is_above_bar(Estimate(1.0, 0.0, n_seeds=5), 0.95)
    True
    """
    return value.is_above(Estimate(bar, 0.0, value.n_seeds))


def settled_rounds(curves: Array, rounds: NDArray[np.int64], bar: float = RR_IS_ONE) -> Array:
    """The round from which each curve stays at `bar` or above; the last one if it never does.

    >>> settled_rounds(np.array([[1.0, 0.5, 1.0, 1.0], [0.5, 1.0, 1.0, 0.5]]), np.arange(1, 5))
    array([3., 4.])
    """
    below = curves < bar
    n = curves.shape[1]
    first = np.where(below.any(axis=1), n - below[:, ::-1].argmax(axis=1), 0)
    found: Array = rounds[np.minimum(first, n - 1)].astype(float)
    return found


def rounds_to_share(curves: Array, rounds: NDArray[np.int64], share: float = CONVERGED) -> Array:
    """The first reading at which each curve has `share` of its final value.

    >>> rounds_to_share(np.array([[5.0, 9.0, 10.0], [1.0, 2.0, 3.0]]), np.array([10, 20, 30]))
    array([20., 30.])
    """
    reached = curves >= share * curves[:, -1:]
    found: Array = rounds[reached.argmax(axis=1)].astype(float)
    return found


def share_by_half(curves: Array, rounds: NDArray[np.int64]) -> Array:
    """The share of each curve's final value that it has after half of the rounds; 1 if that is 0.

    >>> share_by_half(np.array([[5.0, 9.0, 9.5, 10.0], [0.0, 0.0, 0.0, 0.0]]), np.arange(1, 5))
    array([0.9, 1. ])
    """
    half = curves[:, np.searchsorted(rounds, rounds[-1] / 2.0)]
    final = curves[:, -1]
    return np.divide(half, final, out=np.ones_like(final), where=final > 0.0)


def mean_rr(line: Line, start: float) -> Array:
    """The mean RR of every run from the share `start` of the rounds on."""
    return np.array([outcome.mean_rr(line.game.truth, start) for outcome in line.outcomes])


def _top_k(line: Line) -> Array:
    both = line.curves("hit").mean(axis=1) + line.curves("ndcg").mean(axis=1)
    found: Array = both / 2.0
    return found


REGRET = Measure("final regret", lambda line: line.curves("regret")[:, -1], "lower", 0.0)
# The paper's curves are smoothed over about a hundred rounds, which is a tenth of most games.
FINAL_RR = Measure("final RR", lambda line: mean_rr(line, 0.9), "higher", 1.0)
LATE_RR = Measure("late RR", lambda line: mean_rr(line, 0.5), "higher", 1.0)
RR_ROUNDS = Measure(
    "rounds until the RR stays at 1",
    lambda line: settled_rounds(line.curves("rr"), reading_rounds(line.game.rounds)),
    "lower",
)
REGRET_ROUNDS = Measure(
    "rounds until the regret converges",
    lambda line: rounds_to_share(line.curves("regret"), reading_rounds(line.game.rounds)),
    "lower",
)
TOP_1 = Measure("hit ratio@1", lambda line: line.curves("hit")[:, 0], "higher", 1.0)
TOP_K = Measure("top-k", _top_k, "higher", 1.0)
N_CANDIDATES = Measure(
    "candidates left",
    lambda line: np.array([float(outcome.n_candidates) for outcome in line.outcomes]),
    "lower",
)
KEEPS_BEST = Measure(
    "x* in S",
    lambda line: np.array([float(outcome.keeps_best) for outcome in line.outcomes]),
    "higher",
    1.0,
)
