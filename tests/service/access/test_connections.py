import pytest

pytest.importorskip("starlette", reason="the extra `web` is not installed")

from maxin.service.access.connections import Connection, ConnectionLimits, Connections
from maxin.service.access.refusal import Refusal
from maxin.service.access.roles import Caller

WORKER, STRANGER = Caller("1f", "worker", "pc"), Caller()


class Opened:
    """Connections of a service that may have 16: 12 of strangers, 2 of each address."""

    def __init__(self):
        self.connections, self.cut = Connections(ConnectionLimits(most=16)), []

    def one(self, caller=None, address="127.0.0.1", behind=None):
        """A connection; with a caller, a request of it is being answered."""
        made = Connection(address, lambda: self.cut.append(made))
        assert self.connections.open(made)
        if caller is not None:
            self.connections.begin(made)
            self.connections.admit(made, caller, behind or address)
        return made


@pytest.fixture
def opened():
    return Opened()


def test_idle_strangers_make_room_the_oldest_first(opened):
    idle = [opened.one() for _ in range(30)]
    assert opened.cut == idle[:18]
    assert len(opened.connections) == 12


def test_workers_and_admins_are_never_cut_off(opened):
    known = [opened.one(WORKER) for _ in range(10)]
    for one in known[:5]:
        opened.connections.end(one)  # idle, and still known
    strangers = [opened.one() for _ in range(100)]
    assert len(opened.connections) == 16
    assert opened.cut == strangers[:94]


def test_a_stranger_too_many_is_refused_and_a_worker_still_admitted(opened):
    for _ in range(12):
        opened.one(STRANGER)
    with pytest.raises(Refusal, match="the service is full: it has 12 requests in progress") as no:
        opened.one(STRANGER)
    assert no.value.status == 503
    assert {"retry-after", "connection"} == {name for name, _ in no.value.headers}
    opened.one(WORKER)
    assert opened.cut == []


def test_workers_take_the_place_of_strangers_if_all_places_are_taken(opened):
    strangers = [opened.one(STRANGER) for _ in range(12)]
    for _ in range(16):
        opened.one(WORKER)
    assert opened.cut == strangers
    assert not opened.connections.open(Connection("", lambda: None))


def test_an_address_has_few_connections_but_this_machine_and_its_proxies_have_many(opened):
    first, second = opened.one(address="10.0.0.1"), opened.one(address="10.0.0.1")
    other = opened.one(address="10.0.0.2")
    opened.one(address="10.0.0.1")
    assert opened.cut == [first]
    for _ in range(8):
        opened.one()
    assert opened.cut == [first]
    assert {second, other}.isdisjoint(opened.cut)


def test_a_client_behind_a_proxy_is_counted_by_its_own_address(opened):
    first = opened.one(STRANGER, behind="10.0.0.1")
    opened.one(STRANGER, behind="10.0.0.1")
    opened.one(STRANGER, behind="10.0.0.2")
    with pytest.raises(Refusal, match=r"it has 2 connections with 10\.0\.0\.1"):
        opened.one(STRANGER, behind="10.0.0.1")
    opened.one(WORKER, behind="10.0.0.1")
    opened.connections.end(first)  # the proxy keeps its connection for another client
    opened.connections.begin(first)
    opened.connections.admit(first, STRANGER, "10.0.0.3")


def test_a_proxys_connection_is_known_only_while_a_worker_uses_it(opened):
    shared = opened.one(WORKER, behind="10.0.0.1")
    opened.connections.end(shared)
    opened.connections.begin(shared)
    opened.connections.admit(shared, STRANGER, "10.0.0.2")
    opened.connections.end(shared)
    for _ in range(12):
        opened.one()
    assert opened.cut == [shared]


def test_closed_connections_are_forgotten(opened):
    for _ in range(50):
        one = opened.one(STRANGER, address="10.0.0.1")
        opened.connections.close(one)
        opened.connections.end(one)  # its answer ends later
    assert len(opened.connections) == 0
    assert opened.connections._per_address == {}
