"""Table 2, from the paper's files and from rules."""

from pathlib import Path

import numpy as np
import pytest

from maxin.games import Game
from maxin_studies.reproduction.figures import ELO_GAMES, GOOD_BAD, MELO_GAMES, load_games
from maxin_studies.reproduction.game_tables import TABLE2, games_section

ROOT = Path(__file__).resolve().parents[3]
CYCLE = np.array([[0, -0.2, 0.2], [0.2, 0, -0.2], [-0.2, 0.2, 0]])
CHAMPION = np.pad(CYCLE, ((1, 0), (1, 0)))
CHAMPION[0, 1:], CHAMPION[1:, 0] = 0.4, -0.4


def notes(games):
    return " ".join(games_section(games).notes)


def test_table_2_from_the_files_agrees_but_for_two_games(shared):
    section = games_section(load_games(shared / "games"))
    text = " ".join(section.notes)
    assert "12 of 12 sizes agree with the paper." in text
    assert "10 of 12 games agree" in text
    assert "Elo game + noise=0.05, printed yes, has 3 of 100 players in cycles" in text
    assert "Elo game + noise=0.1, printed yes, has 36 of 100 players in cycles" in text
    assert "**Holds** (s.798): each game printed as transitive has a top player" in text
    assert "**Holds** (s.798): AlphaStar's top is one player" in text
    assert "96 of the other 99 players are in cycles" in text
    assert "tic_tac_toe (2), hex(board_size=3) (2)" in text
    assert "differs from the paper's file" not in section.header
    assert all(len(row) == len(section.header) for row in section.rows)


def test_table_2_from_rules_names_the_game_that_differs(paper_games):
    section = games_section(paper_games)
    assert section.notes[0] == (
        "10 of 11 sizes agree with the paper. hex(board_size=3) has 100 players, 11 in sink "
        "components (paper: 100 and 2)."
    )
    assert section.header[-1] == "differs from the paper's file"
    rows = {row[0]: row for row in section.rows}
    assert rows["Kuhn-poker"][-1] == "in the cards dealt"
    assert rows["tic_tac_toe"][-2] == "0.39"  # docs/reference/games.md has these numbers


def test_statements_that_fail_are_said_to_fail():
    text = notes({"Elo game": Game("elo", CYCLE), "AlphaStar": Game("AlphaStar", CYCLE)})
    assert "**Does not hold** (s.798): each game printed as transitive has a top player" in text
    assert "Elo game, printed yes, has 3 of 3 players in cycles" in text
    assert "**Does not hold** (s.798): AlphaStar's top is one player" in text
    assert "0 of the other 0 players" in text


def test_a_champion_over_a_cycle_is_the_top_with_cycles_outside():
    text = notes({"Elo game": Game("elo", CHAMPION), "AlphaStar": Game("AlphaStar", CHAMPION)})
    assert "**Holds** (s.798): each game printed as transitive has a top player" in text
    assert "Its smallest probability: Elo game 0.700." in text
    assert "**Holds** (s.798): AlphaStar's top is one player" in text
    assert "3 of the other 3 players are in cycles" in text


def test_the_column_of_differences_is_for_games_made_from_rules():
    mixed = {"Elo game": Game("Elo game", CYCLE), "Blotto": Game("10,5-blotto", CYCLE)}
    differences = [row[-1] for row in games_section(mixed).rows]
    assert differences == ["", TABLE2["Blotto"].difference]


def test_without_games_there_is_nothing_to_say():
    assert games_section({}).rows == []
    assert not any("olds**" in note for note in games_section({}).notes)


@pytest.mark.parametrize("game", [*GOOD_BAD, *ELO_GAMES, *MELO_GAMES], ids=lambda game: game.name)
def test_the_docs_name_the_rule_of_each_game(game):
    lines = (ROOT / "docs" / "reference" / "games.md").read_text().splitlines()
    row = f"| {game.name} | `{game.rules}` |"
    assert game.rules is None or any(line.startswith(row) for line in lines)
