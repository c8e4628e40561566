"""How settings are chosen: in hindsight as in the paper, on other seeds, or as in its scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from maxin.core.specs import parse
from maxin.games import Game
from maxin_studies.reproduction.figures import Experiment, PaperGame, run_of, tuning_runs
from maxin_studies.reproduction.grids import Algorithm
from maxin_studies.reproduction.runs import Run, RunCurves
from maxin_studies.tasks import StoredTask

PROTOCOLS = ("hindsight", "held-out", "as-printed")
# The first two choose the scale of our prior like every other setting, and are judged again with 1
# nat for all.
ONE_NAT = {name: f"{name}, 1 nat" for name in PROTOCOLS[:2]}

Outcomes = Mapping[StoredTask[RunCurves], RunCurves]
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
        """The curve "regret", "rr", "hit" or "ndcg" of every outcome, shape (seeds, readings)."""
        curves = [outcome.curve(name, self.game.truth) for outcome in self.outcomes]
        return np.array(curves, dtype=np.float64)

    def end(self, name: str) -> tuple[float, float]:
        """Mean and standard deviation of the curve's last reading."""
        last = self.curves(name)[:, -1]
        return float(last.mean()), float(last.std())

    def first(self, n_seeds: int) -> Line:
        """The line on its first seeds."""
        settings, outcomes = self.settings[:n_seeds], self.outcomes[:n_seeds]
        return replace(self, settings=settings, outcomes=outcomes)

    def mean_rrs(self) -> list[float]:
        """The mean RR per seed over the rounds that choose settings."""
        game = self.game
        return [outcome.mean_rr(game.truth, game.chosen_from) for outcome in self.outcomes]

    @property
    def explorations(self) -> list[str]:
        """The values of gamma in use, if there are any."""
        options = [parse(setting.partition("+")[0])[1] for setting in self.settings]
        return list(dict.fromkeys(o["exploration"] for o in options if "exploration" in o))


def merit(outcome: RunCurves, game: PaperGame, shows: str) -> tuple[float, float]:
    """The value by which a setting is chosen, larger is better; regret breaks ties."""
    thrift = -float(outcome.regret[-1])
    if shows == "regret":
        return thrift, thrift
    if shows == "top-k":
        hit, ndcg = (outcome.curve(name, game.truth).mean() for name in ("hit", "ndcg"))
        return float(hit + ndcg), thrift
    return outcome.mean_rr(game.truth, game.chosen_from), thrift


class Choice:
    """Chooses settings of the lines of one panel from the outcomes of the tuning seeds."""

    def __init__(
        self, experiment: Experiment, game: PaperGame, games: Mapping[str, Game], outcomes: Outcomes
    ) -> None:
        self.experiment, self.game, self.games = experiment, game, games
        self._outcomes = outcomes

    def outcome(self, setting: str, seed: int) -> RunCurves:
        """The outcome of a setting on a tuning seed."""
        return self._outcomes[run_of(self.game, self.games, setting, seed)]

    def best_on(self, settings: Sequence[str], seeds: Sequence[int], shows: str) -> str:
        """The setting with the best mean merit over the seeds."""

        def value(setting: str) -> tuple[float, ...]:
            merits = [merit(self.outcome(setting, seed), self.game, shows) for seed in seeds]
            return tuple(np.mean(merits, axis=0).tolist())

        return max(settings, key=value)

    def per_seed(self, line: Algorithm) -> list[str]:
        """For each tuning seed, the setting that did best on that same seed."""
        experiment = self.experiment
        return [
            self.best_on(line.settings, [seed], experiment.shows)
            for seed in experiment.tuning_seeds
        ]

    def for_all(self, line: Algorithm) -> str:
        """The setting with the best mean over the tuning seeds.

        If the experiment varies one option, all others are those of the setting with the best mean
        RR among all lines of the same algorithm, and that option is chosen by what is shown.
        """
        experiment = self.experiment
        settings = line.settings
        if experiment.varies is not None:
            fixed = self.best_on(self._family(line), experiment.tuning_seeds, "curves")
            kept = _without(fixed, experiment.varies)
            settings = tuple(one for one in settings if _without(one, experiment.varies) == kept)
        return self.best_on(settings, experiment.tuning_seeds, experiment.shows)

    def _family(self, line: Algorithm) -> list[str]:
        """The settings of all lines that have this line's scheduler."""
        name = parse(line.settings[0].partition("+")[0])[0]
        every = [setting for one in self.experiment.algorithms for setting in one.settings]
        return [setting for setting in every if parse(setting.partition("+")[0])[0] == name]

    def hindsight(self, line: Algorithm, protocol: str, *, shared: bool = False) -> Line:
        """The line with settings chosen on the seeds that are shown, per seed or shared by all."""
        if shared:
            return self.fixed(self.for_all(line), line, protocol)
        chosen, seeds = self.per_seed(line), self.experiment.tuning_seeds
        outcomes = (self.outcome(one, seed) for one, seed in zip(chosen, seeds, strict=True))
        return Line(self.game, line.name, protocol, tuple(chosen), tuple(outcomes))

    def fixed(self, setting: str, line: Algorithm, protocol: str = "") -> Line:
        """The line with one setting on all its tuning seeds."""
        outcomes = tuple(self.outcome(setting, seed) for seed in self.experiment.tuning_seeds)
        return Line(self.game, line.name, protocol, (setting,) * len(outcomes), outcomes)


