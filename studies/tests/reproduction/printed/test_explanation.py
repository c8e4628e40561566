"""The page on the printed curves: what agrees with the print, and what each difference does."""

import numpy as np
import pytest

from maxin.simulation.pool import TaskPool
from maxin_studies.reproduction.figures import FIGURES
from maxin_studies.reproduction.printed.explanation import (
    COLUMNS,
    PER_SEED,
    SHARED,
    TEXT,
    points_section,
    printed_points,
    printed_sections,
    variants_section,
)
from maxin_studies.reproduction.printed.variants import VARIANTS, with_variants
from maxin_studies.reproduction.tuning import Line
from studies.tests.helpers.small_paper import TINY, outcome


def line(algorithm, regret, rr=0.5):
    return Line(TINY, algorithm, "", ("s",) * 3, (outcome(rr, regret),) * 3)


def test_end_points_are_counted_per_column():
    printed = {("tiny", 60, "Random"): (100.0, 0.5), ("tiny", 60, "MaxInP"): (80.0, 0.9)}
    lines = {
        TEXT: [line("Random", 101.0), line("MaxInP", 10.0)],
        PER_SEED: [line("Random", 110.0), line("MaxInP", 70.0, rr=0.8)],
        SHARED: [line("Random", 120.0), line("MaxInP", 82.0)],
    }
    section = points_section(printed_points(lines, printed))
    text, scripts, shared = section.notes[:3]
    assert "1 of 2 printed regrets are within 15%" in text
    assert "MaxInP on tiny 0.12" in text
    assert "2 of 2 printed regrets" in scripts
    assert "Of the printed RRs, 2 are within 0.15; ours - printed of the others: none" in scripts
    assert "Random on tiny 1.20" in shared
    assert section.rows[1][:6] == [
        "tiny", "MaxInP", "80", "10.00 ± 0.00 (0.12)", "70.00 ± 0.00 (0.88)", "82.00 ± 0.00 (1.02)",
    ]  # fmt: skip


def test_a_difference_within_the_noise_is_not_a_disagreement():
    printed = {("tiny", 60, "Random"): (100.0, 0.5)}
    wide = Line(TINY, "Random", "", ("s",) * 2, (outcome(0.5, 60.0), outcome(0.5, 220.0)))
    narrow = Line(TINY, "Random", "", ("s",) * 2, (outcome(0.5, 139.9), outcome(0.5, 140.1)))
    lines = {TEXT: [narrow], PER_SEED: [wide], SHARED: [line("Random", 100.0)]}
    text, scripts, shared = points_section(printed_points(lines, printed)).notes[:3]
    assert "0 of 1 printed regrets are within 15%, and 0 more" in text
    assert "0 of 1 printed regrets are within 15%, and 1 more" in scripts
    assert "1 of 1 printed regrets are within 15%, and 0 more" in shared


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
    assert sizes["MaxIn, first fit with the text's prior"] == 60
    assert sizes["MaxIn, surprises with the ratings"] == 180
    assert sizes["MaxInP, fit not scaled"] == 10


def test_the_part_runs_on_a_small_game(paper_games):
    figure = FIGURES["figure3"].only(["5,3-Blotto"]).smaller(n_seeds=1, rounds=30, quick=True)
    printed = {("5,3-Blotto", 30, name): (30.0, 0.5) for name in ("Random", "MaxInP", "MaxIn-mElo")}
    points, gammas, differences = printed_sections([figure], paper_games, printed, TaskPool(1))
    assert len(points.rows) == 3
    assert len(points.header) == len(points.rows[0]) == 4 + 2 * len(COLUMNS)
    [row] = gammas.rows
    assert float(row[3]) <= float(row[6]) <= float(row[4])
    ratios = np.array([row[1:-1] for row in differences.rows], dtype=float)
    assert np.isfinite(ratios).all()
