"""Five players and logs of their results, for tests of views."""

import numpy as np
from hypothesis import strategies as st
from scipy.special import expit

from maxin.core import Stop
from maxin.ratings import Tally
from maxin.views import Belief, Leaderboard, Top

NAMES = ["anna", "bo", "cy", "dee", "eve"]
N = len(NAMES)

results = st.tuples(
    st.permutations(range(N)).map(lambda order: order[:2]), st.sampled_from([0.0, 0.5, 1.0])
)
logs = st.lists(results, max_size=40)
states = st.lists(
    st.sampled_from(["active", "active", "paused", "retired"]), min_size=N, max_size=N
).map(lambda values: dict(zip(NAMES, values, strict=True)))


def tally_of(log):
    """The tally of a log of ((first, second), score)."""
    tally = Tally(N)
    for (first, second), score in log:
        tally.add(first, second, score)
    return tally


def ladder(n_matches=2000, gap=1.0, advantage=0.0):
    """Results of players who are each `gap` nats above the next."""
    rng = np.random.default_rng(0)
    first = rng.integers(N, size=n_matches)
    second = (first + rng.integers(1, N, size=n_matches)) % N
    tally = Tally(N)
    tally.add_many(first, second, rng.random(n_matches) < expit(gap * (second - first) + advantage))
    return tally


def leaderboard(names, tally, *, states=None, first_advantage=False):
    """The leaderboard of a tally."""
    return Leaderboard.of(Belief(names, tally, states), first_advantage=first_advantage)


def top(names, tally, k=1, confidence=0.95, *, states=None, tolerance=10.0):
    """The top k of a tally."""
    return Top.of(Belief(names, tally, states), k, Stop(confidence=confidence, tolerance=tolerance))
