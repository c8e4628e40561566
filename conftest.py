"""Shared by all tests: the paper's files, databases, and Hypothesis profiles."""

import atexit
import os
import shutil
import signal
import sqlite3.dbapi2
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.helpers.connections import watched
from tests.helpers.postgres import NoServer, Server

settings.register_profile(
    "ci", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("dev", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "dev")

collect_ignore = ["examples/gallery"]  # scripts; `tests/examples/test_gallery.py` runs them

# A shell without job control starts background commands with SIGINT ignored. The commands that
# tests start would inherit this, and could not be interrupted.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Results that a store cannot take are kept in the user's folder; that of the tests is their own.
os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="maxin-state-")
atexit.register(shutil.rmtree, os.environ["XDG_STATE_HOME"], ignore_errors=True)

SLOWEST_FILES = 20
FEW_EXAMPLES = 25  # of each law, in place of a hundred, where slow tests are left out
SHARED = Path(__file__).resolve().parents[1] / "shared"


def pytest_configure(config):
    """Have Hypothesis try few examples, always the same, unless slow tests run too."""
    if config.option.markexpr == "not slow":
        profile = settings.get_profile(settings.get_current_profile_name())
        settings.register_profile("few", profile, max_examples=FEW_EXAMPLES, derandomize=True)
        settings.load_profile("few")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of the paper's payoff files and of the end points of its figures."""
    if not (SHARED / "games").is_dir() or not (SHARED / "paper").is_dir():
        pytest.skip(f"the paper's games and figures are not at {SHARED}")
    return SHARED


@pytest.fixture(scope="session")
def reference() -> Path:
    """The folder of the slow, literal version of the algorithms and its golden runs."""
    folder = SHARED / "reference"
    if not folder.is_dir():
        pytest.skip(f"the reference runs are not at {folder}")
    return folder


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL server for this test session."""
    try:
        server = Server()
    except NoServer as reason:
        pytest.skip(str(reason))
    yield server
    server.remove()


@pytest.fixture
def postgres_url(postgres) -> str:
    """The URL of an empty database."""
    return postgres.empty_database()


@pytest.fixture
def connections(monkeypatch) -> list[bool]:
    """Whether each connection to SQLite that the test opened is closed, oldest first."""
    closed: list[bool] = []
    monkeypatch.setattr(sqlite3.dbapi2, "connect", watched(closed))  # the one SQLAlchemy calls
    return closed


def pytest_terminal_summary(terminalreporter):
    """Print the notes that tests recorded, and the files that take longest if durations are asked.

    Notes are measurements, for example, from all test processes.
    """
    if terminalreporter.config.getoption("durations"):
        seconds = seconds_per_file(terminalreporter.stats)
        terminalreporter.section(f"slowest {SLOWEST_FILES} files")
        for path, spent in seconds.most_common(SLOWEST_FILES):
            terminalreporter.write_line(f"{spent:7.2f}s {path}")
    for report in terminalreporter.stats.get("passed", []):
        for name, text in report.user_properties:
            if name == "note":
                terminalreporter.write_line(f"NOTE {report.nodeid}: {text}")


def seconds_per_file(stats):
    """The seconds of each file's tests, with their fixtures."""
    seconds = Counter()
    for report in (report for reports in stats.values() for report in reports):
        if hasattr(report, "duration"):
            seconds[report.nodeid.partition("::")[0]] += report.duration
    return seconds


@pytest.fixture
def url(tmp_path):
    """The URL of a store that does not exist yet."""
    return f"sqlite:///{tmp_path / 'league.db'}"
