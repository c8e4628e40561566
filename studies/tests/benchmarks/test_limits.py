"""The table of losses beside the best policy."""

import numpy as np
import pytest

from maxin.core import InvalidInput
from maxin_studies import bench
from maxin_studies.benchmarks.limits import LimitLosses, LimitRun, limit_section
from maxin_studies.benchmarks.races import Race

SMALL = {"seeds": 2, "rounds": 15, "schedulers": ["top-two", "swiss"], "workers": 1}


def test_the_true_loss_is_that_of_the_race_with_the_same_seed():
    run = LimitRun(1.0, "top-two", (6, 15), seed=3).run()
    race = Race("field:n_players=3,spread=1", "", "top-two", 15, seed=3).run()
    assert run.loss == pytest.approx(race.loss[[5, 14]])


def test_costs_are_never_negative():
    for seed in range(20):
        run = LimitRun(1.0, "random", (6, 15), seed).run()
        assert (run.choice >= 0.0).all()
        assert (run.naming >= 0.0).all()


def test_the_table_compares_with_the_best_policy():
    some = [LimitLosses(*np.full((3, 1), value, dtype=np.float32)) for value in (0.01, 0.03)]
    section = limit_section({(1.0, "top-two"): some}, (6,))
    best, row = section.rows
    assert best[:5] == ["1", "6", "best policy", "", "0.1642"]
    assert row == ["1", "6", "top-two", "2", "0.2042 ± 0.0200", "24.4 ± 12.2 %", "12.2 ± 6.1 %",
                   "12.2 ± 6.1 %", "0.0200 ± 0.0100"]  # fmt: skip


def test_it_runs_and_resumes(tmp_path):
    report = bench(["limit"], **SMALL, out=tmp_path)
    section, pairs = report.sections
    assert len(pairs.rows) == 1
    assert [row[:3] for row in section.rows[:4]] == [
        ["0.5", "6", "best policy"],
        ["0.5", "6", "top-two"],
        ["0.5", "6", "swiss"],
        ["0.5", "15", "best policy"],
    ]
    assert len(section.rows) == 3 * 2 * 3
    runs = sorted((tmp_path / "runs").rglob("*.parquet"))
    assert bench(["limit"], **SMALL, out=tmp_path) == report
    assert sorted((tmp_path / "runs").rglob("*.parquet")) == runs


def test_a_scheduler_that_cannot_play_is_refused_before_anything_runs(tmp_path):
    with pytest.raises(InvalidInput, match="top-two:k=3 on three players"):
        bench(["limit"], schedulers=["top-two:k=3"], out=tmp_path)
    assert not list(tmp_path.rglob("*.parquet"))
