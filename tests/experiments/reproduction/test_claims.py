"""The verdicts on the paper's claims follow the numbers."""

from dataclasses import replace

import pytest

from maxin.experiments.reproduction.claims import Study, claims
from maxin.experiments.reproduction.figures import Algorithm
from maxin.experiments.reproduction.tuning import Line
from tests.helpers.small_paper import SMALL, TINY, outcome


@pytest.mark.parametrize(("regret", "holds"), [(5.0, True), (15.0, False), (10.0, None)])
def test_claims_follow_the_numbers(regret, holds):
    regrets = {"MaxIn-Elo": regret, "Random": 10.0, "RG-UCB": 10.0, "DBGD": 10.0}
    made = [
        Line(
            TINY,
            name,
            "hindsight",
            ("s",) * 6,
            (outcome(1.0, end + 0.5), outcome(1.0, end - 0.5)) * 3,
        )
        for name, end in regrets.items()
    ]
    algorithms = tuple(Algorithm(name, ("s",)) for name in regrets)
    printed = {("tiny", 60, name): (10.0, 0.5) for name in ("Random", "RG-UCB", "DBGD")}
    printed["tiny", 60, "MaxIn-Elo"] = (1.0, 1.0)
    found = claims(Study(replace(SMALL, algorithms=algorithms), made), printed)
    verdicts = {claim.text.split(" on ")[0]: claim.holds for claim in found}
    assert verdicts["MaxIn-Elo has the lowest regret"] is holds
    assert verdicts["Random's final regret is within 10% of the printed one"] is True
    place = verdicts["MaxIn has the same place by mean regret as in the paper"]
    assert place is (holds is not False)


def test_games_that_were_not_played_have_no_claims():
    elsewhere = replace(SMALL, games=(replace(TINY, name="Triangular game"),))
    lines = [
        Line(elsewhere.games[0], line.name, "hindsight", ("s",), (outcome(1.0, 1.0),))
        for line in SMALL.algorithms
    ]
    texts = [claim.text for claim in claims(Study(elsewhere, lines), {})]
    assert texts
    assert not any("lowest regret" in text for text in texts)
