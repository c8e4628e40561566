"""What a wrong answer costs: the loss of the player named, and the error of all ratings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from maxin.core.units import ELO_PER_NAT
from maxin_studies.benchmarks.bench_plots import BARS, Races, save_readings
from maxin_studies.benchmarks.pairs import pairs_sections
from maxin_studies.benchmarks.questions import FIRST_SEED, MULTIPLES, Arena
from maxin_studies.benchmarks.races import RaceCurves, game_of, race_rounds
from maxin_studies.document import Section
from maxin_studies.estimates import FEWEST_SEEDS, Estimate

NOISE = 3.0  # standard errors of a difference; a table has hundreds of differences


def loss_section(races: Races, folder: Path) -> Section:
    """How far the player who is named is below the best."""
    section = Section("bench-loss", "Loss of the player named")
    section.notes = [
        "The player named is the one on top of the ratings, and its loss is how far its true "
        "rating is below the best: 0 if it is the best. Values after "
        f"{listed(MULTIPLES)} matches, for n players; the three numbers of a cell in the same "
        "order. Numbers after ± are standard errors; every seed is the same for all schedulers.",
        *_behind(races),
    ]
    section.header = ["game", "players", "scheduler", "seeds",
                      *(f"loss after {times(multiple)}, nats" for multiple in MULTIPLES),
                      "the same, Elo", "P(best found)", "RR"]  # fmt: skip
    for (arena, scheduler), some in races.items():
        losses = readings(arena, some, "loss")
        section.rows.append([
            arena.name,
            str(_n_players(arena)),
            scheduler,
            str(len(some)),
            *(_cell(values) for values in losses),
            _three([None if one is None else ELO_PER_NAT * one for one in losses], 0),
            _three(readings(arena, some, "found"), 2),
            _three(readings(arena, some, "reciprocal_rank"), 2),
        ])  # fmt: skip
    picture = save_readings(races, "loss", "loss (nats)", folder / "bench-loss.png")
    section.pictures = [(f"Loss of the player named; {BARS}", picture)]
    return section


def loss_pairs(races: Races) -> list[Section]:
    """The loss: every scheduler against every other."""
    return pairs_sections(
        "bench-loss",
        "Loss of the player named",
        f"the loss in nats, as a mean of those after {listed(MULTIPLES)} matches",
        races,
        _mean_loss,
        is_loss=True,
    )


def _mean_loss(arena: Arena, races: Sequence[RaceCurves]) -> NDArray[np.float64]:
    """The mean of the losses that the table shows; the last one if it shows none."""
    shown = [values for values in readings(arena, races, "loss") if values is not None]
    mean: NDArray[np.float64] = np.mean(shown or [curve_ends(races, "loss")], axis=0)
    return mean


def ratings_section(races: Races, folder: Path) -> Section:
    """How accurate the ratings of all players are."""
    section = Section("bench-ratings", "Ratings of everyone")
    section.notes = [
        "The error of the ratings is the root of their mean squared error, in nats, once their "
        f"means are equal. Values after {listed(MULTIPLES)} matches, for n players, and at the "
        "end. The last column is the share of pairs in the true order, at the same times.",
    ]
    section.header = ["game", "scheduler", "seeds",
                      *(f"error after {times(multiple)}, nats" for multiple in MULTIPLES),
                      "at the end", "the same, Elo", "pairs in order", "rounds"]  # fmt: skip
    for (arena, scheduler), some in races.items():
        errors, ordered = (
            [*readings(arena, some, name), curve_ends(some, name)] for name in ("error", "ordered")
        )
        section.rows.append([
            arena.name,
            scheduler,
            str(len(some)),
            *(_cell(values) for values in errors),
            _three([None if one is None else ELO_PER_NAT * one for one in errors], 0),
            _three(ordered, 3),
            f"{arena.rounds}",
        ])  # fmt: skip
    picture = save_readings(races, "error", "error of ratings (nats)", folder / "bench-ratings.png")
    section.pictures = [(f"Error of the ratings; {BARS}", picture)]
    return section


def readings(
    arena: Arena, races: Sequence[RaceCurves], name: str
) -> list[NDArray[np.float64] | None]:
    """The named curve after each of `MULTIPLES` times n matches, one value per seed.

    It is read at the first reading from there on, and None if the races are shorter.
    """
    rounds = race_rounds(arena.rounds)
    places = np.searchsorted(rounds, [multiple * _n_players(arena) for multiple in MULTIPLES])
    values = np.array([getattr(race, name) for race in races], dtype=np.float64)
    return [values[:, place] if place < len(rounds) else None for place in places.tolist()]


def curve_ends(races: Sequence[RaceCurves], name: str) -> NDArray[np.float64]:
    """The last value of the named curve, one per seed."""
    return np.array([getattr(race, name)[-1] for race in races], dtype=np.float64)


def _behind(races: Races) -> list[str]:
    """Where another scheduler has less loss than the first one beyond noise."""
    first = next(scheduler for _, scheduler in races)
    found = []
    n_compared = 0
    for (arena, scheduler), some in races.items():
        pairs = zip(
            readings(arena, races[arena, first], "loss"),
            readings(arena, some, "loss"),
            MULTIPLES,
            strict=True,
        )
        for mine, theirs, multiple in pairs:
            if scheduler != first and mine is not None and theirs is not None:
                n_compared += 1
                more = Estimate.of(mine - theirs)
                if more.n_seeds >= FEWEST_SEEDS and more.mean > NOISE * more.error:
                    found.append(f"{arena.name} after {times(multiple)} ({scheduler}, {more})")
    if n_compared == 0:
        return []
    where = "; ".join(found) or "nowhere"
    return [
        f"Beyond noise, which is {NOISE:g} standard errors of the difference per seed, another "
        f"scheduler has less loss than `{first}` in {len(found)} of {n_compared} comparisons: "
        f"{where}."
    ]


def _n_players(arena: Arena) -> int:
    return game_of(arena.game, FIRST_SEED).n_players


def times(multiple: int) -> str:
    """A number of matches, as text.

    >>> times(1), times(10)
    ('n', '10n')
    """
    return "n" if multiple == 1 else f"{multiple}n"


def listed(multiples: Sequence[int]) -> str:
    """Numbers of matches, as text.

    >>> listed([1, 3, 10])
    'n, 3n and 10n'
    """
    *some, last = (times(multiple) for multiple in multiples)
    return f"{', '.join(some)} and {last}"


def _cell(values: NDArray[np.float64] | None) -> str:
    return "" if values is None else str(Estimate.of(values))


def _three(columns: Sequence[NDArray[np.float64] | None], digits: int) -> str:
    return " / ".join(f"{values.mean():.{digits}f}" for values in columns if values is not None)
