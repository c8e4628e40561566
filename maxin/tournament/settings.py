"""The settings of a tournament: what it is started with, and what may not change afterwards."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import InitVar, asdict, dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypedDict

from maxin import schedulers
from maxin.core import InvalidInput, check_name, checks, half_life
from maxin.core.declaration import (
    NONE,
    SWITCH,
    TEXT,
    Rule,
    accepted_by,
    check_declared,
    declare,
    declared,
    described,
    number,
    number_or_text,
    unused_additions,
    whole,
)
from maxin.core.half_life import HalfLife
from maxin.core.specs import parse, written
from maxin.schedulers.names import SCHEDULER_NAMES
from maxin.storage import StoreFailed
from maxin.tournament.custom import PREFIX, is_same, made, own_factory
from maxin.tournament.features import check_feature_names
from maxin.tournament.goals import FORMS, Goal, goal_of, parse_goal, sought

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import ArrayLike

    from maxin.ratings import Features
    from maxin.schedulers import Scheduler
    from maxin.tournament.custom import Factory

MOST_WITH_TABLES = 10_000  # players: a table of all their pairs has 800 MB


def _anchor(text: str) -> dict[str, Any] | str:
    """The anchor of a flag: NAME=RATING."""
    name, equals, rating = text.rpartition("=")
    return {name: number_or_text(rating)} if equals else text


GOAL = Rule(FORMS, accepted_by(parse_goal), convert=lambda goal: str(parse_goal(goal)))
GAME_COUNT = number(checks.GAMES, checks.is_game_count)
ANCHOR = Rule(checks.ANCHOR, accepted_by(checks.check_anchor), _anchor, convert=checks.check_anchor)
HALF_LIFE = Rule(
    half_life.RULE,
    accepted_by(HalfLife.of),
    number_or_text,
    convert=lambda value: HalfLife.of(value).setting,
)


class GivenSettings(TypedDict, total=False):
    """The settings as a program may give them to `Tournament`; None means "not given"."""

    goal: str | Goal | None
    scheduler: str | Scheduler | type[Scheduler] | Factory | None
    seed: int | None
    games_per_match: int | None
    first_advantage: bool | None
    lag: int | None
    min_matches: int | None
    match: str | None
    anchor: Mapping[str, float] | None
    features: Sequence[str] | Features | ArrayLike | None
    half_life: float | str | None


class SettingsDiffer(InvalidInput):
    """A stored tournament was opened with other settings; the message names each difference."""


@described
@dataclass(frozen=True)
class Settings:
    """The rules of a tournament.

    Args:
        match: a description of how matches are played; results of different kinds do not mix.
        is_stored: whether a store has them: then the scheduler was validated before, which takes
            longer than all the rest.

    >>> Settings(goal="top-3").scheduler
    'top-two:k=3'
    """

    goal: str = declare(
        "",
        GOAL,
        "What to find out: best; top-3, the best three (any number); ranking, the order of all "
        "players; ratings, accurate ones of everyone; or regret, the best player while weak "
        "players play little.",
        "GOAL",
        shown="best",
        example="best",
        is_starter=True,
    )
    scheduler: str = declare(
        "",
        TEXT,
        f"How the next match is chosen: {', '.join(SCHEDULER_NAMES)}; with options, as in "
        "maxin:exploration=0.6.",
        "NAME",
        shown="what the goal needs",
        example="top-two",
        group="Expert",
    )
    seed: int = declare(
        0,
        whole(0),
        "Everything random follows from the seed. Each match gets a seed of its own.",
        "N",
    )
    games_per_match: int = declare(
        1,
        GAME_COUNT,
        "Games per match: 1, or an even number, half of them with the seats swapped. Both games of "
        "a pair have the same seed; 4 games are two pairs, each with its own seed.",
        "N",
    )
    first_advantage: bool = declare(
        False,
        SWITCH,
        "Estimate and report the advantage of sitting first.",
        group="Ratings",
    )
    lag: int = declare(
        0,
        whole(0),
        "Choose each match without the results of the N - 1 before it, so that up to N workers "
        "play exactly the same matches as one.",
        "N",
        group="Expert",
    )
    min_matches: int = declare(
        0,
        whole(0),
        "Matches that each player gets before the scheduler chooses freely.",
        "N",
        group="Expert",
    )
    match: str = ""
    anchor: Mapping[str, float] | None = declare(
        None,
        ANCHOR,
        "A player whose rating is known, stockfish=3500: all others are measured against it. In a "
        "config file, {stockfish = 3500}. Unlike the other rules, it may change later.",
        "NAME=ELO",
        words=(NONE,),
        group="Ratings",
    )
    features: tuple[str, ...] = declare(
        (),
        TEXT,
        "What predicts ratings: options of the players, step,size, or a CSV file with a line per "
        "player. The file has a header; its columns are the name of the player, then its features.",
        "NAMES|FILE",
        shown=NONE,
        example="step,size",
        group="Ratings",
        normal=check_feature_names,
        is_addition=True,
    )
    half_life: float | str | None = declare(
        None,
        HALF_LIFE,
        "After how many matches, 1000, or how much time, 7d, 12h or 30m, a result counts half: for "
        "players whose skill drifts.",
        "N|TIME",
        example=1000,
        group="Ratings",
        is_addition=True,
    )
    is_stored: InitVar[bool] = False

    def __post_init__(self, is_stored: bool) -> None:
        if not isinstance(self.match, str):
            raise InvalidInput(f"match must be a text; got {self.match!r}")
        check_declared(self)
        # Either of the two says the other, where it is not given.
        goal = sought(self.goal, self.scheduler)
        object.__setattr__(self, "goal", str(goal))
        object.__setattr__(self, "scheduler", self.scheduler or goal.scheduler)
        if not is_stored and not self.has_own_scheduler:
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

    @property
    def has_own_scheduler(self) -> bool:
        """Whether the scheduler is a program's own, which the store only names."""
        return self.scheduler.startswith(PREFIX)

    def with_factory(self, factory: Factory | None) -> Self:
        """These settings, with the factory of a custom scheduler."""
        object.__setattr__(self, "_factory", factory)
        return self

    def check_can_choose(self) -> None:
        """Raise if the scheduler is a program's own, and was not given with the settings."""
        if self.has_own_scheduler:
            own_factory(vars(self).get("_factory"), self.scheduler)

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
        if self.has_own_scheduler:
            return made(vars(self).get("_factory"), self.scheduler, n_players, rng)
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
        is_large = n_players > MOST_WITH_TABLES and not self.has_own_scheduler
        if is_large and self._has_tables():
            raise InvalidInput(
                f"the scheduler {self.scheduler!r} takes at most {MOST_WITH_TABLES:,} players; got "
                f"{n_players:,}; it has tables of all pairs; top-two and random have none"
            )
        k = goal_of(self.scheduler).k
        if name == "top-two" and k > 1:
            self._check_top(k, n_players)
        if self.has_own_scheduler and (self.features or self.half_life is not None):
            what = "features" if self.features else "a half_life"
            raise InvalidInput(f"{what} needs a scheduler of maxin; got {self.scheduler!r}")
        if self.features or self.half_life is not None:
            self._check_exact("features" if self.features else "a half_life", n_players)

    def _has_tables(self) -> bool:
        """Whether the scheduler has tables of all pairs, also for many players."""
        import numpy as np  # not before it is needed

        name, options = parse(self.scheduler)
        name = written(name, options | {"k": 1}) if "k" in options else self.scheduler
        made = schedulers.make_scheduler(name, 2, np.random.default_rng(0))
        return getattr(made, "has_tables", True)

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
        left_out = {"anchor", *unused_additions(self)}
        kept = {key: value for key, value in asdict(self).items() if key not in left_out}
        text = json.dumps(kept, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def check_anchored(settings: Settings, names: Iterable[str]) -> None:
    """Raise unless the anchor is one of these players.

    >>> check_anchored(Settings(anchor={"cy": 3500}), ["anna", "bo"])
    Traceback (most recent call last):
    maxin.core.errors.UnknownName: there is no player for the anchor named 'cy'; known: anna, bo
    """
    for name in settings.anchor or {}:
        check_name(name, sorted(set(names)), "player for the anchor")


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
    if not stored:
        return Settings(**chosen)
    for key, one in declared(Settings).items():
        if key in chosen:
            chosen[key] = one.checked(chosen[key], key)
    known = {field.name for field in fields(Settings)}
    kept = {key: value for key, value in stored.items() if key in known}
    try:
        settings = Settings(**kept, is_stored=True)
    except InvalidInput as error:
        raise StoreFailed(f"{place} is damaged: in the table maxin_settings: {error}") from None
    if "match" in chosen and not (is_played and settings.match):
        settings = replace(settings, match=chosen["match"])
    if is_same(settings.scheduler, chosen.get("scheduler", "")):
        del chosen["scheduler"]
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
    """The settings of chess that a description has; None if matches are not chess."""
    kind, _, text = description.partition(": ")
    if kind != "uci":
        return None
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
