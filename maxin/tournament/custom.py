"""A scheduler of your own in a tournament: a class, a function or an object.

A tournament makes a scheduler for the players who are active, and makes another one when they
change or when it is resumed. The store keeps only its name: to resume, give the same scheduler
again.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from maxin.core import InvalidInput, MaxinError
from maxin.core.plugins import described
from maxin.schedulers.names import METHODS

if TYPE_CHECKING:
    import numpy as np

    from maxin.schedulers import Scheduler

    Factory: TypeAlias = Callable[[int, np.random.Generator], Scheduler]

PREFIX = "custom."  # of the names of such schedulers in a store
FORMS = "a name, a class, a function of (n_players, rng), or an object that has asked nothing yet"
CALLS = (
    "a class is called as Class(n_players, rng=rng) and a function as function(n_players, rng); if "
    "a class takes other arguments, give a function, such as lambda n_players, rng: "
    "Class(BradleyTerry(n_players), rng=rng)"
)


def factory_of(scheduler: object) -> tuple[str, Factory]:
    """The name of a scheduler in the store, and the function that makes it.

    Args:
        scheduler: a class is called as `Class(n_players, rng=rng)`, a function as
            `function(n_players, rng)`; an object is copied, and is for its own number of players.

    >>> from maxin.schedulers import Ranking
    >>> name, make = factory_of(Ranking)
    >>> name
    'custom.Ranking@maxin.schedulers.posterior.ranking'
    """
    if isinstance(scheduler, type):
        kind: Any = scheduler
        return _name(kind), lambda n_players, rng: kind(n_players, rng=rng)
    if all(hasattr(scheduler, method) for method in METHODS):
        return _name(type(scheduler)), _copies(scheduler)
    if callable(scheduler):
        is_named = hasattr(scheduler, "__qualname__")
        return _name(scheduler if is_named else type(scheduler)), scheduler
    raise InvalidInput(f"scheduler must be {FORMS}; got {scheduler!r}")


def _name(thing: Any) -> str:
    """The name of a class or function with its module; without one in a script or a notebook.

    Their module is called `__main__`, and has another name when it is imported.
    """
    module = getattr(thing, "__module__", None)
    where = "" if module in (None, "__main__") else f"@{module}"
    return f"{PREFIX}{thing.__qualname__}{where}"


def is_same(one: str, other: str) -> bool:
    """Whether two names may be those of one scheduler: modules are compared if both have one.

    Stores of earlier versions have none.

    >>> is_same("custom.Mine@league", "custom.Mine"), is_same("custom.Mine@a", "custom.Mine@b")
    (True, False)
    """
    names, modules = zip(*(name.partition("@")[::2] for name in (one, other)), strict=True)
    return names[0] == names[1] and (modules[0] == modules[1] or "" in modules)


def _copies(scheduler: Any) -> Factory:
    """A function that copies an object as it is now."""
    if getattr(scheduler, "n_told", 0) or len(getattr(scheduler, "in_flight", ())):
        raise InvalidInput(f"scheduler must be {FORMS}; got {scheduler!r}, which has")
    prototype = copy.deepcopy(scheduler)
    return lambda n_players, rng: copy.deepcopy(prototype)


def own_factory(factory: Factory | None, name: str) -> Factory:
    """What makes the scheduler of this name, or an error if it is missing."""
    own = own_name(name)
    if factory is None:
        raise InvalidInput(
            f"this tournament has a scheduler of its own, {own}, which is needed to choose a "
            f"match: give it again, as in Tournament(store=..., scheduler={own})"
        )
    return factory


def made(factory: Factory | None, name: str, n_players: int, rng: np.random.Generator) -> Scheduler:
    """The scheduler for these players, or an error if it is missing or does not suit them."""
    own, make = own_name(name), own_factory(factory, name)
    try:
        scheduler = make(n_players, rng)
        missing = [method for method in METHODS if not hasattr(scheduler, method)]
        n_own = None if missing else scheduler.n_players
    except MaxinError:
        raise  # an argument is invalid
    except Exception as error:
        is_call = isinstance(error, TypeError | AttributeError)
        raise InvalidInput(
            f"the scheduler {own} cannot be made for {n_players} players: {described(error)}"
            + (f"; {CALLS}" if is_call else "")
        ) from error
    if missing:
        raise InvalidInput(f"the scheduler {own} has no method {missing[0]!r}; got {scheduler!r}")
    if getattr(scheduler, "alone", None) == "self":
        raise InvalidInput(
            f"a player cannot play itself in a tournament; {own} schedules self-matches"
        )
    if n_own != n_players:
        raise InvalidInput(
            f"the scheduler {own} was made for {n_own} players, and {n_players} are "
            "active: if players join, pause or leave, give the class, or a function of "
            "(n_players, rng), instead of an object"
        )
    return scheduler


def own_name(name: str) -> str:
    """The stored name of a scheduler without the prefix and the module of a custom one.

    >>> own_name("custom.Mine@league"), own_name("top-two:k=3")
    ('Mine', 'top-two:k=3')
    """
    return name.removeprefix(PREFIX).partition("@")[0]
