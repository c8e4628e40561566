"""The workers of a Ray runner: idle ones, starting ones, and the games that wait for them."""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from maxin.core import Entrant
from maxin.runners.base import MatchFailed, RunnerLost
from maxin.runners.clusters.pending import PendingGame
from maxin.runners.clusters.ray_cluster import Need, RayCluster, hand_on
from maxin.runners.clusters.ray_worker import Make, RayWorker

FAREWELL = 5.0  # seconds that idle workers have to close what they keep
LOOK = 1.0  # seconds between two looks at the size of the cluster


class CrewSettings(NamedTuple):
    """How the workers are made and used.

    Args:
        make: returns what plays, once per worker.
        need: what a worker needs of the cluster.
        batch: games per call, at most.
        max_restarts: how often Ray restarts a worker; -1 for no limit.
    """

    make: Make
    need: Need
    batch: int
    max_restarts: int


class RayCrew:
    """Hands games to workers, one call per worker at a time; one thread decides everything.

    Workers are added while games wait and the cluster has room, so nodes that join get work. A
    worker that died gets no games until Ray has restarted it. A game that was alone with it fails;
    games that shared a call with others are played again, each alone, so that only the one that
    kills its worker fails.

    Args:
        cluster: the connection.
        settings: of the workers.
    """

    def __init__(self, cluster: RayCluster, settings: CrewSettings) -> None:
        self._ray, self._settings = cluster.connect(), settings
        self._cluster = cluster
        self._waiting: deque[PendingGame] = deque()
        self._idle: deque[Any] = deque()
        self._workers: list[Any] = []
        self._n_starting, self._n_dead, self._last_death = 0, 0, ""
        self._n_room, self._next_look = (
            0.0,
            0.0,
        )  # for how many workers there is room, and until when
        self._payload = self._ray.put(settings.make)  # sent to each node once
        self._events: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="maxin-ray", daemon=True)
        self._thread.start()

    def add(self, game: PendingGame) -> None:
        """Queue a game for the next idle worker."""
        self._events.put(partial(self._waiting.append, game))

    def check(self, entrants: list[Entrant], patience: float) -> str | None:
        """Why the workers cannot play these players; None if they can.

        The first worker answers, for all; it has `patience` seconds to start.
        """
        need = self._settings.need
        if self._cluster.is_local and not self._cluster.room(need):
            return self._cluster.lack(need)
        found: Future[MatchFailed | None] = Future()
        self._events.put(partial(self._check, entrants, found))
        try:
            failure = found.result(patience)
        except TimeoutError:
            return f"no Ray worker was ready within {patience:g} s; {self._cluster.lack(need)}"
        except Exception as error:
            return f"a Ray worker cannot start: {_words(error)}"
        return None if failure is None else failure.reason

    def close(self) -> None:
        """Let the workers close what they keep, and end them."""
        self._leave()
        refs = [worker.close.remote() for worker in self._idle]
        self._ray.wait(refs, num_returns=len(refs), timeout=FAREWELL) if refs else None
        self._end_workers()

    def kill(self) -> None:
        """End the workers at once."""
        self._leave()
        self._end_workers()

    def _leave(self) -> None:
        self._events.put(None)
        self._thread.join(FAREWELL)

    def _end_workers(self) -> None:
        for worker in self._workers:
            with suppress(Exception):  # it may be dead, or the cluster gone
                self._ray.kill(worker)

    # What happens in the thread

    def _work(self) -> None:
        while True:
            events = [self._next_event()]
            while not self._events.empty():  # with more games at hand, they are shared out better
                events.append(self._events.get())
            try:
                for event in events:
                    if event is None:
                        return
                    event()
                self._grow()
                self._hand_out()
            except Exception as error:  # the connection is lost, say
                self._fail_all(f"the Ray cluster is lost: {_words(error)}")

    def _next_event(self) -> Callable[[], None] | None:
        """What happens next; while games wait, nothing at times: a node may have joined."""
        try:
            return self._events.get(timeout=LOOK if self._waiting else None)
        except queue.Empty:
            return lambda: None

    def _check(self, entrants: list[Entrant], found: Future[MatchFailed | None]) -> None:
        if not self._workers:
            self._start()
        ref = self._workers[0].ready.options(max_task_retries=-1).remote(entrants)
        ref.future().add_done_callback(partial(hand_on, found))

    def _grow(self) -> None:
        """Start workers for the games that wait, as far as the cluster has room."""
        n_wanted = len(self._waiting) - len(self._idle) - self._n_starting
        if n_wanted > 0:
            n_room = self._room() - len(self._workers) - self._n_dead
            # Without any room the first worker waits for a node, as on a cluster that grows.
            least = 0 if self._workers or self._n_dead else 1
            for _ in range(int(min(n_wanted, max(n_room, least)))):
                self._start()
        if not self._workers and self._n_dead:
            self._fail_all(f"every Ray worker has died: {self._last_death}")

    def _room(self) -> float:
        """How many workers the cluster has room for in all; asked once per second at most."""
        if time.monotonic() >= self._next_look:
            self._n_room = self._cluster.room(self._settings.need)
            self._next_look = time.monotonic() + LOOK
        return self._n_room

    def _start(self) -> None:
        settings = self._settings
        actor = self._ray.remote(RayWorker).options(
            num_cpus=settings.need.num_cpus,
            num_gpus=settings.need.num_gpus,
            max_restarts=settings.max_restarts,
        )
        worker = actor.remote(settings.make)
        self._workers.append(worker)
        self._await(worker)

    def _await(self, worker: Any) -> None:
        """Give a worker games when it is ready, also after a restart, which Ray waits for."""
        self._n_starting += 1
        ref = worker.ready.options(max_task_retries=-1).remote([])
        self._call(ref, partial(self._ready, worker))

    def _call(self, ref: Any, then: Callable[[Future[Any]], None]) -> None:
        """Call `then` in the thread when a call is over."""
        ref.future().add_done_callback(lambda future: self._events.put(partial(then, future)))

    def _ready(self, worker: Any, future: Future[Any]) -> None:
        self._n_starting -= 1
        if (error := future.exception()) is None:
            self._idle.append(worker)
        else:  # it is dead for good
            self._workers.remove(worker)
            self._n_dead, self._last_death = self._n_dead + 1, _words(error)

    def _hand_out(self) -> None:
        """Give idle workers games: each an equal share of those that wait, up to a batch."""
        while self._waiting and self._idle:
            share = -(-len(self._waiting) // len(self._idle))
            games = self._take(min(share, self._settings.batch))
            worker = self._idle.popleft()
            ref = worker.play.remote([game.job for game in games])
            self._call(ref, partial(self._played, worker, games))

    def _take(self, n_games: int) -> list[PendingGame]:
        """The next games for one call; one that must be alone is."""
        games = [self._waiting.popleft()]
        while not games[0].is_alone and len(games) < n_games and self._waiting:
            if self._waiting[0].is_alone:
                break
            games.append(self._waiting.popleft())
        return games

    def _played(self, worker: Any, games: list[PendingGame], future: Future[Any]) -> None:
        error = future.exception()
        if error is None:
            for game, answer in zip(games, future.result(), strict=True):
                game.give(answer)
            self._idle.append(worker)
            return
        self._await(worker)
        if len(games) == 1:
            reason = f"the Ray worker gave no score: {_words(error)}"
            games[0].give(MatchFailed(reason, log=str(error)))
            return
        for game in reversed(games):
            game.is_alone = True
            self._waiting.appendleft(game)

    def _fail_all(self, reason: str) -> None:
        while self._waiting:
            self._waiting.popleft().give(RunnerLost(reason))


def _words(error: BaseException) -> str:
    """The first line of an exception: those of Ray are long."""
    return " ".join(f"{type(error).__name__}: {error}".strip().partition("\n")[0].split())
