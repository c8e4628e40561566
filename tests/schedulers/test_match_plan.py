import numpy as np
import pytest

from maxin.core import Match
from maxin.core.stored import StoredArrays, Unusable, wholes
from maxin.schedulers.match_plan import MatchPlan

PAIRS = np.array([[5, 2], [1, 3], [0, 4]])


def test_pairs_are_asked_in_their_order_and_again_if_need_be():
    plan, asked = MatchPlan(PAIRS, []), []
    for _ in range(6):
        asked.append(plan.next_match(again=True))
        plan.take(asked[-1])
    swapped = PAIRS[:, ::-1].tolist()
    assert asked == [Match(*pair) for pair in [*PAIRS.tolist(), *swapped]]


def test_a_withdrawn_match_is_free():
    plan = MatchPlan(PAIRS, [])
    for pair in ((2, 5), (1, 3)):
        plan.take(Match(*pair))
    assert plan.next_match() == Match(0, 4)
    plan.free(Match(3, 1))
    assert plan.next_match() == Match(1, 3)


def test_an_empty_plan_has_no_match():
    empty = MatchPlan(np.empty((0, 2), dtype=np.int64), [])
    assert empty.next_match(again=True) is None


def test_a_plan_is_restored():
    plan = MatchPlan(PAIRS, [Match(1, 3)])
    plan.take(Match(5, 2))
    restored = MatchPlan.restored(StoredArrays(plan.stored()), 6, n_matches=2)
    assert restored.next_match() == plan.next_match() == Match(0, 4)


@pytest.mark.parametrize("changed", [{"taken": [[0, 4, 2**50]]}, {"pairs": [[3, 3]]}])
def test_a_plan_with_more_matches_than_there_were_is_refused(changed):
    stored = MatchPlan(PAIRS, []).stored() | {name: wholes(rows) for name, rows in changed.items()}
    with pytest.raises(Unusable, match="these are not planned matches"):
        MatchPlan.restored(StoredArrays(stored), 6, n_matches=10)
