"""Runners by name, which plug-ins add: `dice:sides=6` calls the builder `dice` with an option."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import signature
from typing import Any

from maxin.core import InvalidInput, UnknownName
from maxin.core.plugins import Registry
from maxin.core.specs import make, parse
from maxin.runners.base import Runner

RUNNERS = Registry[Runner]("maxin.runners", {}, ("check", "play", "kill", "close"))


def make_runner(text: str, *, names: Sequence[str], seed: int, timeout: float | None) -> Runner:
    """The runner that `text` names, with its options.

    Its builder gets those of the keyword arguments that it declares.

    Args:
        text: the name of a plug-in, with options.
        names: of the players.
        seed: of the tournament.
        timeout: seconds after which a match has failed.
    """
    name = parse(text)[0]
    if name not in RUNNERS:
        known = ", ".join(RUNNERS) or "none"
        raise UnknownName(f"no plug-in adds a runner named {name!r}; installed: {known}")
    declared = signature(RUNNERS[name]).parameters
    if timeout is not None and "timeout" not in declared:
        raise InvalidInput(f"the runner {name!r} takes no timeout; got {timeout:g}")
    given: dict[str, Any] = {"names": names, "seed": seed, "timeout": timeout}
    chosen = {key: value for key, value in given.items() if key in declared}
    return make(text, RUNNERS, "runner", **chosen)
