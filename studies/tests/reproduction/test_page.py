"""The page of the reproduction is what the code gives today: some cells are computed again."""

from dataclasses import replace
from pathlib import Path

import pytest

from maxin.simulation.pool import TaskPool
from maxin_studies.reproduction.claims import Study
from maxin_studies.reproduction.figure_sections import end_table
from maxin_studies.reproduction.figures import FIGURES, load_games
from maxin_studies.reproduction.game_tables import games_section
from maxin_studies.reproduction.tuning import lines

PAGE = (Path(__file__).parents[2] / "docs" / "reproduction.md").read_text()
# Without linear algebra, these runs are the same on every machine. The game by rules is the file.
SAME_EVERYWHERE = ("Random", "RG-UCB", "DBGD")


def table_of(title):
    """The rows of the page's table in the section that starts with `title`, by column."""
    section = PAGE.split(f"## {title}")[1].split("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("|")]
    header = [cell.strip() for cell in rows[0]]
    return [dict(zip(header, (cell.strip() for cell in row), strict=False)) for row in rows[2:]]


def cells_now(games, algorithms, protocols):
    """The cells of Figure 1 for some algorithms and protocols."""
    figure = FIGURES["figure1"]
    kept = tuple(line for line in figure.algorithms if line.name in algorithms)
    figure = replace(figure, algorithms=kept)
    pool = TaskPool(workers=1)
    study = Study(figure, list(lines(figure, games, protocols, pool.complete)))
    header, rows = end_table(study, {})
    return [dict(zip(header, row, strict=True)) for row in rows]


@pytest.mark.parametrize(
    ("algorithms", "protocols"),
    [
        (["Random", "RG-UCB"], ["hindsight"]),
        (["DBGD"], ["held-out"]),
        pytest.param(SAME_EVERYWHERE, ["hindsight", "held-out"], marks=pytest.mark.slow),
    ],
)
def test_some_cells_of_figure_1_are_as_printed_on_the_page(paper_games, algorithms, protocols):
    page = {row["algorithm"]: row for row in table_of("Figure 1.")}
    rows = cells_now(paper_games, algorithms, protocols)
    assert len(rows) == len(algorithms)
    for row in rows:
        shown = page[row["algorithm"]]
        assert {name: shown[name] for name in row} == row


def test_sizes_of_games_are_as_printed_on_the_page(shared):
    page = {row["game"]: row for row in table_of("Table 2.")}
    section = games_section(load_games(shared / "games"))
    for cells in section.rows:
        row = dict(zip(section.header, cells, strict=True))
        assert page[row["game"]] == row


@pytest.mark.parametrize("part", ["Figure 1.", "Figure 4.", "Table 1.", "The printed end points"])
def test_the_page_has_every_part(part):
    assert f"## {part}" in PAGE
