"""How does a round of MaxIn grow with players, and its memory with rounds?

n^2 would make a round at 1,000 players cost 100 times one at 100. Rows are brought up to date only
when they may hold the widest pair, so far fewer than n^2 widths are touched in most rounds.
"""

from __future__ import annotations

import time
import tracemalloc

from common import human, show  # isort: skip  (sets one core before NumPy)

import numpy as np

from maxin.core import Result
from maxin.games import make_game
from maxin.schedulers import make_scheduler


def run(n_players: int, text: str, n_batches: int = 4) -> tuple[float, float, float]:
    """Mean seconds a round after the first batch; median and mean share of widths touched."""
    rng = np.random.default_rng(0)
    game = make_game(f"elo:n_players={n_players}", rng)
    scheduler = make_scheduler(text, n_players, rng)
    batch = scheduler.batch_size
    for _ in range(batch):
        match = scheduler.ask()
        scheduler.tell(Result(match, game.play(match, rng)))
    durations, shares = [], []
    for _ in range((n_batches - 1) * batch):
        before = scheduler.uncertainty.n_touched
        start = time.perf_counter()
        match = scheduler.ask()
        scheduler.tell(Result(match, game.play(match, rng)))
        scheduler.ratings().argmax()
        durations.append(time.perf_counter() - start)
        shares.append((scheduler.uncertainty.n_touched - before) / n_players**2)
    return float(np.mean(durations)), float(np.median(shares)), float(np.mean(shares))


def memory(n_players: int, rounds: int) -> int:
    """Bytes a scheduler holds after `rounds` rounds."""
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
        "maxin:exploration=0.6,alone=self",
        "maxin:exploration=2",
        "maxin:exploration=2+melo",
    ):
        rows, first = [], None
        for n_players in (100, 300, 1000):
            duration, median, mean = run(n_players, text)
            first = first or duration
            rows.append(
                [
                    str(n_players),
                    human(duration),
                    f"{duration / first:.1f} x",
                    f"{(n_players / 100) ** 2:.0f} x",
                    f"{median:.2%}",
                    f"{mean:.2%}",
                ]
            )
        show(
            f"A round of {text}",
            ["players", "a round", "against 100", "n^2 says", "widths touched, median", "mean"],
            rows,
        )
    rows = [
        [f"{rounds:,}", f"{memory(100, rounds) / 1e6:.2f} MB"] for rounds in (1_000, 4_000, 16_000)
    ]
    show("Memory of a scheduler of 100 players", ["rounds", "held"], rows)


if __name__ == "__main__":
    main()
