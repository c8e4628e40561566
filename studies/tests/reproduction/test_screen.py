"""The first screen, the statements in rows, and what the prior does."""

from dataclasses import replace

import numpy as np
import pytest

from maxin.games import make_game
from maxin.simulation.pool import TaskPool
from maxin_studies.reproduction.claims import Claim, Study, claims, overall_claims
from maxin_studies.reproduction.figures import FIGURES, PaperGame
from maxin_studies.reproduction.grids import Algorithm, maxin_settings
from maxin_studies.reproduction.page.figure_sections import cells_table
from maxin_studies.reproduction.page.priors import (
    SCALES,
    mean_rr_by_scale,
    prior_section,
    prior_table,
    scaled_lines,
)
from maxin_studies.reproduction.page.screen import HEADLINES, screen_section, sentences
from maxin_studies.reproduction.page.statements import (
    evidence_table,
    open_section,
    open_table,
    statement_table,
)
from maxin_studies.reproduction.stamp import read_cells, regret_now
from maxin_studies.reproduction.tuning import lines
from studies.tests.helpers.small_paper import SMALL, made_study, outcome

NAMES = ("Random", "RG-UCB", "DBGD", "MaxInP", "MaxIn-Elo")
PROTOCOLS = ("hindsight", "hindsight, 1 nat", "held-out", "as-printed")


def study(ours=(5.0, 15.0, 5.0, 5.0), figure="figure2", game="Elo game"):
    """A figure of one game under all protocols, with MaxIn's regret under each; others have 10."""
    made = []
    for protocol, regret in zip(PROTOCOLS, ours, strict=True):
        panel = dict.fromkeys(NAMES, outcome(0.5, 10.0)) | {"MaxIn-Elo": outcome(1.0, regret)}
        made.append(made_study(figure, {game: panel}, protocol))
    return Study(made[0].experiment, [line for one in made for line in one.lines])


def test_a_statement_is_one_row_with_a_verdict_per_protocol():
    header, rows = statement_table(claims(study()))
    assert header == ["place", "statement", "text, hindsight", "text, held-out", "scripts"]
    texts = [row[1] for row in rows]
    assert len(texts) == len(set(texts))
    row = next(row for row in rows if "lower regret than all baselines on the five" in row[1])
    assert row[2:] == [
        "✓ 5.00 / 10.00; 1 nat: ✗ 15.00 / 10.00", "✓ 5.00 / 10.00", "✓ 5.00 / 10.00",
    ]  # fmt: skip


def test_every_headline_is_a_statement():
    found = [Claim("hindsight", f"{one.start} ...", True, "", one.place) for one in HEADLINES]
    rows = screen_section(found).rows
    assert [row[1] for row in rows] == [one.told for one in HEADLINES]
    known = {claim.text for name in FIGURES for claim in claims(empty(name))}
    known |= {claim.text for claim in overall_claims([study()])}
    missing = [one for one in HEADLINES if not any(text.startswith(one.start) for text in known)]
    assert [one.place for one in missing] == ["s.808"]  # the sweep over tau, which has no FIGURE


def empty(name):
    """A figure with the lines it needs, all the same."""
    figure = FIGURES[name]
    panel = {line.name: outcome(0.5, 10.0) for line in figure.algorithms}
    return made_study(name, {game.name: panel for game in figure.games})


def test_five_sentences_say_what_holds():
    one = study()
    found = [*overall_claims([one]), *claims(one)]
    priors = {0.1: 1.0, 0.3: 0.9, 1.0: 0.44, 3.0: 0.05, 10.0: 0.03}
    told = list(sentences(found, [one], priors, {}))
    assert len(told) == 4  # without printed end points
    assert "costs less than DBGD on 5.00 / 10.00" in told[1]
    assert "1.00 if its scale is 0.1 nats, 0.44 with 1 nat and 0.03 with 10" in told[2]
    assert "1.00 in hindsight and 1.00 on fresh seeds" in told[3]


def test_statements_that_most_seeds_leave_open_are_listed_and_a_file_has_the_others():
    some = [
        Claim("hindsight", "a", None, "1: 2", "s.1"),
        Claim("held-out", "a", True, "1 against 3", "s.1"),
        Claim("hindsight", "b", False, "1 against 4", "s.2"),
        Claim("held-out", "b (all)", None, "0 of 1. Cannot be decided for go (1 ± 1)", "s.2"),
    ]
    section = open_section({"a figure": some}, {"hindsight": "5", "held-out": "100"})
    assert section.rows == [["b", "go"]]
    assert open_table({"a figure": some}).rows == [
        ["s.1", "a", "hindsight", "2"], ["s.2", "b (all)", "held-out", "go"],
    ]  # fmt: skip
    assert "hindsight: 5; held-out: 100" in section.notes[0]
    assert [row[5] for row in evidence_table({"a figure": some}).rows] == [
        "1: 2", "1 against 3", "1 against 4", "0 of 1. Cannot be decided for go (1 ± 1)",
    ]  # fmt: skip


TINY_ELO = PaperGame("Elo game", None, 40)
GAMES = {"Elo game": make_game("elo:n_players=6", np.random.default_rng(0))}
TUNED = replace(
    SMALL,
    games=(TINY_ELO,),
    algorithms=(
        Algorithm("Random", ("random+elo:step_size=0.1",)),
        Algorithm("MaxIn-Elo", maxin_settings("elo", [1.0], [0.6, 1.0])),
    ),
)


def test_the_prior_is_chosen_like_every_other_setting_and_shown_by_scale():
    pool = TaskPool(workers=1)
    [found] = scaled_lines([TUNED], GAMES, pool.complete)
    assert list(found) == list(SCALES) == [0.1, 0.3, 1.0, 3.0, 10.0]
    for scale, line in found.items():
        assert {"prior_scale" in setting for setting in line.settings} == {scale != 1.0}
    assert prior_section([found]).rows == prior_table([found]).rows
    assert set(mean_rr_by_scale([found])) == set(SCALES)
    by_protocol = {
        (line.protocol, line.algorithm): line
        for line in lines(TUNED, GAMES, ("hindsight", "held-out"), pool.complete)
    }
    best = max(np.mean(line.mean_rrs()) for line in found.values())
    assert np.mean(by_protocol["hindsight", "MaxIn-Elo"].mean_rrs()) >= best
    plain = by_protocol["hindsight, 1 nat", "MaxIn-Elo"]
    assert plain.settings == found[1.0].settings
    assert "prior_scale" not in by_protocol["held-out, 1 nat", "MaxIn-Elo"].settings[0]


def test_a_cell_can_be_computed_again_from_its_row(paper_games, tmp_path):
    game = FIGURES["figure1"].games[0]
    figure = replace(TUNED, name="figure1", games=(game,))
    found = lines(figure, paper_games, ("hindsight",), TaskPool(workers=1).complete)
    table = cells_table([Study(figure, list(found))])
    path = tmp_path / "cells.csv"
    path.write_text(
        "\n".join(",".join(f'"{cell}"' for cell in row) for row in (table.header, *table.rows))
    )
    cells = [cell for cell in read_cells(path) if cell["algorithm"] == "MaxIn-Elo"]
    assert cells
    for cell in cells:
        assert regret_now(cell, paper_games) == pytest.approx(float(cell["regret"]), abs=1e-3)