def _without(setting: str, option: str) -> tuple[str, frozenset[tuple[str, str]], str]:
    """A setting without one of its options.

    >>> _without("maxin:exploration=1,alone=self+elo", "exploration")
    ('maxin', frozenset({('alone', 'self')}), 'elo')
    """
    scheduler, _, ratings = setting.partition("+")
    name, options = parse(scheduler)
    return name, frozenset(item for item in options.items() if item[0] != option), ratings


def fresh_runs(
    experiment: Experiment, games: Mapping[str, Game], outcomes: Outcomes
) -> dict[tuple[PaperGame, str], list[Run]]:
    """The runs of the held-out protocol, per game and line: the chosen setting on fresh seeds."""
    runs = {}
    for game in experiment.games:
        choice = Choice(experiment, game, games, outcomes)
        for line in experiment.algorithms:
            setting = choice.for_all(line)
            seeds = experiment.fresh_seeds
            runs[game, line.name] = [run_of(game, games, setting, seed) for seed in seeds]
    return runs


def hindsight_lines(
    experiment: Experiment,
    games: Mapping[str, Game],
    outcomes: Outcomes,
    protocol: str = "hindsight",
    *,
    shared: bool = False,
) -> Iterator[Line]:
    """Every line of a figure, with settings chosen on the seeds that are shown.

    They are `shared` by all seeds, or chosen per seed. A figure that varies one option always has
    one setting for all seeds, as in the paper.
    """
    shared = shared or experiment.varies is not None
    for game in experiment.games:
        choice = Choice(experiment, game, games, outcomes)
        for line in experiment.algorithms:
            yield choice.hindsight(line, protocol, shared=shared)


def stages(
    experiment: Experiment, games: Mapping[str, Game], protocols: Sequence[str]
) -> dict[str, int]:
    """The names of what `lines` runs, each with the size of its runs."""
    found = {}
    if "as-printed" in protocols:
        found["as-printed"] = sum(run.size for run in tuning_runs(experiment.as_printed(), games))
    if set(ONE_NAT) & set(protocols):
        found["tuning"] = sum(run.size for run in tuning_runs(experiment, games))
    if "held-out" in protocols:
        n_lines = sum(
            1 + (line.at_prior(1.0) != line) for line in experiment.algorithms
        )  # at most; the best setting may have 1 nat
        n_runs = n_lines * experiment.n_fresh
        found["held-out"] = n_runs * sum(game.rounds for game in experiment.games)
    return {f"{experiment.name}, {stage}": size for stage, size in found.items()}


def lines(
    experiment: Experiment, games: Mapping[str, Game], protocols: Sequence[str], complete: Complete
) -> Iterator[Line]:
    """Every line of a figure under every protocol; `complete` runs the runs."""
    if "as-printed" in protocols:
        printed = experiment.as_printed()
        runs = list(tuning_runs(printed, games))
        done = complete(f"{experiment.name}, as-printed", runs)
        yield from hindsight_lines(printed, games, done, "as-printed")
    if not set(ONE_NAT) & set(protocols):
        return
    outcomes = complete(f"{experiment.name}, tuning", list(tuning_runs(experiment, games)))
    plain = experiment.at_prior(1.0)
    if "hindsight" in protocols:
        yield from hindsight_lines(experiment, games, outcomes)
        yield from hindsight_lines(plain, games, outcomes, ONE_NAT["hindsight"])
    if "held-out" in protocols:
        fresh = {
            (game, name, protocol): runs
            for protocol, one in (("held-out", experiment), (ONE_NAT["held-out"], plain))
            for (game, name), runs in fresh_runs(one, games, outcomes).items()
        }
        done = complete(
            f"{experiment.name}, held-out", [run for runs in fresh.values() for run in runs]
        )
        for (game, name, protocol), runs in fresh.items():
            settings = tuple(run.scheduler for run in runs)
            yield Line(game, name, protocol, settings, tuple(done[run] for run in runs))
