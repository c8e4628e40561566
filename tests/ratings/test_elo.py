import numpy as np
import pytest
from scipy.special import expit

from maxin.core import InvalidInput, Match, Result
from maxin.ratings import Elo, Online


def test_online_elo_is_the_textbook_update():
    online = Online(Elo(3), step_size=0.2, rng=np.random.default_rng(0))
    ratings = np.zeros(3)
    rng = np.random.default_rng(1)
    for _ in range(50):
        i, j = rng.choice(3, size=2, replace=False).tolist()
        score = float(rng.integers(2))
        surprise = score - expit(ratings[i] - ratings[j])
        ratings[i] += 0.2 * surprise
        ratings[j] -= 0.2 * surprise
        online.tell(Result(Match(i, j), score))
    np.testing.assert_allclose(online.ratings(), ratings, atol=1e-12)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Elo(1), "at least two players; got 1"),
        (
            lambda: Online(Elo(2), step_size=0.0, rng=np.random.default_rng(0)),
            "step_size must be positive and finite; got 0.0",
        ),
    ],
)
def test_errors_name_the_invalid_argument(make, words):
    with pytest.raises(InvalidInput, match=words):
        make()
