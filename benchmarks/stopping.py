"""How often is a stop wrong, how many matches does it need, and do the intervals hold?

`TopTwo` plays simulated fields of 10 to 20 players whose truth is known, and stops when `verdict`
says so; thresholds used elsewhere are watched in the same runs. Whole tournaments are compiled,
on the package's own kernels. A stop is wrong if the player named is not the best against the
field; a tie, if the best is not in it or one of it is further from the first than was said.

    python benchmarks/stopping.py --tournaments 2000 --seed 1 --families ladder,cycles-1
"""

from __future__ import annotations

import argparse

from common import show  # isort: skip  (sets one core before NumPy)

import math
import time
from typing import NamedTuple

import numpy as np
from numba import njit
from scipy.special import stdtrit

from maxin.evaluation.verdict import ELO_PER_NAT, MARGIN
from maxin.kernels import doubts, sigmoid, tied_pairs
from maxin.ratings import Posterior
from maxin.ratings.kernels import Belief, narrow, observe, refit, refit_gap
from maxin.ratings.posterior import SOFT
from maxin.schedulers.telling import boundary_pair, most_telling
from maxin.schedulers.top_two import N_DRAWS

RULES = ("decided", "tied too", "(n-1)/d", "(1+log t)/d", "1/d", "sum of tails")
DECIDED, TIED, SLOWEST, ITERATED, PLAIN, TAILS = range(len(RULES))


class Family(NamedTuple):
    """A way to draw fields: size of the pairs' effects, their kind, draws, flight, top gap."""

    kappa: float = 0.0
    kind: str = "free"  # or "low-rank", "sparse"
    draws: float = 0.0  # share of draws between equals
    flight: int = 1
    gap: tuple[float, float] = (0.0, math.inf)  # of the best two, in nats


NEAR = (0.03, 0.15)
FAMILIES = {
    "ladder": Family(),
    "draws": Family(draws=0.5),
    "cycles-0.5": Family(kappa=0.5),
    "cycles-1": Family(kappa=1.0),
    "low-rank": Family(kappa=0.7, kind="low-rank"),
    "sparse": Family(kappa=2.0, kind="sparse"),
    "ladder, 16": Family(flight=16),
    "cycles-1, 16": Family(kappa=1.0, flight=16),
    "low-rank, 16": Family(kappa=0.7, kind="low-rank", flight=16),
    "near ladder": Family(gap=NEAR),
    "near cycles-0.5": Family(kappa=0.5, gap=NEAR),
    "near cycles-1": Family(kappa=1.0, gap=NEAR),
    "near low-rank": Family(kappa=0.7, kind="low-rank", gap=NEAR),
    "near cycles-1, 16": Family(kappa=1.0, flight=16, gap=NEAR),
}


def field(family: Family, rng: np.random.Generator) -> np.ndarray:
    """True advantages of a field whose best two are as far apart as the family says."""
    while True:
        n_players = int(rng.integers(10, 21))
        ratings = rng.uniform(0.5, 1.5) * rng.standard_normal(n_players)
        advantages = np.subtract.outer(ratings, ratings) + effects(family, n_players, rng)
        second, best = np.sort(advantages.mean(axis=1))[-2:]
        if family.gap[0] <= best - second <= family.gap[1]:
            return advantages


def effects(family: Family, n_players: int, rng: np.random.Generator) -> np.ndarray:
    if family.kind == "low-rank":
        one, two = rng.standard_normal((2, n_players))
        return family.kappa * (np.outer(one, two) - np.outer(two, one))
    above = np.triu(rng.standard_normal((n_players, n_players)), k=1)
    if family.kind == "sparse":
        above *= rng.random(above.shape) < 0.1
    return family.kappa * (above - above.T)


@njit
def score(advantage: float, draws: float, rng: np.random.Generator) -> float:
    """A score whose mean is sigmoid(advantage); draws grow rarer the clearer the favourite."""
    chance = sigmoid(advantage)
    drawn = draws * 2.0 * min(chance, 1.0 - chance)
    luck = rng.random()
    if luck < drawn:
        return 0.5
    return 1.0 if luck < drawn + chance - drawn / 2.0 else 0.0


@njit
def copy_widths(source: Belief, target: Belief) -> None:
    target.scales[:] = source.scales
    target.played[:] = source.played
    target.weights[:] = source.weights
    target.effects[:] = source.effects
    target.ratings[:] = source.ratings
    target.strengths[:] = source.strengths
    target.rating_cov[:] = source.rating_cov
    target.cross_cov[:] = source.cross_cov
    target.strength_cov[:] = source.strength_cov
    target.root[:] = source.root


@njit
def ask(belief: Belief, flying: Belief, waiting: np.ndarray, n: int, rng: np.random.Generator):
    """What `TopTwo` asks with the first n of `waiting` in flight."""
    if n > 0:
        copy_widths(belief, flying)
        for match in range(n):
            narrow(flying, waiting[match].min(), waiting[match].max())
        belief = flying
    x, y = boundary_pair(belief, rng.standard_normal((N_DRAWS, len(belief.ratings))), 1)
    return most_telling(belief, x, y)


