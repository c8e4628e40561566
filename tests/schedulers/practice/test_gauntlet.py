from collections import Counter

import numpy as np
import pytest

from maxin.core import InvalidInput, Match, Result
from maxin.ratings import Pairs
from maxin.schedulers import Gauntlet


@pytest.mark.parametrize(
    ("who", "size", "challengers"),
    [("first", 1, {0}), ("last", 2, {5, 4}), ("first", 9, set(range(6)))],
)
def test_challengers_meet_everyone_equally_often(who, size, challengers):
    gauntlet = Gauntlet(6, rng=np.random.default_rng(0), who=who, size=size)
    n_pairs = (
        len(challengers) * (6 - len(challengers)) + len(challengers) * (len(challengers) - 1) // 2
    )
    seatings = Counter(gauntlet.ask_many(4 * n_pairs))
    assert set(seatings.values()) == {2}  # twice in either seat
    assert len(seatings) == 2 * n_pairs
    assert all(set(match) & challengers for match in seatings)


def test_results_from_elsewhere_are_made_up_for():
    gauntlet = Gauntlet(4, rng=np.random.default_rng(0))
    for _ in range(3):
        gauntlet.tell(Result(Match(2, 0), 1.0))
    others = gauntlet.ask_many(6)
    assert Counter(max(match) for match in others) == {1: 3, 3: 3}


def test_points_are_counted():
    points = np.zeros((4, 4))
    points[0, 1], points[2, 0] = 2.0, 1.0
    plain = Gauntlet(4, rng=np.random.default_rng(0))
    plain.start_from(Pairs.of_table(points), 0.0)
    asked = plain.ask_many(3)
    assert [max(match) for match in asked] in ([3, 3, 2], [3, 2, 3], [2, 3, 3])


@pytest.mark.parametrize(
    ("options", "words"),
    [({"who": "best"}, "'first' or 'last'; got 'best'"), ({"size": 0}, "at least 1; got 0")],
)
def test_invalid_options_are_refused(options, words):
    with pytest.raises(InvalidInput, match=words):
        Gauntlet(4, rng=np.random.default_rng(0), **options)
