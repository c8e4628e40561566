"""`maxin run`: play a tournament, or go on with one."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from maxin.cli.config.config import Config, read_config
from maxin.cli.config.match_config import way_of
from maxin.cli.config.open_tournament import opened
from maxin.cli.config.player_config import field
from maxin.cli.config.stores import DEFAULT
from maxin.cli.output.ending import EXIT_CODES, INTERRUPTED, Ending, resuming
from maxin.cli.output.live import LiveView
from maxin.cli.output.watchers import JsonLines, Lines, Silent, Watcher
from maxin.core import InvalidInput

if TYPE_CHECKING:
    from maxin.tournament import Tournament

PLAYERS, MATCHES, TOURNAMENT, RUN, OUTPUT = "Players", "Matches", "Tournament", "Run", "Output"


def number_or_word(text: str) -> float | str:
    """A number if it is one; the rules know which words may stand for one.

    >>> number_or_word("4"), number_or_word("0.9"), number_or_word("none")
    (4, 0.9, 'none')
    """
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _option(panel: str, words: str, *names: str, **how: Any) -> Any:
    """An option, in its panel of the help."""
    return typer.Option(*names, help=words, rich_help_panel=panel, **how)


def _number(panel: str, words: str, metavar: str, default: str) -> Any:
    """An option that takes a number or a word."""
    return _option(panel, words, parser=number_or_word, metavar=metavar, show_default=default)


def run(
    config: Annotated[
        Path | None, typer.Argument(help="A TOML file; `maxin init` writes one.")
    ] = None,
    player: Annotated[
        list[str] | None, _option(PLAYERS, "A player's name; give it once for each.")
    ] = None,
    players: Annotated[
        str | None, _option(PLAYERS, "Files as players: a glob in quotes, 'bots/*.py'.")
    ] = None,
    command: Annotated[
        str | None,
        _option(
            MATCHES,
            "A match is a command without a shell, 'play.py {a} {b} --seed {seed}'; the last line "
            "it prints is a's score.",
        ),
    ] = None,
    call: Annotated[
        str | None,
        _option(MATCHES, "A match is a Python function play(first, second, seed), module:name."),
    ] = None,
    uci: Annotated[
        bool | None,
        _option(MATCHES, "A match is chess; a player is named engine:nodes=100.", "--uci"),
    ] = None,
    open_spiel: Annotated[
        str | None,
        _option(MATCHES, "A match is an OpenSpiel game; a player is named mcts:simulations=100."),
    ] = None,
    payoff: Annotated[
        str | None,
        _option(MATCHES, "A match is thrown dice: a file of payoffs, or a game of `maxin games`."),
    ] = None,
    timeout: Annotated[
        Any, _number(MATCHES, "Seconds after which a match has failed.", "SECONDS|none", "none")
    ] = None,
    opening_plies: Annotated[
        int | None, _option(MATCHES, "Random moves that begin a game of chess.", show_default="6")
    ] = None,
    max_plies: Annotated[
        int | None, _option(MATCHES, "Moves that make a game of chess a draw.", show_default="400")
    ] = None,
    store: Annotated[
        str | None,
        _option(
            TOURNAMENT,
            "Where it is kept: sqlite:///league.db or postgresql://host/name.",
            show_default=f"$MAXIN_STORE, or {DEFAULT}",
        ),
    ] = None,
    goal: Annotated[
        str | None,
        _option(
            TOURNAMENT,
            "What to find out: best, top-k, ranking, or regret (the best, in few bad matches).",
            show_default="best",
        ),
    ] = None,
    scheduler: Annotated[
        str | None,
        _option(
            TOURNAMENT,
            "In place of a goal: top-two, double-thompson, ranking, maxin, maxinp, rg-ucb, dbgd, "
            "alpha-ig, random, round-robin or knockout.",
            show_default="top-two",
        ),
    ] = None,
    seed: Annotated[
        int | None, _option(TOURNAMENT, "Everything random follows from it.", show_default="0")
    ] = None,
    games_per_match: Annotated[
        int | None,
        _option(TOURNAMENT, "2 plays every match twice, with seats swapped.", show_default="1"),
    ] = None,
    first_advantage: Annotated[
        bool | None, _option(TOURNAMENT, "Fit what sitting first is worth.", show_default="no")
    ] = None,
    lag: Annotated[
        int | None,
        _option(TOURNAMENT, "L: the same matches with up to L workers.", show_default="0"),
    ] = None,
    min_matches: Annotated[
        int | None, _option(TOURNAMENT, "How many matches everyone gets.", show_default="0")
    ] = None,
    confidence: Annotated[
        Any, _number(RUN, "Stop when the top is known so surely.", "NUMBER|none", "0.95")
    ] = None,
    k: Annotated[int | None, _option(RUN, "The size of the top.", "--k", show_default="1")] = None,
    indifference: Annotated[
        Any,
        _number(RUN, "Stop with a tie within so many Elo points.", "ELO", "0"),
    ] = None,
    budget: Annotated[
        Any,
        _number(RUN, "Most matches, those of earlier runs included.", "NUMBER|none", "none"),
    ] = None,
    workers: Annotated[Any, _number(RUN, "Matches played at a time.", "NUMBER|cores", "1")] = None,
    retries: Annotated[
        int | None,
        _option(RUN, "Times that a failed match is tried again.", show_default="2"),
    ] = None,
    compare: Annotated[
        bool, _option(OUTPUT, "Say what a round robin would have taken, simulated.", "--compare")
    ] = False,
    json: Annotated[
        bool, _option(OUTPUT, "Print what happens as JSON, an object a line.", "--json")
    ] = False,
    quiet: Annotated[bool, _option(OUTPUT, "Print only how it ended.", "--quiet")] = False,
) -> None:
    """Play a tournament; run it again to go on where it stopped.

    What to play is said by a config file, by flags, or by both: flags
    come first. A stored tournament needs no more than --store. Paths are
    relative to the current directory.

    Ctrl-C finishes the matches that are running, saves and leaves; twice
    kills them. The exit code is 0 at the end, 1 if matches keep failing,
    2 for a mistake and 130 after Ctrl-C.
    """
    if json and quiet:
        raise InvalidInput("--json and --quiet exclude each other")
    given = (Config() if config is None else read_config(config)).overridden(
        {
            "store": store,
            "goal": goal,
            "scheduler": scheduler,
            "seed": seed,
            "games_per_match": games_per_match,
            "first_advantage": first_advantage,
            "lag": lag,
            "min_matches": min_matches,
            "confidence": confidence,
            "k": k,
            "indifference": indifference,
            "budget": budget,
            "workers": workers,
            "retries": retries,
        },
        {
            "command": command,
            "call": call,
            "uci": uci,
            "open_spiel": open_spiel,
            "payoff": payoff,
            "timeout": timeout,
            "opening_plies": opening_plies,
            "max_plies": max_plies,
        },
    )
    raise typer.Exit(_play(given, player or [], players, compare, json, quiet))


def _play(
    config: Config, names: list[str], pattern: str | None, compare: bool, json: bool, quiet: bool
) -> int:
    """Run it and say how it ended; the exit code."""
    _check_ends(config, compare)
    way = way_of(config.match)
    entrants = field(
        config.players,
        config.defaults,
        names=names,
        pattern=pattern,
        way=None if way is None else way.kind,
    )
    url = config.store or os.environ.get("MAXIN_STORE") or DEFAULT
    with ExitStack() as stack:
        tournament, runner = opened(config, entrants, url, stack)
        watcher = _watcher(tournament, config, json, quiet)
        try:
            with watcher:
                report = tournament.run(
                    runner,
                    budget=config.budget,
                    confidence=config.confidence,
                    k=config.k if config.k > 1 else None,  # what the store says
                    indifference=config.indifference,
                    workers=config.workers,
                    retries=config.retries,
                    watch=watcher,
                )
            watcher.end(Ending(tournament, report, config, compare))
            code = EXIT_CODES[report.reason]
        except KeyboardInterrupt:  # after the last match: somebody is in a hurry
            code = INTERRUPTED
        if code == INTERRUPTED and (resume := resuming(tournament)):
            typer.echo(f"to go on: {resume}", err=True)
        return code


def _check_ends(config: Config, compare: bool) -> None:
    if config.confidence is None and config.budget is None:
        raise InvalidInput("a run needs an end: a budget of matches, a confidence, or both")
    if config.confidence is None and compare:
        raise InvalidInput("--compare asks who else is as sure; it needs a confidence")


def _watcher(tournament: Tournament, config: Config, json: bool, quiet: bool) -> Watcher:
    console = Console(highlight=False)
    if json:
        return JsonLines()
    if quiet:
        return Silent()
    if console.is_terminal and not console.is_dumb_terminal:
        return LiveView(tournament, config, console)
    return Lines()
