"""The page on the printed curves: what agrees with the print, and what each difference does."""

import numpy as np
import pytest

from maxin.simulation.pool import TaskPool
from maxin_studies.reproduction.figures import FIGURES
from maxin_studies.reproduction.printed.explanation import (
    PER_SEED,
    SHARED,
    TEXT,
    printed_sections,
    variants_section,
)
from maxin_studies.reproduction.printed.variants import VARIANTS, with_variants
from maxin_studies.reproduction.tuning import Line
from studies.tests.helpers.small_paper import TINY, outcome


def line(algorithm, regret, rr=0.5):
    return Line(TINY, algorithm, "", ("s",) * 3, (outcome(rr, regret),) * 3)


def test_a_change_is_compared_with_the_scripts():
    base = [line("MaxIn-Elo", 100.0), line("MaxInP", 200.0)]
    changed = [line(variant.name, 150.0, rr=0.75) for variant in VARIANTS]
    lines = {TEXT: [line("MaxIn-Elo", 50.0)], PER_SEED: [*base, *changed], SHARED: base}
    rows = {row[0]: row[1:] for row in variants_section(lines).rows}
    assert rows["MaxIn, surprises with the ratings"] == ["1.50", "1.50", "+0.25"]
    assert rows["MaxInP, fit not scaled"] == ["0.75", "0.75", "+0.25"]
    assert rows["MaxIn, text"] == ["0.50", "0.50", "+0.00"]
    assert rows["MaxInP, scripts, shared"] == ["1.00", "1.00", "+0.00"]
    assert "MaxInP, text" not in rows


@pytest.mark.parametrize(("figure", "n_lines"), [("figure2", 9), ("figure3", 10)])
def test_every_variant_has_its_grid(figure, n_lines):
    experiment = with_variants(FIGURES[figure].as_printed())
    assert len(experiment.algorithms) == n_lines  # the mean of c matters for mElo only
    sizes = {one.name: len(one.settings) for one in experiment.algorithms}
    assert sizes["MaxIn, first fit with our prior"] == 60
    assert sizes["MaxIn, surprises with the ratings"] == 180
    assert sizes["MaxInP, fit not scaled"] == 10


def test_the_part_runs_on_a_small_game(paper_games):
    figure = FIGURES["figure3"].only(["5,3-Blotto"]).smaller(n_seeds=1, rounds=30, quick=True)
    printed = {("5,3-Blotto", 30, name): (30.0, 0.5) for name in ("Random", "MaxInP", "MaxIn-mElo")}
    gammas, differences = printed_sections([figure], paper_games, printed, TaskPool(1))
    [row] = gammas.rows
    assert float(row[3]) <= float(row[6]) <= float(row[4])
    ratios = np.array([row[1:-1] for row in differences.rows], dtype=float)
    assert np.isfinite(ratios).all()
