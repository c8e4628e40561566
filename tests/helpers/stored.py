"""A store with a tournament that was played, for the commands that read it."""

import csv
import io
import shutil

import pytest

from maxin.tournament import Tournament

NAMES = [
    *(f"run3/checkpoint-{step:06d}.pt" for step in range(100, 1300, 100)),
    "[red]bold[/]",
    "安娜; drop table",
]


def play(first, second, seed):
    """The later player wins, mostly; some matches fail with a message of their own."""
    if seed % 13 == 0:
        raise RuntimeError("[red]out of memory[/]")
    order = float(NAMES.index(first) > NAMES.index(second))
    return 0.5 if seed % 5 == 0 else order


@pytest.fixture(scope="session")
def filled(tmp_path_factory):
    """A store with 120 matches, which no test may change."""
    path = tmp_path_factory.mktemp("filled") / "league.db"
    with Tournament(NAMES, f"sqlite:///{path}", seed=2, scheduler="random") as tournament:
        tournament.run(play, budget=120, confidence=None, retries=1, backoff=0)
        tournament.retire(NAMES[0])
    return path


@pytest.fixture
def store(filled, tmp_path, monkeypatch):
    """A copy of it, in the folder where the command is called."""
    shutil.copy(filled, tmp_path / "maxin.db")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("MAXIN_STORE", raising=False)
    return f"sqlite:///{tmp_path / 'maxin.db'}"


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))
