"""How does the time of a MaxIn round grow with the players, and the memory with the rounds?

If the time grew with n^2, a round with 1,000 players would take 100 times as long as one with 100.
A row of widths is updated only if it may contain the widest pair, so most rounds update far fewer
than n^2 widths. Times are CPU time, from the first batch on: the first n rounds connect the players
and take longest.
"""

from __future__ import annotations

import time
import tracemalloc

from common import human, show  # isort: skip  (sets one core before NumPy)

import numpy as np

from maxin.core import Result
from maxin.games import make_game
from maxin.schedulers import make_scheduler


def run(n_players: int, text: str, n_rounds: int = 3) -> tuple[float, float, float, float]:
    """Seconds per round in the first n rounds after the first batch, and in n_rounds times n.

    The other two are the median and the mean share of widths updated.
    """
    rng = np.random.default_rng(0)
    game = make_game(f"elo:n_players={n_players}", rng)
    scheduler = make_scheduler(text, n_players, rng)
    batch = scheduler.batch_size
    for _ in range(batch):
        match = scheduler.ask()
        scheduler.tell(Result(match, game.play(match, rng)))
    durations, shares = [], []
    for _ in range(n_rounds * n_players):
        before = scheduler.uncertainty.n_touched
        start = time.thread_time()
        match = scheduler.ask()
        scheduler.tell(Result(match, game.play(match, rng)))
        scheduler.ratings().argmax()
        durations.append(time.thread_time() - start)
        shares.append((scheduler.uncertainty.n_touched - before) / n_players**2)
    means = float(np.mean(durations[:n_players])), float(np.mean(durations))
    return *means, float(np.median(shares)), float(np.mean(shares))


def memory(n_players: int, rounds: int) -> int:
    """How many bytes a scheduler uses after `rounds` rounds."""
    rng = np.random.default_rng(0)
    game = make_game(f"elo:n_players={n_players}", rng)
    tracemalloc.start()
    scheduler = make_scheduler("maxin", n_players, rng)
    for _ in range(rounds):
        match = scheduler.ask()
        scheduler.tell(Result(match, game.play(match, rng)))
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return held


def main() -> None:
    run(20, "maxin"), run(20, "maxin+melo")  # compile
    for text in (
        "maxin",
        "maxin:exploration=0.6,alone=self",
        "maxin:exploration=2",
        "maxin:exploration=2+melo",
    ):
        rows, first = [], None
        for n_players in (100, 300, 1000):
            early, duration, median, mean = run(n_players, text)
            first = first or duration
            rows.append(
                [
                    str(n_players),
                    human(early),
                    human(duration),
                    f"{duration / first:.1f} x",
                    f"{(n_players / 100) ** 2:.0f} x",
                    f"{median:.2%}",
                    f"{mean:.2%}",
                ]
            )
        show(
            f"A round of {text}",
            ["players", "first n", "per round", "against 100", "by n^2", "widths updated", "mean"],
            rows,
        )
    rows = [
        [f"{rounds:,}", f"{memory(100, rounds) / 1e6:.2f} MB"] for rounds in (1_000, 4_000, 16_000)
    ]
    show("Memory of a scheduler with 100 players", ["rounds", "memory"], rows)


if __name__ == "__main__":
    main()
