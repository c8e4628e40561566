import numpy as np
import pytest
from scipy.special import expit

from maxin.core import InvalidInput, Match, Result
from maxin.ratings import Elo, MElo, Online


def test_melo_learns_rock_paper_scissors_and_elo_cannot():
    rng = np.random.default_rng(0)
    learners = [Online(model, step_size=0.1, rng=rng) for model in (Elo(3), MElo(3, dimensions=2))]
    for _ in range(4000):
        winner = int(rng.integers(3))
        for learner in learners:
            learner.tell(Result(Match(winner, (winner + 1) % 3), 1.0))
    elo, melo = (expit(learner.model.advantages(learner.parameters)[0, 1]) for learner in learners)
    assert elo == pytest.approx(0.5, abs=0.1)
    assert melo > 0.9


@pytest.mark.parametrize("dimensions", [3, -2, 1026])
def test_dimensions_must_be_even_and_in_range(dimensions):
    with pytest.raises(InvalidInput, match=f"even number from 0 to 1024; got {dimensions}"):
        MElo(4, dimensions=dimensions)
