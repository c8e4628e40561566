"""The tables of the benchmark, against values worked out by hand."""

import numpy as np

from maxin_studies.benchmarks.bench_sections import (
    best_section,
    flight_section,
    goals_section,
    rules_section,
    stop_section,
)
from maxin_studies.benchmarks.questions import Arena
from maxin_studies.benchmarks.races import RaceCurves
from maxin_studies.benchmarks.stops import RULES, StopTimes

FIELD = "field:n_players=5,spread=2"


def race(found):
    curve = np.array(found, dtype=np.float32)
    return RaceCurves(curve, curve, np.cumsum(curve), curve, curve, 1.0 - curve, 1.0 - curve)


def test_tables_by_hand(tmp_path):
    arena = Arena("tiny", FIELD, 2)  # read after one match and after two
    one = {(arena, "a"): [race([0, 1])] * 3, (arena, "b"): [race([0, 0])] * 3}
    [first, second] = best_section(one, tmp_path).rows
    assert first[:5] == ["tiny", "a", "3", "2 [2, 2]", "1.00"]
    assert first[5] == "1.00 [0.44, 1.00]"
    assert second[3:5] == ["> 2 [> 2, > 2]", "> 1.1"]
    goals = goals_section({"top": one, "ordered": one}, tmp_path)
    assert [row[2] for row in goals.rows] == ["a", "b"] * 2
    assert goals.rows[2][4:8] == ["0.95", "2 [2, 2]", "1.00", "1.00 ± 0.00"]
    [row, _] = flight_section(one, {**one, (arena, "a"): one[arena, "b"]}, 16, tmp_path).rows
    assert row[-2] == "+100.0 ± 0.0 %"
    stopped, never = (
        StopTimes(np.full(len(RULES), matches), np.full(len(RULES), wrong), 0.8, 1.0)
        for matches, wrong in ((1.0, 1.0), (-1.0, 0.0))
    )
    found_stops = {"a": {arena: [stopped, never, never]}}
    [row] = stop_section(found_stops, 0.95, 50.0, tmp_path).rows
    assert row[3:7] == ["3", "2", "2", "1 / 1"]  # the median is the cap
    assert row[-2:] == ["0.800", "1.00"]
    assert rules_section(found_stops).rows[0][3] == "1 / 1, 2"
