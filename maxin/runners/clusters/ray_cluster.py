"""The connection to a Ray cluster: an existing one, or one that is started on this machine."""

from __future__ import annotations

import importlib.util
import logging
import math
import socket
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import Any, NamedTuple

from maxin.core import InvalidInput, MissingExtra

START = "start one with `ray start --head`, or give local to have one on this machine"
TOKEN = "if it uses tokens, set RAY_AUTH_MODE=token here too"
KINDS = ("CPU", "GPU")  # as Ray names them, in the order of `Need`
PATIENCE = 5.0  # seconds that a cluster has to answer


class RayCluster:
    """A connection that is made when it is needed.

    If this process is connected to a cluster already, that one is used, and stays connected.

    Args:
        address: "auto", the cluster of this machine; "local", one that is started here and ends
            with the connection; "host:6379", where this machine is a node of the cluster;
            "ray://host:10001", from any machine, through Ray's client; None for what
            `ray.init()` takes.
    """

    def __init__(self, address: str | None = None) -> None:
        if importlib.util.find_spec("ray") is None:
            raise MissingExtra(
                "Ray is not installed; the extra 'ray' has it: pip install 'maxin[ray]'"
            )
        self._place = _place(address)
        self._address, self._is_ours = address, False
        self.is_local = address == "local"  # such a cluster never grows

    def connect(self) -> Any:
        """Ray itself, connected."""
        import ray

        if not ray.is_initialized():
            local: dict[str, Any] = {"include_dashboard": False} if self.is_local else {}
            try:
                self._knock()
                ray.init(self._address, log_to_driver=False, logging_level=logging.ERROR, **local)
            except ConnectionRefusedError as error:
                raise self._absent(START, error) from error
            except Exception as error:  # of any type: a node that starts too slowly, say
                raise self._absent(START if self._place is None else TOKEN, error) from error
            self._is_ours = True
        return ray

    def _knock(self) -> None:
        """Raise `OSError` unless somebody listens at the port: Ray would try for minutes."""
        if self._place is not None:
            socket.create_connection(self._place, PATIENCE).close()

    def _absent(self, hint: str, error: Exception) -> InvalidInput:
        words = " ".join(str(error).split())[:200]
        return InvalidInput(f"no Ray cluster answers at {self._address!r}; {hint} ({words})")

    def room(self, need: Need) -> float:
        """How many workers the nodes have room for, if nothing else runs on them."""
        nodes = [node["Resources"] for node in self.connect().nodes() if node["Alive"]]
        return sum(map(need.fits, nodes))

    def lack(self, need: Need) -> str:
        """What a worker needs, and what the nodes have."""
        nodes = [node["Resources"] for node in self.connect().nodes() if node["Alive"]]
        most = {key: max((node.get(key, 0.0) for node in nodes), default=0) for key in KINDS}
        return (
            f"a match needs {need}; a node of the cluster has at most {most['CPU']:g} CPUs and "
            f"{most['GPU']:g} GPUs"
        )

    def disconnect(self) -> None:
        """End the connection, if it was made here; a local cluster ends with it."""
        if self._is_ours:
            import ray

            ray.shutdown()
            self._is_ours = False


def _place(address: str | None) -> tuple[str, int] | None:
    """The host and the port of an address; None if Ray finds the cluster itself."""
    if address in (None, "auto", "local"):
        return None
    host, _, port = str(address).removeprefix("ray://").rpartition(":")
    if not (host and "/" not in host and port.isdigit() and int(port) < 1 << 16):
        rule = "a Ray cluster is at auto, local, host:port or ray://host:port"
        raise InvalidInput(f"{rule}; got {address!r}")
    return host.strip("[]"), int(port)


def hand_on(found: Future[Any], future: Future[Any]) -> None:
    """Copy the result of one future to another, unless that was cancelled.

    >>> one, other = Future(), Future()
    >>> one.set_result(3)
    >>> hand_on(other, one)
    >>> other.result()
    3
    """
    with suppress(InvalidStateError):
        if (error := future.exception()) is not None:
            found.set_exception(error)
        else:
            found.set_result(future.result())


class Need(NamedTuple):
    """What a worker of a cluster needs, in units that Ray counts."""

    num_cpus: float
    num_gpus: float

    def fits(self, resources: dict[str, float]) -> float:
        """How many workers the resources of a node are enough for.

        >>> Need(num_cpus=2.0, num_gpus=0.5).fits({"CPU": 16.0, "GPU": 2.0})
        4
        >>> Need(num_cpus=1.0, num_gpus=1.0).fits({"CPU": 16.0})
        0
        """
        wanted = zip(KINDS, self, strict=True)
        found = [resources.get(key, 0.0) / each for key, each in wanted if each]
        return math.floor(min(found) + 1e-9) if found else math.inf

    def __str__(self) -> str:
        return f"num_cpus={self.num_cpus:g} and num_gpus={self.num_gpus:g}"
