"""Verification: the record is audited, and everything is derived from it again and compared."""

from __future__ import annotations

import math
from typing import NamedTuple, Protocol

import numpy as np

from maxin.core import InvalidInput, MaxinError
from maxin.core.text import counted, listed
from maxin.core.values import match_seed
from maxin.ratings import fit_seats
from maxin.ratings.base import MOST_EXACT
from maxin.ratings.fading import weighed
from maxin.storage import Store, StoreLost
from maxin.tournament.settings import Settings, settled
from maxin.tournament.state.state import TournamentState

TOLERANCE = 1e-9  # of a rating, in nats: points may be added in another order
LEARNT = 1e-6  # of what a scheduler has learnt
SHORTEST = 8  # digits of a digest that identify it


class Running(Protocol):
    """Whatever keeps a state level with the record."""

    @property
    def state(self) -> TournamentState:
        """The state as it was last read."""

    def refresh(self) -> None:
        """Read what was written since."""


class Verification(NamedTuple):
    """What was found.

    Args:
        n_matches: the results read.
        n_pending: the matches without one.
        largest_difference: of a rating, in nats.
        problems: a sentence each.
        n_players: all players but those that were removed.
        n_entries: the length of the record.
        n_unsealed: how many of its first entries come from an older version and have no digest.
        digest: that of the last entry.
        known_until: the entry that has the digest which was given; up to there, the record is as
            it was.
    """

    n_matches: int
    n_pending: int
    largest_difference: float
    problems: list[str]
    n_players: int
    n_entries: int
    n_unsealed: int
    digest: str
    known_until: int | None

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self, *, is_server: bool = False) -> list[str]:
        """The same in sentences.

        Args:
            is_server: whether the store is on a database server, whose files are not checked.
        """
        lines = [f"wrong: {problem}" for problem in self.problems]
        if not self.problems:
            lines.append("OK: everything matches the record")
        matches, players = counted(self.n_matches, "match"), counted(self.n_players, "player")
        lines.append(f"read {matches} of {players} again, {self.n_pending:,} pending")
        if math.isfinite(self.largest_difference):
            lines.append(f"largest difference of a rating: {self.largest_difference:.3g} nats")
        if is_server:
            lines.append("not checked: the files of the database server, which has tools for that")
        if self.n_unsealed:
            lines.append(
                f"not checked: the first {self.n_unsealed} entries come from an older version and "
                "have no digest"
            )
        if self.known_until is not None:
            since = f"from entry {self.n_unsealed + 1} " if self.n_unsealed else ""
            known = f"up to entry {self.known_until} is as it was with this digest"
            lines.append(f"the record {since}{known}")
        if self.digest and not self.problems:
            lines += [
                f"digest of entry {self.n_entries}: {self.digest}",
                "Keep it elsewhere: `maxin verify --digest` then proves that nothing before it was "
                "rewritten.",
            ]
        return lines


class Comparison(NamedTuple):
    """The state that the record gives, and how the running one differs from it."""

    state: TournamentState
    largest_difference: float
    problems: list[str]


def verify(
    store: Store, running: Running | None = None, *, digest: str | None = None
) -> Verification:
    """Audit the record, derive the state from it, and compare that with the running one.

    Checked: the record is complete and unchanged (see `maxin.storage.audit`); every result belongs
    to a match that was handed out, once and with the same players; numbers and seeds follow from
    the settings; points, pending matches, ratings and the scheduler's ratings are the same in the
    running state, up to rounding.

    Args:
        store: the record.
        running: keeps the state to compare, if there is one.
        digest: one that the record had before, or its first 8 digits or more.
    """
    audit = store.audit("" if digest is None else checked_digest(digest))
    try:
        found = _compared(store, running)
    except StoreLost:
        raise
    except Exception as error:
        if not audit.problems and not audit.n_unsealed:
            raise  # the record is as we wrote it, so the mistake is ours
        state = TournamentState(Settings())
        words = str(error) if isinstance(error, MaxinError) else repr(error)
        found = Comparison(state, np.inf, [f"no state can be derived from the record: {words}"])
    derived = found.problems
    if audit.problems:  # a cause is named before its consequences
        derived = [f"probably as a result, {problem}" for problem in derived]
    return Verification(
        found.state.n_told,
        len(found.state.pending),
        found.largest_difference,
        [*audit.problems, *derived],
        sum(state != "removed" for state in found.state.states),
        audit.n_entries,
        audit.n_unsealed,
        audit.digest,
        audit.known_until,
    )


