"""Shared by the tests of the reproduction: the paper's games, which take seconds to make."""

import pytest

from maxin_studies.reproduction.figures import load_games


@pytest.fixture(scope="session")
def paper_games():
    """The paper's games from rules."""
    return load_games(None)
