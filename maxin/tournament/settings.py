"""The settings of a tournament: what it is started with, and what may not change afterwards."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import InitVar, asdict, dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from maxin import schedulers
from maxin.core import InvalidInput, check_name, check_whole, checks
from maxin.core.half_life import HalfLife
from maxin.core.specs import parse, written
from maxin.storage import StoreFailed
from maxin.tournament.features import check_feature_names
from maxin.tournament.goals import Goal, goal_of, parse_goal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike

    from maxin.ratings import Features

# Schedulers whose memory grows with the players, not with the pairs.
WITHOUT_TABLES = ("random", "top-two")
MOST_WITH_TABLES = 10_000  # players: a table of all their pairs has 800 MB


class SettingsDiffer(InvalidInput):
    """A stored tournament was opened with other settings; the message names each difference."""


@dataclass(frozen=True)
class Settings:
    """The rules of a tournament.

    Args:
        goal: what to find out: "best", "top-3", "ranking", "ratings" or "regret".
        scheduler: who plays next, by name and options; the goal's own by default.
        seed: everything random follows from it.
        games_per_match: 1, or an even number: games are played in pairs, and both games of a pair
            have the same seed and swapped seats.
        first_advantage: fit and report what sitting first is worth.
        lag: with 0, a match is chosen from all results known when it is asked; with L, match k is
            chosen from the results of matches 1 to k - L alone, so that the number of workers and
            the order of results change nothing.
        min_matches: how many matches every player gets before the scheduler chooses freely.
        match: a description of how matches are played; results of different kinds do not mix.
        anchor: a player and its rating in Elo points, which set the scale of the leaderboard.
        features: names of options of the players, from which their ratings are predicted.
        half_life: after how many matches, or how much time ("7d"), a result counts half; None for
            results that never fade.
        is_stored: whether a store has them: then the scheduler was validated before, which takes
            longer than all the rest.

    >>> Settings(goal="top-3").scheduler
    'top-two:k=3'
    """

    goal: str = ""
    scheduler: str = ""
    seed: int = 0
    games_per_match: int = 1
    first_advantage: bool = False
    lag: int = 0
    min_matches: int = 0
    match: str = ""
    anchor: Mapping[str, float] | None = None
    features: tuple[str, ...] = ()
    half_life: float | str | None = None
    is_stored: InitVar[bool] = False

    def __post_init__(self, is_stored: bool) -> None:
        for name, kind in (("scheduler", str), ("match", str), ("first_advantage", bool)):
            if not isinstance(getattr(self, name), kind):
                raise InvalidInput(f"{name} must be a {kind.__name__}; got {getattr(self, name)!r}")
        for name, lowest in (("seed", 0), ("games_per_match", 1), ("lag", 0), ("min_matches", 0)):
            value = check_whole(getattr(self, name), name)
            if value < lowest:
                raise InvalidInput(f"{name} must be at least {lowest}; got {value}")
        if not checks.is_game_count(self.games_per_match):
            raise InvalidInput(
                f"games_per_match must be {checks.GAMES}; got {self.games_per_match}"
            )
        object.__setattr__(self, "anchor", checks.check_anchor(self.anchor))
        object.__setattr__(self, "features", check_feature_names(self.features))
        if self.half_life is not None:
            object.__setattr__(self, "half_life", HalfLife.of(self.half_life).setting)
        # Either of the two says the other, where it is not given.
        goal = parse_goal(self.goal) if self.goal else goal_of(self.scheduler)
        object.__setattr__(self, "goal", str(goal))
        object.__setattr__(self, "scheduler", self.scheduler or goal.scheduler)
        if not is_stored:
            self._check_scheduler()

    def _check_scheduler(self) -> None:
        import numpy as np  # not before it is needed

        features = np.zeros(2) if self.features else None
        made = self.make_scheduler(2, np.random.default_rng(0), features)
        if self.half_life is not None:
            self._check_fades()
        if getattr(made, "alone", None) == "self":
            raise InvalidInput(
                f"a player cannot play itself in a tournament; {self.scheduler!r} schedules "
                "self-matches"
            )
        if self.lag > 1 and getattr(made, "needs_whole_rounds", False):
            raise InvalidInput(
                f"{self.scheduler!r} needs the results of a whole round before the next one, and a "
                f"lag of {self.lag} withholds the last {self.lag - 1}; lag must be 0 or 1"
            )

    def _check_fades(self) -> None:
        from maxin.schedulers.registry import check_fades  # not before it is needed

        check_fades(self.scheduler, 2)
        if self.lag:
            raise InvalidInput(
                f"half_life needs a lag of 0: with a lag of {self.lag}, results are learnt in the "
                "order of their matches, not of their ages"
            )

    @cached_property
    def fading(self) -> HalfLife | None:
        """The half-life as a value."""
        return None if self.half_life is None else HalfLife.of(self.half_life)

    @cached_property
    def parsed_goal(self) -> Goal:
        """The goal as a value."""
        return parse_goal(self.goal)

    @property
    def is_chess(self) -> bool:
        """Whether the matches are games of UCI engines."""
        return self.match.startswith("uci:")

    def make_scheduler(
        self,
        n_players: int,
        rng: np.random.Generator,
        features: Features | ArrayLike | None = None,
    ) -> schedulers.Scheduler:
        """The scheduler for `n_players` active players; a top must be smaller than the field.

        >>> import numpy as np
        >>> Settings(goal="top-3").make_scheduler(3, np.random.default_rng(0)).k
        2
        """
        self.check_size(n_players)
        if goal_of(self.scheduler).k < n_players:
            return schedulers.make_scheduler(self.scheduler, n_players, rng, features=features)
        name, options = parse(self.scheduler)
        return schedulers.make_scheduler(
            written(name, options | {"k": n_players - 1}), n_players, rng, features=features
        )

    def check_size(self, n_players: int) -> None:
        """Raise if the field is too large for the scheduler: for its tables of pairs, or its top.

        >>> Settings(scheduler="random").check_size(100_000)
        >>> Settings(scheduler="maxin").check_size(100_000)
        Traceback (most recent call last):
        maxin.core.errors.InvalidInput: the scheduler 'maxin' takes at most 10,000 players; ...
        """
        name = parse(self.scheduler.partition("+")[0])[0]
        has_tables = name not in WITHOUT_TABLES or "+bradley-terry" in self.scheduler
        if has_tables and n_players > MOST_WITH_TABLES:
            raise InvalidInput(
                f"the scheduler {self.scheduler!r} takes at most {MOST_WITH_TABLES:,} players; got "
                f"{n_players:,}; a larger field needs one of: {', '.join(WITHOUT_TABLES)}"
            )
        k = goal_of(self.scheduler).k
        if name == "top-two" and k > 1:
            self._check_top(k, n_players)
        if self.features or self.half_life is not None:
            self._check_exact("features" if self.features else "a half_life", n_players)

    @staticmethod
    def _check_exact(what: str, n_players: int) -> None:
        from maxin.ratings.base import MOST_EXACT  # not before it is needed

        if n_players > MOST_EXACT:
            raise InvalidInput(
                f"a tournament with {what} takes at most {MOST_EXACT:,} players; got {n_players:,}"
            )

    @staticmethod
    def _check_top(k: int, n_players: int) -> None:
        from maxin.ratings.base import MOST_EXACT  # not before they are needed
        from maxin.ratings.sparse.field_fit import N_HIGHEST

        if n_players > MOST_EXACT and k > N_HIGHEST:
            raise InvalidInput(
                f"k, the size of the top, must be from 1 to {N_HIGHEST} with more than "
                f"{MOST_EXACT:,} players; got {k}"
            )

    @property
    def fingerprint(self) -> str:
        """A short name for exactly these settings, but for the anchor: it changes no match."""
        kept = {key: value for key, value in asdict(self).items() if key != "anchor"}
        if not self.features:
            del kept["features"]  # as before there were any
        if self.half_life is None:
            del kept["half_life"]  # likewise
        text = json.dumps(kept, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def check_anchored(settings: Settings, names: Iterable[str]) -> None:
    """Raise unless the anchor is one of these players.

    >>> check_anchored(Settings(anchor={"cy": 3500}), ["anna", "bo"])
    Traceback (most recent call last):
    maxin.core.errors.UnknownName: there is no player for the anchor named 'cy'; known: anna, bo
    """
    for name in settings.anchor or {}:
        check_name(name, sorted(names), "player for the anchor")


def settled(
    stored: Mapping[str, Any],
    given: Mapping[str, Any],
    *,
    is_played: bool = True,
    place: str = "the store",
) -> Settings:
    """The settings of a tournament: the stored ones if there are any, which `given` must match.

    A value of None means "not given". How matches are played may be added if nothing is stored
    about it, and may change until a match is played that way; the anchor may change at any time.
    `place` names the store in errors.

    >>> settled({}, {"seed": 3, "lag": None}).seed
    3
    """
    chosen = {key: value for key, value in given.items() if value is not None}
    if "goal" in chosen:
        chosen["goal"] = str(parse_goal(chosen["goal"]))
    if "features" in chosen:
        chosen["features"] = check_feature_names(chosen["features"])
    if "half_life" in chosen:
        chosen["half_life"] = HalfLife.of(chosen["half_life"]).setting
    if not stored:
        return Settings(**chosen)
    known = {field.name for field in fields(Settings)}
    kept = {key: value for key, value in stored.items() if key in known}
    try:
        settings = Settings(**kept, is_stored=True)
    except InvalidInput as error:
        raise StoreFailed(f"{place} is damaged: in the table maxin_settings: {error}") from None
    if "match" in chosen and not (is_played and settings.match):
        settings = replace(settings, match=chosen["match"])
    if "anchor" in chosen:
        settings = replace(settings, anchor=chosen.pop("anchor"))
    differences = [
        difference
        for key, value in chosen.items()
        if getattr(settings, key) != value
        for difference in _differences(key, getattr(settings, key), value)
    ]
    if differences:
        raise SettingsDiffer(
            f"the tournament in {place} was started with other settings: {'; '.join(differences)}"
        )
    return settings


def _differences(key: str, stored: Any, here: Any) -> list[str]:
    """How a setting differs; of two ways to play chess, which settings do."""
    before, after = (_parts(value) if key == "match" else None for value in (stored, here))
    if before is None or after is None:
        return [f"{key} is {stored!r} in the store and {here!r} here"]
    shown = [{name: repr(value) for name, value in one.items()} for one in (before, after)]
    return [
        f"{name} is {shown[0].get(name, 'not set')} in the store and "
        f"{shown[1].get(name, 'not set')} here"
        for name in dict.fromkeys([*before, *after])
        if before.get(name) != after.get(name)
    ]


def _parts(description: str) -> dict[str, Any] | None:
    """The settings of chess that a description has; None if it is of another way to play."""
    kind, _, text = description.partition(": ")
    if kind != "uci":
        return None
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
