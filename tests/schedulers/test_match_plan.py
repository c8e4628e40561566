import numpy as np

from maxin.core import Match
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
