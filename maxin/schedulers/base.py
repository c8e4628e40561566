"""The interface of schedulers, and the bookkeeping they share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np

from maxin.core import (
    InvalidInput,
    Match,
    Result,
    Stop,
    check_match,
    check_n_matches,
    check_n_players,
    check_result,
)
from maxin.evaluation.stopping_rule import Verdict
from maxin.ratings.base import Array, Learner
from maxin.ratings.fitting.pairs import Pairs
from maxin.schedulers.in_flight import InFlight


class Scheduler(Protocol):
    """Chooses matches (`ask`), learns from results (`tell`), and rates the players (`ratings`).

    You may call `ask` many times before a `tell`, and `tell` takes any result, in any order, asked
    for or not. So a scheduler works with parallel runners and with results from elsewhere. A match
    that was asked and has no result yet is pending, or in flight.

    A scheduler's state depends only on its arguments and the results, in their order. If you tell
    a stored log to a new scheduler with the same arguments, its state is the same to the last bit.
    Only one thread at a time may use a scheduler; threads may share a `Tournament`.
    """

    @property
    def n_players(self) -> int:
        """How many players take part."""
        ...

    def ask(self) -> Match | None:
        """The next match; None if there is none, at least until another result comes."""
        ...

    def ask_many(self, n_matches: int) -> list[Match]:
        """The next matches, all pending from now on; fewer if there are no more."""
        ...

    def choose(self) -> Match | None:
        """The match that `ask` would return, without counting it as asked."""
        ...

    def expect(self, match: Match) -> None:
        """Count a match as asked, for example by another process; `ask` is `choose` + `expect`."""
        ...

    def tell(self, result: Result) -> None:
        """Learn from a result."""
        ...

    def tell_many(self, results: Iterable[Result]) -> None:
        """Learn from results, in their order; if one is invalid, from none of them."""
        ...

    def withdraw(self, match: Match) -> None:
        """Forget a pending match that will never have a result; undoes an `expect` just before."""
        ...

    def ratings(self) -> Array:
        """One number per player; the largest belongs to the player thought best."""
        ...


@runtime_checkable
class StartsFromPoints(Protocol):
    """A scheduler that can learn many results at once, in whatever order they came."""

    def start_from(self, pairs: Pairs, split: float) -> None:
        """Replace all results by the points of the pairs that met.

        `split` is the sum of score (1 - score) over all matches; see `Posterior.fit`.
        """
        ...


@runtime_checkable
class Fades(Protocol):
    """A scheduler that can let older results count less."""

    def fade(self, share: float) -> None:
        """Multiply the weight of all results so far by this share."""
        ...

    def start_from(self, pairs: Pairs, split: float, n_told: int | None = None) -> None:
        """See `StartsFromPoints`; `n_told` is the number of results, if they have faded."""
        ...


@runtime_checkable
class JudgesField(Protocol):
    """A scheduler that says itself whether its top is known: the field is too large for others."""

    k: int  # the size of the top

    def verdict(self, stop: Stop = ...) -> Verdict:
        """Whether the top is known."""
        ...

    def explanation(self, stop: Stop = ...) -> str:
        """A sentence that says whether the top is known, and why not."""
        ...


class BaseScheduler(ABC):
    """Keeps track of pending matches and checks results; subclasses choose and learn.

    >>> from maxin.schedulers import make_scheduler
    >>> league = make_scheduler("round-robin", 4, np.random.default_rng(0))
    >>> asked = league.ask_many(4)
    >>> league.tell_many([Result(match, 1.0) for match in asked[:3]])
    >>> len(asked), league.n_told, len(league.in_flight)
    (4, 3, 1)
    """

    needs_whole_rounds: ClassVar[bool] = False  # whether it waits for all results of a round
    has_plan: ClassVar[bool] = False  # whether a match must not be chosen without those before it

    def __init__(self, n_players: int) -> None:
        self._n_players = check_n_players(n_players)
        self.in_flight = InFlight()  # pending: asked, without a result yet, oldest first
        self.n_told = 0

    @property
    def n_players(self) -> int:
        """How many players take part."""
        return self._n_players

    @property
    def has_tables(self) -> bool:
        """Whether its memory grows with the pairs of players; such fields are limited in size."""
        return True

    @property
    def position(self) -> int:
        """The number of the next match, pending ones counted; random draws depend on it."""
        return self.n_told + len(self.in_flight)

    def ask(self) -> Match | None:
        """See `Scheduler.ask`."""
        match = self._choose()
        if match is not None:
            self._launch(match)
        return match

    def ask_many(self, n_matches: int) -> list[Match]:
        """See `Scheduler.ask_many`; by default `ask` is called for each."""
        asked: list[Match] = []
        while len(asked) < check_n_matches(n_matches):
            match = self.ask()
            if match is None:
                break
            asked.append(match)
        return asked

    def choose(self) -> Match | None:
        """See `Scheduler.choose`."""
        return self._choose()

    def expect(self, match: Match) -> None:
        """See `Scheduler.expect`."""
        self._launch(check_match(match, self._n_players))

    def _launch(self, match: Match) -> None:
        self.in_flight.append(match)

    def tell(self, result: Result) -> None:
        """See `Scheduler.tell`."""
        self._take(self._checked(result))

    def tell_many(self, results: Iterable[Result]) -> None:
        """See `Scheduler.tell_many`; by default they are learnt one by one."""
        for result in [self._checked(result) for result in results]:
            self._take(result)

    def _checked(self, result: Result) -> Result:
        result = check_result(result, self._n_players)
        if result.match.first == result.match.second:
            self._check_self_match(result.match)
        return result

    def _take(self, result: Result) -> None:
        self._land(result.match)
        self.n_told += 1
        self._learn(result)

    def withdraw(self, match: Match) -> None:
        """See `Scheduler.withdraw`."""
        match = check_match(match, self._n_players)
        if not self._land(match, latest=True):
            raise InvalidInput(f"only a pending match can be withdrawn; {tuple(match)} is not")

    def _land(self, match: Match, *, latest: bool = False) -> bool:
        """Remove `match`, in either seating, from the pending ones; False if it is not pending."""
        return self.in_flight.remove(match, latest=latest)

    def _check_self_match(self, match: Match) -> None:
        raise InvalidInput(f"nobody can play themselves; got a result of match {tuple(match)}")

    @abstractmethod
    def _choose(self) -> Match | None:
        """The next match, given the results and the pending matches."""

    @abstractmethod
    def _learn(self, result: Result) -> None:
        """Learn from a checked result."""

    @abstractmethod
    def ratings(self) -> Array:
        """See `Scheduler.ratings`."""


class LearningScheduler(BaseScheduler):
    """A scheduler that takes its ratings from a learner; subclasses only choose matches.

    >>> from maxin.ratings import BradleyTerry
    >>> class Final(LearningScheduler):
    ...     def _choose(self):
    ...         return Match(0, 1)
    >>> final = Final(BradleyTerry(2))
    >>> final.tell(Result(final.ask(), 1.0))
    >>> final.ratings()
    array([ 0.337, -0.337])
    """

    def __init__(self, learner: Learner) -> None:
        super().__init__(learner.n_players)
        self.learner = learner

    def ratings(self) -> Array:
        """The learner's ratings."""
        return self.learner.ratings()

    def _learn(self, result: Result) -> None:
        self.learner.tell(result)


