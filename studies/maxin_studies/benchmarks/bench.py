"""The whole benchmark: turns a request into tasks, and their outcomes into a report."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from maxin.core import CONFIDENCE, InvalidInput, Stop, check_name, check_whole
from maxin.core.files import whole_file
from maxin.core.units import TOLERANCE
from maxin.simulation.pool import Progress
from maxin_studies.archive import StoredPool
from maxin_studies.benchmarks import feature_races, judged_stops, limits, paper_games
from maxin_studies.benchmarks.bench_plots import Races
from maxin_studies.benchmarks.bench_sections import (
    best_pairs,
    best_section,
    cost_section,
    flight_section,
    gaps_section,
    goal_pairs,
    goals_section,
    rules_section,
    scores_section,
    stop_pairs,
    stop_section,
)
from maxin_studies.benchmarks.costs import SIZES, cost_rounds, costs
from maxin_studies.benchmarks.losses import loss_pairs, loss_section, ratings_section
from maxin_studies.benchmarks.questions import (
    BEST,
    FIRST_SEED,
    FLIGHT,
    GAPS,
    GOALS,
    GOALS_OF,
    HARD,
    LOSS,
    LOSS_SCHEDULERS,
    SCHEDULERS,
    SCORES,
    STOP,
    Arena,
    Question,
    by_seed,
    check_contestants,
    question_about,
    races,
    stops,
    with_numbers,
    with_posterior,
)
from maxin_studies.benchmarks.races import Race
from maxin_studies.benchmarks.stops import StopRace, StopTimes
from maxin_studies.document import ExperimentReport, Section, make_folder, markdown
from maxin_studies.reproduction.figures import load_games
from maxin_studies.reproduction.tuning import Line, lines, stages
from maxin_studies.tasks import OutcomeT, StoredTask

KeyT = TypeVar("KeyT", bound=Hashable)
ValueT = TypeVar("ValueT")

STANDARD = {
    "best": BEST,
    "loss": LOSS,
    "goals": GOALS,
    "stop": STOP,
    "scores": SCORES,
    "flight": FLIGHT,
}
QUESTIONS = (*STANDARD, "limit", "features", "judges", "paper", "cost")
NEED_POSTERIOR = ("stop", "scores", "flight")  # questions for schedulers with a posterior
OWN_GAMES = ("scores", "limit", "features", "judges", "paper", "cost")  # about games of their own
FIRST_LOOK = {  # games, seeds and rounds
    "stop": (3, 20, 800),
    "scores": (4, 20, 800),
    "flight": (2, 20, 400),
}
LIMITS = {  # the smallest and largest value of numbers in a request
    "seeds": (1, math.inf),
    "first_seed": (1000, math.inf),  # smaller seeds choose settings
    "rounds": (10, math.inf),
    "in_flight": (2, 1000),
    "tuning_seeds": (1, 1000),
}


@dataclass(frozen=True)
class BenchRequest:
    """The arguments of `bench`."""

    games: tuple[str, ...] | None
    schedulers: tuple[str, ...] | None
    seeds: int | None
    first_seed: int
    rounds: int | None
    in_flight: int
    confidence: float
    tolerance: float
    paper: Path | None
    tuning_seeds: int
    quick: bool

    def __post_init__(self) -> None:
        for name, (low, high) in LIMITS.items():
            value = getattr(self, name)
            if value is not None and not low <= check_whole(value, name) <= high:
                limit = f"at least {low}" if high == math.inf else f"from {low} to {high}"
                raise InvalidInput(f"{name} must be {limit}; got {value}")
        Stop(confidence=self.confidence, tolerance=self.tolerance)  # which checks them


def bench(
    questions: Sequence[str] | None = None,
    *,
    games: Sequence[str] | None = None,
    schedulers: Sequence[str] | None = None,
    seeds: int | None = None,
    first_seed: int = FIRST_SEED,
    rounds: int | None = None,
    in_flight: int = 16,
    confidence: float = CONFIDENCE,
    tolerance: float = TOLERANCE,
    paper: Path | None = None,
    tuning_seeds: int = 5,
    out: Path = Path("out/bench"),
    workers: int | None = None,
    executor: Executor | None = None,
    quick: bool = False,
    progress: Progress | None = None,
) -> ExperimentReport:
    """Measure schedulers on games whose true ratings are known.

    Each run is stored as soon as it is done: after an interrupt, the same call resumes.

    Args:
        questions: "best" (matches to find the best player), "loss" (how far the player named is
            below the best), "goals" (the top three, the ranking and the ratings of all), "stop"
            (when tournaments stop, and how often they are wrong), "scores" (the same where
            matches are drawn, have two games or are graded), "flight" (what pending matches
            cost), "limit" (the loss beside that of the best choice of matches that exists),
            "features" (what features of players are worth), "judges" (stops where judges err),
            "paper" (the paper's games) and "cost" (time per round); all that apply by default.
        games: see `make_game`; fields of 10, 30 and 100 players by default.
        schedulers: see `make_scheduler`; by default top-two, double-thompson, two
            baselines and what practitioners use.
        seeds: how many seeds; 30 to 400 by default.
        first_seed: the first of them; at least 1000, since smaller seeds choose settings.
        rounds: the largest number of matches per run, for all games.
        in_flight: matches in flight, compared with one at a time.
        confidence: of the stops.
        tolerance: by how many Elo points the player named may miss the best.
        paper: a folder of the paper's payoff files; by default its games come from rules.
        tuning_seeds: seeds 0, 1, ... choose the settings of the paper's baselines.
        out: the folder of the report and the stored runs.
        workers: how many processes; 1 uses this process, None one per core. With an executor,
            how many it has.
        executor: where runs are made, in place of processes here: any of `concurrent.futures`.
        quick: a first look, in about a minute.
        progress: called with the name of a stage, the rounds done and their number in all, where
            a slow round counts as several; with every stage before the first begins.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     report = bench(
    ...         ["best"], games=["elo:n_players=4"], schedulers=["top-two", "random"], seeds=3,
    ...         rounds=40, out=Path(folder), workers=1,
    ...     )
    >>> [row[1:4] for row in report.sections[0].rows]
    [['top-two', '3', '29 [4, 30]'], ['random', '3', '5 [3, 21]']]
    """
    request = BenchRequest(
        None if games is None else tuple(games),
        None if schedulers is None else tuple(schedulers),
        seeds,
        first_seed,
        rounds,
        in_flight,
        confidence,
        tolerance,
        paper,
        tuning_seeds,
        quick,
    )
    runner = Bench(request, out, StoredPool(out / "runs", workers, progress, executor))
    parts = runner.parts(None if questions is None else list(dict.fromkeys(questions)))
    make_folder(runner.figures)
    runner.pool.announce(part.work for part in parts)
    return runner.report([section for part in parts for section in part.sections()])


def merged(mappings: Iterable[Mapping[KeyT, ValueT]]) -> dict[KeyT, ValueT]:
    """One mapping of all."""
    return {key: value for one in mappings for key, value in one.items()}


@dataclass(frozen=True)
class BenchPart:
    """The answer to a question, before any work is done.

    Args:
        work: the size of the tasks by stage.
        sections: does the work.
    """

    work: Mapping[str, int]
    sections: Callable[[], Iterable[Section]]


class Bench:
    """Answers the questions of a request.

    Args:
        request: what to measure.
        out: the folder of the results.
        pool: runs the tasks.
    """

    def __init__(self, request: BenchRequest, out: Path, pool: StoredPool) -> None:
        self.request, self.out, self.pool = request, out, pool
        self.schedulers = list(request.schedulers or SCHEDULERS)
        able = with_posterior(self.schedulers)
        self.with_posterior = able if request.schedulers else able[:1]

    @property
    def figures(self) -> Path:
        """The folder of pictures."""
        return self.out / "figures"

    def parts(self, wanted: Sequence[str] | None) -> list[BenchPart]:
        """The answers to questions, validated; by default all that apply."""
        by_name: dict[str, Callable[[], BenchPart]] = {
            "best": self._best,
            "loss": self._loss,
            "goals": self._goals,
            "stop": self._stop,
            "scores": self._scores,
            "flight": self._flight,
            "limit": self._limit,
            "features": self._features,
            "judges": self._judges,
            "paper": self._paper,
            "cost": self._cost,
        }
        names = self._applicable() if wanted is None else wanted
        for name in names:
            check_name(name, QUESTIONS, "question")
        if set(NEED_POSTERIOR) & set(names) and not self.with_posterior:
            raise InvalidInput(
                f"the questions 'stop', 'scores' and 'flight' need a scheduler with a posterior, "
                f"such as top-two; got {', '.join(self.schedulers)}"
            )
        return [by_name[name]() for name in names]

    def _applicable(self) -> list[str]:
        """The questions about the games and schedulers of the request."""
        names = QUESTIONS
        if self.request.games is not None:
            names = tuple(name for name in QUESTIONS if name not in OWN_GAMES)
        return [name for name in names if self.with_posterior or name not in NEED_POSTERIOR]

    def report(self, sections: Sequence[Section]) -> ExperimentReport:
        """Write benchmarks.md."""
        title, path = "Benchmarks", self.out / "benchmarks.md"
        intro = (
            f"Generated by `maxin bench`, with seeds from {self.request.first_seed} on. No setting "
            "was chosen on these seeds.",
        )
        with whole_file(path) as file:
            file.write(markdown(title, intro, sections, self.out))
        return ExperimentReport(title, intro, tuple(sections), path)

    def _part(
        self,
        stages: Mapping[str, Mapping[Any, Sequence[StoredTask[Any]]]],
        write: Callable[..., Iterable[Section]],
    ) -> BenchPart:
        """A part whose tasks are known: `write` gets the outcomes of each stage, by group."""

        def sections() -> Iterable[Section]:
            return write(*(self._outcomes(name, groups) for name, groups in stages.items()))

        work = {
            name: sum(task.size for tasks in groups.values() for task in tasks)
            for name, groups in stages.items()
        }
        return BenchPart(work, sections)

    def _outcomes(
        self, name: str, groups: Mapping[KeyT, Sequence[StoredTask[OutcomeT]]]
    ) -> dict[KeyT, list[OutcomeT]]:
        """The outcomes of groups of tasks."""
        done = self.pool.complete(name, by_seed(groups.values()))
        return {where: [done[task] for task in some] for where, some in groups.items()}

    def _question(self, name: str, schedulers: Sequence[str]) -> Question:
        """The games and seeds of a question, validated."""
        request, standard = self.request, STANDARD[name]
        if request.games is not None:
            flights = (1, request.in_flight) if name == "stop" else (1,)
            standard = question_about(request.games, standard.n_seeds, flights)
        if request.quick:
            standard = standard.smaller(*FIRST_LOOK.get(name, (2, 20, 600)))
        question = with_numbers(standard, request.seeds, request.rounds)
        check_contestants(question, schedulers)
        return question

    def _races(
        self, name: str, schedulers: Sequence[str], in_flight: int = 1
    ) -> dict[tuple[Arena, str], list[Race]]:
        """The races of every scheduler on every game of a question."""
        question = self._question(name, schedulers)
        return races(question, schedulers, self.request.first_seed, in_flight)

    def _seeds(self, of_first_look: int, standard: int) -> range:
        """The seeds of a question that has games of its own."""
        request = self.request
        n_seeds = request.seeds or (of_first_look if request.quick else standard)
        return range(request.first_seed, request.first_seed + n_seeds)

    def _best(self) -> BenchPart:
        return self._part(
            {"best": self._races("best", self.schedulers)},
            lambda found: [best_section(found, self.figures), *best_pairs(found)],
        )

    def _loss(self) -> BenchPart:
        names = self.request.schedulers or LOSS_SCHEDULERS
        return self._part(
            {"loss": self._races("loss", names)},
            lambda found: [loss_section(found, self.figures), *loss_pairs(found)],
        )

    def _goals(self) -> BenchPart:
        given = self.request.schedulers

        def write(*found: Races) -> Iterator[Section]:
            by_goal = dict(zip(GOALS_OF, found, strict=True))
            yield goals_section(by_goal, self.figures)
            yield from goal_pairs(by_goal)
            yield ratings_section(by_goal["ordered"], self.figures)

        stages = {
            f"goals, {goal}": self._races("goals", given or names)
            for goal, names in GOALS_OF.items()
        }
        return self._part(stages, write)

    def _flight(self) -> BenchPart:
        many = self.request.in_flight
        stages = {
            f"flight, {number}": self._races("flight", self.with_posterior, number)
            for number in (1, many)
        }
        return self._part(
            stages, lambda alone, flying: [flight_section(alone, flying, many, self.figures)]
        )

    def _stop(self) -> BenchPart:
        request, names = self.request, self.with_posterior
        questions, is_whole = [self._question("stop", names)], not (request.games or request.quick)
        if is_whole:
            questions.append(with_numbers(HARD, request.seeds, request.rounds))
        stages = {f"stop, {name}": self._stops(questions, name) for name in names}
        if is_whole:
            gaps = with_numbers(GAPS, request.seeds, request.rounds)
            stages["stop, at a fixed distance"] = self._stops([gaps], names[0])

        def write(*found: Mapping[Arena, Sequence[StopTimes]]) -> Iterator[Section]:
            numbers = request.confidence, request.tolerance
            by_name = dict(zip(names, found, strict=False))
            yield stop_section(by_name, *numbers, self.figures)
            yield from stop_pairs(by_name)
            yield rules_section(by_name)
            if is_whole:
                yield gaps_section({names[0]: found[-1]}, *numbers)

        return self._part(stages, write)

    def _scores(self) -> BenchPart:
        names = self.with_posterior
        question = self._question("scores", names)
        stages = {f"scores, {name}": self._stops([question], name) for name in names}
        return self._part(
            stages,
            lambda *found: [
                scores_section(dict(zip(names, found, strict=True)), self.request.confidence)
            ],
        )

    def _stops(self, questions: Sequence[Question], scheduler: str) -> dict[Arena, list[StopRace]]:
        """The stopped tournaments of a scheduler on every game of questions."""
        request = self.request
        numbers = request.first_seed, request.confidence, request.tolerance
        return merged(stops(question, scheduler, *numbers) for question in questions)

    def _judges(self) -> BenchPart:
        request = self.request
        rounds = request.rounds or (200 if request.quick else judged_stops.ROUNDS)
        seeds = self._seeds(3, judged_stops.N_SEEDS)
        return self._part(
            {"judges": judged_stops.tournaments(rounds, seeds, request.confidence)},
            lambda found: [judged_stops.judges_section(found, request.confidence)],
        )

    def _limit(self) -> BenchPart:
        names = self.request.schedulers or limits.SCHEDULERS
        check_contestants(limits.QUESTION, names)
        spreads = (1.0,) if self.request.quick else limits.SPREADS
        most = self.request.rounds or limits.HORIZONS[-1]
        horizons = tuple(horizon for horizon in limits.HORIZONS if horizon <= most)
        seeds = self._seeds(50, limits.N_SEEDS)
        return self._part(
            {"limit": limits.limit_runs(names, spreads, horizons, seeds)},
            lambda found: [limits.limit_section(found, horizons), *limits.limit_pairs(found)],
        )

    def _features(self) -> BenchPart:
        rounds = self.request.rounds or feature_races.ROUNDS
        seeds = self._seeds(5, feature_races.N_SEEDS)
        numbers = len(seeds), rounds, seeds.start
        return self._part(
            {
                "features": feature_races.feature_races(*numbers),
                "features, maxin": feature_races.linear_races(*numbers),
            },
            lambda found, linear: [feature_races.features_section(found, linear, rounds)],
        )

    def _paper(self) -> BenchPart:
        request, games = self.request, load_games(self.request.paper)
        names = request.schedulers or paper_games.OURS
        n_seeds = len(self._seeds(5, paper_games.N_SEEDS))
        small = [
            replace(
                one.only(list(games)).smaller(request.tuning_seeds, request.rounds, request.quick),
                n_fresh=n_seeds,
            )
            for one in paper_games.experiments(names, request.first_seed, n_seeds)
        ]

        def write() -> Iterator[Section]:
            by_aim: dict[str, list[Line]] = {"regret": [], "curves": []}
            for one in small:
                by_aim[one.shows] += lines(one, games, ("held-out",), self.pool.complete)
            tuned_on = small[0].tuning_seeds
            yield paper_games.regret_section(by_aim["regret"], names, tuned_on)
            yield paper_games.rank_section(by_aim["curves"], names, tuned_on)
            yield paper_games.limits_section(games)

        return BenchPart(merged(stages(one, games, ("held-out",)) for one in small), write)

    def _cost(self) -> BenchPart:
        sizes = SIZES[:1] if self.request.quick else SIZES
        note = partial(self.pool.report, "cost")

        def write() -> Iterator[Section]:
            yield cost_section(costs(self.schedulers, sizes, note), self.figures)

        return BenchPart({"cost": cost_rounds(self.schedulers, sizes)}, write)
