"""A scheduler of your own in a tournament: a class, a function or an object.

A tournament makes a scheduler for the players who are active, and makes another one when they
change or when it is resumed. So the store keeps a name, and whoever resumes gives the same again.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from maxin.core import InvalidInput

if TYPE_CHECKING:
    import numpy as np

    from maxin.schedulers import Scheduler

    Factory: TypeAlias = Callable[[int, np.random.Generator], Scheduler]

PREFIX = "custom."  # of the names of such schedulers in a store
METHODS = ("choose", "expect", "tell", "withdraw", "ratings")
FORMS = "a name, a class, a function of (n_players, rng), or an object that has asked nothing yet"


def factory_of(scheduler: object) -> tuple[str, Factory]:
    """The name of a scheduler in the store, and the function that makes it.

    Args:
        scheduler: a class is called as `Class(n_players, rng=rng)`, a function as
            `function(n_players, rng)`; an object is copied, and is for its own number of players.

    >>> from maxin.schedulers import Ranking
    >>> name, make = factory_of(Ranking)
    >>> name
    'custom.Ranking'
    """
    if isinstance(scheduler, type):
        kind: Any = scheduler
        return PREFIX + kind.__qualname__, lambda n_players, rng: kind(n_players, rng=rng)
    if all(hasattr(scheduler, method) for method in METHODS):
        return PREFIX + type(scheduler).__qualname__, _copies(scheduler)
    if callable(scheduler):
        name = getattr(scheduler, "__qualname__", type(scheduler).__qualname__)
        return PREFIX + name, scheduler
    raise InvalidInput(f"scheduler must be {FORMS}; got {scheduler!r}")


def _copies(scheduler: Any) -> Factory:
    """A function that copies an object as it is now."""
    if getattr(scheduler, "n_told", 0) or len(getattr(scheduler, "in_flight", ())):
        raise InvalidInput(f"scheduler must be {FORMS}; got {scheduler!r}, which has")
    prototype = copy.deepcopy(scheduler)
    return lambda n_players, rng: copy.deepcopy(prototype)


def own_factory(factory: Factory | None, name: str) -> Factory:
    """What makes the scheduler of this name, or an error if it is missing."""
    own = name.removeprefix(PREFIX)
    if factory is None:
        raise InvalidInput(
            f"this tournament has a scheduler of its own, {own}, which is needed to choose a "
            f"match: give it again, as in Tournament(store=..., scheduler={own})"
        )
    return factory


def made(factory: Factory | None, name: str, n_players: int, rng: np.random.Generator) -> Scheduler:
    """The scheduler for these players, or an error if it is missing or does not suit them."""
    own = name.removeprefix(PREFIX)
    scheduler = own_factory(factory, name)(n_players, rng)
    missing = [method for method in METHODS if not hasattr(scheduler, method)]
    if missing:
        raise InvalidInput(f"the scheduler {own} has no method {missing[0]!r}; got {scheduler!r}")
    if getattr(scheduler, "alone", None) == "self":
        raise InvalidInput(
            f"a player cannot play itself in a tournament; {own} schedules self-matches"
        )
    if scheduler.n_players != n_players:
        raise InvalidInput(
            f"the scheduler {own} was made for {scheduler.n_players} players, and {n_players} are "
            "active: if players join, pause or leave, give the class, or a function of "
            "(n_players, rng), instead of an object"
        )
    return scheduler
