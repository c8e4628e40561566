"""The log of the scripted engines."""

import pytest


@pytest.fixture
def log(tmp_path, monkeypatch):
    """What scripted engines were sent: a function that returns (process, line) pairs."""
    path = tmp_path / "log"
    monkeypatch.setenv("FAKE_LOG", str(path))

    def read():
        # A line that is still being written has no end yet.
        lines = path.read_text().split("\n")[:-1] if path.exists() else []
        return [(int(pid), line) for pid, _, line in (text.partition(" ") for text in lines)]

    return read
