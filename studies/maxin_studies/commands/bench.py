"""`maxin bench`: schedulers measured on games whose truth is known."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from maxin.cli.config.flags import default_of, given, repeated, setting, switch
from maxin.cli.config.settings import RayAddress
from maxin.core import InvalidInput
from maxin.core.declaration import CONFIDENCE, one_of, whole
from maxin.core.stop import ELO_POINTS
from maxin_studies.benchmarks.bench import QUESTIONS
from maxin_studies.benchmarks.bench import bench as run_bench
from maxin_studies.benchmarks.entries.entering import enter
from maxin_studies.commands.running import print_tables, run_experiment

BENCH = "maxin_studies:bench"
ENTRY_OPTIONS = ("entry", "out", "workers", "ray")
FLAGS = {"games": "--game", "schedulers": "--scheduler"}  # named otherwise than their settings


@dataclass(frozen=True, kw_only=True)
class BenchOptions:
    """The options of `maxin bench`: those of `maxin_studies.bench` and `enter`, and a cluster."""

    games: Annotated[
        tuple[str, ...] | None,
        repeated(
            "A game (see `maxin games`), e.g. field:n_players=50,kappa=1, or a file; repeat it for "
            "more.",
            "GAME",
            name="--game",
            shown="fields of 10, 30 and 100 players",
        ),
    ] = None
    schedulers: Annotated[
        tuple[str, ...] | None,
        repeated(
            "A scheduler with options, as in `maxin simulate`; repeat it for more.",
            "NAME",
            name="--scheduler",
            shown="top-two, double-thompson, random+bradley-terry, round-robin:cycles=none, "
            "swiss, swiss-information, information, halving, gauntlet",
        ),
    ] = None
    seeds: Annotated[int | None, setting(whole(1), "How many seeds.", "N", shown="30 to 400")] = (
        None
    )
    first_seed: Annotated[
        int | None,
        setting(
            whole(1000),
            "The first seed; seeds below 1000 choose settings.",
            "N",
            default=default_of(f"{BENCH}.first_seed"),
        ),
    ] = None
    rounds: Annotated[
        int | None, setting(whole(10), "Most matches per run, for all games.", "N")
    ] = None
    in_flight: Annotated[
        int | None,
        setting(
            whole(2, 1000),
            "Matches pending at the same time, compared with one at a time.",
            "N",
            default=default_of(f"{BENCH}.in_flight"),
        ),
    ] = None
    confidence: Annotated[
        float | None,
        setting(
            CONFIDENCE,
            "Confidence at which tournaments stop.",
            "NUMBER",
            default=default_of(f"{BENCH}.confidence"),
        ),
    ] = None
    tolerance: Annotated[
        float | None,
        setting(
            ELO_POINTS,
            "By how much the player named may miss the best.",
            "ELO",
            default=default_of(f"{BENCH}.tolerance"),
        ),
    ] = None
    paper: Annotated[
        Path | None,
        Parameter(
            help="Folder of the paper's payoff files; by default its games are made from rules.",
            metavar="FOLDER",
        ),
    ] = None
    tuning_seeds: Annotated[
        int | None,
        setting(
            whole(1, 1000),
            "How many seeds choose the settings of the paper's schedulers: 0, 1 and so on.",
            "N",
            default=default_of(f"{BENCH}.tuning_seeds"),
        ),
    ] = None
    out: Annotated[
        Path | None,
        Parameter(
            help="Folder of the results and the stored runs.",
            metavar="FOLDER",
            show_default=lambda _: "out/bench",
        ),
    ] = None
    workers: Annotated[int | None, setting(whole(1), "Processes.", "N", shown="one per core")] = (
        None
    )
    ray: RayAddress = None
    quick: Annotated[bool, switch("A first look, in about a minute.")] = False
    entry: Annotated[
        str | None,
        Parameter(
            help="Play the frozen set of the leaderboard with this scheduler instead, and write "
            "one result file: a class, as package:Class, or a name as for --scheduler. Only "
            "--out, --workers and --ray go with it.",
            metavar="NAME",
        ),
    ] = None


def bench(
    *questions: Annotated[
        str,
        setting(
            one_of(*QUESTIONS),
            "best: how soon the best player is found; loss: how far the player named is below the "
            "best; goals: the top three, the ranking and the ratings of all; stop: when "
            "tournaments stop; scores: the same with draws, two-game matches and grades; flight: "
            "the cost of pending matches; limit: the loss beside that of the best choice of "
            "matches that exists; features: what features of players are worth; judges: stops "
            "where judges err; paper: the paper's games; cost: the time per round. All by "
            "default.",
            "QUESTIONS...",
        ),
    ],
    options: Annotated[BenchOptions, Parameter("*")] = BenchOptions(),
) -> int:
    """Measure schedulers: matches to the best player or a ranking, loss, stops, regret, cost.

    Writes benchmarks.md and its figures. Each run is stored; a stopped command resumes where it
    left off.
    """
    asked = given(options)
    if options.entry is None:
        report = run_experiment(run_bench, questions or None, **asked)
    else:
        report = run_experiment(enter, **_of_entry(questions, asked))
    print_tables(report)
    print(f"\nResults: {report.path}")
    return 0


def _of_entry(questions: Sequence[str], asked: Mapping[str, Any]) -> dict[str, Any]:
    """The options of an entry, or an error: all others are frozen."""
    of_entry = {name: asked[name] for name in ENTRY_OPTIONS if name in asked}
    flags = [
        FLAGS.get(name, f"--{name.replace('_', '-')}")
        for name, value in asked.items()
        if name not in of_entry and value is not False
    ]
    if frozen := [*questions, *flags]:
        raise InvalidInput(
            "--entry plays a set of games, seeds and budgets that is frozen; only --out, "
            f"--workers and --ray go with it, not {', '.join(frozen)}"
        )
    return of_entry
