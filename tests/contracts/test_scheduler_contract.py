import numpy as np
import pytest

from maxin.core import Match
from maxin.schedulers import SCHEDULERS, make_scheduler
from maxin.testing import (
    SCHEDULER_CHECKS,
    finds_a_clear_champion,
    takes_results_nobody_asked_for,
)

TEXTS = [
    *SCHEDULERS,
    "gauntlet:size=5",
    "halving:budget=20",
    "top-two:k=3",
    "maxin+melo:dimensions=4",
    "maxin:alone=stop,exploration=2",
    "maxin:batch_size=1",
    "maxinp:alone=stop,exploration=2",
    "random+melo",
    "random+bradley-terry",
    "rg-ucb+bradley-terry",
    "round-robin:cycles=none",
    "knockout:cycles=none+elo",
]


@pytest.mark.parametrize("check", SCHEDULER_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("text", TEXTS)
def test_scheduler_keeps_the_contract(text, check):
    if (text, check) == ("gauntlet", finds_a_clear_champion):
        pytest.skip("the rivals of one challenger never meet")
    check(lambda n_players, rng: make_scheduler(text, n_players, rng))


class Stubborn:
    """Breaks the contract: learns from asking, repeats itself, and accepts any result."""

    def __init__(self, n_players):
        self.n_players, self._told = n_players, np.zeros(n_players)

    def ask(self):
        self._told[0] += 1.0
        return Match(0, int(self._told[0]) % 2)

    def ask_many(self, n_matches):
        return [self.ask() for _ in range(n_matches + 1)]

    def choose(self):
        return Match(1, 0)

    def expect(self, match):
        pass

    def tell(self, result):
        self._told[result.match.first] += result.score

    def withdraw(self, match):
        pass

    def ratings(self):
        return self._told


# A scheduler that accepts any result keeps one law: it takes results nobody asked for.
CAN_FAIL = [check for check in SCHEDULER_CHECKS if check is not takes_results_nobody_asked_for]


@pytest.mark.parametrize("check", CAN_FAIL, ids=lambda check: check.__name__)
def test_every_check_can_fail(check):
    with pytest.raises((AssertionError, IndexError)):
        check(lambda n_players, rng: Stubborn(n_players))
