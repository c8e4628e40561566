"""Connections: how many there may be, whose they are, and what each may send and take.

All limits of connections are here. Callers who play or organise are known by their tokens; all
others are strangers. A share of the connections is kept for those who are known: strangers beyond
the rest are refused, and if there are many, those of them who wait for nothing are cut off first.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from maxin.service.access.refusal import Refusal
from maxin.service.access.roles import Caller

HERE = ("127.0.0.1", "::1", "::ffff:127.0.0.1")  # a user of this machine, or a proxy: trusted
FILES = 1_024  # that a process may have open, where the system does not say
MOST = 10_000
RETRY_AFTER = 10  # seconds


def most_connections() -> int:
    """A share of the files that this process may have open: the store needs some, too."""
    if sys.platform == "win32":
        return FILES * 3 // 4
    from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit

    n_files, _ = getrlimit(RLIMIT_NOFILE)
    return MOST if n_files == RLIM_INFINITY else min(MOST, n_files * 3 // 4)


@dataclass(frozen=True)
class ConnectionLimits:
    """What connections may do; times are in seconds, sizes in bytes.

    Args:
        most: connections, a share of the files that this process may have open.
        head_time: for the head of a request to arrive.
        body_time: for its body to arrive.
        idle_time: without a request.
        write_time: in which a client must take `least_taken` of an answer that waits for it.
        linger_time: for what a refused client still sends, so that it gets to read the answer.
        least_taken: see `write_time`.
        largest_head: a request's head, and what follows its body.
        largest_header: one header, such as all cookies together.
        largest_address: path and query.
        most_headers: of one request.
        most_requests: that arrive before the first of them is answered.
        piece: as much is read of a connection at once; then it is the turn of the others.
    """

    most: int = field(default_factory=most_connections)
    head_time: float = 10.0
    body_time: float = 20.0
    idle_time: float = 75.0
    write_time: float = 20.0
    linger_time: float = 5.0
    least_taken: int = 1 << 16
    largest_head: int = 1 << 15
    largest_header: int = 1 << 14
    largest_address: int = 1 << 13
    most_headers: int = 100
    most_requests: int = 16
    piece: int = 1 << 14

    @property
    def most_strangers(self) -> int:
        """The others are kept for callers who are known."""
        return self.most * 3 // 4

    @property
    def most_per_address(self) -> int:
        """Of strangers; a proxy's address, and this machine's, count as no address."""
        return max(1, self.most // 8)


class Connection:
    """One connection.

    Args:
        address: of the other end.
        cut: closes it at once.
    """

    def __init__(self, address: str, cut: Callable[[], None]) -> None:
        self.peer = self.address = counted(address)
        self.cut = cut
        self.is_known = self.is_busy = False


class Connections:
    """The open connections of a service.

    Args:
        limits: of each of them, and of all.

    >>> connections = Connections(ConnectionLimits(most=8))
    >>> cut = []
    >>> some = [Connection("10.0.0.1", lambda n=n: cut.append(n)) for n in range(3)]
    >>> [connections.open(one) for one in some], cut  # one per address: the oldest idle ones go
    ([True, True, True], [0, 1])
    """

    def __init__(self, limits: ConnectionLimits | None = None) -> None:
        self.limits = limits or ConnectionLimits()
        self._open: set[Connection] = set()
        self._idle: dict[Connection, None] = {}  # those of strangers, from the oldest on
        self._busy: dict[Connection, None] = {}  # those of strangers
        self._per_address: Counter[str] = Counter()  # of strangers

    def __len__(self) -> int:
        return len(self._open)

    def open(self, connection: Connection) -> bool:
        """Take a new connection; False if there is no place for it.

        It may be a worker's, so strangers' go for it: idle ones first, of the same address if that
        has as many as it may have.
        """
        limits, address = self.limits, connection.address
        if address and self._per_address[address] >= limits.most_per_address:
            self._cut(one for one in self._idle if one.address == address)
        elif len(self._idle) + len(self._busy) >= limits.most_strangers:
            self._cut(self._idle)
        if len(self) >= limits.most:
            self._cut([*self._idle, *self._busy])
        if len(self) >= limits.most:
            return False
        self._open.add(connection)
        self._add(connection)
        return True

    def close(self, connection: Connection) -> None:
        """Forget a connection that has ended."""
        self._remove(connection)
        self._open.discard(connection)

    def begin(self, connection: Connection) -> None:
        """A request has arrived."""
        self._remove(connection)
        connection.is_busy = True
        self._add(connection)

    def end(self, connection: Connection) -> None:
        """All requests are answered; the next one may be of another client of a proxy."""
        self._remove(connection)
        connection.is_busy, connection.address = False, connection.peer
        self._add(connection)

    def admit(self, connection: Connection, caller: Caller, address: str) -> None:
        """Raise `Refusal` if a request is of one stranger too many.

        Args:
            connection: of the request.
            caller: who sends it.
            address: of the client, behind a proxy if there is one.
        """
        self._remove(connection)
        connection.is_known, connection.address = caller.may("worker"), counted(address)
        self._add(connection)
        if connection.is_known:
            return
        limits, n_here = self.limits, self._per_address[connection.address]
        if len(self._busy) > limits.most_strangers:
            raise full(f"it has {limits.most_strangers:,} requests in progress")
        if connection.address and n_here > limits.most_per_address:
            raise full(f"it has {limits.most_per_address:,} connections with {address}")

    def _add(self, connection: Connection) -> None:
        if connection in self._open and not connection.is_known:
            (self._busy if connection.is_busy else self._idle)[connection] = None
            self._per_address[connection.address] += 1

    def _remove(self, connection: Connection) -> None:
        place = self._busy if connection.is_busy else self._idle
        if connection in place:
            del place[connection]
            self._per_address[connection.address] -= 1
            if not self._per_address[connection.address]:
                del self._per_address[connection.address]

    def _cut(self, some: Iterable[Connection]) -> None:
        """Cut the first of some connections."""
        for one in some:
            self.close(one)
            one.cut()
            return


def counted(address: str) -> str:
    """The address under which a connection is counted; those of this machine are not.

    >>> counted("127.0.0.1"), counted("10.0.0.1")
    ('', '10.0.0.1')
    """
    return "" if address in HERE else address


def full(reason: str) -> Refusal:
    """The refusal of one connection too many, which ends with it."""
    detail = f"the service is full: {reason}; try again later"
    return Refusal(503, detail, retry_after=RETRY_AFTER, headers=(("connection", "close"),))
