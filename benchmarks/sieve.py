"""How well and how fast does `top-two` find the best of thousands to a million players?

- speed: CPU time per match while the field is screened and after, and memory, one field each;
- quality: P(the player named is within 0.2 nats of the best), beside successive halving, which is
  told its budget and starts again for each one, random matches, and a lower bound;
- stops: how often the stopping rule decides, and misses the best.

Fields have ratings of deviation 1: normal, Student's t with 4 degrees of freedom (scaled to
deviation 1), or normal with an effect of deviation 0.5 for each pair (cycles).
"""

from __future__ import annotations

import argparse
import itertools
import math
import re
import time
from functools import partial
from multiprocessing import Pool
from pathlib import Path
from typing import NamedTuple

from common import human, show  # isort: skip  (sets one core before NumPy)

import numpy as np
from scipy.special import expit

from maxin.core import Match, Result, Stop
from maxin.ratings import SparsePosterior
from maxin.schedulers import SieveTopTwo, make_scheduler
from maxin.schedulers.sieve import field_verdict

WITHIN = 0.2  # nats
EFFECT = 0.5  # nats, of cycles
N_WAVES = 64  # numbers per player from which the effects of its pairs are made
KINDS = ("normal", "student", "cycles")
LOOK = 512  # matches between two looks at the verdict
KL = 0.8 * math.log(9.0)  # between being right with 0.9 and with 0.1


