"""Whether engines have the options that they are to be given: each is started once and asked."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

import chess.engine

from maxin.core import InvalidInput, UnknownName, check_name
from maxin.runners.uci.engine_settings import Program, Value
from maxin.runners.uci.engines import EngineFailed, Engines

AT_ONCE = 4  # engines that are started at a time


async def option_problems(engines: Engines, programs: Mapping[str, Program]) -> list[str]:
    """What is wrong with the engines of players, or with their options; a line per problem.

    Args:
        engines: starts them.
        programs: of each player, by name.
    """
    players: dict[Program, list[str]] = {}  # the options do not matter for what it declares
    for name, program in programs.items():
        players.setdefault(program._replace(options=()), []).append(name)
    gate = asyncio.Semaphore(AT_ONCE)

    async def problems(program: Program, names: Sequence[str]) -> list[str]:
        async with gate:
            try:
                engine, declared = await engines.options(program)
            except EngineFailed as failure:
                if engines.is_killed:
                    raise
                last = failure.log.strip().rpartition("\n")[2]
                said = f" (it wrote {last!r})" if last else ""
                reason = f"{program.command[0]!r} does not start as a {program.proto} engine"
                return [f"player {names[0]!r}: {reason}: {failure.reason}{said}"]
        return [
            f"player {name!r}: {problem}"
            for name in names
            for option, value in programs[name].options
            if (problem := option_problem(engine, declared, option, value))
        ]

    found = await asyncio.gather(*(problems(*group) for group in players.items()))
    return [line for lines in found for line in lines]


def option_problem(
    engine: str, declared: Mapping[str, chess.engine.Option], name: str, value: Value
) -> str | None:
    """What is wrong with the value of an option; None if nothing is.

    >>> hash = chess.engine.Option("Hash", "spin", 16, 1, 1024, None)
    >>> option_problem("Fish 1", {"Hash": hash}, "Hash", 0)
    "option 'Hash' of Fish 1 must be a whole number from 1 to 1024; got 0"
    """
    if name not in declared:
        try:
            check_name(name, [one.name for one in declared.values()], f"option of {engine}")
        except UnknownName as error:
            return str(error)
    option = declared[name]
    if option.is_managed():
        return f"option {name!r} of {engine} is set by maxin; leave it out"
    rule = _broken_rule(option, value)
    return f"option {name!r} of {engine} must be {rule}; got {value!r}" if rule else None


def _broken_rule(option: chess.engine.Option, value: Value) -> str | None:
    """The rule that a value breaks."""
    if option.type == "check":
        return None if isinstance(value, bool) else "true or false"
    if option.type == "combo":
        choices = [*(option.var or ())]
        return None if str(value) in choices else f"one of {', '.join(choices)}"
    if option.type == "spin":
        least, most = option.min, option.max
        span = "" if least is None or most is None else f" from {least} to {most}"
        return None if _is_within(value, least, most) else f"a whole number{span}"
    try:
        option.parse(value)
    except chess.engine.EngineError as error:
        return f"a text in one line ({error})"
    return None


def _is_within(value: Value, least: int | None, most: int | None) -> bool:
    try:
        number = int(value)  # type: ignore[arg-type]  # other values are refused
    except (TypeError, ValueError):
        return False
    above = least is None or least <= number
    return not isinstance(value, bool) and above and (most is None or number <= most)


def check_options(engines: Engines, programs: Mapping[str, Program]) -> None:
    """Raise `InvalidInput` with all that is wrong with engines and their options."""
    if problems := engines.run(option_problems(engines, programs)):
        raise InvalidInput("; ".join(problems))
