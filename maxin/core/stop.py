"""When a tournament ends."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypedDict

from maxin.core import declaration
from maxin.core.checks import check_name
from maxin.core.declaration import (
    NONE,
    Rule,
    Setting,
    accepted_by,
    check_declared,
    declare,
    declared,
    described,
    number,
    number_or_text,
    whole,
)
from maxin.core.errors import InvalidInput
from maxin.core.specs import parse
from maxin.core.units import ELO_PER_NAT, MOST_TOLERANCE, TOLERANCE

CONFIDENCE = 0.95  # of a decision, by default
MOST_SPRT = 200.0  # normalised Elo points of a hypothesis; far beyond, it is not worth a test
ELO_POINTS = number(
    f"a number of Elo points from 0 to {MOST_TOLERANCE:g}",
    lambda value: 0.0 <= value <= MOST_TOLERANCE,
    convert=float,
)


class Sprt(NamedTuple):
    """A sequential probability ratio test of two players.

    H0 says that the first player is `elo0` normalised Elo points stronger than the second, H1 that
    it is `elo1`. `alpha` is the probability of accepting H1 although H0 is true, `beta` that of
    accepting H0 although H1 is.

    >>> Sprt(0.0, 5.0).bounds
    (-2.944, 2.944)
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    @classmethod
    def read(cls, given: str | Mapping[str, Any], place: str = "sprt") -> Sprt:
        """The test that a text or a table describes; errors name the place.

        >>> Sprt.read("elo0=-3,elo1=1")
        Sprt(elo0=-3.0, elo1=1.0, alpha=0.05, beta=0.05)
        """
        if not isinstance(given, str | Mapping):
            raise InvalidInput(f"{place} must be {SPRT.description}; got {given!r}")
        texts: Mapping[str, Any] = parse(f"{place}:{given}")[1] if isinstance(given, str) else given
        for key in texts:
            check_name(key, cls._fields, f"key of {place}")
        for key in ("elo0", "elo1"):
            if key not in texts:
                raise InvalidInput(f"{place} needs {key}, as in elo0=0,elo1=5; got {given!r}")
        found = cls(**{key: _sprt_number(key, text, place) for key, text in texts.items()})
        if not found.elo0 < found.elo1:
            raise InvalidInput(f"{place}: elo0 must be below elo1; got {found}")
        return found

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which H0 and H1 are accepted.

        They are ln(beta / (1 - alpha)) and ln((1 - beta) / alpha).
        """
        low, high = self.beta / (1.0 - self.alpha), (1.0 - self.beta) / self.alpha
        return math.log(low), math.log(high)

    def __str__(self) -> str:
        return ",".join(f"{key}={value:g}" for key, value in self._asdict().items())


def _sprt_number(key: str, text: Any, place: str) -> float:
    """A number of a test, if it is allowed."""
    value: Any = number_or_text(text) if isinstance(text, str) else text
    is_share = key in ("alpha", "beta")
    low, high = (0.0, 0.5) if is_share else (-MOST_SPRT, MOST_SPRT)
    span = "above 0 and below 0.5" if is_share else f"from {low:g} to {high:g}"
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not (low < value < high if is_share else low <= value <= high):
        raise InvalidInput(f"{place}: {key} must be a number {span}; got {value!r}")
    return float(value)


class SprtRule(Rule):
    """What a sequential test must be: a text or a table, which is kept as a text.

    >>> SPRT.read({"elo1": 5, "elo0": 0}, "sprt")
    'elo0=0,elo1=5,alpha=0.05,beta=0.05'
    """

    def read(self, value: Any, place: str, words: tuple[str, ...] = ()) -> str:
        """The test as a text, or an error that names the place, the key and the rule."""
        return str(Sprt.read(value, place))


SPRT = SprtRule("a text such as elo0=0,elo1=5", accepted_by(Sprt.read))


class DecisionTerms(TypedDict, total=False):
    """The terms of a `Stop` that say when it is decided, for functions that take them."""

    confidence: float | None
    tolerance: float


class StopTerms(DecisionTerms, total=False):
    """All terms of a `Stop`."""

    budget: int | None
    sprt: str | None


@described
@dataclass(frozen=True)
class Stop:
    """When a tournament ends: once it is decided, or after its last match.

    >>> Stop(budget=500)
    Stop(budget=500, confidence=0.95, tolerance=10.0, sprt=None)
    """

    budget: int | None = declare(
        None,
        whole(1),
        "Most matches in total, including those of earlier runs.",
        "N",
        words=(NONE,),
    )
    confidence: float | None = declare(
        CONFIDENCE,
        declaration.CONFIDENCE,
        "Stop when the goal is reached with this confidence. With none, play until the budget is "
        "spent.",
        "NUMBER",
        words=(NONE,),
        is_starter=True,
    )
    tolerance: float = declare(
        TOLERANCE,
        ELO_POINTS,
        "By how many Elo points the players named may miss the best. With 0, play until the best "
        "itself is known, which near ties can prolong without end.",
        "ELO",
    )
    sprt: str | None = declare(
        None,
        SPRT,
        "Two players: stop by a sequential test, elo0=0 elo1=5 alpha=0.05 beta=0.05, in place of "
        "the confidence. H0 says that the first player is elo0 normalised Elo points stronger "
        'than the second, H1 that it is elo1. In a config file, "elo0=0,elo1=5".',
        "KEY=VALUE",
        words=(NONE,),
        group="Chess",
        is_addition=True,
    )

    def __post_init__(self) -> None:
        check_declared(self)

    @property
    def test(self) -> Sprt | None:
        """The sequential test that decides, if there is one.

        >>> Stop(sprt="elo0=0,elo1=5").test
        Sprt(elo0=0.0, elo1=5.0, alpha=0.05, beta=0.05)
        """
        return None if self.sprt is None else Sprt.read(self.sprt)

    @property
    def seeks_decision(self) -> bool:
        """Whether a decision ends the tournament."""
        return self.confidence is not None or self.sprt is not None

    @property
    def level(self) -> float:
        """How certain a decision must be; the default where nothing is to be decided.

        >>> Stop(confidence=None).level
        0.95
        """
        return CONFIDENCE if self.confidence is None else self.confidence

    @property
    def risk(self) -> float:
        """The probability with which a decision may be wrong."""
        return 1.0 - self.level

    @property
    def nats(self) -> float:
        """The tolerance in nats."""
        return self.tolerance / ELO_PER_NAT

    def is_spent(self, n_matches: int) -> bool:
        """Whether so many matches, pending ones included, use up the budget.

        >>> Stop(budget=5).is_spent(4), Stop(budget=5).is_spent(5)
        (False, True)
        """
        return self.budget is not None and n_matches >= self.budget

    def check_end(self) -> None:
        """Raise unless it ends a run."""
        if self.budget is None and not self.seeks_decision:
            raise InvalidInput("a run needs an end: a budget of matches, a confidence, or both")

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> Stop:
        """The stop of a record, without terms that are invalid.

        >>> Stop.read({"budget": 500, "confidence": 7})
        Stop(budget=500, confidence=None, tolerance=10.0, sprt=None)
        """
        kind: Any = cls
        return cls(**{name: _stored(one, stored.get(name)) for name, one in declared(kind).items()})


def _stored(one: Setting, value: Any) -> Any:
    if one.rule.holds(value):
        return value
    return None if NONE in one.words else one.value
