"""`maxin plan`: how many matches a tournament will probably take."""

import math
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from rich.console import Console

from maxin.cli.config.config_file import Config, read_config
from maxin.cli.config.flags import n_cores, setting, values
from maxin.cli.config.match_config import match_config
from maxin.cli.config.players import players_of
from maxin.cli.config.settings import (
    SECONDS,
    FormatOption,
    Goal,
    PlanSettings,
    PlayerFlags,
    RunSettings,
    Scheduler,
    Seed,
    TournamentSettings,
    Workers,
    stop_of,
)
from maxin.cli.output.printing import present
from maxin.cli.output.progress import ProgressBars
from maxin.cli.output.tables.plan_table import plan_table
from maxin.core import InvalidInput, PlanTerms
from maxin.core.declaration import number, whole
from maxin.core.units import ELO_PER_NAT
from maxin.simulation import plan as make_plan

FEW_PLAYERS = 16  # a plan for so many takes about a second
PARTS = 4  # lines of progress that are printed where there is no terminal


def plan(
    field: Annotated[
        str | None,
        Parameter(help="The number of players, or a config file.", metavar="N|CONFIG"),
    ] = None,
    /,
    *,
    players: Annotated[
        str | None,
        Parameter(help="Files as players: a glob in quotes, 'bots/*.py'.", metavar="GLOB"),
    ] = None,
    goal: Goal = None,
    scheduler: Scheduler = None,
    stop: Annotated[PlanSettings, Parameter("*")] = PlanSettings(),
    spread: Annotated[
        float | None,
        setting(
            number("a positive number of Elo points", lambda value: 0.0 < value < math.inf),
            "How much the players differ: the standard deviation of their strengths.",
            "ELO",
            shown=f"{ELO_PER_NAT:.0f}",
        ),
    ] = None,
    seconds_per_match: Annotated[
        float | None,
        setting(SECONDS, "How long a match takes, to estimate hours too.", "SECONDS"),
    ] = None,
    workers: Workers = None,
    tournaments: Annotated[
        int | None,
        setting(
            whole(1),
            "How many tournaments to simulate per scheduler.",
            "N",
            shown="20, and fewer with many players",
        ),
    ] = None,
    seed: Seed = None,
    format: FormatOption = "text",
) -> None:
    """Estimate how many matches a tournament will take, by simulating many.

    The strengths of the players are drawn from a normal distribution. Your scheduler is compared
    with a round robin and with random matches, on the same players and with the same stopping
    rule as a real run. Without a budget, they end undecided after 100 matches per player.
    """
    flags = TournamentSettings(goal=goal, scheduler=scheduler, seed=seed)
    run = RunSettings(**vars(stop), workers=workers)
    config, n_players = _planned(field, players, flags, run)
    terms = {
        "goal": config.tournament.goal,
        "scheduler": config.tournament.scheduler,
        "seed": config.tournament.seed,
        "spread": spread,
        "n_tournaments": tournaments,
    }
    known: dict[str, Any] = {key: value for key, value in terms.items() if value is not None}
    stopped = vars(stop_of(config.run))
    known |= {name: stopped[name] for name in PlanTerms.__annotations__}
    with ProgressBars(Console(stderr=True), is_transient=True, lines=PARTS) as progress:
        found = make_plan(n_players, **known, processes=_processes(n_players), progress=progress)
    present(plan_table(found, seconds_per_match, values(config.run)["workers"]), format)


def _processes(n_players: int) -> int:
    """How many processes simulate: one if it finishes before others would have started."""
    return 1 if n_players <= FEW_PLAYERS else n_cores()


def _planned(
    field: str | None, pattern: str | None, tournament: TournamentSettings, run: RunSettings
) -> tuple[Config, int]:
    """The tournament to plan, and its number of players."""
    if field is not None and field.lstrip("-").isdigit():
        return Config().with_flags(tournament, run), int(field)
    path = None if field is None else Path(field)
    config = read_config(path).with_flags(tournament, run)
    match = match_config(config.match)
    players = players_of(config, PlayerFlags(players=pattern))
    names = [player.name for player in players]
    if not names and match is not None:
        names = match.names(config.tournament.seed or 0)
    if not names:
        raise InvalidInput("a plan needs players: their number, --players or a config file")
    return config, len(names)
