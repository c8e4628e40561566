"""Is the Bradley-Terry fit faster than those of evalica, choix and OpenSpiel?

All start from the same raw log: three NumPy arrays of first players, second players and scores.
"From the log" counts everything a user would wait for, including bringing the log into the form
that a library takes; "fit alone" leaves that out. The first row is the reference of the ratios: it
includes the covariance of all players, which no other library gives. At 10,000 players, of whom
most never met, it includes that of ten players. I-LSR takes minutes there, so only one of its steps
is timed. Times are CPU time on one core.
"""

from __future__ import annotations

import time
from functools import partial

from common import human, seconds, show  # isort: skip  (sets one core before NumPy)

import choix
import evalica
import numpy as np
import pyspiel
from scipy.special import expit

from maxin.ratings import Pairs, crosstable, fit_bradley_terry

SIZES = ((100, 100_000, 3), (1_000, 1_000_000, 3), (10_000, 1_000_000, 1))  # and repeats


def log_of(n_players: int, n_matches: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    truth = rng.normal(0.0, 1.0, n_players)
    first = rng.integers(n_players, size=n_matches)
    second = (first + rng.integers(1, n_players, size=n_matches)) % n_players
    scores = (rng.random(n_matches) < expit(truth[first] - truth[second])).astype(float)
    return first, second, scores


def wins(n_players: int, first, second, scores) -> np.ndarray:
    """How often each player beat each other player."""
    winner = np.where(scores > 0.5, first, second)
    loser = np.where(scores > 0.5, second, first)
    counts = np.bincount(winner * n_players + loser, minlength=n_players**2)
    return counts.reshape(n_players, n_players)


def contenders(n_players: int, log):
    """Each library's name, how to convert the log for it, and how to fit."""

    def for_evalica():
        winners = [evalica.Winner.X if score else evalica.Winner.Y for score in log[2].tolist()]
        return log[0].tolist(), log[1].tolist(), winners

    def for_openspiel():
        return wins(n_players, *log).tolist()

    def of_ten(pairs: Pairs) -> np.ndarray:
        return fit_bradley_terry(pairs).covariance_of(range(10))

    count = crosstable if n_players <= 1_000 else Pairs.of_log
    counted = partial(count, *log, n_players=n_players)
    if n_players <= 1_000:
        yield "maxin, all covariances", counted, lambda table: fit_bradley_terry(table).covariance
    else:
        yield "maxin, ten covariances", counted, of_ten
    yield "maxin, ratings", counted, lambda points: fit_bradley_terry(points).ratings
    yield "evalica", for_evalica, lambda input: evalica.bradley_terry(*input)
    name, fit = "choix (I-LSR)", choix.ilsr_pairwise_dense
    if n_players > 1_000:
        name, fit = "choix (one step of LSR)", choix.lsr_pairwise_dense
    yield name, lambda: wins(n_players, *log).astype(float), partial(fit, alpha=1e-3)
    yield (
        "choix (Newton-CG)",
        lambda: np.column_stack([np.where(log[2] > 0.5, a, b) for a, b in (log[:2], log[1::-1])]),
        lambda input: choix.opt_pairwise(n_players, input, alpha=0.5),
    )
    yield "OpenSpiel", for_openspiel, pyspiel.elo.compute_ratings_from_matrices


# Too slow for the table: it loops over all matches in Python many times, or takes a list of lists.
LARGEST = {"choix (Newton-CG)": 100, "OpenSpiel": 1_000}


def main() -> None:
    fit_bradley_terry(crosstable([0], [1], [1.0], n_players=2))  # load SciPy
    for n_players, n_matches, repeats in SIZES:
        log, rows, ours = log_of(n_players, n_matches), [], None
        for name, take, fit in contenders(n_players, log):
            if n_players > LARGEST.get(name, n_players):
                continue
            given = take()
            alone = seconds(partial(fit, given), repeats, time.process_time)
            whole = alone + seconds(take, repeats, time.process_time)
            ours = ours or (whole, alone)
            ratios = [f"{whole / ours[0]:.1f} x", f"{alone / ours[1]:.1f} x"]
            rows.append([name, human(whole), ratios[0], human(alone), ratios[1]])
        show(
            f"{n_players:,} players, {n_matches:,} matches",
            ["library", "from the log", "slower", "fit alone", "slower"],
            rows,
        )


if __name__ == "__main__":
    main()