class Field:
    """Players whose strengths are known."""

    def __init__(self, kind: str, n_players: int, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.ratings = self.rng.standard_normal(n_players)
        if kind == "student":
            self.ratings = self.rng.standard_t(4, n_players) / math.sqrt(2.0)
        self.effect = EFFECT if kind == "cycles" else 0.0
        self.waves = self.rng.standard_normal((n_players if self.effect else 0, N_WAVES))
        self.numbers = self.ratings.tolist()  # quicker one by one

    def play(self, matches: np.ndarray) -> np.ndarray:
        """The scores of matches, given as rows."""
        first, second = matches[:, 0], matches[:, 1]
        lead = self.ratings[first] - self.ratings[second]
        if self.effect:
            lead = lead + self.effect * self.effects(first, second)
        return (self.rng.random(len(matches)) < expit(lead)).astype(float)

    def effects(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Antisymmetric, of deviation 1, and different for each pair: a form of low rank."""
        half = N_WAVES // 2
        a, b = self.waves[first], self.waves[second]
        cross = a[:, :half] * b[:, half:] - a[:, half:] * b[:, :half]
        return cross.sum(axis=1) / math.sqrt(2.0 * half)

    def strengths(self) -> np.ndarray:
        """Mean advantages over the field."""
        if not self.effect:
            return self.ratings - self.ratings.mean()
        half, mean = N_WAVES // 2, self.waves.mean(axis=0)
        cross = self.waves[:, :half] @ mean[half:] - self.waves[:, half:] @ mean[:half]
        own = self.effect * cross / math.sqrt(2.0 * half)
        return self.ratings - self.ratings.mean() + own


def play_on(scheduler: SieveTopTwo, field: Field, n_matches: int) -> None:
    ratings, effect = field.numbers, field.effect
    for number in field.rng.random(n_matches).tolist():
        match = scheduler.ask()
        first, second = match
        lead = ratings[first] - ratings[second]
        if effect:
            lead += effect * float(field.effects(np.array([first]), np.array([second]))[0])
        scheduler.tell(Result(Match(first, second), float(number < 1.0 / (1.0 + math.exp(-lead)))))


def found(ratings: np.ndarray, field: Field) -> float:
    strengths = field.strengths()
    return float(strengths.max() - strengths[int(np.argmax(ratings))] <= WITHIN)


def by_top_two(field: Field, n_players: int, marks: list[int], seed: int) -> list[float]:
    scheduler, right, played = (
        make_scheduler("top-two", n_players, np.random.default_rng(seed)),
        [],
        0,
    )
    for mark in marks:
        play_on(scheduler, field, mark - played)
        played = mark
        right.append(found(scheduler.ratings(), field))
    return right


def by_halving(field: Field, n_players: int, mark: int) -> float:
    posterior, left = SparsePosterior(n_players), np.arange(n_players)
    n_rounds = math.ceil(math.log2(n_players))
    for _ in range(n_rounds):
        budget = mark // n_rounds
        while budget > 0 and len(left) > 1:
            order = field.rng.permutation(left)[: min(2 * budget, len(left) // 2 * 2)]
            matches = order.reshape(-1, 2)
            posterior.tell_many(matches, field.play(matches))
            budget -= len(matches)
        ratings = posterior.ratings()[left]
        left = left[np.argsort(-ratings)[: max(1, math.ceil(len(left) / 2))]]
    ratings = np.full(n_players, -np.inf)
    ratings[left] = posterior.ratings()[left]
    return found(ratings, field)


def by_random(field: Field, n_players: int, mark: int) -> float:
    posterior = SparsePosterior(n_players)
    first = field.rng.integers(n_players, size=mark)
    second = (first + field.rng.integers(1, n_players, size=mark)) % n_players
    matches = np.stack([first, second], axis=1)
    posterior.tell_many(matches, field.play(matches))
    return found(posterior.ratings(), field)


def lower_bound(ratings: np.ndarray) -> float:
    """Matches per player that any method needs which is right with 0.9 on every field.

    To tell a player from the same player lifted to the best, its matches must have a total
    divergence of KL; each is at most that against the best opponent. A match serves two players.
    """
    best = ratings.max()
    opponents = np.linspace(-3.0, 3.0 + best, 121)
    needed = 0.0
    for block in np.array_split(np.delete(ratings, ratings.argmax()), max(1, len(ratings) // 2000)):
        low, high = expit(block[:, None] - opponents), expit(best - opponents)
        divergence = low * np.log(low / high) + (1.0 - low) * np.log((1.0 - low) / (1.0 - high))
        needed += float((KL / np.maximum(divergence.max(axis=1), 1e-3)).sum())
    return needed / 2.0 / len(ratings)


def quality(sizes: list[int], n_fields: int, first_seed: int, times: list[int]) -> None:
    rows = []
    for n_players in sizes:
        marks = [time * n_players for time in times]
        ours, halving, chance, bounds = [], [], [], []
        for seed in range(first_seed, first_seed + n_fields):
            ours.append(by_top_two(Field("normal", n_players, seed), n_players, marks, seed))
            halving.append(
                [by_halving(Field("normal", n_players, seed), n_players, mark) for mark in marks]
            )
            chance.append(
                [by_random(Field("normal", n_players, seed), n_players, mark) for mark in marks]
            )
            bounds.append(lower_bound(Field("normal", n_players, seed).ratings))
        for place, times_n in enumerate(times):
            rates = [np.mean([row[place] for row in rows_]) for rows_ in (ours, halving, chance)]
            bound = f"{np.median(bounds):.2f} n"
            rows.append(
                [f"{n_players:,}", f"{times_n} n", *(f"{rate:.2f}" for rate in rates), bound]
            )
    header = ["players", "matches", "top-two", "halving", "random", "bound for 0.9"]
    show(f"P(named within {WITHIN} nats of the best), {n_fields} fields", header, rows)


def stops(sizes: list[int], kinds: list[str], n_fields: int, first_seed: int, cap: int) -> None:
    rows = []
    seeds = range(first_seed, first_seed + n_fields)
    with Pool(2) as pool:
        for n_players, kind in itertools.product(sizes, kinds):
            ends = pool.map(partial(stop, kind, n_players, cap), seeds, chunksize=1)
            decided = [end for end in ends if end[0]]
            wrong = [sum(end[1] > times * Stop().nats for end in decided) for times in (1, 2)]
            length = f"{np.median([end[2] for end in ends]):.1f} n"
            counts = [f"{len(decided)} of {n_fields}", *map(str, wrong), length]
            rows.append([f"{n_players:,}", kind, *counts])
            print(*rows[-1], flush=True)
    header = ["players", "strengths", "decided", "missed by > 10 Elo", "> 20", "median length"]
    show(f"Stops at 95 % confidence, at most {cap} n matches", header, rows)


def stop(kind: str, n_players: int, cap: int, seed: int) -> tuple[bool, float, float]:
    """Whether it decided, by how much it missed the best, and after how many matches per player."""
    field_verdict.MOST_SHOWN = n_players  # what is simulated here need not be shown before
    field = Field(kind, n_players, seed)
    scheduler = make_scheduler("top-two", n_players, np.random.default_rng(seed))
    strengths, is_decided = field.strengths(), False
    while scheduler.n_told < cap * n_players and not is_decided:
        play_on(scheduler, field, LOOK)
        is_decided = not scheduler.is_screening and scheduler.verdict().kind == "decided"
    missed = float(strengths.max() - strengths[int(scheduler.ratings().argmax())])
    return is_decided, missed, scheduler.n_told / n_players


class SieveCost(NamedTuple):
    """What a field costs: CPU seconds per match while it is screened and after, and of a verdict.

    `matches` is the length of the screening in matches, `memory` that of the process in MB, at
    most.
    """

    matches: int
    screening: float
    after: float
    verdict: float
    memory: float


def most_memory() -> float:
    """The most memory of this process so far, in MB; `getrusage` would count its parent's too."""
    [peak] = re.findall(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(peak) / 1024.0


def sieve_cost(n_players: int) -> SieveCost:
    field = Field("normal", n_players, 0)
    start = time.process_time()
    scheduler = make_scheduler("top-two", n_players, np.random.default_rng(0))
    while scheduler.is_screening:
        play_on(scheduler, field, 100)
    screened, n_screened = time.process_time() - start, scheduler.n_told
    start = time.process_time()
    play_on(scheduler, field, 4 * scheduler.n_contenders)
    after = (time.process_time() - start) / (4 * scheduler.n_contenders)
    start = time.process_time()
    scheduler.verdict()
    look = time.process_time() - start
    memory = most_memory()
    return SieveCost(n_screened, screened / n_screened, after, look, memory)


def speed(sizes: list[int]) -> None:
    rows = []
    for n_players in sizes:
        cost = sieve_cost(n_players)
        times = map(human, (cost.screening, cost.after, cost.verdict))
        length = f"{cost.matches / n_players:.2f} n"
        rows.append([f"{n_players:,}", length, *times, f"{cost.memory:.0f} MB"])
    header = ["players", "screened", "per match", "per match after", "a verdict", "process"]
    show("CPU time, and memory of the whole process at most", header, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=["speed", "quality", "stops"])
    parser.add_argument("--sizes", type=int, nargs="+", default=[3_000, 10_000])
    parser.add_argument("--kinds", nargs="+", default=KINDS)
    parser.add_argument("--fields", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=10_000)
    parser.add_argument("--times", type=int, nargs="+", default=[2, 3])
    parser.add_argument("--cap", type=int, default=8)
    given = parser.parse_args()
    if given.part == "speed":
        sieve_cost(2_100)  # load SciPy
        speed(given.sizes)
    elif given.part == "quality":
        quality(given.sizes, given.fields, given.first_seed, given.times)
    else:
        stops(given.sizes, given.kinds, given.fields, given.first_seed, given.cap)


if __name__ == "__main__":
    main()