@njit
def has_stopped(belief: Belief, t: int, risk: float, reach: float, stops: np.ndarray, tie):
    """Note which rules stop after match t; `tie` becomes the tied set."""
    means, cov = belief.strengths, belief.strength_cov
    top = np.array([means.argmax()])
    tail = doubts(means, cov, top, 0.0)
    total, sure = tail.sum(), math.inf
    for j in range(len(means)):
        if j != top[0]:
            variance = cov[j, j] + cov[top[0], top[0]] - 2.0 * cov[j, top[0]]
            sure = min(sure, (means[top[0]] - means[j]) ** 2 / (2.0 * variance))
    is_tied = False
    if stops[TIED] < 0 and total > risk / MARGIN and reach > 0.0:
        marks = tied_pairs(means, cov, top, risk / (2.0 * MARGIN), risk / 2.0, reach)
        is_tied = marks.any()
        if is_tied:
            tie[:] = marks[0]
            tie[top[0]] = 2.0
    said = (
        total <= risk / MARGIN,
        total <= risk / MARGIN or is_tied,
        sure > math.log((len(means) - 1.0) / risk),
        sure > math.log((1.0 + math.log(t)) / risk),
        sure > math.log(1.0 / risk),
        total <= risk,
    )
    for rule in range(len(said)):
        if stops[rule] < 0 and said[rule]:
            stops[rule] = t
    return top[0]


@njit
def tournament(belief, flying, truth, draws, n_flying, budget, risk, reach, rng, stops, named, tie):
    """Play until all rules have stopped; returns the standard scores of t at the first verdict."""
    waiting = np.empty((n_flying, 2), dtype=np.int64)
    means = np.array([row.mean() for row in truth])
    errors, n, next_refit = np.zeros(len(truth)), 0, refit_gap(0, len(truth))
    for t in range(1, budget + 1):
        while n < n_flying:
            waiting[n] = ask(belief, flying, waiting, n, rng)
            n += 1
        back = int(n * rng.random())
        i, j = waiting[back].min(), waiting[back].max()
        n -= 1
        waiting[back:n] = waiting[back + 1 : n + 1].copy()
        observe(belief, i, j, SOFT + (1.0 - 2.0 * SOFT) * score(truth[i, j], draws, rng))
        if t == next_refit:
            refit(belief)
            next_refit += refit_gap(t, len(truth))
        before = stops.copy()
        leader = has_stopped(belief, t, risk, reach, stops, tie)
        named[(before < 0) & (stops >= 0)] = leader
        if before[DECIDED] < 0 and (stops[DECIDED] >= 0 or t == budget):
            errors = (belief.strengths - means) / np.sqrt(np.diag(belief.strength_cov))
        if (stops >= 0).all():
            break
    return errors


def is_wrong_tie(tie: np.ndarray, means: np.ndarray, reach: float) -> bool:
    named, leader = np.flatnonzero(tie), int(tie.argmax())
    return means.argmax() not in named or (np.abs(means[named] - means[leader]) > reach).any()


def measure(family: Family, count: int, seed: int, budget: int, elo: float) -> list[str]:
    """A row of the table."""
    stops = np.full((count, len(RULES)), -1)
    wrong = np.zeros((count, len(RULES)), dtype=bool)
    n_tied, covered, total = 0, 0, 0
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        truth = field(family, rng)
        belief, flying = (Posterior(len(truth)).belief for _ in range(2))
        named, tie = np.full(len(RULES), -1), np.zeros(len(truth))
        reach, risk = elo / ELO_PER_NAT, 0.05
        errors = tournament(
            belief, flying, truth, family.draws, family.flight, budget, risk, reach, rng,
            stops[number], named, tie,
        )  # fmt: skip
        means = truth.mean(axis=1)
        wrong[number] = (stops[number] >= 0) & (named != means.argmax())
        if tie.any():
            n_tied += 1
            wrong[number, TIED] = is_wrong_tie(tie, means, reach)
        quantile = stdtrit(len(truth), 0.95)
        covered += int((np.abs(errors) <= quantile).sum())
        total += len(errors)
    cells = []
    for rule in range(len(RULES)):
        n_stops = int((stops[:, rule] >= 0).sum())
        median = np.median(np.where(stops[:, rule] >= 0, stops[:, rule], budget))
        cells.append(f"{wrong[:, rule].sum()}/{n_stops}, {median:.0f}")
    cells[TIED] += f" ({n_tied} tied)"
    return [*cells, f"{covered / total:.3f}"]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tournaments", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--budget", type=int, default=5000)
    parser.add_argument("--indifference", type=float, default=50.0)
    parser.add_argument("--families", default=";".join(FAMILIES))
    given = parser.parse_args()
    rows = []
    for name in given.families.split(";"):
        start = time.perf_counter()
        row = measure(
            FAMILIES[name], given.tournaments, given.seed, given.budget, given.indifference
        )
        print(name, *row, f"{time.perf_counter() - start:.0f} s", sep=" | ", flush=True)
        rows.append([name, *row])
    show(
        f"Wrong / stops, median matches; {given.tournaments} tournaments each, seed {given.seed}",
        ["field", *RULES, "90 % cover"],
        rows,
    )


if __name__ == "__main__":
    main()
