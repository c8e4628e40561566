"""Many runs at once, each on disk soon after it is done."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager

import numpy as np

from maxin.experiments.archive import Archive
from maxin.experiments.runs import Outcome, Run, play
from maxin.games import Game

CHUNK = 40_000  # rounds given to a worker at a time: a second or so
HOLD = 10.0  # seconds an outcome may wait before it is on disk

Progress = Callable[[int], None]
Games = Mapping[str, Game]


def complete(
    runs: Sequence[Run], games: Games, archive: Archive, *, workers: int, progress: Progress
) -> dict[Run, Outcome]:
    """The outcomes of `runs`: those in the archive, and the rest played now and added to it.

    `progress` is told how many rounds have been dealt with since the last call. The numbers do
    not depend on the number of workers, since every run has its own seed and a thread of its own.
    """
    found = archive.outcomes(runs)
    progress(sum(run.rounds for run in found))
    missing = [run for run in dict.fromkeys(runs) if run not in found]
    held: dict[Run, Outcome] = {}
    since = time.monotonic()
    try:
        for outcomes in _play_all(missing, games, workers, progress):
            held |= outcomes
            if time.monotonic() - since > HOLD:
                archive.add(held)
                found |= held
                held, since = {}, time.monotonic()
    finally:
        if held:
            archive.add(held)
    return found | held


def _play_all(
    runs: Sequence[Run], games: Games, workers: int, progress: Progress
) -> Iterator[dict[Run, Outcome]]:
    """Outcomes chunk by chunk, as workers hand them in."""
    if not runs:
        return
    with (
        _one_thread_each(),
        ProcessPoolExecutor(
            workers, multiprocessing.get_context("spawn"), _prepare, (dict(games),)
        ) as pool,
    ):
        chunks = _chunks(runs)
        pending: set[Future[dict[Run, Outcome]]] = set()
        try:
            while True:
                # A short queue: an interruption waits for a second's work, not for all of it.
                while len(pending) < 2 * workers and (chunk := next(chunks, None)):
                    pending.add(pool.submit(_play_chunk, chunk))
                if not pending:
                    return
                done, pending = wait(pending, return_when=FIRST_COMPLETED)
                for future in done:
                    outcomes = future.result()
                    progress(sum(run.rounds for run in outcomes))
                    yield outcomes
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _chunks(runs: Sequence[Run]) -> Iterator[list[Run]]:
    chunk: list[Run] = []
    for run in runs:
        chunk.append(run)
        if sum(run.rounds for run in chunk) >= CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Workers started meanwhile use one thread for linear algebra: they are many already."""
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(dict.fromkeys(names, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


_games: dict[str, Game] = {}  # of a worker process


def _prepare(games: dict[str, Game]) -> None:
    _games.update(games)
    np.seterr(over="ignore", invalid="ignore")  # the grid holds steps too large for mElo


def _play_chunk(runs: list[Run]) -> dict[Run, Outcome]:
    return {run: play(run, _games[run.game]) for run in runs}
