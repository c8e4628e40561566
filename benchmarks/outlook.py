"""How good is the estimate of the matches that a decision still needs?

Simulated tournaments are played to their decision. About every tenth of the way the matches that
`matches_left` names are divided by those that it took. Tournaments that are not decided after 200
matches per player are left out. With `--advice`, it is done for the larger tolerance that `cheaper`
names after some matches per player, in the fields that are far from a decision then.
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
from maxin.views.top import SAVED, TOLERANCES

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


def advised(n_players: int, spread: float, per_player: int, seed: int) -> list[tuple[float, float]]:
    """The advised and the undiminished estimate, divided by what the advised tolerance took."""
    rng = np.random.default_rng([seed, n_players, per_player])
    game = StrengthGame(rng.normal(scale=spread / ELO_PER_NAT, size=n_players))
    scheduler, tally = make_scheduler("top-two", n_players, rng), Tally(n_players)

    def belief_after(n_matches: int) -> Belief:
        for _ in range(n_matches):
            match = scheduler.ask()
            assert match is not None
            score = game.play(match, rng)
            scheduler.tell(Result(match, score))
            tally.add(*match, score)
        return Belief([str(player) for player in range(n_players)], tally.copy())

    n_before = per_player * n_players
    belief = belief_after(n_before)
    left = belief.matches_left(1, Stop())
    if not left or left < n_before:
        return []
    for tolerance in TOLERANCES:
        stop = Stop(tolerance=tolerance)
        guess = belief.matches_left(1, stop)
        if guess is None or guess > SAVED * left:
            continue
        taken = 0
        while belief.top_verdict(1, stop).kind != "decided" and taken < LONGEST * n_players:
            step = check_every(n_players, n_before + taken)
            belief, taken = belief_after(step), taken + step
        return [(guess / max(taken, 1), left / max(taken, 1))]
    return []


def show_advice(n_tournaments: int) -> None:
    """Quantiles of the ratios, and how often the advice took fewer than estimated without it."""
    rows = []
    for n_players, spread in ((8, 174.0), (12, 100.0), (16, 174.0)):
        for per_player in (3, 6, 15):
            seeds = range(n_tournaments)
            found = [one for seed in seeds for one in advised(n_players, spread, per_player, seed)]
            if found:
                ratios, without = zip(*found, strict=True)
                names = [str(n_players), f"{spread:.0f}", str(per_player)]
                cheaper = sum(ratio > 1.0 for ratio in without)
                rows.append([*row(names, list(ratios)), f"{cheaper} of {len(found)}"])
                print(*rows[-1], sep=" | ", flush=True)
    header = ["players", "spread", "matches per player", "n"]
    quantiles = [f"{100.0 * share:g} %" for share in QUANTILES]
    show("Advised estimate / actual", [*header, *quantiles, "cheaper"], rows)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tournaments", type=int, default=16)
    parser.add_argument("--advice", action="store_true")
    given = parser.parse_args()
    if given.advice:
        return show_advice(given.tournaments)
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
    header = [
        "scheduler",
        "players",
        "spread",
        "n",
        *(f"{100.0 * share:g} %" for share in QUANTILES),
    ]
    show("Estimated / actual matches left, quantiles", header, rows)


def row(names: list[str], found: list[float]) -> list[str]:
    """A line of the table."""
    return [*names, str(len(found)), *(f"{one:.2f}" for one in np.quantile(found, QUANTILES))]


if __name__ == "__main__":
    main()
