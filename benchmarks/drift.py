"""What a half-life is worth if players' skill drifts, and what it costs if it does not.

Strengths start as N(0, 1), in nats. Then each follows a slow random walk that keeps this spread: a
player that is rated x now is N(x cos d, sin(d)^2) after 1,000 matches of the whole tournament,
for a drift of sin(d). The ratings of the posterior are compared with those of the moment, after
2,000, 2,500 and 3,000 matches.

The second table is about two players a fixed distance apart, who do not drift: how often a decision
that is checked after every match is wrong within 50 half-lives.
"""

from __future__ import annotations

import argparse
import copy
import math

from common import markdown, show  # isort: skip  (sets one core before NumPy)

import numpy as np
from numpy.typing import NDArray
from two_players import Boundary

from maxin.core import Result
from maxin.core.half_life import HalfLife
from maxin.core.units import ELO_PER_NAT
from maxin.schedulers import make_scheduler
from maxin.views.formats import share, tenths

N_PLAYERS, N_MATCHES = 20, 3_000
FIRST, STEP = 2_000, 500  # when the ratings are looked at
DRIFTS = (0.0, 0.25, 0.75)  # nats per 1,000 matches
HALF_LIVES = (None, 2_000, 1_000, 500, 250, 125)
LEVEL = 0.9  # of the intervals
GAPS = (12.0, 20.0, 50.0)  # Elo, between two players
STOPPED = (50, 200, 1_000)  # half-lives of their tournaments
N_HALF_LIVES, N_RUNS = 50, 1_000

Array = NDArray[np.float64]


def looks(name: str, drift: float, half_life: float | None, seed: int) -> Array:
    """The error in Elo, the coverage and the loss of the player named in Elo, a row per look."""
    truth, matches = (np.random.default_rng([seed, part]) for part in (0, 1))
    share = 0.0 if not drift else 1.0 - (1.0 - drift**2) ** (1.0 / 1_000)
    strengths = truth.normal(size=N_PLAYERS)
    scheduler = make_scheduler(name, N_PLAYERS, np.random.default_rng(seed), half_life=half_life)
    found = []
    for number in range(1, N_MATCHES + 1):
        strengths = math.sqrt(1.0 - share) * strengths
        strengths += math.sqrt(share) * truth.normal(size=N_PLAYERS)
        match = scheduler.ask()
        assert match is not None
        lead = strengths[match.first] - strengths[match.second]
        score = float(matches.random() < 1.0 / (1.0 + math.exp(-lead)))
        scheduler.tell(Result(match, score))
        if number >= FIRST and number % STEP == 0:
            found.append(look(scheduler.posterior, strengths))  # type: ignore[attr-defined]
    return np.array(found)


def look(posterior: object, strengths: Array) -> list[float]:
    """What the posterior is off by now."""
    settled = copy.deepcopy(posterior)
    settled.settle()  # type: ignore[attr-defined]
    ratings = settled.ratings()  # type: ignore[attr-defined]
    low, high = settled.intervals(LEVEL).T  # type: ignore[attr-defined]
    true = strengths - strengths.mean()
    error = ELO_PER_NAT * math.sqrt(float(((ratings - true) ** 2).mean()))
    loss = ELO_PER_NAT * float(true.max() - true[ratings.argmax()])
    return [error, float(((low <= true) & (true <= high)).mean()), loss]


def row(drift: float, half_life: float | None, seeds: range) -> list[str]:
    """The means over the seeds, with standard errors."""
    cells = [f"{ELO_PER_NAT * drift:.0f}", "none" if half_life is None else f"{half_life:,}"]
    for name, places in (("swiss-information", (0, 1)), ("top-two", (2,))):
        runs = np.array([looks(name, drift, half_life, seed).mean(axis=0) for seed in seeds])
        means, errors = runs.mean(axis=0), runs.std(axis=0, ddof=1) / math.sqrt(len(runs))
        for place in places:
            mean, error = means[place], errors[place]
            is_share = place == 1
            cells.append(
                f"{share(mean)} ± {share(error)}" if is_share else f"{mean:.0f} ± {error:.0f}"
            )
    return cells


def stops(half_life: int, gap: float, seed: int) -> tuple[float, float]:
    """P(wrong) and P(decided) of two players, within 50 half-lives."""
    rng, fading = np.random.default_rng(seed), HalfLife.of(half_life)
    boundary = Boundary(0.95, 10.0, 2 * half_life)
    chance = 1.0 / (1.0 + math.exp(-gap / ELO_PER_NAT))
    leads, n_counted = np.zeros(N_RUNS), 0.0
    ends: NDArray[np.int64] = np.zeros(N_RUNS, dtype=np.int64)  # 1 if right, -1 if wrong
    for number in range(N_HALF_LIVES * half_life):
        if number and number % fading.period == 0:
            leads, n_counted = fading.weight(1) * leads, fading.weight(1) * n_counted
        leads += np.where(rng.random(N_RUNS) < chance, 1.0, -1.0)
        n_counted += 1.0
        if number:
            is_new = (ends == 0) & (np.abs(leads) >= boundary.of(n_counted))
            ends[is_new] = np.sign(leads[is_new])
    return float((ends < 0).mean()), float((ends != 0).mean())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=10_000)
    given = parser.parse_args()
    seeds = range(given.first, given.first + given.seeds)
    header = ["drift, Elo", "half-life", "error, Elo", "in 90 % intervals", "loss, Elo"]
    rows = []
    for drift in DRIFTS:
        for half_life in HALF_LIVES:
            rows.append(row(drift, half_life, seeds))
            print(" | ".join(rows[-1]), flush=True)
    show(f"{N_PLAYERS} players, {given.seeds} seeds", header, rows)
    print(markdown(header, rows))
    header = ["half-life", "gap, Elo", "decided", "wrong"]
    rows = []
    for length in STOPPED:
        for gap in GAPS:
            wrong, decided = stops(length, gap, given.first)
            rows.append([f"{length:,}", f"{gap:g}", share(decided), tenths(wrong)])
    print(markdown(header, rows))


if __name__ == "__main__":
    main()
