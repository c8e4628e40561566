"""Shared by the tests of stores: every test that asks for a store runs on both databases."""

import pytest

from maxin.storage import open_store


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def url(request, tmp_path):
    if request.param == "postgresql":
        return request.getfixturevalue("postgres_url")
    return "sqlite://" if request.param == "memory" else f"sqlite:///{tmp_path / 'league.db'}"


@pytest.fixture
def store(url):
    store = open_store(url)
    yield store
    store.close()
