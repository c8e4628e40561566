"""How many matches until the best is found nine times out of ten, and what does playing 16 cost?

Fields of 10, 30 and 100 players, ratings normal with a standard deviation of `--spread` nats, no
cycles. `TopTwo` with one match in flight and with 16, against pairs drawn at random and against
repeated round robins, both with the Bradley-Terry fit. Whole tournaments are compiled.

    python benchmarks/fields.py --tournaments 300 --seed 1
"""

from __future__ import annotations

import argparse

from common import show  # isort: skip  (sets one core before NumPy)

import numpy as np
from numba import njit
from stopping import ask, score

from maxin.ratings import Posterior, bradley_terry
from maxin.ratings.kernels import observe, refit, refit_gap
from maxin.ratings.posterior import SOFT

SHARE = 0.9
MOST = {10: 3000, 30: 8000, 100: 30000}  # matches watched
MOST_TOP_TWO = {10: 3000, 30: 4000, 100: 6000}
GROWTH = 1.12  # from one reading to the next


def readings(n_players: int) -> np.ndarray:
    start = max(5, n_players // 2)
    steps = int(np.log(MOST[n_players] / start) / np.log(GROWTH))
    return np.unique((start * GROWTH ** np.arange(steps + 1)).astype(int))


@njit
def top_two(belief, flying, truth, n_flying, times, rng):
    """Who leads at `times`."""
    waiting = np.empty((n_flying, 2), dtype=np.int64)
    leaders = np.empty(len(times), dtype=np.int64)
    n, next_refit, place = 0, refit_gap(0, len(truth)), 0
    for t in range(1, times[-1] + 1):
        while n < n_flying:
            waiting[n] = ask(belief, flying, waiting, n, rng)
            n += 1
        back = int(n * rng.random())
        i, j = waiting[back].min(), waiting[back].max()
        n -= 1
        waiting[back:n] = waiting[back + 1 : n + 1].copy()
        observe(belief, i, j, SOFT + (1.0 - 2.0 * SOFT) * score(truth[i, j], 0.0, rng))
        if t == next_refit:
            refit(belief)
            next_refit += refit_gap(t, len(truth))
        if t == times[place]:
            leaders[place] = belief.strengths.argmax()
            place += 1
    return leaders


def fitted(truth: np.ndarray, times: np.ndarray, rng: np.random.Generator, cycles: bool):
    """Leaders by the Bradley-Terry fit of random pairs, or of round robins in random order."""
    n_players = len(truth)
    first, second = np.triu_indices(n_players, k=1)
    if cycles:
        rounds = -(-times[-1] // len(first))
        order = np.concatenate([rng.permutation(len(first)) for _ in range(rounds)])
    else:
        order = rng.integers(len(first), size=times[-1])
    i, j = first[order], second[order]
    won = rng.random(len(i)) < 1.0 / (1.0 + np.exp(-truth[i, j]))
    points, leaders, done = np.zeros_like(truth), [], 0
    for t in times.tolist():
        np.add.at(points, (i[done:t], j[done:t]), won[done:t])
        np.add.at(points, (j[done:t], i[done:t]), ~won[done:t])
        leaders.append(int(bradley_terry(points).ratings.argmax()))
        done = t
    return leaders


def needed(found: np.ndarray, times: np.ndarray) -> float:
    """The matches from which on the share found, read three at a time, stays above 0.9."""
    share = np.convolve(np.pad(found.mean(axis=0), 1, mode="edge"), np.ones(3) / 3, mode="valid")
    below = np.flatnonzero(share < SHARE)
    if not len(below):
        return float(times[0])
    last = below[-1]
    if last == len(times) - 1:
        return float("inf")
    weight = (SHARE - share[last]) / (share[last + 1] - share[last])
    return float(times[last] * (times[last + 1] / times[last]) ** weight)


def measure(n_players: int, count: int, seed: int, spread: float) -> list[str]:
    times = readings(n_players)
    early = times[times <= MOST_TOP_TWO[n_players]]
    found = {name: [] for name in ("top-two", "top-two, 16", "random + fit", "round robin + fit")}
    for number in range(count):
        rng = np.random.default_rng([seed, n_players, number])
        ratings = spread * rng.standard_normal(n_players)
        truth, best = np.subtract.outer(ratings, ratings), ratings.argmax()
        for name, n_flying in (("top-two", 1), ("top-two, 16", 16)):
            belief, flying = (Posterior(n_players).belief for _ in range(2))
            found[name].append(top_two(belief, flying, truth, n_flying, early, rng) == best)
        for name, cycles in (("random + fit", False), ("round robin + fit", True)):
            found[name].append(np.array(fitted(truth, times, rng, cycles)) == best)
    matches = {name: needed(np.array(rows), times[: len(rows[0])]) for name, rows in found.items()}
    one, many = (np.array(found[name]).mean() for name in ("top-two", "top-two, 16"))
    cells = [f"{value:.0f}" for value in matches.values()]
    return [
        str(n_players),
        *cells,
        f"{matches['random + fit'] / matches['top-two']:.1f} x",
        f"{matches['round robin + fit'] / matches['top-two']:.1f} x",
        f"{1 - many / one:+.1%}",
    ]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tournaments", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--spread", type=float, default=1.0)
    parser.add_argument("--players", default="10,30,100")
    given = parser.parse_args()
    rows = []
    for n_players in map(int, given.players.split(",")):
        rows.append(measure(n_players, given.tournaments, given.seed, given.spread))
        print(*rows[-1], sep=" | ", flush=True)
    names = ["top-two", "top-two, 16", "random + fit", "round robin + fit"]
    show(
        f"Matches until P(best found) = {SHARE}; spread {given.spread:g}",
        ["players", *names, "random /", "robin /", "loss in P, 16"],
        rows,
    )


if __name__ == "__main__":
    main()
