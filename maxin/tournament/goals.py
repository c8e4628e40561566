"""Goals: what a tournament is meant to find out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from maxin.core import InvalidInput
from maxin.core.specs import parse

Kind = Literal["best", "top", "ranking", "ratings", "regret"]
SCHEDULERS: dict[Kind, str] = {
    "best": "top-two",
    "top": "top-two",
    "ranking": "ranking",
    "ratings": "swiss-information",
    "regret": "double-thompson",
}
FORMS = "'best', 'top-3' (any number), 'ranking', 'ratings' or 'regret'"


@dataclass(frozen=True)
class Goal:
    """What to find out: the best player, the best k, the whole order, or the best at low regret.

    "ratings" asks for accurate ratings of everyone. It is reached when the whole order is known,
    as for "ranking"; only the matches on the way differ.

    Args:
        kind: "best", "top", "ranking", "ratings" or "regret".
        k: how many best players are sought; 1 unless the kind is "top".

    >>> str(Goal("top", 3)), Goal("top", 3).scheduler
    ('top-3', 'top-two:k=3')
    """

    kind: Kind = "best"
    k: int = 1

    def __str__(self) -> str:
        return f"top-{self.k}" if self.kind == "top" else self.kind

    @property
    def is_ranking(self) -> bool:
        """Whether the whole order is sought."""
        return self.kind in ("ranking", "ratings")

    @property
    def scheduler(self) -> str:
        """The scheduler that serves this goal, unless another one is given."""
        name = SCHEDULERS[self.kind]
        return f"{name}:k={self.k}" if self.kind == "top" else name


def parse_goal(text: str | Goal) -> Goal:
    """The goal that a text names, or an error that lists the forms.

    >>> parse_goal("top-3")
    Goal(kind='top', k=3)
    """
    if isinstance(text, Goal):
        return text
    if text in ("best", "ranking", "ratings", "regret"):
        return Goal(text)  # type: ignore[arg-type]  # one of the four
    found = re.fullmatch(r"top-([1-9][0-9]{0,17})", text) if isinstance(text, str) else None
    if found is None:
        raise InvalidInput(f"goal must be {FORMS}; got {text!r}")
    return Goal("top", int(found[1]))


def sought(goal: str, scheduler: str) -> Goal:
    """The goal, or that of the scheduler if none is given.

    >>> str(sought("", "top-two:k=3")), str(sought("ranking", "top-two:k=3"))
    ('top-3', 'ranking')
    """
    return parse_goal(goal) if goal else goal_of(scheduler)


def goal_of(scheduler: str) -> Goal:
    """The goal that a scheduler serves, for stores and calls that name only a scheduler.

    >>> str(goal_of("top-two:k=3")), str(goal_of("maxin:exploration=0.6"))
    ('top-3', 'best')
    """
    name, options = parse(scheduler.partition("+")[0])
    k = options.get("k", "")
    if re.fullmatch(r"0*[1-9][0-9]{0,17}", k) and int(k[-18:]) > 1:
        return Goal("top", int(k[-18:]))
    kinds: dict[str, Kind] = {
        "ranking": "ranking",
        "swiss-information": "ratings",
        "double-thompson": "regret",
    }
    return Goal(kinds.get(name, "best"))
