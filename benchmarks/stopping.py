"""How many matches does a decision take, and how often is it wrong?

    .venv/bin/python benchmarks/stopping.py --tournaments 500 normal:10 gap-21:5 circle:10
    .venv/bin/python benchmarks/stopping.py --tournaments 100 game=blotto game=disc:n_players=20

Each row is a kind of field and a number of players, or a game of `maxin games`. Tournaments of
`top-two` are simulated to their stop, with the fits and at the times of a real tournament. The
table has the matches, and the share of all tournaments that miss the best by more than the
tolerance, and by more than twice as much, with 95 % intervals; then the coverage of 90 % intervals
at the stop. To compare two versions, run this file with the interpreter of each: the fields are the
same.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from multiprocessing import Pool
from typing import NamedTuple

from common import show  # isort: skip  (sets one core before NumPy)

import numpy as np
from numpy.typing import NDArray

from maxin.core import Stop
from maxin.core.units import ELO_PER_NAT
from maxin.games import Game, make_game
from maxin.ratings import Posterior
from maxin.schedulers import make_scheduler
from maxin.simulation.planned_tournament import DecisionReader
from maxin.simulation.simulation import Simulation
from maxin.tournament.goals import parse_goal

LEVEL = 0.9  # of the intervals whose coverage is measured
ROWS = ("normal:2", "normal:10", "student:10", "four:10", "kappa-1:12", "circle:10", "gap-21:2",
        "gap-52:2", "gap-21:5", "gap-52:5", "gap-21:10", "gap-52:10")  # fmt: skip
Array = NDArray[np.float64]


class End(NamedTuple):
    """How a tournament ended."""

    n_matches: int
    is_decided: bool
    missed: float  # by how much those named miss the best, in nats
    covered: float  # the share of the intervals that contain the strength
    leader_covered: float


def effects(size: float, n_players: int, rng: np.random.Generator) -> Array:
    """Effects of all pairs, independent of each other."""
    upper = np.triu(rng.normal(0.0, size, (n_players, n_players)), 1)
    return upper - upper.T


def circle(n_players: int, rng: np.random.Generator) -> Array:
    """Three nearly equal players at the top beat each other in a circle, by 1 nat each."""
    ratings = np.sort(rng.normal(size=n_players))
    ratings[-3:] = ratings[-4] + 0.8 + rng.normal(0.0, 0.1, 3)
    table = np.subtract.outer(ratings, ratings)
    for i, j in ((-3, -2), (-2, -1), (-1, -3)):
        table[i, j] += 1.0
        table[j, i] -= 1.0
    return table


def low_rank(n_players: int, rng: np.random.Generator) -> Array:
    """Cycles of rank two beside the ratings."""
    ratings, (one, other) = rng.normal(size=n_players), rng.normal(size=(2, n_players))
    return np.subtract.outer(ratings, ratings) + np.outer(one, other) - np.outer(other, one)


def gap(points: float, n_players: int, rng: np.random.Generator) -> Array:
    """The best two are so many Elo points apart; the others are normal."""
    ratings = np.sort(rng.normal(size=n_players))
    ratings[-1] = ratings[-2] + points / ELO_PER_NAT
    return np.subtract.outer(ratings, ratings)


def four(n_players: int, rng: np.random.Generator) -> Array:
    """Four players at the top are nearly equal."""
    ratings = rng.normal(size=n_players)
    ratings[:4] = ratings.max() + rng.normal(0.0, 0.1, 4)
    return np.subtract.outer(ratings, ratings)


def plain(draw: Callable[[np.random.Generator, int], Array]) -> Callable[..., Array]:
    """Fields without cycles, with ratings from a distribution."""
    return lambda n_players, rng: np.subtract.outer(*[draw(rng, n_players)] * 2)


def advantages(kind: str, n_players: int, rng: np.random.Generator) -> Array:
    """The advantages of a field of this kind, in nats."""
    name, _, size = kind.partition("-")
    kinds: dict[str, Callable[[int, np.random.Generator], Array]] = {
        "normal": plain(lambda rng, n: rng.normal(size=n)),
        "close": plain(lambda rng, n: rng.normal(0.0, 0.3, n)),
        "student": plain(lambda rng, n: rng.standard_t(3, n)),
        "skewed": plain(lambda rng, n: -rng.exponential(0.5, n)),
        "four": four,
        "circle": circle,
        "lowrank": low_rank,
        "kappa": lambda n, rng: (
            plain(lambda rng, n: rng.normal(size=n))(n, rng) + effects(float(size), n, rng)
        ),
        "gap": lambda n, rng: gap(float(size), n, rng),
    }
    return kinds[name](n_players, rng)


def field(row: str, seed: int) -> tuple[Game, np.random.Generator]:
    """The field of a row, and the generator that its tournament draws from."""
    if row.startswith("game="):
        rng = np.random.default_rng([seed, *row.encode()])
        return make_game(row.removeprefix("game="), rng), rng
    kind, _, size = row.partition(":")
    rng = np.random.default_rng([seed, int(size), *kind.encode()])
    return Game(kind, np.tanh(advantages(kind, int(size), rng) / 2.0)), rng


def tournament(row: str, given: argparse.Namespace, seed: int) -> End:
    """Play one tournament to its stop."""
    goal, stop = parse_goal(given.goal), Stop(given.matches, given.confidence, given.tolerance)
    game, rng = field(row, seed)
    truth, n_players = game.ratings, game.n_players
    reader = DecisionReader(n_players, goal, stop)
    scheduler = make_scheduler(given.scheduler, n_players, rng)
    simulation = Simulation(game, scheduler, rng, in_flight=given.in_flight, reader=reader)
    simulation.advance(given.matches)
    belief = reader.belief()
    ranked = truth[np.argsort(-belief.ratings, kind="stable")]
    if goal.is_ranking:
        missed = float(np.triu(ranked[None, :] - ranked[:, None], 1).max())
    else:
        missed = float(ranked[goal.k :].max() - ranked[: goal.k].min())
    posterior = belief.fit.posterior
    assert isinstance(posterior, Posterior)
    low, high = posterior.intervals(LEVEL).T
    holds = (low <= truth) & (truth <= high)
    leader = float(holds[belief.ratings.argmax()])
    return End(simulation.n_rounds, reader.is_decided, missed, float(holds.mean()), leader)


def share(count: int, total: int) -> str:
    """A share in per cent, with its 95 % Wilson interval."""
    z2, part = 1.96**2, count / total
    middle = (part + z2 / (2 * total)) / (1.0 + z2 / total)
    reach = (z2 * (part * (1.0 - part) / total + z2 / (4 * total**2))) ** 0.5 / (1.0 + z2 / total)
    return f"{100 * part:.1f} [{100 * (middle - reach):.1f}, {100 * (middle + reach):.1f}]"


def summary(row: str, ends: list[End], nats: float) -> list[str]:
    """The cells of a row."""
    counts = np.array([end.n_matches for end in ends])
    decided = [end for end in ends if end.is_decided]
    wrong = [sum(end.missed > times * nats + 1e-9 for end in decided) for times in (1, 2)]
    covered = [end.covered for end in decided], [end.leader_covered for end in decided]
    return [
        row,
        str(len(ends)),
        str(len(ends) - len(decided)),
        f"{np.median(counts):.0f}",
        f"{counts.mean():.0f}",
        *(share(count, len(ends)) for count in wrong),
        *(f"{np.mean(some):.2f}" if some else "-" for some in covered),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="*", default=ROWS, help="fields, as in normal:10")
    parser.add_argument("--tournaments", type=int, default=200)
    parser.add_argument("--first-seed", type=int, default=10_000)
    parser.add_argument("--matches", type=int, default=3_000, help="the most per tournament")
    parser.add_argument("--confidence", type=float, default=0.95)
    parser.add_argument("--tolerance", type=float, default=10.0)
    parser.add_argument("--goal", default="best")
    parser.add_argument("--scheduler", default="top-two")
    parser.add_argument("--in-flight", type=int, default=1)
    given = parser.parse_args()
    seeds = range(given.first_seed, given.first_seed + given.tournaments)
    cells = []
    with Pool(2) as pool:
        for row in given.rows:
            ends = pool.map(partial(tournament, row, given), seeds, chunksize=4)
            cells.append(summary(row, ends, given.tolerance / ELO_PER_NAT))
            print(" | ".join(cells[-1]), flush=True)
    missed = (f"% over {given.tolerance * times:g} Elo" for times in (1, 2))
    header = ["field", "n", "open", "median", "mean", *missed, "cover", "leader"]
    show("stops", header, cells)


if __name__ == "__main__":
    main()
