"""The stored tournament of `tests.helpers.stored`, for the commands that read one."""

import pytest

from maxin.tournament import Tournament
from tests.helpers.stored import NAMES, play, store

__all__ = ["filled", "store"]


@pytest.fixture(scope="session")
def filled(tmp_path_factory):
    """A store with 120 matches, played once for all files; no test may change it."""
    path = tmp_path_factory.mktemp("filled") / "league.db"
    with Tournament(NAMES, f"sqlite:///{path}", seed=2, scheduler="random") as tournament:
        tournament.run(play, budget=120, confidence=None, retries=1, backoff=0)
        tournament.retire(NAMES[0])
    return path
