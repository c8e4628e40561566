"""How much faster is a round of MaxIn than the literal algorithm, and MaxInP than refitting?

A round is: ask, tell, and read the ranking. All play the same game of 100 players, in one process
on one core, after the first batch. The literal algorithm is in ../shared/reference; without it,
only our schedulers are timed. Both take longest if everybody stays a candidate (gamma = 2), and
least time if only one candidate is left (gamma = 0.6).
"""

from __future__ import annotations

import sys

from common import REFERENCE, human, seconds, show  # isort: skip  (sets one core before NumPy)

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_expit
from sklearn.linear_model import LogisticRegression

from maxin.core import Result
from maxin.ratings import crosstable, fit_bradley_terry
from maxin.schedulers import make_scheduler

N, TAU, ROUNDS = 100, 70, 1000


def game(seed: int = 0) -> np.ndarray:
    ratings = np.random.default_rng(seed).uniform(-5.7, 5.7, N)
    return expit(np.subtract.outer(ratings, ratings))


def ours(text: str, rounds: int = ROUNDS) -> float:
    """Seconds per round after the first batch."""
    chances, luck = game().tolist(), np.random.default_rng(1).random(rounds).tolist()
    scheduler = make_scheduler(text, N, np.random.default_rng(2))

    def play(start: int, stop: int) -> None:
        for t in range(start, stop):
            match = scheduler.ask()
            scheduler.tell(Result(match, float(luck[t] < chances[match.first][match.second])))
            scheduler.ratings().argmax()

    play(0, TAU)
    return seconds(lambda: play(TAU, rounds), repeats=1) / (rounds - TAU)


def literal(dimensions: int, gamma: float, rounds: int = ROUNDS) -> float:
    """Seconds per round of the reference's transcription."""
    sys.path.insert(0, str(REFERENCE))
    import maxin_reference

    rng = np.random.default_rng(1)
    chances, luck = game(), rng.random(rounds)
    pairs = [tuple(rng.choice(N, 2, replace=False).tolist()) for _ in range(TAU)]
    first = [(x, y, float(luck[t] < chances[x, y])) for t, (x, y) in enumerate(pairs)]
    fit = fit_bradley_terry(crosstable(*zip(*first, strict=True), n_players=N)).ratings
    start = rng.normal(0.0, 1 / 8, (N, dimensions))

    def outcome(x: int, y: int, t: int) -> float:
        return float(luck[t] < chances[x, y])

    def run() -> None:
        maxin_reference.run(outcome, first, fit, start, gamma, 1.0, rounds)

    return seconds(run, repeats=1) / (rounds - TAU)


def refits(rounds: int = ROUNDS, every: int = 50) -> dict[str, float]:
    """Seconds per round of fitting the whole history from scratch, at every 50th round."""
    rng = np.random.default_rng(1)
    chances = game()
    pairs = np.array([rng.choice(N, 2, replace=False) for _ in range(rounds)])
    scores = (rng.random(rounds) < chances[pairs[:, 0], pairs[:, 1]]).astype(float)
    rows = np.eye(N)[pairs[:, 0]] - np.eye(N)[pairs[:, 1]]

    def by_sklearn(t: int) -> None:
        LogisticRegression(C=1.0, fit_intercept=False).fit(rows[:t], scores[:t])

    def by_scipy(t: int) -> None:
        x, y = rows[:t], scores[:t]

        def loss(r: np.ndarray) -> tuple[float, np.ndarray]:
            gap = x @ r
            value = -(y * log_expit(gap) + (1 - y) * log_expit(-gap)).sum() + r @ r / 2.0
            return value, r - x.T @ (y - expit(gap))

        minimize(loss, np.zeros(N), jac=True, method="L-BFGS-B")

    times = range(TAU, rounds, every)
    return {
        "scikit-learn": np.mean([seconds(lambda t=t: by_sklearn(t)) for t in times]),
        "SciPy": np.mean([seconds(lambda t=t: by_scipy(t)) for t in times]),
    }


def best_of(text: str, repeats: int = 5) -> float:
    return min(ours(text) for _ in range(repeats))


def main() -> None:
    ours("maxin", 200)  # load SciPy
    rows = []
    for name, ratings, dimensions in (("Elo", "elo", 0), ("mElo, 2k = 8", "melo:dimensions=8", 8)):
        for gamma in (0.6, 1.0, 2.0):
            fast = best_of(f"maxin:exploration={gamma},alone=self+{ratings}")
            if REFERENCE.is_dir():
                slow = literal(dimensions, gamma)
                row = [human(slow), f"{slow / fast:,.0f} x"]
            else:
                row = ["not found", "-"]
            rows.append([f"MaxIn, {name}, gamma = {gamma}", human(fast), *row])
    show(f"Time per round at n = {N}", ["what", "maxin", "literal", "faster"], rows)
    slow = refits()
    rows = []
    for gamma in (0.6, 2.0):
        fast = best_of(f"maxinp:exploration={gamma},alone=self")
        for name, duration in slow.items():
            ratio = f"{duration / fast:,.0f} x"
            rows.append([f"MaxInP, gamma = {gamma}, {name}", human(fast), human(duration), ratio])
    show(
        f"A round of MaxInP against refitting, mean over {ROUNDS} rounds",
        ["what", "maxin, whole round", "their fit alone", "faster"],
        rows,
    )


if __name__ == "__main__":
    main()
