"""A tournament that a real server offers, and clients of it."""

from contextlib import contextmanager

import pytest

from maxin import Client, Tournament
from tests.helpers.ports import reserved_port
from tests.helpers.serving import serving

NAMES = ["anna", "bo", "cy", "di"]


@contextmanager
def served(
    store=None, players=NAMES, *, budget=None, budget_cost=None, confidence=None, **settings
):
    """A client of a new tournament that is served; the client has both as attributes."""
    pytest.importorskip("starlette", reason="the server needs the extra 'web'")
    from maxin.service.service import Service

    with Tournament(players, store, seed=1, **settings) as tournament:
        service = Service.of(
            tournament, budget=budget, budget_cost=budget_cost, confidence=confidence
        )
        with serving(service) as found, Client(found.url) as client:
            client.tournament, client.service = tournament, service
            yield client


@pytest.fixture
def serve(tmp_path):
    """Serve tournaments in files, each with a client."""
    stack = []

    def start(**how):
        context = served(tmp_path / f"league{len(stack)}.db", **how)
        stack.append(context)
        return context.__enter__()

    yield start
    for context in reversed(stack):
        context.__exit__(None, None, None)


@pytest.fixture
def ports():
    """Two ports that are kept for the test while nothing listens there."""
    with reserved_port() as one, reserved_port() as other:
        yield [keeper.getsockname()[1] for keeper in (one, other)]


@pytest.fixture
def port(ports):
    return ports[0]
