"""The state of a tournament: a fold over its record."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import cast

import numpy as np

from maxin.core import Match
from maxin.ratings import Tally
from maxin.ratings.base import Array
from maxin.storage import Entry
from maxin.storage.records import State
from maxin.tournament.settings import Settings
from maxin.tournament.state.pairing import Pairing, add_entry


class League:
    """Players, points, matches out, and whom the scheduler wants to see: all from the record.

    Only `take` changes it. It never grows with the number of matches.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.seq = 0  # of the last entry taken
        self.names: list[str] = []
        self.states: list[State] = []
        self.tally = Tally(0)
        self.n_told = 0
        self.n_asked = 0  # the number of the latest match
        self.out: dict[int, Match] = {}  # asked, not yet told or voided
        self.demands: deque[Match] = deque()
        self._seated = np.zeros((0, 0), dtype=np.int64)  # asked with the row first
        self.pairing: Pairing | None = None  # None when the active players have changed

    def take(self, entry: Entry) -> None:
        """Read on in the record."""
        self.seq = entry.seq
        if entry.kind == "player":
            self._take_player(entry)
            return
        if entry.kind == "ask":
            self._take_ask(entry)
        elif entry.kind == "tell":
            self._take_tell(entry)
        elif entry.kind == "void":
            self.out.pop(entry.match or 0, None)
        else:
            self.demands.append(_match(entry))
        if self.pairing is not None:
            self.pairing.take(entry)

    def _take_player(self, entry: Entry) -> None:
        player, name, state = entry.first, entry.text, entry.state
        assert player is not None
        if player == len(self.names):
            self.names.append(name or "")
            self.states.append("active")
            self.tally = self.tally.grown(len(self.names))
            self._seated = np.pad(self._seated, (0, 1))
            self.pairing = None
        if state != self.states[player]:
            self.states[player] = cast(State, state)  # the table holds nothing else
            self.pairing = None

    def _take_ask(self, entry: Entry) -> None:
        assert entry.match is not None
        if entry.match <= self.n_asked:
            return  # asked again
        match = _match(entry)
        self.n_asked = entry.match
        self.out[entry.match] = match
        self._seated[match] += 1
        if match in self.demands:
            self.demands.remove(match)

    def _take_tell(self, entry: Entry) -> None:
        if entry.match is not None:
            self.out.pop(entry.match, None)
        self.n_told += 1
        add_entry(self.tally, entry)

    def known(self) -> tuple[int, Tally]:
        """How many results the next match may depend on, and their points."""
        if not self.settings.lag or self.pairing is None:
            return self.n_told, self.tally
        self.pairing.catch_up(self.n_asked + 1)
        return self.pairing.n_known, self.pairing.known

    def active(self) -> list[int]:
        """The players who may be asked to play."""
        return [player for player, state in enumerate(self.states) if state == "active"]

    def pair_anew(self, story: Iterable[Entry]) -> None:
        """Start the scheduler again for the players who are active now, from the whole record."""
        self.pairing = Pairing(self.settings, self.active(), len(self.names))
        for entry in story:
            self.pairing.take(entry)

    def next_match(self) -> Match | None:
        """Who meets next, and who sits first; None if nothing can be asked now."""
        for demand in self.demands:
            if all(self.states[player] == "active" for player in demand):
                return demand
        if len(self.active()) < 2:
            return None
        assert self.pairing is not None
        match = self._match_of_the_starved() or self.pairing.choose(self.n_asked + 1)
        return None if match is None else self._seat(match)

    def played(self) -> Array:
        """How many matches every player has had, or is out for."""
        played = self.tally.n_matches
        for match in self.out.values():
            played[list(match)] += 1.0
        return played

    def _match_of_the_starved(self) -> Match | None:
        """A match for whoever has played least, if that is less than the least everyone plays."""
        if not self.settings.min_matches:
            return None
        active = np.array(self.active())
        played = self.played()
        first = int(active[played[active].argmin()])
        if played[first] >= self.settings.min_matches:
            return None
        rivals = active[active != first]
        met = self._seated[first, rivals] + self._seated[rivals, first]
        return Match(first, int(rivals[np.lexsort((played[rivals], met))[0]]))

    def _seat(self, match: Match) -> Match:
        """Whoever sat first less often against the other; if level, as chance has it."""
        first, second = match
        lead = int(self._seated[first, second] - self._seated[second, first])
        is_swapped = lead > 0 or (lead == 0 and self.seed(self.n_asked + 1) % 2 == 1)
        return Match(second, first) if is_swapped else match

    def seed(self, number: int) -> int:
        """The seed of match `number`, in [0, 2^31)."""
        return match_seed(self.settings.seed, number)


def match_seed(seed: int, number: int) -> int:
    """The seed of match `number` in a tournament with `seed`, in [0, 2^31).

    >>> match_seed(0, 1), match_seed(0, 2)
    (..., ...)
    """
    state: int = np.random.SeedSequence([seed, number]).generate_state(1)[0].item()
    return state >> 1


def _match(entry: Entry) -> Match:
    assert entry.first is not None
    assert entry.second is not None
    return Match(entry.first, entry.second)
