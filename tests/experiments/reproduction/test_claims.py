"""The verdicts on the paper's claims follow the numbers."""

from dataclasses import replace

import numpy as np
import pytest

from maxin.experiments.reproduction.claims import Study, claims
from maxin.experiments.reproduction.figures import Algorithm, Experiment, PaperGame
from maxin.experiments.reproduction.runs import RunCurves
from maxin.experiments.reproduction.tuning import Line

TINY = PaperGame("tiny", "elo:n_players=6", 60)
SMALL = Experiment(
    "figure2",
    "small",
    (TINY,),
    (
        Algorithm("Random", ("random+elo:step_size=0.1", "random+elo:step_size=1")),
        Algorithm("MaxIn-Elo", ("maxin:exploration=0.6,alone=self", "maxin:alone=self")),
    ),
    n_seeds=3,
    n_fresh=4,
)


def outcome(rank, regret):
    curve = np.full(100, rank, dtype=np.float32)
    return RunCurves(np.full(100, regret, dtype=np.float32), curve, curve[:10], curve[:10], 0.0)


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
