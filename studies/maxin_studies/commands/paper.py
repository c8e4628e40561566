"""`maxin paper`: the figures and tables of the paper, reproduced and compared."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.console import Console

from maxin.cli.config.flags import given, repeated, setting, switch
from maxin.cli.config.settings import RayAddress
from maxin.core import InvalidInput
from maxin.core.declaration import one_of, whole
from maxin_studies.commands.running import print_tables, run_experiment
from maxin_studies.reproduction.own_game import reproduce_on
from maxin_studies.reproduction.reproduce import PARTS, Reproduction, reproduce
from maxin_studies.reproduction.tuning import PROTOCOLS

COLOURS = {True: "green", False: "red", None: "yellow"}


@dataclass(frozen=True, kw_only=True)
class PaperOptions:
    """The options of `maxin paper`: those of `reproduce` and `reproduce_on`, and a cluster."""

    protocols: Annotated[
        tuple[str, ...] | None,
        repeated(
            "How settings are chosen: per seed in hindsight (hindsight), on other seeds "
            "(held-out), or per seed for the algorithms of the authors' scripts (as-printed).",
            "NAME",
            name="--protocol",
            shown="all; with --quick, the first two",
            rule=one_of(*PROTOCOLS),
        ),
    ] = None
    seeds: Annotated[
        int | None,
        setting(
            whole(1, 1000), "Seeds that choose settings; four times as many measure them.", "N"
        ),
    ] = None
    rounds: Annotated[int | None, setting(whole(10), "Matches per run, for all games.", "N")] = None
    games: Annotated[
        Path | None,
        Parameter(
            help="Folder of payoff files such as the paper's; by default games are made from "
            "rules.",
            metavar="FOLDER",
        ),
    ] = None
    game: Annotated[
        str | None,
        Parameter(
            help="Run the paper's protocol on this game instead: a .npy or .csv file of payoffs or "
            "win probabilities, or one of `maxin games`.",
            metavar="GAME",
        ),
    ] = None
    workers: Annotated[int | None, setting(whole(1), "Processes.", "N", shown="one per core")] = (
        None
    )
    ray: RayAddress = None
    out: Annotated[
        Path | None,
        Parameter(
            help="Folder of the report and the stored runs. A report of some parts, or a quick "
            "one, is in a folder of its own in it.",
            metavar="FOLDER",
            show_default=lambda _: "out/paper",
        ),
    ] = None
    extra: Annotated[bool, switch("Add baselines that the paper lacks to Figures 1 to 3.")] = False
    quick: Annotated[
        bool, switch("A first look, in about a minute, without the authors' scripts.")
    ] = False


def paper(
    *parts: Annotated[
        str,
        setting(
            one_of(*PARTS),
            "figure1 to figure4, gamma, dimension, batch, printed, theory, table1 or table2; all "
            "by default, but for printed with --quick.",
            "PARTS...",
        ),
    ],
    options: Annotated[PaperOptions, Parameter("*")] = PaperOptions(),
) -> int:
    """Reproduce the paper: every figure and table, with what holds and what does not.

    Each run is stored; a stopped command resumes where it left off.
    """  # fmt: skip
    if options.game is not None:
        if parts or options.games:
            raise InvalidInput("--game runs the protocol on one game: leave out PARTS and --games")
        own = run_experiment(reproduce_on, **given(options))
        print_tables(own)
        print(f"\nReport: {own.path}")
        return 0
    report = run_experiment(reproduce, parts or None, **given(options))
    _print_claims(report)
    print(f"\nReport: {report.path}")
    return 0


def _print_claims(report: Reproduction) -> None:
    console = Console(highlight=False, soft_wrap=True)
    for name in report.skipped:
        console.print(f"{name} is not among the games; skipped", style="dim")
    for claim in report.claims:
        console.print(f"[{COLOURS[claim.holds]}]{claim.verdict.lower()}[/]", end=" ")
        console.print(f"({claim.place}, {claim.protocol}) {claim.text}", markup=False)
    console.print("\n".join(report.summary), markup=False)
