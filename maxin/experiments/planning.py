"""Before anything is spent: how many matches a tournament will probably take, by simulation."""

from __future__ import annotations

import math
import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from maxin.core import InvalidInput, check_confidence, check_n_players, check_positive, check_whole
from maxin.core.units import ELO_PER_NAT
from maxin.experiments.rehearsal import Ending, Terms, rehearse
from maxin.tournament.settings import Settings

BASELINES = ("round-robin:cycles=none", "random")  # what choosing matches is compared with

Progress = Callable[[int, int], None]
Task = tuple[str, int]  # a scheduler, and the number of a rehearsal


@dataclass(frozen=True)
class Forecast:
    """What one scheduler would probably take, from its simulated tournaments.

    >>> endings = (Ending(10, True, True), Ending(30, True, False), Ending(99, False, True))
    >>> forecast = Forecast("maxin", endings)
    >>> forecast.n_matches(0.5), forecast.n_matches(0.9), forecast.right, forecast.undecided
    (30.0, inf, 0.5, 0.333)
    >>> forecast.hours(0.5, seconds=60.0, workers=2)
    0.25
    """

    scheduler: str
    endings: tuple[Ending, ...]

    def n_matches(self, share: float) -> float:
        """Matches by which this share of the tournaments was decided; infinite if fewer were."""
        taken = sorted(end.n_matches if end.is_decided else math.inf for end in self.endings)
        return float(taken[max(1, math.ceil(share * len(taken))) - 1])

    def hours(self, share: float, *, seconds: float, workers: int = 1) -> float:
        """The time `n_matches(share)` take at so many seconds each, `workers` at once."""
        return self.n_matches(share) * seconds / workers / 3600.0

    @property
    def undecided(self) -> float:
        """The share of tournaments that ended undecided."""
        return sum(not end.is_decided for end in self.endings) / len(self.endings)

    @property
    def right(self) -> float:
        """Of those decided, the share that named the true top; NaN if none was decided."""
        decided = [end.is_right for end in self.endings if end.is_decided]
        return sum(decided) / len(decided) if decided else math.nan


@dataclass(frozen=True)
class Plan:
    """A forecast per scheduler, the one asked about first, and what they were made for."""

    n_players: int
    k: int | None  # None: the whole order
    confidence: float
    n_tournaments: int
    max_matches: int
    forecasts: tuple[Forecast, ...]


def plan(
    n_players: int,
    *,
    scheduler: str = "top-two",
    confidence: float = 0.95,
    k: int | None = 1,
    spread: float = ELO_PER_NAT,
    first_advantage: float = 0.0,
    n_tournaments: int | None = None,
    max_matches: int | None = None,
    seed: int = 0,
    processes: int = 1,
    progress: Progress | None = None,
) -> Plan:
    """How many matches it takes to know the top k of `n_players`, before they are played.

    A simulated tournament draws a field, strengths ~ N(0, spread^2), decides its matches by the
    chances of Bradley and Terry, without draws, and ends when a real run would. A round robin
    and random matches are simulated too, on the same fields: what is saved by choosing.

    Args:
        n_players: how many players.
        scheduler: by name and options.
        confidence: of the verdict that ends a tournament.
        k: the size of the top.
        spread: of the players' strengths, in Elo points; the default is 174, or 1 nat.
        first_advantage: what sitting first is worth, in Elo points; seats are shared equally.
        n_tournaments: how many are simulated; 30 by default, with many players down to 10.
        max_matches: where an undecided one ends; 100 a player by default.
        seed: the same seed gives the same numbers, with any number of processes.
        processes: how many simulate at once; 1 is this one alone.
        progress: told how many simulated tournaments are done, and of how many.

    >>> found = plan(4, spread=400.0, n_tournaments=5, max_matches=100)
    >>> [(one.scheduler, one.n_matches(0.5)) for one in found.forecasts]
    [('top-two', 44.0), ('round-robin:cycles=none', 41.0), ('random', 98.0)]
    """
    terms = Terms(
        field=None,
        n_players=check_n_players(n_players),
        spread=check_positive(spread, "spread") / ELO_PER_NAT,
        first_advantage=_finite(first_advantage, "first_advantage") / ELO_PER_NAT,
        k=k,
        confidence=confidence,
        max_matches=100 * n_players if max_matches is None else max_matches,
        seed=seed,
    )
    return _plan(terms, scheduler, n_tournaments, processes, progress)


