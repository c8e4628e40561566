"""Shared by all tests: where the paper's material stands, and hypothesis's profile."""

import os
import uuid
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.helpers.postgres import NoServer, Server

settings.register_profile(
    "ci", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("dev", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "dev")

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The paper's payoff files and the end points of its figures."""
    if not (SHARED / "games").is_dir() or not (SHARED / "paper").is_dir():
        pytest.skip(f"the paper's games and figures are not at {SHARED}")
    return SHARED


@pytest.fixture(scope="session")
def reference() -> Path:
    """The slow literal version of the algorithms, with its golden runs."""
    folder = SHARED / "reference"
    if not folder.is_dir():
        pytest.skip(f"the reference runs are not at {folder}")
    return folder


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL server of this session's own."""
    try:
        server = Server()
    except NoServer as reason:
        pytest.skip(str(reason))
    yield server
    server.remove()


@pytest.fixture
def postgres_url(postgres) -> str:
    """An empty database."""
    return postgres.new_database(f"test_{uuid.uuid4().hex}")


def pytest_terminal_summary(terminalreporter):
    """What tests measured and people should see, from whichever process ran them."""
    for report in terminalreporter.stats.get("passed", []):
        for name, words in report.user_properties:
            if name == "note":
                terminalreporter.write_line(f"NOTE {report.nodeid}: {words}")
