"""Table 1, measured with a clock that counts its readings instead of time."""

import itertools

import numpy as np
import pytest

from maxin_studies.estimates import Estimate
from maxin_studies.reproduction import complexity
from maxin_studies.reproduction.complexity import (
    ALGORITHMS,
    PRINTED,
    TIMED,
    Growth,
    Sizes,
    exponent,
    growth,
    held_bytes,
    regrets,
    round_times,
    seconds,
)
from maxin_studies.reproduction.theory_sections import growth_section, time_section

TINY = Sizes((20, 40, 80), (5, 10), (20, 40, 80), 10, repeats=2, regret_seeds=3)


def ticking(durations):
    """A clock by which the runs last these seconds, in turn."""
    now, readings = 0.0, []
    for duration in durations:
        readings += [now, now + duration]
        now += duration + 1.0
    return iter(readings).__next__


def test_a_time_is_the_least_of_the_tries():
    assert complexity.TRIES == 3
    clock = ticking([5.0, 3.0, 4.0])
    assert seconds("elo:n_players=4", "random", 10, seed=0, clock=clock) == pytest.approx(3.0)


def test_exponents_are_fitted_once_per_repeat():
    over_rounds = [2.0, 4.0, 8.0], [2.0, 8.0, 32.0]  # exponents 1 and 2
    over_players = [3.0, 3.0], [3.0, 6.0]  # exponents 0 and 1
    points = itertools.chain(*over_rounds, *over_players)
    clock = ticking([point for point in points for _ in range(complexity.TRIES)])
    found = growth("Random", TINY, clock)
    assert found.time_rounds[:3] == pytest.approx((1.5, 0.5, 2))
    assert found.time_players[:3] == pytest.approx((0.5, 0.5, 2))
    assert found.regret.n_seeds == 3
    assert 0 <= found.n_linear <= 3
    assert found.regret.mean == pytest.approx(1.0, abs=0.3)


def test_regrets_are_those_of_one_run():
    found = regrets("elo:n_players=6", "random+elo", (10, 20, 60), seed=1)
    assert found == sorted(found)
    assert regrets("elo:n_players=6", "random+elo", (10, 60), seed=1) == [found[0], found[2]]
    assert regrets("elo:n_players=6", "random+elo", (10, 60), seed=2) != [found[0], found[2]]


def test_memory_of_maxin_grows_with_players_only():
    held_bytes("elo:n_players=20", "maxin", 700)  # what the first run loads stays in memory
    small, long, wide = (
        held_bytes(f"elo:n_players={n}", "maxin", rounds)
        for n, rounds in ((20, 70), (20, 700), (80, 280))
    )
    assert long < 1.2 * small
    assert wide > 4.0 * small


def test_an_exponent_is_a_slope_of_logarithms():
    assert exponent((10, 100), [7.0, 7.0]) == pytest.approx(0.0)
    assert exponent((10, 20, 40), [1.0, 8.0, 64.0]) == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("costs", "expected"),
    [
        ([5.0, 5.0, 5.0], False),  # it stopped
        ([5.0, 6.0, 6.0], False),
        ([5.0, 6.0, 8.0], True),
        ([5.0, 6.0, 5.0 + 2.0**1.5], True),
        ([10.0, 10.0 * 2**0.5, 20.0], False),
        ([10.0, 10.0 * 2 ** (2 / 3), 10.0 * 4 ** (2 / 3)], False),
    ],
)
def test_linear_growth_at_the_end_is_told_from_powers(costs, expected):
    assert complexity.is_linear((100, 200, 400), costs) == expected


def test_times_are_microseconds_per_round_in_turns():
    durations = [case + 10.0 * repeat for repeat in range(2) for case in range(1, len(TIMED) + 1)]
    clock = ticking([duration for duration in durations for _ in range(complexity.TRIES)])
    found = round_times(TINY, clock)
    assert list(found) == list(TIMED)
    assert [estimate.mean for estimate in found.values()] == pytest.approx(
        [1e5 * (case + 5.0) for case in range(1, len(TIMED) + 1)]
    )


def row(name, regret, in_rounds=1.0, spread=0.01, memory=0.0, n_linear=0):
    regret, in_rounds = (Estimate(mean, spread, 5) for mean in (regret, in_rounds))
    return Growth(name, regret, n_linear, in_rounds, Estimate(1.0, spread, 5), memory, 1.9)


def verdicts(section):
    return [note.split("**")[1] for note in section.notes if note.startswith("**")]


def test_regret_is_judged_against_the_printed_order():
    assert list(ALGORITHMS) == list(PRINTED)
    section = growth_section([row("DBGD", 1.0), row("Random", 1.0)])
    assert verdicts(section) == ["Does not hold"]  # Random has no printed order
    assert verdicts(growth_section([row("DBGD", 0.5)])) == ["Holds"]
    assert verdicts(growth_section([row("DBGD", 0.77, spread=0.1)])) == ["Cannot be decided"]
    assert section.rows[0][:4] == ["DBGD", "1.00 [0.97, 1.03]", "0 of 5", "T^(2/3)"]


def test_a_bound_whose_hypothesis_was_not_met_is_not_tested():
    section = growth_section([row("MaxInP", 0.9), row("MaxIn-Elo", 0.2, n_linear=5)])
    assert verdicts(section) == ["Not tested"] * 2
    assert "It asks for gamma = 2 g_1(t), and gamma is 1 here" in section.notes[1]


def test_regret_that_ends_linear_is_not_sublinear_whatever_the_exponent():
    section = growth_section([row("DBGD", 0.2, n_linear=1)])
    assert verdicts(section) == ["Does not hold"]
    assert "linearly in 1 of 5 runs" in section.notes[1]
    few = row("DBGD", 0.2, n_linear=1)
    few = few._replace(regret=few.regret._replace(n_seeds=2))
    assert verdicts(growth_section([few])) == ["Cannot be decided"]


def times(**means):
    found = {case: Estimate(50.0, 1.0, 5) for case in TIMED}
    for case in TIMED:
        if case[0].replace("-", "") in means:
            found[case] = Estimate(means[case[0].replace("-", "")], 1.0, 5)
    return found


def test_times_are_compared_with_every_rival():
    rows = [row("MaxInP", 0.5, in_rounds=1.0), row("MaxIn-Elo", 0.5, memory=0.01)]
    fast = time_section(times(MaxInElo=20.0, Random=40.0), rows)
    assert verdicts(fast) == ["Holds"] * 5 + ["Does not hold"]
    slow = time_section(times(MaxInElo=20.0, Random=10.0, alphaIG=20.5), rows)
    assert verdicts(slow)[:3] == ["Holds", "Cannot be decided", "Does not hold"]
    grown = [row("MaxInP", 0.5, in_rounds=2.0), row("MaxIn-Elo", 0.5, in_rounds=2.0, memory=1.0)]
    assert verdicts(time_section(times(), grown))[3:] == ["Does not hold"] * 2 + ["Holds"]
    assert ["alpha-IG", "4", "20.5 [17.7, 23.3]"] in slow.rows
    assert np.unique([players for _, players, _ in slow.rows]).tolist() == ["100", "4"]
