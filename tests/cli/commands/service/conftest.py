"""Every test runs in a folder of its own, which holds the default store."""

import pytest


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MAXIN_STORE", raising=False)
    return tmp_path
