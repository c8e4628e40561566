"""Shared by the tests of the command."""

import pytest

from maxin.tournament import Tournament


@pytest.fixture(scope="session", autouse=True)
def compiled_code():
    """Compile the kernels first, or the commands that tests start would say that they compile."""
    tournament = Tournament(["anna", "bo", "cy"], seed=1)
    tournament.run(lambda first, second, seed: float(first < second), budget=30)
    assert tournament.overview().notes
