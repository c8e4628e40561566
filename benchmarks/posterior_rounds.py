"""How long does a round of the posterior's schedulers take, compared with MaxIn?

A round is: ask, tell, and read the ranking. All play the same game of n players, in one process on
one core, after a warm-up of n matches. With 16 in flight, 16 matches are always pending.
"""

from __future__ import annotations

import argparse

from common import human, seconds, show  # isort: skip  (sets one core before NumPy)

import numpy as np
from scipy.special import expit

from maxin.core import Result
from maxin.schedulers import make_scheduler

SCHEDULERS = ("maxin", "maxinp", "top-two", "double-thompson", "ranking")


def round_cost(text: str, n_players: int, rounds: int, n_flying: int) -> float:
    """Seconds per round after the warm-up."""
    rng = np.random.default_rng(0)
    ratings = rng.uniform(-3.0, 3.0, n_players)
    chances = expit(np.subtract.outer(ratings, ratings)).tolist()
    scheduler = make_scheduler(text, n_players, np.random.default_rng(1))
    for _ in range(n_players):
        i, j = rng.choice(n_players, 2, replace=False).tolist()
        scheduler.tell(Result((i, j), float(rng.random() < chances[i][j])))
    waiting = [scheduler.ask() for _ in range(n_flying - 1)]

    def play() -> None:
        for _ in range(rounds):
            waiting.append(scheduler.ask())
            i, j = waiting.pop(0)
            scheduler.tell(Result((i, j), float(rng.random() < chances[i][j])))
            scheduler.ratings().argmax()

    return seconds(play, repeats=1) / rounds


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--players", default="100,300,1000")
    parser.add_argument("--rounds", type=int, default=300)
    given = parser.parse_args()
    for text in SCHEDULERS:
        round_cost(text, 20, 50, 4)  # compile
    rows = []
    for n_players in map(int, given.players.split(",")):
        for n_flying in (1, 16):
            costs = [round_cost(text, n_players, given.rounds, n_flying) for text in SCHEDULERS]
            rows.append([str(n_players), str(n_flying), *map(human, costs)])
            print(*rows[-1], sep=" | ", flush=True)
    show("Time per round", ["players", "in flight", *SCHEDULERS], rows)


if __name__ == "__main__":
    main()