def checked_digest(text: str, name: str = "digest") -> str:
    """A digest in small letters, or an error that names the argument.

    >>> checked_digest("0A1B2C3D")
    '0a1b2c3d'
    """
    digest = text.lower()
    if len(digest) < SHORTEST or set(digest) - set("0123456789abcdef"):
        raise InvalidInput(f"{name} must be {SHORTEST} or more digits 0-9, a-f; got {text!r}")
    return digest


def _compared(store: Store, running: Running | None) -> Comparison:
    """Derive the state from the record alone, and compare."""
    if running is not None:
        running.refresh()
    settings = settled(store.settings(), {}) if running is None else running.state.settings
    others = [] if running is None else [running.state]
    fresh, problems = _replayed(store, settings, None if running is None else running.state.seq)
    for state in (fresh, *others):
        state.weigh_in(store)
    problems += _seed_problems(store, settings)
    problems += _of_matches(store.reported_twice(), "has more than one result")
    for state in others:
        problems += _differences(state, fresh, store)
    difference = max((_rating_difference(state, fresh) for state in others), default=0.0)
    return Comparison(fresh, difference, problems)


def _rating_difference(one: TournamentState, two: TournamentState) -> float:
    """The largest difference of a rating, in nats; infinite if the players differ."""
    if one.names != two.names:
        return float("inf")
    if one.tally.is_like(two.tally):  # the same points have the same ratings
        return 0.0
    if len(one.names) > MOST_EXACT:
        return 0.0 if one.tally.is_like(two.tally, TOLERANCE) else float("inf")
    fits = [fit_seats(weighed(state.tally)).ratings for state in (one, two)]
    return float(np.abs(fits[0] - fits[1]).max())


def _differences(running: TournamentState, fresh: TournamentState, store: Store) -> list[str]:
    """How the running state differs from the record."""
    problems = []
    if _rating_difference(running, fresh) > TOLERANCE:
        problems.append("ratings differ from those of the record")
    if running.n_told != fresh.n_told:
        problems.append(f"{running.n_told} results are counted, {fresh.n_told} are in the record")
    if running.pending != fresh.pending:
        problems.append("the pending matches differ from those of the record")
    if running.pairing is not None and len(fresh.active()) >= 2:
        if fresh.pairing is None:
            fresh.restart_pairing(store)
        for state in (running, fresh):
            state.known()  # both learn everything that the next match may depend on
        if not problems and not _is_same(running, fresh):
            problems.append("the scheduler differs from that of the record")
    return problems


def _is_same(one: TournamentState, two: TournamentState) -> bool:
    """Whether the schedulers of two states have learnt the same, up to rounding."""
    assert one.pairing is not None
    assert two.pairing is not None
    ratings, again = one.pairing.scheduler.ratings(), two.pairing.scheduler.ratings()
    return ratings.shape == again.shape and np.allclose(ratings, again, rtol=LEARNT, atol=LEARNT)


def _replayed(
    store: Store, settings: Settings, end: int | None
) -> tuple[TournamentState, list[str]]:
    """The state that the record gives up to entry `end`, and matches that contradict their tickets.

    What another process has written since is left out.
    """
    state = TournamentState(settings)
    asked: dict[int, tuple[int, int]] = {}
    again: list[int] = []  # matches that were handed out again with other players
    other: list[int] = []  # matches whose result has other players
    for entry in store.entries():
        if end is not None and entry.seq > end:
            break
        state.take(entry)
        if entry.match is None:
            continue
        pair = (entry.first or 0, entry.second or 0)
        if entry.kind == "ask" and asked.setdefault(entry.match, pair) != pair:
            again.append(entry.match)
        if entry.kind == "tell" and asked.pop(entry.match, pair) != pair:
            other.append(entry.match)
    problems = [
        *_of_matches(again, "was handed out again with other players"),
        *_of_matches(other, "has a result with other players"),
    ]
    return state, problems


def _seed_problems(store: Store, settings: Settings) -> list[str]:
    """The results whose match was never handed out, or with another seed."""
    unknown: list[int] = []
    other: list[int] = []
    for number, seed in store.seeds():
        if seed is None:
            unknown.append(number)
        elif seed != match_seed(settings.seed, number):
            other.append(number)
    return [
        *_of_matches(unknown, "has a result but was never handed out"),
        *_of_matches(other, "has another seed than its tournament gives it"),
    ]


def _of_matches(numbers: list[int], problem: str) -> list[str]:
    """One sentence about all matches that have the same problem; none if there is no match."""
    if len(numbers) < 2:
        return [f"match {number} {problem}" for number in numbers]
    return [f"each of {len(numbers):,} matches {problem}: {listed(list(map(str, numbers)))}"]
