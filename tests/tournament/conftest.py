"""Shared by the tests of tournaments."""

import pytest


@pytest.fixture
def url(tmp_path):
    """The URL of a store that does not exist yet."""
    return f"sqlite:///{tmp_path / 'league.db'}"
