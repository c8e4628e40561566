"""Every test runs in a folder of its own, which holds the default store.

For the commands that read one, there is the stored tournament of `tests.helpers.stored`.
"""

import pytest

from tests.helpers.stored import filled, store

__all__ = ["filled", "store"]


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MAXIN_STORE", raising=False)


@pytest.fixture
def folder(tmp_path):
    return tmp_path
