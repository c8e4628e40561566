"""An experiment of the paper's kind, small enough to run in a test, and lines made by hand."""

from dataclasses import replace

import numpy as np

from maxin_studies.reproduction.claims import Study, claims
from maxin_studies.reproduction.figures import FIGURES, Algorithm, Experiment, PaperGame
from maxin_studies.reproduction.runs import RunCurves, reading_rounds
from maxin_studies.reproduction.tuning import Line

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
READINGS = reading_rounds(TINY.rounds)
N_RUNS = 6  # of a line made by hand: enough for a verdict


def outcome(rank, regret, *, hit=None, n_candidates=1, keeps_best=True):
    """The outcome of a run with this RR and this regret: a curve, or one number throughout.

    `hit` are hit ratio@k and NDCG@k alike, one number or one per k; the RR by default.
    """
    rr, regrets = (np.broadcast_to(x, READINGS.shape).astype(np.float32) for x in (rank, regret))
    top = rr[:10] if hit is None else np.broadcast_to(hit, 10).astype(np.float32)
    return RunCurves(
        regrets, rr, rr, top, top, top, top, TINY.rounds, n_candidates, keeps_best, seconds=0.0
    )


def rises_at(settled):
    """An RR that is 1/2 at first, and 1 from a round on."""
    return np.where(settled > READINGS, 0.5, 1.0)


def grows_to(end, by_half=0.5):
    """A regret that has a share of its end after half of the rounds; steady by default."""
    return end * np.interp(READINGS, [0, TINY.rounds / 2, TINY.rounds], [0.0, by_half, 1.0])


def made_study(figure, panels, protocol="hindsight", truth="rating"):
    """A study of lines made by hand.

    `panels` has the outcome of each algorithm of each game, or a list with one per run.
    """
    games = {name: PaperGame(name, None, TINY.rounds, truth=truth) for name in panels}
    lines = []
    for name, panel in panels.items():
        for algorithm, found in panel.items():
            runs = tuple(found) if isinstance(found, list) else (found,) * N_RUNS
            lines.append(Line(games[name], algorithm, protocol, ("s",) * len(runs), runs))
    base = FIGURES.get(figure) or replace(SMALL, name=figure)
    return Study(replace(base, games=tuple(games.values())), lines)


def verdict(figure, panels, text, **options):
    """The verdict on the one claim whose text has `text`."""
    found = claims(made_study(figure, panels, **options))
    (claim,) = [claim for claim in found if text in claim.text]
    return claim.holds
