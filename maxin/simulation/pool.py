"""Runs many simulated tournaments in parallel."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

import numpy as np
from threadpoolctl import threadpool_limits

from maxin.core import InvalidInput, check_whole

Progress = Callable[[str, int, int], None]  # the name of the work, units done, units in all
OutcomeT = TypeVar("OutcomeT")


class Task(ABC, Generic[OutcomeT]):
    """The description of a simulated tournament, as a frozen dataclass.

    Equal descriptions give equal outcomes. A task may run in any process, so it must be picklable
    and hold all that it needs.
    """

    chunk_size: ClassVar[int] = 40_000  # how much work a process is given at a time

    if TYPE_CHECKING:  # a dataclass field of every task

        @property
        def rounds(self) -> int:
            """The largest number of matches it may play."""

    @property
    def size(self) -> int:
        """How much work it counts as: by default, its rounds."""
        return self.rounds

    @abstractmethod
    def run(self) -> OutcomeT:
        """Play the tournament."""


class TaskPool:
    """Completes tasks in worker processes.

    The numbers do not depend on the number of workers: every task has its own seed and uses one
    thread.

    Args:
        workers: how many processes; 1 runs in this process, None uses one per core. With an
            executor, how many it has.
        progress: called as work is done; True writes a line on the terminal, if there is one.
        executor: where tasks run, in place of processes of our own: a pool, a cluster.
    """

    def __init__(
        self,
        workers: int | None = None,
        progress: Progress | bool | None = None,
        executor: Executor | None = None,
    ) -> None:
        self.workers = os.cpu_count() or 1 if workers is None else _check_workers(workers)
        if progress is True:
            from maxin.worker.progress import TerminalLine  # most pools show nothing

            progress = TerminalLine()
        self._progress, self._executor = progress or None, executor

    def report(self, name: str, done: int, total: int) -> None:
        """Call the progress callback, if there is one."""
        if self._progress is not None:
            self._progress(name, done, total)

    def complete(
        self, name: str, tasks: Sequence[Task[OutcomeT]]
    ) -> dict[Task[OutcomeT], OutcomeT]:
        """The outcomes of `tasks`."""
        found: dict[Task[OutcomeT], OutcomeT] = {}
        with closing(self.batches(name, list(dict.fromkeys(tasks)))) as batches:
            for outcomes in batches:
                found |= outcomes
        return found

    def batches(
        self, name: str, tasks: Sequence[Task[OutcomeT]], done: int = 0
    ) -> Generator[dict[Task[OutcomeT], OutcomeT], None, None]:
        """Run tasks and yield their outcomes as they are done.

        Progress counts the units that were `done` before.
        """
        total = done + sum(task.size for task in tasks)
        self.report(name, done, total)
        with closing(run_all(tasks, self.workers, self._executor)) as batches:
            for outcomes in batches:
                yield outcomes
                done += sum(task.size for task in outcomes)
                self.report(name, done, total)


def _check_workers(workers: int) -> int:
    if check_whole(workers, "workers") < 1:
        raise InvalidInput(f"workers must be at least 1; got {workers}")
    return workers


def run_all(
    tasks: Sequence[Task[OutcomeT]], workers: int, executor: Executor | None = None
) -> Generator[dict[Task[OutcomeT], OutcomeT], None, None]:
    """Run tasks and yield their outcomes in batches, as they are done."""
    if not tasks:
        return
    if executor is not None:
        yield from _run_on(executor, tasks, 2 * workers)
    elif workers > 1:
        with _processes(workers) as pool:
            yield from _run_on(pool, tasks, 2 * workers)
    else:
        for task in tasks:
            [outcome] = _run_chunk([task])
            yield {task: outcome}


@contextmanager
def _processes(workers: int) -> Iterator[Executor]:
    """A pool of processes, which an exception ends at once."""
    context = multiprocessing.get_context("spawn")
    others = set(multiprocessing.active_children())
    with _one_thread_each(), ProcessPoolExecutor(workers, context, _watch_parent) as pool:
        try:
            yield pool
        except BaseException:
            for worker in set(multiprocessing.active_children()) - others:
                worker.terminate()  # it holds nothing but the chunk it is working on
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _run_on(
    executor: Executor, tasks: Sequence[Task[OutcomeT]], most: int
) -> Iterator[dict[Task[OutcomeT], OutcomeT]]:
    """Run tasks on an executor that has at most `most` chunks of them at a time."""
    chunks = _chunks(tasks)
    pending: dict[Future[list[OutcomeT]], list[Task[OutcomeT]]] = {}
    try:
        while True:
            with _interrupts_kept_from_workers():
                while len(pending) < most and (chunk := next(chunks, None)):
                    pending[executor.submit(_run_chunk, chunk)] = chunk
            if not pending:
                return
            for future in wait(pending, return_when=FIRST_COMPLETED).done:
                yield dict(zip(pending.pop(future), future.result(), strict=True))
    finally:
        for future in pending:
            future.cancel()


def _watch_parent() -> None:
    """Let a worker end with the process that started it, even if that one is killed.

    A worker waits for its next chunk at a queue that it holds open itself, so it would wait for
    ever.
    """
    parent = multiprocessing.parent_process()

    def leave() -> None:
        if parent is not None:
            parent.join()
        os._exit(1)

    threading.Thread(target=leave, daemon=True).start()


def _run_chunk(tasks: list[Task[OutcomeT]]) -> list[OutcomeT]:
    """The outcomes in order; the tasks, which may hold large games, are not sent back."""
    # The numbers must not depend on threads. The grid has steps too large for mElo.
    with threadpool_limits(1), np.errstate(over="ignore", invalid="ignore"):
        return [task.run() for task in tasks]


def _chunks(tasks: Sequence[Task[OutcomeT]]) -> Iterator[list[Task[OutcomeT]]]:
    chunk: list[Task[OutcomeT]] = []
    for task in tasks:
        chunk.append(task)
        if sum(one.size for one in chunk) >= task.chunk_size:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


@contextmanager
def _interrupts_kept_from_workers() -> Iterator[None]:
    """Processes started meanwhile ignore interrupts, which a terminal sends to all at once.

    A worker that dies of one breaks the pool, and its error would hide the interrupt. This
    process receives an interrupt that comes meanwhile as soon as the block ends.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Processes started meanwhile use one thread for linear algebra."""
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
