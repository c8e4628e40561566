"""How often is a decision between two players wrong, exactly?

The verdict on two players depends on their matches and wins alone. So the probability of every
score that is not yet decided follows from that of the match before it. The rule looks after every
match. Its boundary is computed at some numbers of matches, and interpolated in between.
"""

from __future__ import annotations

import argparse
import math

from common import show  # isort: skip  (sets one core before NumPy)

import numpy as np
from numpy.typing import NDArray

from maxin.core import Stop
from maxin.core.units import ELO_PER_NAT
from maxin.evaluation import top_verdict
from maxin.ratings import Posterior

GAPS = (0.01, 0.03, 0.065, 0.1155, 0.18, 0.3, 1.0)  # nats; 10 Elo points are 0.0576
STEPS = 14  # of a bisection for the boundary
ALL = 40  # up to so many matches, the boundary is computed after each
N_KNOWN = 60  # further numbers of matches with a computed boundary


class Boundary:
    """The lead in wins with which a tournament of two is decided, by the number of matches."""

    def __init__(self, confidence: float, tolerance: float, most: int) -> None:
        self.confidence, self.tolerance = confidence, tolerance
        self._posterior = Posterior(2)
        known = {*range(2, ALL), *np.geomspace(ALL, most, N_KNOWN).round().astype(int).tolist()}
        self._logs = np.log(sorted(known))
        self._leads = np.array([self._lead(n) / math.sqrt(n) for n in sorted(known)])

    def of(self, n_matches: float) -> float:
        """The least lead that decides; infinite if none does."""
        place = int(np.searchsorted(self._logs, math.log(n_matches) - 1e-12))
        nearby = slice(max(0, place - 1), place + 1)
        if n_matches < ALL:
            return float(self._leads[place]) * math.sqrt(n_matches)
        lead = np.interp(math.log(n_matches), self._logs[nearby], self._leads[nearby])
        return float(lead) * math.sqrt(n_matches)

    def _lead(self, n_matches: int) -> float:
        if not self._is_decided(n_matches, n_matches):
            return math.inf
        low, high = 0.0, float(n_matches)
        for _ in range(STEPS):
            middle = (low + high) / 2.0
            low, high = (low, middle) if self._is_decided(n_matches, middle) else (middle, high)
        return high if low else 0.0

    def _is_decided(self, n_matches: int, lead: float) -> bool:
        wins = (n_matches + lead) / 2.0
        self._posterior.fit([[0.0, wins], [n_matches - wins, 0.0]])
        known = self._posterior.ratings(), self._posterior.covariance()
        stop = Stop(confidence=self.confidence, tolerance=self.tolerance)
        return top_verdict(*known, stop).kind == "decided"


def ends(boundary: Boundary, gap: float, most: int) -> tuple[float, float, float]:
    """P(wrong), P(decided) and the median of matches, for a gap in nats."""
    chance = 1.0 / (1.0 + math.exp(-gap))
    zero, right, wrong, median = most, 0.0, 0.0, math.inf
    odds: NDArray[np.float64] = np.zeros(2 * most + 1)  # of each lead, from -most on
    odds[zero] = 1.0
    for n_matches in range(1, most + 1):
        now = slice(zero - n_matches, zero + n_matches + 1)
        before = np.concatenate([[0.0], odds[now], [0.0]])
        odds[now] = chance * before[:-2] + (1.0 - chance) * before[2:]
        lead = boundary.of(n_matches) if n_matches > 1 else math.inf
        if lead <= n_matches:
            least = max(1, math.ceil(lead - 1e-6))
            right += odds[zero + least :].sum()
            wrong += odds[: zero - least + 1].sum()
            odds[zero + least :] = odds[: zero - least + 1] = 0.0
        if right + wrong >= 0.5:
            median = min(median, n_matches)
    is_near = gap * ELO_PER_NAT <= boundary.tolerance
    return 0.0 if is_near else float(wrong), float(right + wrong), median


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--confidence", type=float, default=0.95)
    parser.add_argument("--matches", type=int, default=10_000)
    given = parser.parse_args()
    rows = []
    for tolerance in (10.0, 0.0):
        boundary = Boundary(given.confidence, tolerance, given.matches)
        for gap in GAPS:
            wrong, decided, median = ends(boundary, gap, given.matches)
            cells = [f"{wrong:.1%}", f"{decided:.0%}", f"{median:.0f}"]
            rows.append([f"{tolerance:g}", f"{gap * ELO_PER_NAT:.1f}", *cells])
    show("two players", ["tolerance", "gap, Elo", "wrong", "decided", "matches"], rows)


if __name__ == "__main__":
    main()
