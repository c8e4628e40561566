"""`maxin paper`: the paper's figures and tables, run, drawn and compared with the print."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from maxin.cli.output.progress import Work
from maxin.core import InvalidInput

if TYPE_CHECKING:
    from maxin.experiments.reproduction.claims import EndPoints, Study
    from maxin.experiments.reproduction.experiments import Experiment
    from maxin.experiments.reproduction.report import Section
    from maxin.games import Game


class Protocol(StrEnum):
    """How settings are chosen."""

    hindsight = "hindsight"
    held_out = "held-out"
    both = "both"


class Part(StrEnum):
    """What there is to run."""

    figure1 = "figure1"
    figure2 = "figure2"
    figure3 = "figure3"
    figure4 = "figure4"
    gamma = "gamma"
    dimension = "dimension"
    batch = "batch"
    theory = "theory"
    table1 = "table1"
    table2 = "table2"


def paper(
    parts: Annotated[
        list[Part] | None, typer.Argument(help="What to run; everything by default.")
    ] = None,
    protocol: Annotated[
        Protocol,
        typer.Option(help="Settings chosen per seed in hindsight, on other seeds, or both."),
    ] = Protocol.both,
    seeds: Annotated[
        int | None,
        typer.Option(
            min=1, max=1000, help="Seeds that choose settings; four times as many are fresh."
        ),
    ] = None,
    rounds: Annotated[
        int | None, typer.Option(min=10, help="Matches a run, for all games.")
    ] = None,
    games: Annotated[
        Path | None,
        typer.Option(
            help="Folder of payoff files such as the paper's; else games made from rules."
        ),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes.", show_default="one per core")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder of the report and the stored runs.")] = Path(
        "out/paper"
    ),
    extra: Annotated[
        bool, typer.Option("--extra", help="Add baselines the paper lacks to Figures 1 to 3.")
    ] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="A first look, in about a minute.")
    ] = False,
) -> None:
    """Reproduce the paper: every figure and table, with what holds and what does not.

    Runs are stored as they are done: stopped at any moment, the next call goes on from there.
    """
    from maxin.experiments.reproduction.claims import Study
    from maxin.experiments.reproduction.experiments import load_games
    from maxin.experiments.reproduction.report import write_report

    console = Console()
    found = load_games(games)
    wanted = list(dict.fromkeys(parts or Part))
    try:
        (out / "figures").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"--out {str(out)!r} cannot be a folder: {error}") from error
    work = Work(out / "runs", workers, console)
    protocols = ("hindsight", "held-out") if protocol is Protocol.both else (protocol.value,)
    printed = _printed(games)
    figures = list(_experiments(wanted, found, seeds, rounds, extra, quick, console))
    try:
        with work:
            studies = [Study(one, list(work.lines(one, found, protocols))) for one in figures]
    except KeyboardInterrupt:
        typer.echo("Interrupted; finished runs are kept. The same command goes on from here.")
        raise typer.Exit(130) from None
    sections = [*_sections(studies, printed, out), *_tables(wanted, found, quick, console)]
    if not sections:
        raise InvalidInput(f"none of the games of {', '.join(wanted)} is there; nothing was run")
    intro = [_source(games), *([_method(figures, protocols)] if figures else [])]
    page = write_report("The paper, reproduced", intro, sections, out)
    _print_claims(studies, printed, console)
    console.print(f"\nReport: {page}", highlight=False, soft_wrap=True)


def _experiments(
    wanted: list[Part], games: dict[str, Game], seeds: int | None, rounds: int | None,
    extra: bool, quick: bool, console: Console,
) -> Iterator[Experiment]:  # fmt: skip
    """The figures asked for, on the games there are."""
    from dataclasses import replace

    from maxin.experiments.reproduction.experiments import EXTRAS, FIGURES, batch_experiments

    figures = [FIGURES[part.value] for part in wanted if part.value in FIGURES]
    if Part.batch in wanted:
        figures += batch_experiments(games)
    missing = {game.name for figure in figures for game in figure.games} - set(games)
    for name in sorted(missing):
        console.print(f"[dim]{name} has no file, and is not made from rules; skipped[/]")
    for figure in figures:
        if extra and figure.name in ("figure1", "figure2", "figure3"):
            figure = replace(figure, algorithms=(*figure.algorithms, *EXTRAS))
        here = figure.only(list(games)).smaller(seeds, rounds, quick)
        if here.games:
            yield here


def _sections(studies: list[Study], printed: EndPoints, out: Path) -> Iterator[Section]:
    from maxin.experiments.reproduction.report import figure_section

    for study in studies:
        yield figure_section(study, printed, out / "figures")


def _tables(
    wanted: list[Part], games: dict[str, Game], quick: bool, console: Console
) -> Iterator[Section]:
    """The parts that are tables."""
    from maxin.experiments.reproduction.complexity import ALGORITHMS, growth
    from maxin.experiments.reproduction.experiments import ELO_GAMES
    from maxin.experiments.reproduction.report import games_section, growth_section, theory_section
    from maxin.experiments.reproduction.theory import check_theory

    if Part.theory in wanted:
        here = [games[game.name] for game in ELO_GAMES if game.name in games]
        with console.status("theory"):
            checks = [
                check_theory(game, 1000, round(share * game.n_players), seed=0)
                for game in (here[:2] if quick else here)
                for share in (0.7, 5.0)
            ]
        if checks:
            yield theory_section(checks)
    if Part.table1 in wanted:
        sizes = ((200, 400, 800), (20, 40, 80)) if quick else ()
        with console.status("table 1: time and memory"):
            yield growth_section([growth(name, *sizes) for name in ALGORITHMS])
    if Part.table2 in wanted:
        yield games_section(games)


def _printed(games: Path | None) -> EndPoints:
    """The printed end points, where they stand beside the payoff files."""
    from maxin.experiments.reproduction.report import read_end_points

    if games is None:
        return {}
    places = (games / "figures.csv", games.parent / "paper" / "figures.csv")
    return next((read_end_points(path) for path in places if path.is_file()), {})


def _source(games: Path | None) -> str:
    source = "games made from rules" if games is None else "payoff files such as the paper's own"
    return f"Played on {source}. Lines are means, bands one standard deviation."


def _method(figures: list[Experiment], protocols: tuple[str, ...]) -> str:
    """How settings were chosen and differences judged, in a paragraph."""
    seeds = max(figure.n_seeds for figure in figures)
    fresh = max(figure.n_fresh for figure in figures)
    words = {
        "hindsight": f"Under `hindsight` each of {seeds} seeds has the setting that did best on "
        "it, as in the paper.",
        "held-out": f"Under `held-out` the one setting that did best on {seeds} seeds plays "
        f"{fresh} fresh ones.",
    }
    gap = (
        "The gap between the two is how much of a curve is the luck of the setting; the more "
        "settings, the more luck. "
        if len(protocols) == 2
        else ""
    )
    return (
        " ".join(words[protocol] for protocol in protocols) + f" {gap}Players of equal rating "
        "share the better place, so that a line may stand high while many are tied; while all "
        "are equal, nobody is ranked, and the best player counts as standing in the middle. "
        "Numbers after ± are standard deviations in the tables and standard errors in the "
        "sentences; where Student's t at 95 % does not tell two means apart, the sentence says "
        "that it cannot be told."
    )


def _print_claims(studies: list[Study], printed: EndPoints, console: Console) -> None:
    from maxin.experiments.reproduction.claims import claims
    from maxin.experiments.reproduction.report import VERDICTS

    for study in studies:
        for claim in claims(study, printed):
            colour = {True: "green", False: "red", None: "yellow"}[claim.holds]
            verdict = f"[{colour}]{VERDICTS[claim.holds].lower()}[/]"
            console.print(
                f"{verdict} ({claim.protocol}) {claim.text}", highlight=False, soft_wrap=True
            )
