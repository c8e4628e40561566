"""The paper's experiments: its grid of settings, its games and its seeds."""

from dataclasses import replace

import numpy as np
import pytest

from maxin.core import InvalidInput
from maxin.games import Game, make_game
from maxin_studies.reproduction.figures import (
    ELO_GAMES,
    FIGURES,
    MELO_GAMES,
    PaperGame,
    load_games,
    tuning_runs,
)
from maxin_studies.reproduction.grids import batch_lines


def test_the_grid_is_the_papers(paper_games):
    figure = FIGURES["figure2"]
    at_1_nat = figure.at_prior(1.0)
    assert [len(line.settings) for line in at_1_nat.algorithms] == [7, 7, 7, 10, 70]
    assert [len(line.settings) for line in figure.algorithms] == [7, 7, 7, 50, 350]
    assert len(list(tuning_runs(at_1_nat, paper_games))) == 101 * 20 * 6
    assert [game.rounds for game in (*ELO_GAMES, *MELO_GAMES)] == [1000] * 6 + [2000] * 5 + [1000]
    assert len(batch_lines("elo", 100)) == 10
    assert set(FIGURES["dimension"].algorithms[3].settings) == set(
        FIGURES["figure3"].at_prior(1.0).algorithms[4].settings
    )  # the runs of 2k = 8 are those of Figure 3
    assert not set(figure.tuning_seeds) & set(figure.fresh_seeds)


def test_the_grid_of_the_scripts():
    figure = FIGURES["figure2"].as_printed()
    assert [len(line.settings) for line in figure.algorithms] == [6, 6, 6, 10, 180]
    assert {(game.truth, game.chosen_from) for game in figure.games} == {("score", 0.2)}
    wide = FIGURES["gamma"].as_printed()
    assert [len(line.settings) for line in wide.algorithms] == [18] * 10
    assert {game.truth for game in wide.games} == {"rating"}  # the scripts' for top-k
    others = FIGURES["figure3"].as_printed().games
    assert {(game.truth, game.chosen_from) for game in others} == {("rating", 0.9)}


def test_a_scale_of_the_prior_can_be_kept_alone():
    lines = FIGURES["figure3"].at_prior(0.1).algorithms
    assert lines[0] == FIGURES["figure3"].algorithms[0]  # it has no prior
    assert lines[3].settings[0] == "maxinp:exploration=0.2,alone=self+bradley-terry:prior_scale=0.1"
    assert {one.rpartition("+")[2] for one in lines[4].settings} == {
        "melo:dimensions=8,prior_scale=0.1"
    }


CLOSE = Game("close", [[0, -0.2, 0.998], [0.2, 0, 1], [-0.998, -1, 0]])
ORDER = Game("order", [[0, 1, 1], [-1, 0, 1], [-1, -1, 0]])


def test_a_game_has_two_panels_where_ratings_and_scores_name_different_players():
    panels = (PaperGame("close", None, 100), PaperGame("order", None, 100))
    figure = replace(FIGURES["figure2"], games=panels)
    found = figure.with_truths({"close": CLOSE, "order": ORDER})
    assert [game.title for game in found.games] == [
        "close", "close (best by mean score)", "order",
    ]  # fmt: skip
    wide = replace(figure, shows="top-k").with_truths({"close": CLOSE, "order": ORDER})
    assert len(wide.games) == 2  # the top ten of three players are all three


def test_games_come_from_files_or_rules(paper_games, tmp_path):
    assert "AlphaStar" not in paper_games
    assert paper_games["5,3-Blotto"].n_players == 21
    np.save(tmp_path / "Kuhn-poker.npy", make_game("kuhn-poker", np.random.default_rng(0)).payoffs)
    assert list(load_games(tmp_path)) == ["Kuhn-poker"]
    with pytest.raises(InvalidInput, match="has none of the paper's games"):
        load_games(tmp_path / "..")
    with pytest.raises(InvalidInput, match="there is no folder"):
        load_games(tmp_path / "nowhere")
