"""How do the schedules without tuning do on the paper's twelve games?

Every run plays a fresh seed, from 1000 on, which chose nothing. The baselines tuned under the
held-out protocol, on the same seeds, stand in docs/reproduction.md.

    python benchmarks/paper_games.py ../shared/games --seeds 50
"""

from __future__ import annotations

import argparse
from pathlib import Path

from common import show  # isort: skip  (sets one core before NumPy)

import numpy as np

from maxin.experiments.paper import ELO_GAMES, FIRST_FRESH_SEED, MELO_GAMES, load_games, run_of
from maxin.experiments.runs import play

SCHEDULERS = ("double-thompson:alone=self", "top-two", "random+bradley-terry")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--schedulers", default=" ".join(SCHEDULERS))
    given = parser.parse_args()
    games, names = load_games(given.folder), given.schedulers.split()
    rows, late = [], []
    for paper_game in (*ELO_GAMES, *MELO_GAMES):
        cells, means = [], []
        for name in names:
            runs = [
                run_of(paper_game, games, name, seed)
                for seed in range(FIRST_FRESH_SEED, FIRST_FRESH_SEED + given.seeds)
            ]
            outcomes = [play(run, games[paper_game.name]) for run in runs]
            regret = np.array([outcome.regret[-1] for outcome in outcomes])
            end = np.mean([outcome.reciprocal_rank[-1] for outcome in outcomes])
            half = np.array([outcome.late_reciprocal_rank for outcome in outcomes])
            root = len(runs) ** 0.5
            cells.append(
                f"{regret.mean():.0f} ± {regret.std() / root:.0f}, "
                f"{end:.2f}/{half.mean():.2f} ± {half.std() / root:.2f}"
            )
            means.append(half.mean())
        print(paper_game.name, *cells, sep=" | ", flush=True)
        rows.append([paper_game.name, *cells])
        late.append(means)
    rows.append(["mean of late RR", *(f"{mean:.3f}" for mean in np.mean(late, axis=0))])
    show("Regret, RR at the end / over the second half", ["game", *names], rows)


if __name__ == "__main__":
    main()
