"""Play matches on a Ray cluster, in workers that are kept between games."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from functools import partial

from maxin.core import Entrant, InvalidInput, check_whole
from maxin.runners.base import Job, Outcome
from maxin.runners.clusters.pending import Pending
from maxin.runners.clusters.ray_cluster import Need, RayCluster
from maxin.runners.clusters.ray_crew import CrewSettings, RayCrew
from maxin.runners.clusters.ray_worker import Make
from maxin.runners.functions import Play, check_play
from maxin.runners.scores import shown

START = 300.0  # seconds that the first worker may take to be ready


class Ray:
    """Plays matches on a Ray cluster: `play(first, second, seed)` is called in its workers.

    A worker is an actor that plays one game at a time and is kept between games. There are as many
    as the games that wait need and the cluster has room for. If a worker or its node dies, its game
    fails and the run repeats it, while Ray restarts the worker elsewhere.

    Games beyond the number of workers wait here, not on the cluster. With `batch`, those that wait
    are sent together, which pays off for games of less than some 10 ms: `workers` of the run must
    then be about `batch` times the number of Ray's workers.

    maxin and the modules of `play` must be installed on every node, or be in the `runtime_env` of
    your own `ray.init`.

    Args:
        play: the function; any that Ray can send.
        make: in place of `play`: is called once in each worker, and returns the function, or a
            runner such as `Command`. So a model is loaded once per worker.
        address: "auto", the cluster of this machine; "local", one that is started here and ends
            with this runner; "host:6379", where this machine is a node of the cluster;
            "ray://host:10001", from any machine. A process that is connected already uses its
            connection.
        num_cpus: what a match needs, as Ray counts it.
        num_gpus: the same for GPUs; 0.5 lets two matches share one.
        batch: games per call, at most.
        max_restarts: how often Ray restarts a worker that died; -1 for no limit.

    >>> runner = Ray(lambda first, second, seed: first < second, address="local")  # doctest: +SKIP
    >>> runner.play(Job(1, Entrant("anna"), Entrant("bo"), seed=7)).score  # doctest: +SKIP
    1.0
    """

    def __init__(
        self,
        play: Play | None = None,
        *,
        make: Make | None = None,
        address: str | None = None,
        num_cpus: float = 1.0,
        num_gpus: float = 0.0,
        batch: int = 1,
        max_restarts: int = -1,
    ) -> None:
        for value, name, least in ((batch, "batch", 1), (max_restarts, "max_restarts", -1)):
            if check_whole(value, name) < least:
                raise InvalidInput(f"{name} must be at least {least}; got {value}")
        need = Need(check_share(num_cpus, "num_cpus"), check_share(num_gpus, "num_gpus"))
        self._settings = CrewSettings(_make(play, make), need, batch, max_restarts)
        self._cluster = RayCluster(address)
        self._pending = Pending()
        self._crew: RayCrew | None = None
        self._lock = threading.Lock()

    def check(self, entrants: Iterable[Entrant]) -> None:
        """Raise unless a worker on the cluster can play these players."""
        crew = self._started()
        failure = crew.check([Entrant(one.name, dict(one.options)) for one in entrants], START)
        if failure is not None:
            raise InvalidInput(failure)

    def play(self, job: Job) -> Outcome:
        """Play one game on the cluster."""
        with self._pending.opened(job) as game:
            self._started().add(game)
            return game.wait()

    def kill(self) -> None:
        """End every worker with its game."""
        self._pending.kill()
        self._end(RayCrew.kill)

    def close(self) -> None:
        """End the workers, and the connection if it was made here."""
        self._end(RayCrew.close)
        self._cluster.disconnect()

    def _started(self) -> RayCrew:
        with self._lock:
            self._pending.check_running()
            if self._crew is None:
                self._crew = RayCrew(self._cluster, self._settings)
            return self._crew

    def _end(self, how: Callable[[RayCrew], None]) -> None:
        with self._lock:
            crew, self._crew = self._crew, None
        if crew is not None:
            how(crew)


def _make(play: Play | None, make: Make | None) -> Make:
    if (play is None) == (make is None):
        raise InvalidInput("Ray takes either play, a function, or make, which returns one")
    if make is not None:
        if not callable(make):
            raise InvalidInput(f"make must be a callable without arguments; got {shown(make)}")
        return make
    assert play is not None
    check_play(play)
    return partial(_itself, play)


def _itself(play: Play) -> Play:
    return play


def check_share(value: float, name: str) -> float:
    """Return a number of processors, or raise unless it is at least 0."""
    if not (isinstance(value, int | float) and 0.0 <= value < float("inf")):
        raise InvalidInput(f"{name} must be a number, at least 0; got {value!r}")
    return float(value)
