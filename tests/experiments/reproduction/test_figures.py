"""The paper's experiments: its grid of settings, its games and its seeds."""

import numpy as np
import pytest

from maxin.core import InvalidInput
from maxin.experiments.reproduction.figures import (
    ELO_GAMES,
    FIGURES,
    MELO_GAMES,
    batch_lines,
    load_games,
    tuning_runs,
)
from maxin.games import make_game


def test_the_grid_is_the_papers():
    figure = FIGURES["figure2"]
    assert [len(line.settings) for line in figure.algorithms] == [7, 7, 7, 10, 70]
    assert len(list(tuning_runs(figure, load_games(None)))) == 101 * 5 * 6
    assert [game.rounds for game in (*ELO_GAMES, *MELO_GAMES)] == [1000] * 6 + [2000] * 5 + [1000]
    assert len(batch_lines("elo", 100)) == 10
    assert set(FIGURES["dimension"].algorithms[3].settings) == set(
        FIGURES["figure3"].algorithms[4].settings
    )  # the runs of 2k = 8 are those of Figure 3
    assert not set(figure.tuning_seeds) & set(figure.fresh_seeds)


def test_games_come_from_files_or_rules(tmp_path):
    made = load_games(None)
    assert "AlphaStar" not in made
    assert made["5,3-Blotto"].n_players == 21
    np.save(tmp_path / "Kuhn-poker.npy", make_game("kuhn-poker", np.random.default_rng(0)).payoffs)
    assert list(load_games(tmp_path)) == ["Kuhn-poker"]
    with pytest.raises(InvalidInput, match="has none of the paper's games"):
        load_games(tmp_path / "..")
    with pytest.raises(InvalidInput, match="there is no folder"):
        load_games(tmp_path / "nowhere")
