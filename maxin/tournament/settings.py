"""What a tournament is started with, and what may not change while it lasts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal

import numpy as np

from maxin.core import InvalidInput, check_name, check_whole
from maxin.core.specs import parse
from maxin.schedulers import make_scheduler

Goal = Literal["best", "regret", "top-k", "ranking"]
GOALS = {"best": "top-two", "regret": "double-thompson", "ranking": "ranking", "top-k": "top-two"}


class SettingsDiffer(InvalidInput):
    """A stored tournament was opened with other settings; the message names each difference."""


@dataclass(frozen=True)
class Settings:
    """The rules of a tournament.

    Args:
        scheduler: who plays next, by name and options.
        seed: everything random follows from it.
        games_per_match: 2 plays every match twice, with the same seed and the seats swapped.
        first_advantage: fit and report what sitting first is worth.
        lag: 0, a match is chosen from all results told when it is asked; L, match k is chosen from
            the results of matches 1 to k - L alone, so that the number of workers and the order
            of results change nothing.
        min_matches: everyone plays so many before the scheduler has its way.
        match: how matches are played, in words; different ways do not mix.

    >>> Settings(seed=1).fingerprint
    '...'
    """

    scheduler: str = "top-two"
    seed: int = 0
    games_per_match: int = 1
    first_advantage: bool = False
    lag: int = 0
    min_matches: int = 0
    match: str = ""

    def __post_init__(self) -> None:
        for name, kind in (("scheduler", str), ("match", str), ("first_advantage", bool)):
            if not isinstance(getattr(self, name), kind):
                raise InvalidInput(f"{name} is a {kind.__name__}; got {getattr(self, name)!r}")
        for name, lowest in (("seed", 0), ("games_per_match", 1), ("lag", 0), ("min_matches", 0)):
            value = check_whole(getattr(self, name), name)
            if value < lowest:
                raise InvalidInput(f"{name} must be at least {lowest}; got {value}")
        if self.games_per_match > 2:
            raise InvalidInput(f"games_per_match is 1 or 2; got {self.games_per_match}")
        scheduler = make_scheduler(self.scheduler, max(self.k, 1) + 1, np.random.default_rng(0))
        if getattr(scheduler, "alone", None) == "self":
            raise InvalidInput(
                f"nobody can play themselves in a tournament; {self.scheduler!r} would have it so"
            )

    @property
    def k(self) -> int:
        """The size of the top that the scheduler looks for."""
        size = self._options.get("k", "1")
        return int(size) if size.isdigit() else 1

    @property
    def _options(self) -> dict[str, str]:
        return parse(self.scheduler.partition("+")[0])[1]

    def scheduler_among(self, n_players: int) -> str:
        """The scheduler for so many active players: a top is smaller than they are.

        >>> Settings("top-two:k=3").scheduler_among(10), Settings("top-two:k=3").scheduler_among(3)
        ('top-two:k=3', 'top-two:k=2')
        """
        if self.k < n_players:
            return self.scheduler
        options = {**self._options, "k": str(n_players - 1)}
        return "top-two:" + ",".join(f"{key}={value}" for key, value in options.items())

    @property
    def seeks_order(self) -> bool:
        """Whether the scheduler looks for the whole order, not for a top."""
        return parse(self.scheduler.partition("+")[0])[0] == GOALS["ranking"]

    @property
    def fingerprint(self) -> str:
        """A short name of exactly these settings."""
        text = json.dumps(asdict(self), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def scheduler_of(scheduler: str | None, goal: Goal | None, k: int | None) -> str | None:
    """The scheduler that is named, or that serves a goal; None if neither is given.

    >>> scheduler_of(None, "top-k", 3)
    'top-two:k=3'
    """
    if goal is None and k is None:
        return scheduler
    if scheduler is not None:
        raise InvalidInput(f"a scheduler or a goal, not both; got {scheduler!r} and {goal!r}")
    if (goal == "top-k") != (k is not None):
        raise InvalidInput(f"the goal 'top-k' needs a k, and only that; got {goal!r} and k={k!r}")
    if goal == "top-k":
        return f"top-two:k={check_whole(k or 0, 'k')}"
    return GOALS[check_name(str(goal), GOALS, "goal")]


def settled(
    stored: Mapping[str, Any], given: Mapping[str, Any], *, is_played: bool = True
) -> Settings:
    """The settings of a tournament: the stored ones if there are any, which `given` must match.

    What is None was not given. How matches are played may still change before one is played.

    >>> settled({}, {"seed": 3, "lag": None}).seed
    3
    """
    chosen = {key: value for key, value in given.items() if value is not None}
    if not stored:
        return Settings(**chosen)
    known = {field.name for field in fields(Settings)}
    settings = Settings(**{key: value for key, value in stored.items() if key in known})
    if not is_played and "match" in chosen:
        settings = replace(settings, match=chosen["match"])
    differences = [
        f"{key} is {getattr(settings, key)!r} in the store and {value!r} here"
        for key, value in chosen.items()
        if getattr(settings, key) != value
    ]
    if differences:
        raise SettingsDiffer(
            "the tournament was started with other settings: " + "; ".join(differences)
        )
    return settings
