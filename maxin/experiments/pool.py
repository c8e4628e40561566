"""Many runs at once, each on disk soon after it is done."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from typing import Any

import numpy as np

from maxin.experiments.archive import AnyOutcome, AnyTask, Archive

CHUNK = 40_000  # rounds given to a worker at a time: a second or so
HOLD = 10.0  # seconds an outcome may wait before it is on disk

Progress = Callable[[int], None]


def complete(
    tasks: Sequence[AnyTask],
    act: Callable[[AnyTask], AnyOutcome],
    archive: Archive[AnyTask, AnyOutcome],
    *,
    workers: int,
    progress: Progress,
) -> dict[AnyTask, AnyOutcome]:
    """The outcomes of `tasks`: those in the archive, and of the rest `act`'s, added to it.

    `progress` is told how many rounds have been dealt with since the last call. The numbers do
    not depend on the number of workers, since every task has its own seed and a thread of its own.
    """
    found = archive.outcomes(tasks)
    progress(sum(task.rounds for task in found))
    missing = [task for task in dict.fromkeys(tasks) if task not in found]
    held: dict[AnyTask, AnyOutcome] = {}
    since = time.monotonic()
    try:
        for outcomes in _do_all(missing, act, workers, progress):
            held |= outcomes
            if time.monotonic() - since > HOLD:
                archive.add(held)
                found |= held
                held, since = {}, time.monotonic()
    finally:
        if held:
            archive.add(held)
    return found | held


def _do_all(
    tasks: Sequence[AnyTask],
    act: Callable[[AnyTask], AnyOutcome],
    workers: int,
    progress: Progress,
) -> Iterator[dict[AnyTask, AnyOutcome]]:
    """Outcomes chunk by chunk, as workers hand them in."""
    if not tasks:
        return
    with (
        _one_thread_each(),
        ProcessPoolExecutor(
            workers, multiprocessing.get_context("spawn"), _prepare, (act,)
        ) as pool,
    ):
        chunks = _chunks(tasks)
        pending: set[Future[dict[AnyTask, AnyOutcome]]] = set()
        try:
            while True:
                # A short queue: an interruption waits for a second's work, not for all of it.
                while len(pending) < 2 * workers and (chunk := next(chunks, None)):
                    pending.add(pool.submit(_do, chunk))
                if not pending:
                    return
                done, pending = wait(pending, return_when=FIRST_COMPLETED)
                for future in done:
                    outcomes = future.result()
                    progress(sum(task.rounds for task in outcomes))
                    yield outcomes
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _chunks(tasks: Sequence[AnyTask]) -> Iterator[list[AnyTask]]:
    chunk: list[AnyTask] = []
    for task in tasks:
        chunk.append(task)
        if sum(task.rounds for task in chunk) >= CHUNK:
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


_act: list[Callable[[Any], Any]] = []  # of a worker process


def _prepare(act: Callable[[Any], Any]) -> None:
    _act.append(act)
    np.seterr(over="ignore", invalid="ignore")  # the grid holds steps too large for mElo


def _do(tasks: list[AnyTask]) -> dict[AnyTask, Any]:
    [act] = _act
    return {task: act(task) for task in tasks}
