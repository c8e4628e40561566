"""`maxin plan`: what a tournament will probably cost, before it costs anything."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from maxin.cli.config import player_config as entries
from maxin.cli.config.config import SECONDS, Config, n_cores, read_config
from maxin.cli.config.match_config import way_of
from maxin.cli.config.open_tournament import rules
from maxin.cli.output.tables import Format, FormatOption, present, table
from maxin.core import InvalidInput

if TYPE_CHECKING:
    from maxin.experiments.planning import Forecast, Plan

LOW, HALF, HIGH = 0.1, 0.5, 0.9  # shares of tournaments


def plan(
    field: Annotated[
        str | None,
        typer.Argument(
            metavar="N|CONFIG", help="How many players, or a TOML file.", show_default=False
        ),
    ] = None,
    players: Annotated[
        str | None, typer.Option(help="Files as players: a glob in quotes, 'bots/*.py'.")
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(help="Who plays next.", show_default="top-two")
    ] = None,
    confidence: Annotated[
        float | None, typer.Option(help="How surely the top must be known.", show_default="0.95")
    ] = None,
    k: Annotated[int | None, typer.Option(help="The size of the top.", show_default="1")] = None,
    spread: Annotated[
        float | None,
        typer.Option(
            help="How far the players' strengths lie apart: their standard deviation, in Elo "
            "points.",
            show_default="174",
        ),
    ] = None,
    seconds_per_match: Annotated[
        float | None, typer.Option(help="How long a match takes, to have hours too.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="Matches played at a time.", show_default="1")
    ] = None,
    tournaments: Annotated[
        int | None,
        typer.Option(min=1, help="How many to simulate.", show_default="40, or down to 10"),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="The same seed gives the same numbers.", show_default="0")
    ] = None,
    format: FormatOption = Format.TEXT,
) -> None:
    """Estimate how many matches a tournament will take, by simulating many.

    Players' strengths are drawn from a normal distribution. Your scheduler stands beside a round
    robin and random matches, on the same players, ended by the same rule as a real run.
    """
    from maxin.core.units import ELO_PER_NAT
    from maxin.experiments.planning import plan as forecast
    from maxin.tournament.settings import settled

    flags = {"scheduler": scheduler, "confidence": confidence, "k": k, "workers": workers}
    config, n_players = _said(field, players, {**flags, "seed": seed})
    seconds = (
        None
        if seconds_per_match is None
        else SECONDS.read(seconds_per_match, "--seconds-per-match")
    )
    settings = settled({}, rules(config))
    with _progress() as advance:
        found = forecast(
            n_players,
            scheduler=settings.scheduler,
            confidence=config.confidence or 0.95,
            k=None if settings.seeks_order and config.k == 1 else max(config.k, settings.k),
            spread=ELO_PER_NAT if spread is None else spread,
            n_tournaments=tournaments,
            seed=config.seed or 0,
            processes=n_cores(),
            progress=advance,
        )
    present(Forecasts(found, seconds, config.workers), format)


def _said(field: str | None, pattern: str | None, flags: dict[str, Any]) -> tuple[Config, int]:
    """What is planned, and for how many players."""
    if field is not None and field.lstrip("-").isdigit():
        return Config().overridden(flags, {}), int(field)
    config = (Config() if field is None else read_config(Path(field))).overridden(flags, {})
    way = way_of(config.match)
    entrants = entries.field(config.players, config.defaults, pattern=pattern)
    names = [entrant.name for entrant in entrants] or (way.names(config.seed or 0) if way else [])
    if not names:
        raise InvalidInput("a plan needs players: their number, --players or a config file")
    return config, len(names)


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """A bar on the terminal, gone when all is done; results go elsewhere."""
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(
        TextColumn("simulated tournaments"),
        *columns,
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as bar:
        task = bar.add_task("simulated")
        yield lambda done, total: bar.update(task, completed=done, total=total)


class Forecasts:
    """What every scheduler would take.

    Args:
        plan: the forecasts.
        seconds: a match lasts; None if nobody said.
        workers: how many are played at a time.
    """

    def __init__(self, plan: Plan, seconds: float | None, workers: int) -> None:
        self.plan, self.seconds, self.workers = plan, seconds, workers

    def document(self) -> Any:
        """Numbers of matches and hours are null where too few tournaments were decided."""
        plan = self.plan
        return {
            "n_players": plan.n_players,
            "k": plan.k,
            "confidence": plan.confidence,
            "n_tournaments": plan.n_tournaments,
            "max_matches": plan.max_matches,
            "seconds_per_match": self.seconds,
            "workers": self.workers,
            "schedulers": [self._numbers(forecast) for forecast in plan.forecasts],
        }

    def _numbers(self, forecast: Forecast) -> dict[str, Any]:
        found: dict[str, Any] = {"scheduler": forecast.scheduler}
        for share, name in ((LOW, "low"), (HALF, "median"), (HIGH, "high")):
            taken = forecast.n_matches(share)
            found[f"matches_{name}"] = int(taken) if math.isfinite(taken) else None
        for share, name in ((LOW, "low"), (HALF, "median"), (HIGH, "high")):
            found[f"hours_{name}"] = self._hours(forecast, share)
        return found | {"right": _finite(forecast.right), "undecided": forecast.undecided}

    def _hours(self, forecast: Forecast, share: float) -> float | None:
        if self.seconds is None:
            return None
        return _finite(forecast.hours(share, seconds=self.seconds, workers=self.workers))

    def csv(self) -> str:
        """A line a scheduler; what is unknown is empty."""
        from maxin.core.text import csv_line

        rows = [self._numbers(forecast) for forecast in self.plan.forecasts]
        cells = (["" if value is None else str(value) for value in row.values()] for row in rows)
        return "".join(map(csv_line, [list(rows[0]), *cells]))

    def markdown(self) -> str:
        """A row a scheduler."""
        from maxin.core.text import markdown

        return "".join(markdown(*self._shown(), left=[0]))

    def text(self, room: int) -> str:
        """The table, what it is about, and what choosing saves."""
        plan = self.plan
        tops = {None: "the whole order", 1: "the best"}
        top = tops.get(plan.k, f"the top {plan.k}")
        title = (
            f"{plan.n_players} players, {top} known with {plan.confidence:.4g} confidence; "
            f"{plan.n_tournaments} simulated tournaments each"
        )
        return "\n\n".join([title, table(*self._shown(), words=[0], room=room), self._words()])

    def _shown(self) -> tuple[list[str], list[list[str]]]:
        header = ["scheduler", "matches", "10-90 %", "right", "undecided"]
        header += ["hours", "10-90 %"] if self.seconds is not None else []
        return header, [self._cells(forecast) for forecast in self.plan.forecasts]

    def _cells(self, forecast: Forecast) -> list[str]:
        counts = [self._count(forecast.n_matches(share)) for share in (LOW, HALF, HIGH)]
        right = "" if math.isnan(forecast.right) else f"{forecast.right:.0%}"
        cells = [forecast.scheduler, counts[1], f"{counts[0]} to {counts[2]}", right]
        cells.append(f"{forecast.undecided:.0%}")
        if self.seconds is not None:
            hours = [_duration(self._hours(forecast, share)) for share in (LOW, HALF, HIGH)]
            cells += [hours[1], f"{hours[0]} to {hours[2]}"]
        return cells

    def _count(self, n_matches: float) -> str:
        return f"{n_matches:,.0f}" if math.isfinite(n_matches) else f">{self.plan.max_matches:,}"

    def _words(self) -> str:
        """How to read it."""
        words = [
            "matches: half of the tournaments were decided by then, 10 % and 90 % of them by the "
            "numbers beside it",
            "right: of those decided, the share that named the true top",
        ]
        if any(forecast.undecided for forecast in self.plan.forecasts):
            words.append(f"undecided: still open after {self.plan.max_matches:,} matches")
        if self.seconds is not None:
            words.append(f"hours at {self.seconds:g} seconds a match, {self.workers} at a time")
        return "\n".join(words)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _duration(hours: float | None) -> str:
    """Hours to read.

    >>> _duration(0.04), _duration(12.34), _duration(None)
    ('0.04', '12', '?')
    """
    return "?" if hours is None else f"{hours:.2g}" if hours < 10.0 else f"{hours:,.0f}"
