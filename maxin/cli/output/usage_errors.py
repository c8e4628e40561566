"""Mistakes on the command line, and plug-ins that do not load, each explained in one line."""

from __future__ import annotations

import warnings

from cyclopts import (
    CoercionError,
    CycloptsError,
    MissingArgumentError,
    RepeatArgumentError,
    UnknownCommandError,
    UnknownOptionError,
    UnusedCliTokensError,
)

from maxin.core import MaxinError, UnknownName, check_name
from maxin.core.plugins import PluginWarning

STUDIES = ("paper", "bench")  # commands of the package maxin-studies
# What fastchess and cutechess call something, and what serves the same purpose in `maxin run`.
OF_CHESS_PROGRAMS = {
    "concurrency": "--workers 4",
    "games": "--games-per-match 2, which plays both games of a pair in one match",
    "repeat": "--games-per-match 2, which plays each opening twice with swapped colours",
    "rounds": "--budget 100, the most matches; a run also ends when the best is known",
    "maxmoves": "--max-plies 400, which counts the moves of both sides",
    "srand": "--seed 7",
    "pgnout": "`maxin export games.pgn`, during the run or after it",
    "recover": "--on-crash retry, which is the default, or --on-crash loss",
    "tournament": "--scheduler: round-robin, gauntlet, swiss or knockout",
    "config": "the store: `maxin run --store URL` resumes a run",
    "resume": "the store: `maxin run --store URL` resumes a run",
    "ratinginterval": "`maxin show`, during the run or after it",
    "scoreinterval": "`maxin show`, during the run or after it",
    "resultinterval": "`maxin show`, during the run or after it",
    "log": "`maxin show failures`, which has the output of engines that failed",
}
with_place = warnings.formatwarning  # the file and line that warned, which are for programmers


def explained(error: CycloptsError) -> str:
    """What is wrong with a command line, and how it should be."""
    command = " ".join(["maxin", *(error.command_chain or ())])
    if isinstance(error, UnknownCommandError):
        return _unknown_command(error, command)
    if isinstance(error, UnknownOptionError):
        return _unknown_option(error, command)
    if isinstance(error, CoercionError) and isinstance(error.__cause__, MaxinError):
        return str(error.__cause__)
    if isinstance(error, MissingArgumentError) and error.argument is not None:
        name = error.keyword or error.argument.name
        if error.argument.tokens or error.keyword:
            return f"{name} needs a value; see `{command} --help`"
        return f"{name} is missing; see `{command} --help`"
    if isinstance(error, UnusedCliTokensError):
        return _unused(error, command)
    if isinstance(error, RepeatArgumentError):
        return f"{error.token.keyword} is given twice; give it once"
    return " ".join(str(error).split())


def formatted_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    line: str | None = None,
) -> str:
    """The text that `warnings` prints: one line about a plug-in, and the place of any other."""
    if issubclass(category, PluginWarning):
        return f"warning: {message}\n"
    return with_place(message, category, filename, lineno, line)


def _unknown_command(error: UnknownCommandError, command: str) -> str:
    word = (error.unused_tokens or [""])[0]
    is_option = word.startswith("-")
    if word in STUDIES and command == "maxin":
        return f"`maxin {word}` is in the studies; install them: pip install ./studies, in a clone"
    names = [] if error.app is None else [*error.app]
    known = [name for name in names if name.startswith("-") == is_option]
    return _nearest(word, known, f"{'option' if is_option else 'command'} of `{command}`")


def _unknown_option(error: UnknownOptionError, command: str) -> str:
    word = str(error.token.keyword or error.token.value).partition("=")[0]
    hint = OF_CHESS_PROGRAMS.get(word.lstrip("-")) if command == "maxin run" else None
    if hint is not None:
        return f"`{command}` has no {word}; use {hint}"
    options = [name for argument in error.argument_collection for name in argument.names]
    known = [*filter(lambda name: name.startswith("-"), options), "--help"]
    return _nearest(word, known, f"option of `{command}`")


def _unused(error: UnusedCliTokensError, command: str) -> str:
    extra = (error.unused_tokens or [""])[0]
    advice = f"see `{command} --help`"
    if "--players" in (error.root_input_tokens or ()):
        advice = "quote the glob, so that the shell does not expand it: --players 'bots/*.py'"
    elif command == "maxin games" and _is_game(extra):
        advice = f"to show the game: `maxin games show {extra}`"
    return f"`{command}` has no place for {extra!r}; {advice}"


def _is_game(word: str) -> bool:
    from maxin.games import GAMES  # not before it is needed

    return word.partition(":")[0] in GAMES


def _nearest(word: str, known: list[str], kind: str) -> str:
    try:
        check_name(word, known, kind)
    except UnknownName as unknown:
        return str(unknown)
    return f"{word!r} is misplaced"
