"""An experiment of the paper's kind, small enough to run in a test."""

import numpy as np

from maxin.experiments.reproduction.figures import Algorithm, Experiment, PaperGame
from maxin.experiments.reproduction.runs import RunCurves

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
    """The outcome of a run with this rank and this regret throughout."""
    curve = np.full(100, rank, dtype=np.float32)
    return RunCurves(np.full(100, regret, dtype=np.float32), curve, curve[:10], curve[:10], 0.0)
