"""How good is the estimate of the matches that a decision still needs?

Simulated tournaments are played to their decision. About every tenth of the way the matches that
`matches_left` names are divided by those that it took. Tournaments that are not decided after 200
matches per player are left out.
"""

from __future__ import annotations

import argparse

from common import show  # isort: skip  (sets one core before NumPy)

import numpy as np

from maxin.core import Result, Stop
from maxin.core.units import ELO_PER_NAT
from maxin.evaluation.stop_checks import check_every
from maxin.ratings import Tally
from maxin.schedulers import make_scheduler
from maxin.simulation.planned_tournament import StrengthGame
from maxin.tournament.goals import goal_of
from maxin.views import Belief

SCHEDULERS = ("top-two", "top-two:k=3", "double-thompson", "round-robin:cycles=none")
QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
LONGEST = 200  # matches per player
PARTS = 10  # of a tournament, with an estimate each


def ratios(text: str, n_players: int, spread: float, seed: int) -> list[float]:
    """Estimates of one tournament, divided by the truth."""
    rng = np.random.default_rng([seed, n_players])
    game = StrengthGame(rng.normal(scale=spread / ELO_PER_NAT, size=n_players))
    scheduler = make_scheduler(text, n_players, rng)
    size = goal_of(text).k
    tally, estimates = Tally(n_players), []
    for n_matches in range(1, LONGEST * n_players + 1):
        match = scheduler.ask()
        assert match is not None
        score = game.play(match, rng)
        scheduler.tell(Result(match, score))
        tally.add(*match, score)
        if n_matches % check_every(n_players, n_matches) == 0:
            belief = Belief([str(player) for player in range(n_players)], tally.copy())
            left = belief.matches_left(size, Stop())
            if left == 0:
                some = estimates[:: max(1, len(estimates) // PARTS)]
                return [guess / (n_matches - then) for then, guess in some]
            if left is not None:
                estimates.append((n_matches, left))
    return []


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tournaments", type=int, default=16)
    given = parser.parse_args()
    rows, every = [], []
    for text in SCHEDULERS:
        for n_players, spread in ((4, 174.0), (11, 174.0), (11, 400.0), (30, 174.0)):
            found = [
                ratio
                for seed in range(given.tournaments)
                for ratio in ratios(text, n_players, spread, seed)
            ]
            every += found
            if found:
                rows.append(row([text, str(n_players), f"{spread:.0f}"], found))
                print(*rows[-1], sep=" | ", flush=True)
    rows.append(row(["all", "", ""], every))
    header = ["scheduler", "players", "spread", "n", *(f"{share:.0%}" for share in QUANTILES)]
    show("Estimated / actual matches left, quantiles", header, rows)


def row(names: list[str], found: list[float]) -> list[str]:
    """A line of the table."""
    return [*names, str(len(found)), *(f"{one:.2f}" for one in np.quantile(found, QUANTILES))]


if __name__ == "__main__":
    main()
