"""`maxin bench`: schedulers on games whose truth is known, measured on seeds that chose nothing."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from maxin.cli.output.progress import Work
from maxin.core import InvalidInput

if TYPE_CHECKING:
    from maxin.experiments.benchmarks.questions import Arena, Question
    from maxin.experiments.benchmarks.races import Race
    from maxin.experiments.benchmarks.report import Courses
    from maxin.experiments.benchmarks.stops import Ending, Stop
    from maxin.experiments.reproduction.report import Section
    from maxin.experiments.reproduction.tuning import Line


WIDE = 160  # columns of a table that goes to a file


class Part(StrEnum):
    """The questions."""

    best = "best"
    goals = "goals"
    stop = "stop"
    flight = "flight"
    paper = "paper"
    cost = "cost"


ON_POSTERIOR = (Part.stop, Part.flight)  # what only a scheduler with a posterior can answer


def bench(
    parts: Annotated[
        list[Part] | None,
        typer.Argument(
            help="How soon the best is found, or the three best and the ranking, when tournaments "
            "stop, what matches in flight cost, the paper's games, what a round costs; everything "
            "by default."
        ),
    ] = None,
    game: Annotated[
        list[str] | None,
        typer.Option(
            help="A game (see `maxin games`), e.g. field:n_players=50,kappa=1, or a file; again "
            "for more.",
            show_default="fields of 10, 30 and 100",
        ),
    ] = None,
    scheduler: Annotated[
        list[str] | None,
        typer.Option(
            help="A scheduler, with settings as in `maxin simulate`; again for more.",
            show_default="top-two, double-thompson, random+bradley-terry, round-robin:cycles=none",
        ),
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(min=1, help="How many seeds.", show_default="50 to 2000")
    ] = None,
    first_seed: Annotated[
        int, typer.Option(min=1000, help="The first of them; seeds below 1000 choose settings.")
    ] = 10_000,
    rounds: Annotated[
        int | None, typer.Option(min=10, help="Matches a run at most, for all games.")
    ] = None,
    in_flight: Annotated[
        int, typer.Option(min=2, max=1000, help="Matches at once, against one at a time.")
    ] = 16,
    confidence: Annotated[float, typer.Option(help="How sure a stop is to be.")] = 0.95,
    indifference: Annotated[
        float, typer.Option(min=0.0, help="Elo points that do not matter, for ties.")
    ] = 50.0,
    paper: Annotated[
        Path | None,
        typer.Option(help="Folder of the paper's payoff files; else its games made from rules."),
    ] = None,
    tuning_seeds: Annotated[
        int,
        typer.Option(min=1, max=1000, help="Seeds 0, 1, ... that choose the paper's settings."),
    ] = 5,
    out: Annotated[Path, typer.Option(help="Folder of the results and the stored runs.")] = Path(
        "out/bench"
    ),
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes.", show_default="one per core")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A first look, in about a minute.")
    ] = False,
) -> None:
    """Measure schedulers: matches to the best or a ranking, stops, matches in flight, regret, cost.

    Writes benchmarks.md and its pictures. Runs are stored as they are done: stopped at any
    moment, the next call goes on from there.
    """
    console = Console()
    if not 0.5 <= confidence < 1.0:
        raise InvalidInput(f"--confidence is from 0.5 to below 1; got {confidence:g}")
    if not math.isfinite(indifference):
        raise InvalidInput(f"--indifference is a number of Elo points; got {indifference:g}")
    asked = Asked(
        game,
        scheduler,
        seeds,
        first_seed,
        rounds,
        in_flight,
        confidence,
        indifference,
        paper,
        tuning_seeds,
        quick,
    )
    try:
        (out / "figures").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"--out {str(out)!r} cannot be a folder: {error}") from error
    bench = Bench(asked, out, Work(out / "runs", workers, console))
    wanted = list(dict.fromkeys(parts or bench.usual_parts()))
    bench.check(wanted)
    try:
        sections = bench.sections(wanted)
    except KeyboardInterrupt:
        typer.echo("Interrupted; finished runs are kept. The same command goes on from here.")
        raise typer.Exit(130) from None
    wide = console if console.is_terminal else Console(width=WIDE)
    for section in sections:
        wide.print(table_of(section))
    console.print(f"\nResults: {bench.write(sections)}", highlight=False, soft_wrap=True)


@dataclass(frozen=True)
class Asked:
    """The options, as given."""

    games: list[str] | None
    schedulers: list[str] | None
    seeds: int | None
    first_seed: int
    rounds: int | None
    in_flight: int
    confidence: float
    indifference: float
    paper: Path | None
    tuning_seeds: int
    quick: bool


class Bench:
    """Turns what was asked into runs, and runs into sections."""

    def __init__(self, asked: Asked, out: Path, work: Work) -> None:
        from maxin.experiments.benchmarks.questions import SCHEDULERS, with_posterior

        self.asked, self.out, self.work = asked, out, work
        self.schedulers = list(asked.schedulers or SCHEDULERS)
        sure = with_posterior(self.schedulers)
        self.sure = sure if asked.schedulers else sure[:1]  # that can say when to stop

    def usual_parts(self) -> list[Part]:
        """What is done when no part is named: all that makes sense."""
        parts = list(Part) if self.asked.games is None else [Part.best, Part.goals, *ON_POSTERIOR]
        return [part for part in parts if self.sure or part not in ON_POSTERIOR]

    def check(self, wanted: list[Part]) -> None:
        """Raise if anything is asked amiss, before long work."""
        from maxin.experiments.plotting import need_matplotlib
        from maxin.experiments.reproduction.experiments import load_games

        need_matplotlib()
        if set(ON_POSTERIOR) & set(wanted) and not self.sure:
            raise InvalidInput(
                f"stops and matches in flight need a scheduler with a posterior, such as top-two; "
                f"got {', '.join(self.schedulers)}"
            )
        for part in set(wanted) & {Part.best, Part.goals, *ON_POSTERIOR}:
            self._question(part)
        if Part.paper in wanted:
            load_games(self.asked.paper)

    def sections(self, wanted: list[Part]) -> list[Section]:
        """The answers, one or more per part."""
        answers = {
            Part.best: self._best,
            Part.goals: self._goals,
            Part.stop: self._stop,
            Part.flight: self._flight,
            Part.paper: self._paper,
            Part.cost: self._cost,
        }
        with self.work:
            return [section for part in wanted for section in answers[part]()]

    def _question(self, part: Part) -> Question:
        """The games and seeds of a part."""
        from maxin.experiments.benchmarks import questions as bench

        standard = {
            Part.best: bench.BEST,
            Part.goals: bench.GOALS,
            Part.stop: bench.STOP,
            Part.flight: bench.FLIGHT,
        }[part]
        if self.asked.games is not None:
            flights = (1, self.asked.in_flight) if part is Part.stop else (1,)
            standard = bench.question(self.asked.games, standard.n_seeds, flights)
        if self.asked.quick:
            quick = {Part.stop: (3, 20, 800), Part.flight: (2, 20, 400)}
            standard = standard.smaller(*quick.get(part, (2, 20, 600)))
        question = bench.with_numbers(standard, self.asked.seeds, self.asked.rounds)
        by_goal = {"best": self.sure if part in ON_POSTERIOR else self.schedulers}
        for names in (self._by_goal() if part is Part.goals else by_goal).values():
            bench.check_contestants(question, names)
        return question

    def _by_goal(self) -> dict[str, list[str]]:
        """The schedulers that are tried on each goal."""
        from maxin.experiments.benchmarks.questions import GOALS_OF

        return {goal: self.asked.schedulers or list(names) for goal, names in GOALS_OF.items()}

    def _best(self) -> Iterator[Section]:
        from maxin.experiments.benchmarks.report import best_section

        question = self._question(Part.best)
        yield best_section(self._courses("best", question, self.schedulers, 1), self.figures)

    def _goals(self) -> Iterator[Section]:
        from maxin.experiments.benchmarks.report import goals_section

        question = self._question(Part.goals)
        courses = {
            goal: self._courses(f"goals, {goal}", question, names, 1)
            for goal, names in self._by_goal().items()
        }
        yield goals_section(courses, self.figures)

    def _flight(self) -> Iterator[Section]:
        from maxin.experiments.benchmarks.report import flight_section

        question, many = self._question(Part.flight), self.asked.in_flight
        alone, flying = (
            self._courses(f"flight, {number}", question, self.sure, number) for number in (1, many)
        )
        yield flight_section(alone, flying, many, self.figures)

    def _courses(
        self, name: str, question: Question, schedulers: list[str], in_flight: int
    ) -> Courses:
        """Races of every scheduler on every game."""
        from maxin.experiments.archive import Archive
        from maxin.experiments.benchmarks.questions import by_seed, races
        from maxin.experiments.benchmarks.races import Course, run_race

        groups = races(question, schedulers, self.asked.first_seed, in_flight)
        archive: Archive[Race, Course] = Archive(self.work.folder / "races", Course)
        done = self.work.complete(name, by_seed(groups.values()), run_race, archive)
        return {where: [done[race] for race in some] for where, some in groups.items()}

    def _stop(self) -> Iterator[Section]:
        from maxin.experiments.benchmarks.questions import HARD, with_numbers
        from maxin.experiments.benchmarks.report import rules_section, stop_section

        asked, questions = self.asked, [self._question(Part.stop)]
        if asked.games is None and not asked.quick:
            questions.append(with_numbers(HARD, asked.seeds, asked.rounds))
        endings = {
            name: {arena: some for one in questions for arena, some in self._endings(one, name)}
            for name in self.sure
        }
        yield stop_section(endings, asked.confidence, asked.indifference, self.figures)
        yield rules_section(endings)

    def _endings(self, question: Question, scheduler: str) -> Iterator[tuple[Arena, list[Ending]]]:
        """Tournaments with a stop on every game."""
        from maxin.experiments.archive import Archive
        from maxin.experiments.benchmarks.questions import by_seed, stops
        from maxin.experiments.benchmarks.stops import Ending, run_stop

        asked = self.asked
        groups = stops(question, scheduler, asked.first_seed, asked.confidence, asked.indifference)
        archive: Archive[Stop, Ending] = Archive(self.work.folder / "stops", Ending)
        done = self.work.complete(f"stop, {scheduler}", by_seed(groups.values()), run_stop, archive)
        for arena, some in groups.items():
            yield arena, [done[stop] for stop in some]

    def _paper(self) -> Iterator[Section]:
        from dataclasses import replace

        from maxin.experiments.benchmarks import paper_games as bench_paper
        from maxin.experiments.reproduction.experiments import load_games

        asked = self.asked
        names = asked.schedulers or list(bench_paper.OURS)
        n_seeds = asked.seeds or (5 if asked.quick else bench_paper.N_SEEDS)
        by_aim: dict[str, list[Line]] = {"regret": [], "curves": []}
        games, tuned_on = load_games(asked.paper), range(0)
        for experiment in bench_paper.experiments(names, asked.first_seed, n_seeds):
            here = experiment.only(list(games)).smaller(
                asked.tuning_seeds, asked.rounds, asked.quick
            )
            here, tuned_on = replace(here, n_fresh=n_seeds), here.tuning_seeds
            by_aim[here.shows] += self.work.lines(here, games, ("held-out",))
        yield bench_paper.regret_section(by_aim["regret"], names, tuned_on)
        yield bench_paper.rank_section(by_aim["curves"], names, tuned_on)
        yield bench_paper.limits_section(games)

    def _cost(self) -> Iterator[Section]:
        from maxin.experiments.benchmarks.costs import SIZES, costs
        from maxin.experiments.benchmarks.report import cost_section

        sizes = SIZES[:1] if self.asked.quick else SIZES
        yield cost_section(costs(self.schedulers, sizes), self.figures)

    @property
    def figures(self) -> Path:
        """The folder of pictures."""
        return self.out / "figures"

    def write(self, sections: list[Section]) -> Path:
        """Write benchmarks.md; returns its path."""
        from maxin.experiments.reproduction.report import markdown

        intro = [
            f"Made by `maxin bench`, on seeds from {self.asked.first_seed} on, on which nothing "
            "was chosen."
        ]
        path = self.out / "benchmarks.md"
        path.write_text(markdown("Benchmarks", intro, sections, self.out))
        return path


def table_of(section: Section) -> Table:
    """A section's table for the terminal."""
    table = Table(*section.header, title=Text(section.title, style="bold"), title_justify="left")
    for column in table.columns[1:]:
        column.justify = "right"
    for row in section.rows:
        table.add_row(*(Text(cell, overflow="fold") for cell in row))
    return table