class Draws:
    """Uniform random numbers by position: the k-th is the same whatever was drawn before.

    A scheduler that draws by `position` continues after a replay as if it had never stopped.

    >>> draws = Draws(np.random.default_rng(0))
    >>> draws[1000] == Draws(np.random.default_rng(0))[1000]
    True
    """

    BLOCK = 256  # how many numbers are generated at a time

    def __init__(self, rng: np.random.Generator) -> None:
        self._key = int(rng.integers(2**63))
        self._block = -1
        self._numbers: list[float] = []

    def __getitem__(self, position: int) -> float:
        block, place = divmod(position, self.BLOCK)
        if block != self._block:
            self._block, self._numbers = block, self.generator(block).random(self.BLOCK).tolist()
        return self._numbers[place]

    def generator(self, position: int) -> np.random.Generator:
        """A generator that belongs to `position`, for when one number is not enough."""
        return np.random.default_rng([self._key, position])


def nth_free(draw: float, n_places: int, taken: Collection[int]) -> int:
    """The place that `draw` in [0, 1) picks uniformly among the free ones, or all if none is free.

    >>> nth_free(0.5, 4, taken=[])
    2
    >>> nth_free(0.5, 4, taken=[1, 2])
    3
    """
    free = n_places - len(set(taken))
    if free <= 0:
        return int(draw * n_places)
    place = int(draw * free)
    for other in sorted(set(taken)):
        place += place >= other
    return place


def pair_of(place: int) -> Match:
    """The unordered pair at `place` in the list (0, 1), (0, 2), (1, 2), (0, 3), ...

    >>> pair_of(4)
    Match(first=1, second=3)
    """
    second = int((1.0 + (8.0 * place + 1.0) ** 0.5) / 2.0)
    second -= second * (second - 1) // 2 > place  # the root may round up
    return Match(place - second * (second - 1) // 2, second)


def place_of(match: Match) -> int:
    """The place of an unordered pair in the list of `pair_of`.

    >>> place_of(Match(3, 1))
    4
    """
    low, high = sorted(match)
    return high * (high - 1) // 2 + low


def n_pairs(n_players: int) -> int:
    """How many pairs there are: n (n - 1) / 2.

    >>> n_pairs(100)
    4950
    """
    return n_players * (n_players - 1) // 2
