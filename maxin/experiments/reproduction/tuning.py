"""Two ways to choose settings: in hindsight, as the paper does, and on other seeds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxin.experiments.reproduction.figures import (
    Algorithm,
    Experiment,
    PaperGame,
    run_of,
    tuning_runs,
)
from maxin.experiments.reproduction.runs import Run, RunCurves
from maxin.experiments.tasks import Task
from maxin.games import Game

PROTOCOLS = ("hindsight", "held-out")

Outcomes = Mapping[Task[RunCurves], RunCurves]
Complete = Callable[[str, Sequence[Run]], Outcomes]  # from a name and runs to their outcomes


@dataclass(frozen=True)
class Line:
    """A line of a figure under one protocol: the mean over its outcomes."""

    game: PaperGame
    algorithm: str
    protocol: str
    settings: tuple[str, ...]  # one per outcome
    outcomes: tuple[RunCurves, ...]

    def curves(self, name: str) -> NDArray[np.float64]:
        """The named curve of every outcome, shape (seeds, readings)."""
        return np.array([getattr(outcome, name) for outcome in self.outcomes], dtype=np.float64)

    def end(self, name: str) -> tuple[float, float]:
        """Mean and standard deviation of the curve's last reading."""
        last = self.curves(name)[:, -1]
        return float(last.mean()), float(last.std())


def merit(outcome: RunCurves, shows: str) -> tuple[float, float]:
    """The value by which a setting is chosen, larger is better; regret breaks ties."""
    thrift = -float(outcome.regret[-1])
    if shows == "regret":
        return thrift, thrift
    if shows == "top-k":
        return float(np.mean(outcome.hit_ratio) + np.mean(outcome.ndcg)), thrift
    return outcome.late_reciprocal_rank, thrift


def mean_merit(outcomes: Sequence[RunCurves], shows: str) -> tuple[float, ...]:
    """The mean of `merit` over seeds."""
    return tuple(np.mean([merit(outcome, shows) for outcome in outcomes], axis=0).tolist())


def hindsight(
    experiment: Experiment, game: PaperGame, line: Algorithm, games: Mapping[str, Game],
    outcomes: Outcomes,
) -> Line:  # fmt: skip
    """For each tuning seed, the setting that did best on that same seed (the paper's protocol)."""
    settings, chosen = [], []
    for seed in experiment.tuning_seeds:
        runs = {setting: run_of(game, games, setting, seed) for setting in line.settings}
        best = max(line.settings, key=lambda s: merit(outcomes[runs[s]], experiment.shows))
        settings.append(best)
        chosen.append(outcomes[runs[best]])
    return Line(game, line.name, "hindsight", tuple(settings), tuple(chosen))


def chosen_setting(
    experiment: Experiment, game: PaperGame, line: Algorithm, games: Mapping[str, Game],
    outcomes: Outcomes,
) -> str:  # fmt: skip
    """The setting with the best mean over the tuning seeds."""

    def value(setting: str) -> tuple[float, ...]:
        runs = [run_of(game, games, setting, seed) for seed in experiment.tuning_seeds]
        return mean_merit([outcomes[run] for run in runs], experiment.shows)

    return max(line.settings, key=value)


def fresh_runs(
    experiment: Experiment, games: Mapping[str, Game], outcomes: Outcomes
) -> dict[tuple[PaperGame, str], list[Run]]:
    """The runs of the held-out protocol, per game and line: the chosen setting on fresh seeds."""
    return {
        (game, line.name): [
            run_of(game, games, chosen_setting(experiment, game, line, games, outcomes), seed)
            for seed in experiment.fresh_seeds
        ]
        for game in experiment.games
        for line in experiment.algorithms
    }


def lines(
    experiment: Experiment, games: Mapping[str, Game], protocols: Sequence[str], complete: Complete
) -> Iterator[Line]:
    """Every line of a figure under every protocol; `complete` runs the runs."""
    outcomes = complete(f"{experiment.name}, tuning", list(tuning_runs(experiment, games)))
    if "hindsight" in protocols:
        for game in experiment.games:
            for line in experiment.algorithms:
                yield hindsight(experiment, game, line, games, outcomes)
    if "held-out" in protocols:
        fresh = fresh_runs(experiment, games, outcomes)
        done = complete(
            f"{experiment.name}, held-out", [run for runs in fresh.values() for run in runs]
        )
        for (game, name), runs in fresh.items():
            settings = tuple(run.scheduler for run in runs)
            yield Line(game, name, "held-out", settings, tuple(done[run] for run in runs))
