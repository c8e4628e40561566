"""The whole benchmark: turns a request into tasks, and their outcomes into a report."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from maxin.core import CONFIDENCE, InvalidInput, Stop, check_name, check_whole
from maxin.core.files import whole_file
from maxin.core.units import TOLERANCE
from maxin.simulation.pool import Progress
from maxin_studies.archive import StoredPool
from maxin_studies.benchmarks import feature_races, judged_stops, limits, paper_games
from maxin_studies.benchmarks.bench_plots import Races
from maxin_studies.benchmarks.bench_sections import (
    best_section,
    cost_section,
    flight_section,
    gaps_section,
    goals_section,
    rules_section,
    scores_section,
    stop_section,
)
from maxin_studies.benchmarks.costs import SIZES, costs
from maxin_studies.benchmarks.losses import loss_section, ratings_section
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
from maxin_studies.benchmarks.stops import StopTimes
from maxin_studies.document import ExperimentReport, Section, make_folder, markdown
from maxin_studies.reproduction.figures import load_games
from maxin_studies.reproduction.tuning import Line, lines
from maxin_studies.tasks import OutcomeT, StoredTask

KeyT = TypeVar("KeyT", bound=Hashable)

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
        progress: called with the name of a part, the rounds done and their number in all.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     report = bench(
    ...         ["best"], games=["elo:n_players=4"], schedulers=["top-two", "random"], seeds=3,
    ...         rounds=40, out=Path(folder), workers=1,
    ...     )
    >>> [row[1:4] for row in report.sections[0].rows]
    [['top-two', '3', '5 [3, 9]'], ['random', '3', '5 [3, 21]']]
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
    wanted = list(dict.fromkeys(runner.applicable() if questions is None else questions))
    runner.check(wanted)
    make_folder(out / "figures")
    return runner.report([section for name in wanted for section in runner.sections(name)])


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

    def applicable(self) -> list[str]:
        """The questions to answer by default: all that apply to the games and schedulers."""
        names = QUESTIONS
        if self.request.games is not None:
            names = tuple(name for name in QUESTIONS if name not in OWN_GAMES)
        return [name for name in names if self.with_posterior or name not in NEED_POSTERIOR]

    def check(self, wanted: Sequence[str]) -> None:
        """Validate the request before starting."""
        for name in wanted:
            check_name(name, QUESTIONS, "question")
        if set(NEED_POSTERIOR) & set(wanted) and not self.with_posterior:
            raise InvalidInput(
                f"the questions 'stop', 'scores' and 'flight' need a scheduler with a posterior, "
                f"such as top-two; got {', '.join(self.schedulers)}"
            )
        for name in wanted:
            if name in STANDARD:
                self._question(name)
        if "limit" in wanted:
            check_contestants(limits.QUESTION, self._contestants("limit"))
        if "paper" in wanted:
            load_games(self.request.paper)

    def sections(self, name: str) -> Iterator[Section]:
        """The sections that answer one question."""
        answers = {
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
        return answers[name]()

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

    def _question(self, name: str) -> Question:
        """The games and seeds of a question, validated."""
        request, standard = self.request, STANDARD[name]
        if request.games is not None:
            flights = (1, request.in_flight) if name == "stop" else (1,)
            standard = question_about(request.games, standard.n_seeds, flights)
        if request.quick:
            standard = standard.smaller(*FIRST_LOOK.get(name, (2, 20, 600)))
        question = with_numbers(standard, request.seeds, request.rounds)
        by_goal = self._by_goal() if name == "goals" else {name: self._contestants(name)}
        for names in by_goal.values():
            check_contestants(question, names)
        return question

    def _contestants(self, name: str) -> Sequence[str]:
        """The schedulers of a question other than "goals"."""
        if name in NEED_POSTERIOR:
            return self.with_posterior
        usual: dict[str, Sequence[str]] = {
            "loss": LOSS_SCHEDULERS,
            "limit": limits.SCHEDULERS,
        }
        return self.request.schedulers or usual.get(name, SCHEDULERS)

    def _by_goal(self) -> dict[str, Sequence[str]]:
        """The schedulers measured on each goal."""
        return {goal: self.request.schedulers or names for goal, names in GOALS_OF.items()}

    def _best(self) -> Iterator[Section]:
        question = self._question("best")
        yield best_section(self._races("best", question, self.schedulers, 1), self.figures)

    def _loss(self) -> Iterator[Section]:
        question = self._question("loss")
        yield loss_section(
            self._races("loss", question, self._contestants("loss"), 1), self.figures
        )

    def _goals(self) -> Iterator[Section]:
        question = self._question("goals")
        by_goal = {
            goal: self._races(f"goals, {goal}", question, names, 1)
            for goal, names in self._by_goal().items()
        }
        yield goals_section(by_goal, self.figures)
        yield ratings_section(by_goal["ordered"], self.figures)

    def _flight(self) -> Iterator[Section]:
        question, many = self._question("flight"), self.request.in_flight
        alone, flying = (
            self._races(f"flight, {number}", question, self.with_posterior, number)
            for number in (1, many)
        )
        yield flight_section(alone, flying, many, self.figures)

    def _races(
        self, name: str, question: Question, schedulers: Sequence[str], in_flight: int
    ) -> Races:
        """The outcomes of every scheduler on every game."""
        groups = races(question, schedulers, self.request.first_seed, in_flight)
        return self._outcomes(name, groups)

    def _outcomes(
        self, name: str, groups: Mapping[KeyT, Sequence[StoredTask[OutcomeT]]]
    ) -> dict[KeyT, list[OutcomeT]]:
        """The outcomes of groups of tasks."""
        done = self.pool.complete(name, by_seed(groups.values()))
        return {where: [done[task] for task in some] for where, some in groups.items()}

    def _stop(self) -> Iterator[Section]:
        request, questions = self.request, [self._question("stop")]
        if request.games is None and not request.quick:
            questions.append(with_numbers(HARD, request.seeds, request.rounds))
        found = {
            name: {
                arena: some for one in questions for arena, some in self._stops(one, name).items()
            }
            for name in self.with_posterior
        }
        yield stop_section(found, request.confidence, request.tolerance, self.figures)
        yield rules_section(found)
        if request.games is None and not request.quick:
            gaps = with_numbers(GAPS, request.seeds, request.rounds)
            near = {name: self._stops(gaps, name) for name in self.with_posterior[:1]}
            yield gaps_section(near, request.confidence, request.tolerance)

    def _scores(self) -> Iterator[Section]:
        request, question = self.request, self._question("scores")
        found = {name: self._stops(question, name) for name in self.with_posterior}
        yield scores_section(found, request.confidence)

    def _judges(self) -> Iterator[Section]:
        request = self.request
        n_seeds = request.seeds or (3 if request.quick else judged_stops.N_SEEDS)
        rounds = request.rounds or (200 if request.quick else judged_stops.ROUNDS)
        seeds = range(request.first_seed, request.first_seed + n_seeds)
        groups = judged_stops.tournaments(rounds, seeds, request.confidence)
        found = self._outcomes("judges", groups)
        yield judged_stops.judges_section(found, request.confidence)

    def _stops(self, question: Question, scheduler: str) -> dict[Arena, list[StopTimes]]:
        """The outcomes of stopped tournaments on every game."""
        request = self.request
        groups = stops(
            question, scheduler, request.first_seed, request.confidence, request.tolerance
        )
        return self._outcomes(f"stop, {scheduler}", groups)

    def _limit(self) -> Iterator[Section]:
        request = self.request
        n_seeds = request.seeds or (50 if request.quick else limits.N_SEEDS)
        spreads = (1.0,) if request.quick else limits.SPREADS
        most = request.rounds or limits.HORIZONS[-1]
        horizons = tuple(horizon for horizon in limits.HORIZONS if horizon <= most)
        seeds = range(request.first_seed, request.first_seed + n_seeds)
        groups = limits.limit_runs(self._contestants("limit"), spreads, horizons, seeds)
        yield limits.limit_section(self._outcomes("limit", groups), horizons)

    def _features(self) -> Iterator[Section]:
        request = self.request
        rounds = request.rounds or feature_races.ROUNDS
        n_seeds = request.seeds or (5 if request.quick else feature_races.N_SEEDS)
        groups = feature_races.feature_races(n_seeds, rounds, request.first_seed)
        found = self._outcomes("features", groups)
        lines = feature_races.linear_races(n_seeds, rounds, request.first_seed)
        linear = self._outcomes("features, maxin", lines)
        yield feature_races.features_section(found, linear, rounds)

    def _paper(self) -> Iterator[Section]:
        request = self.request
        names = request.schedulers or paper_games.OURS
        n_seeds = request.seeds or (5 if request.quick else paper_games.N_SEEDS)
        by_aim: dict[str, list[Line]] = {"regret": [], "curves": []}
        games, tuned_on = load_games(request.paper), range(0)
        for experiment in paper_games.experiments(names, request.first_seed, n_seeds):
            here = experiment.only(list(games)).smaller(
                request.tuning_seeds, request.rounds, request.quick
            )
            here, tuned_on = replace(here, n_fresh=n_seeds), here.tuning_seeds
            by_aim[here.shows] += lines(here, games, ("held-out",), self.pool.complete)
        yield paper_games.regret_section(by_aim["regret"], names, tuned_on)
        yield paper_games.rank_section(by_aim["curves"], names, tuned_on)
        yield paper_games.limits_section(games)

    def _cost(self) -> Iterator[Section]:
        sizes = SIZES[:1] if self.request.quick else SIZES
        yield cost_section(costs(self.schedulers, sizes), self.figures)
