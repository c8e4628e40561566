"""A runner checks every player once."""

import pytest

from maxin.core import Entrant, InvalidInput
from maxin.runners import Threads
from maxin.tournament import Tournament
from maxin.worker.checked_runner import CheckedRunner

NAMES = ["anna", "bo", "cy"]


class Noting(Threads):
    """Notes whom it checks; it cannot play eve."""

    def __init__(self):
        super().__init__(lambda first, second, seed: float(first < second))
        self.checked = []

    def check(self, entrants):
        names = [entrant.name for entrant in entrants]
        self.checked.append(names)
        if "eve" in names:
            raise InvalidInput("there is no engine for eve")


def test_a_player_is_checked_again_only_with_other_options():
    runner = CheckedRunner(inner := Noting())
    runner.check([])
    runner.check(map(Entrant, NAMES))
    runner.check(map(Entrant, NAMES))
    runner.check([Entrant("anna", {"depth": 3}), Entrant("bo")])
    assert inner.checked == [[], NAMES, ["anna"]]


def test_a_player_that_was_refused_is_refused_again():
    runner = CheckedRunner(Noting())
    for _ in range(2):
        with pytest.raises(InvalidInput, match="no engine for eve"):
            runner.check([Entrant("eve")])


def test_a_run_checks_every_player_once():
    runner = Noting()
    Tournament(NAMES, seed=1).run(runner, budget=5, confidence=None)
    assert runner.checked == [NAMES]