def plan_again(
    strengths: ArrayLike,
    *,
    scheduler: str = "top-two",
    confidence: float = 0.95,
    k: int | None = 1,
    first_advantage: float = 0.0,
    n_tournaments: int | None = None,
    max_matches: int | None = None,
    seed: int = 0,
    processes: int = 1,
    progress: Progress | None = None,
) -> Plan:
    """The same if the players' strengths are known, as after a tournament.

    Args:
        strengths: the true ratings, in nats.
        scheduler: see `plan`, as all that follow.
        confidence: of the verdict.
        k: the size of the top.
        first_advantage: in Elo points.
        n_tournaments: how many are simulated.
        max_matches: where an undecided one ends.
        seed: of the simulations.
        processes: how many simulate at once.
        progress: told how many are done, and of how many.

    >>> found = plan_again([2.0, 0.0, 0.0, 0.0], n_tournaments=5)
    >>> [(one.scheduler, one.n_matches(0.5)) for one in found.forecasts]
    [('top-two', 38.0), ('round-robin:cycles=none', 34.0), ('random', 50.0)]
    """
    field = np.asarray(strengths, dtype=np.float64)
    if field.ndim != 1 or not np.isfinite(field).all():
        raise InvalidInput(f"strengths are a finite number per player; got {strengths!r}")
    n_players = check_n_players(len(field))
    terms = Terms(
        field=tuple(field.tolist()),
        n_players=n_players,
        spread=1.0,
        first_advantage=_finite(first_advantage, "first_advantage") / ELO_PER_NAT,
        k=k,
        confidence=confidence,
        max_matches=100 * n_players if max_matches is None else max_matches,
        seed=seed,
    )
    return _plan(terms, scheduler, n_tournaments, processes, progress)


def _plan(
    terms: Terms,
    scheduler: str,
    n_tournaments: int | None,
    processes: int,
    progress: Progress | None,
) -> Plan:
    default = max(10, min(30, 1600 // terms.n_players))
    count = default if n_tournaments is None else n_tournaments
    _check(terms, count, processes)
    schedulers = list(dict.fromkeys([Settings(scheduler=scheduler).scheduler, *BASELINES]))
    tasks = [(name, number) for number in range(count) for name in schedulers]
    found: dict[Task, Ending] = {}
    for task, ending in _rehearsed(terms, tasks, processes):
        found[task] = ending
        if progress is not None:
            progress(len(found), len(tasks))
    forecasts = [
        Forecast(name, tuple(found[name, number] for number in range(count))) for name in schedulers
    ]
    return Plan(
        terms.n_players, terms.k, terms.confidence, count, terms.max_matches, tuple(forecasts)
    )


def _rehearsed(
    terms: Terms, tasks: Sequence[Task], processes: int
) -> Iterator[tuple[Task, Ending]]:
    """Every task with its ending, as they come; each has random numbers of its own."""
    if processes == 1:
        yield from ((task, rehearse(terms, *task)) for task in tasks)
        return
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=spawn) as pool:
        futures = {pool.submit(rehearse, terms, *task): task for task in tasks}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _check(terms: Terms, n_tournaments: int, processes: int) -> None:
    """Raise for terms that cannot be simulated."""
    check_confidence(terms.confidence)
    if terms.k is not None and not 1 <= check_whole(terms.k, "k") < terms.n_players:
        raise InvalidInput(
            f"k, the size of the top, is in 1..{terms.n_players - 1} "
            f"of {terms.n_players} players; got {terms.k}"
        )
    counts = {"n_tournaments": n_tournaments, "max_matches": terms.max_matches}
    for name, value in (counts | {"processes": processes}).items():
        if check_whole(value, name) < 1:
            raise InvalidInput(f"{name} must be at least 1; got {value}")
    if check_whole(terms.seed, "seed") < 0:
        raise InvalidInput(f"seed must be at least 0; got {terms.seed}")


def _finite(value: float, what: str) -> float:
    if not math.isfinite(value):
        raise InvalidInput(f"{what} must be a finite number; got {value!r}")
    return value
