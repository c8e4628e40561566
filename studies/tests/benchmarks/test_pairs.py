"""The table of all pairs of schedulers: by hand, and how often it is wrong."""

from itertools import combinations

import numpy as np
import pytest

from maxin_studies.benchmarks.pairs import pairs_sections


def pairs(values, **options):
    """The rows of the table, from values per game and scheduler."""
    found = pairs_sections("a", "A", "points", values, lambda _, some: np.array(some), **options)
    return [section.rows for section in found]


def test_a_table_by_hand():
    """Differences of 1, 3 and 2 on one game and 0, 1 and 2 on the other: 1.5 ± 0.289."""
    values = {
        ("x", "low"): [0.0, 0.0, 0.0],
        ("x", "high"): [1.0, 3.0, 2.0],
        ("y", "low"): [1.0, 1.0, 1.0],
        ("y", "high"): [1.0, 2.0, 3.0],
    }
    too_few = ["", "", "fewer than 5 seeds"]
    [[row]] = pairs(values)
    # per seed, the mean of both games is 0.5, 2 and 2: their standard error is 0.5
    assert row == ["high", "low", "+1.500", "0.500", "2 of 2", *too_few]
    [[row]] = pairs(values, is_loss=True)
    assert row == ["low", "high", "-1.500", "0.500", "2 of 2", *too_few]
    assert pairs({("x", "low"): [0.0]}) == []


def test_p_values_are_corrected_for_their_number():
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(3, 20))
    values = {
        ("x", name): noise[k] + gap
        for k, (name, gap) in enumerate({"a": 3, "b": 0, "c": 0}.items())
    }
    [rows] = pairs(values)
    assert [row[5:] for row in rows[:2]] == [["< 0.001", "< 0.001", "yes"]] * 2
    first, second, *_, p, corrected, verdict = rows[2]
    assert {first, second} == {"b", "c"}
    assert p == corrected  # the largest of three is the last, and is multiplied by one
    assert verdict == "no"


def test_equal_runs_do_not_differ():
    values = {("x", name): np.arange(8.0) for name in "ab"}
    [[row]] = pairs(values)
    assert row[2:] == ["+0.000", "0.000", "0 of 1", "1.000", "1.000", "no"]


@pytest.mark.parametrize("seeds", [(20, 20, 20), (60, 40, 20)])
def test_tables_without_a_real_difference_rarely_show_one(seeds):
    """Nine schedulers, three games: skewed values, whose seeds make games alike."""
    rng = np.random.default_rng(1)
    names, n_tables = "abcdefghi", 400
    wrong = 0
    for _ in range(n_tables):
        shared = rng.exponential(size=(len(names), max(seeds)))
        values = {
            (game, name): np.maximum(0.0, shared[k] + rng.exponential(size=max(seeds)) - 1.0)[:n]
            for game, n in enumerate(seeds)
            for k, name in enumerate(names)
        }
        [rows] = pairs(values)
        wrong += any(row[-1] == "yes" for row in rows)
    assert len(rows) == len(list(combinations(names, 2)))
    assert wrong / n_tables < 0.05 + 2.0 * (0.05 * 0.95 / n_tables) ** 0.5
