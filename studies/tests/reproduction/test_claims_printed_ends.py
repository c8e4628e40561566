"""Printed end points: which of ours agree with them, and what the page says of it."""

from dataclasses import replace

import pytest

from maxin_studies.reproduction.claims import Study
from maxin_studies.reproduction.page.end_points import (
    points_section,
    points_table,
    printed_points,
)
from studies.tests.helpers.small_paper import made_study, outcome

PRINTED = {
    ("Elo game", 60, "Random"): (100.0, 0.4),
    ("Elo game", 60, "MaxInP"): (80.0, 0.4),
    ("Elo game", 60, "MaxIn-Elo"): (10.0, 1.0),
}


def panels(random=110.0, random_rr=0.5, ours=9.0):
    lines = {
        "Random": outcome(random_rr, random),
        "RG-UCB": outcome(0.4, 1.0),
        "DBGD": outcome(0.4, 1.0),
        "MaxInP": outcome(0.4, 80.0),
        "MaxIn-Elo": outcome(1.0, ours),
    }
    return {"Elo game": lines}


def points(figure="figure2", protocol="hindsight", printed=PRINTED, truth="rating", **numbers):
    study = made_study(figure, panels(**numbers), protocol, truth)
    return printed_points([study], printed)


@pytest.mark.parametrize("protocol", ["hindsight", "as-printed"])
@pytest.mark.parametrize(
    ("regret", "rr", "agree"),
    [(114.0, 0.54, (True, True)), (116.0, 0.4, (False, True)), (84.0, 0.56, (False, False))],
)
def test_end_points_agree_within_15_percent_and_15_hundredths(protocol, regret, rr, agree):
    [pairs] = points(protocol=protocol, random=regret, random_rr=rr).values()
    first = next(pair for pair in pairs if pair.algorithm == "Random")
    assert (first.agrees_in_regret, first.agrees_in_rr) == agree
    assert len(pairs) == 3  # RG-UCB and DBGD are not printed


def test_five_seeds_are_compared_as_in_the_paper():
    study = made_study("figure2", panels())
    line = next(line for line in study.lines if line.algorithm == "Random")
    longer = replace(
        line,
        settings=(*line.settings[:5], "s"),
        outcomes=(*line.outcomes[:5], outcome(0.5, 1000000.0)),
    )
    [pairs] = printed_points([Study(study.experiment, [longer])], PRINTED).values()
    assert pairs[0].regret.n_seeds == 5
    assert pairs[0].regret.mean == pytest.approx(110.0)


@pytest.mark.parametrize(
    "other",
    [
        {"protocol": "held-out"},  # the paper's are in hindsight
        {"truth": "score"},  # the paper's truth is the rating
        {"figure": "figure1"},
        {"printed": {("Elo game", 1000, "Random"): (1.0, 1.0)}},  # other rounds
    ],
)
def test_other_ends_are_not_compared(other):
    assert points(**other) == {}


def test_the_page_counts_them_and_says_what_ties_of_widths_do():
    found = points() | points(protocol="as-printed", random=130.0, ours=18.8)
    text, scripts, ties, *_ = points_section(found).notes
    assert "3 of 3 printed regrets are within 15%" in text
    assert "1 of 3 printed regrets are within 15% of ours, and 0 more" in scripts
    assert "Random on Elo game 1.30, MaxIn-Elo on Elo game 1.88" in scripts
    assert "ends with 1.88 times the printed regret, and ended with 1.46" in ties
    table = points_table(found)
    assert table.rows[0] == [
        "Elo game", "Random", "100", "110 ± 0 (1.10)", "130 ± 0 (1.30)", "0.40", "0.50", "0.50",
    ]  # fmt: skip
    assert len(table.header) == 8
