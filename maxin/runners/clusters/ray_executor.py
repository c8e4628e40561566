"""A Ray cluster as an executor, for tasks that need no state: sweeps of experiments."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from concurrent.futures import wait as futures_wait
from functools import partial
from typing import Any

from maxin.runners.clusters.ray_cluster import Need, RayCluster, hand_on


class RayExecutor(Executor):
    """Runs each call as a task of a Ray cluster. Ray repeats a task whose node dies.

    Args:
        address: of the cluster, as in `Ray`.
        num_cpus: what a call needs, as Ray counts it.

    >>> with RayExecutor("local") as executor:  # doctest: +SKIP
    ...     executor.submit(pow, 2, 3).result()
    8
    """

    def __init__(self, address: str | None = None, num_cpus: float = 1.0) -> None:
        self._cluster = RayCluster(address)
        self._ray = self._cluster.connect()
        self._task = self._ray.remote(_call).options(num_cpus=num_cpus)
        room = self._cluster.room(Need(num_cpus, 0.0))
        self.n_workers = max(1, int(room))  # calls that the cluster runs at a time, as of now
        self._refs: dict[Future[Any], Any] = {}
        self._is_over = False

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run a call on the cluster."""
        if self._is_over:
            raise RuntimeError("cannot schedule new futures after shutdown")
        ref = self._task.remote(fn, args, kwargs)
        future: Future[Any] = Future()
        self._refs[future] = ref
        future.add_done_callback(self._forget)
        ref.future().add_done_callback(partial(hand_on, future))
        return future

    def _forget(self, future: Future[Any]) -> None:
        ref = self._refs.pop(future)
        if future.cancelled():
            self._ray.cancel(ref)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more calls; wait for those that are running, or cancel all."""
        if self._is_over:
            return
        self._is_over = True
        futures = list(self._refs)
        if cancel_futures or not wait:
            for future in futures:
                future.cancel()
        else:
            futures_wait(futures)
        self._cluster.disconnect()

    def __exit__(self, kind: object, *_: object) -> None:
        self.shutdown(cancel_futures=kind is not None)


def _call(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return function(*args, **kwargs)
