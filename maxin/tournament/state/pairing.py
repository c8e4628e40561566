"""Who plays next: the scheduler of the active players, kept up to date from the record."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Sequence

import numpy as np

from maxin.core import Match, Result
from maxin.ratings import Tally
from maxin.schedulers import make_scheduler
from maxin.storage import Entry
from maxin.tournament.settings import Settings


class Pairing:
    """A scheduler over some players of the field, as a fold over the record.

    It sees the matches between the active players, in order; who is paused or retired is not
    there for it. Any process that reads the same record has the same scheduler, to rounding: BLAS
    may add in another order where an array lies elsewhere in memory.

    Args:
        settings: the scheduler and its seed, and the lag.
        active: the players to choose from, by number.
        n_players: how many there are in all.
    """

    def __init__(self, settings: Settings, active: Sequence[int], n_players: int) -> None:
        self._places = {player: place for place, player in enumerate(active)}
        self._active = list(active)
        self._lag = settings.lag
        self.n_known = 0  # with a lag: matches up to this number have been told to the scheduler
        self.known = Tally(n_players)  # and these are their points, of all players
        self._ended: dict[int, Entry] = {}  # those after it that were told, or voided
        self._besides: deque[Entry] = deque()  # results that have no place in that order
        self._flying: dict[int, Match] = {}  # matches the scheduler expects, by number
        self._void: deque[tuple[int, int]] = deque()  # until so many results are told, and numbers
        self._n_told = 0
        self.scheduler = make_scheduler(
            settings.scheduler_among(len(active)),
            len(active),
            np.random.default_rng(settings.seed),
        )

    def choose(self, number: int) -> Match | None:
        """Match `number`, players by their numbers in the field; None if it has to wait."""
        if not self.catch_up(number):
            return None
        match = self.scheduler.choose() or self._oldest_void()
        return None if match is None else Match(*(self._active[place] for place in match))

    def _oldest_void(self) -> Match | None:
        """With nothing else to play, a void match gets another chance."""
        return next((self._flying[number] for _, number in self._void), None)

    def catch_up(self, number: int) -> bool:
        """Tell what match `number` may depend on; False while some of it is still out.

        In the order of numbers, then what came besides (see `_end`): so the scheduler hears the
        same story whether somebody looked in between or not.
        """
        while self._lag and self.n_known < number - self._lag:
            ended = self._ended.pop(self.n_known + 1, None)
            if ended is None:
                return False
            self.n_known += 1
            self._settle(ended)
        while self._besides:
            self._settle(self._besides.popleft())
        return True

    def take(self, entry: Entry) -> None:
        """Read on in the record."""
        if entry.kind == "ask":
            self._expect(entry)
        elif entry.kind in ("tell", "void"):
            self._end(entry)

    def _expect(self, entry: Entry) -> None:
        assert entry.match is not None
        self.catch_up(entry.match)
        match = self._placed(entry)
        is_old = entry.match in self._flying or entry.match <= self.n_known
        if match is None or is_old or entry.match in self._ended:
            return
        for until, number in list(self._void):
            if set(self._flying[number]) == set(match):  # the same two try again
                self._void.remove((until, number))
                self._withdraw(number)
        self._flying[entry.match] = match
        self.scheduler.expect(match)

    def _end(self, entry: Entry) -> None:
        """A result, now or, with a lag, when its turn comes.

        Results from elsewhere have no number, and a late one of a void match has passed its own:
        they wait for the next match that is asked.
        """
        if not self._lag:
            self._settle(entry)
        elif entry.match is None or entry.match <= self.n_known or entry.match in self._ended:
            self._besides.append(entry)
        else:
            self._ended[entry.match] = entry

    def _settle(self, entry: Entry) -> None:
        """Tell the scheduler of a result; a void match stays with it for a while.

        Else it would ask for the same two at once, and again, whatever it is that fails.
        """
        match = self._placed(entry)
        if entry.kind == "void":
            if entry.match in self._flying:
                self._void.append((self._n_told + len(self._active), entry.match))
            return
        if self._lag:
            add_entry(self.known, entry)
        was_expected = entry.match is not None and self._forget(entry.match)
        if match is not None and entry.score is not None:
            self.scheduler.tell(Result(match, entry.score))
            if not was_expected and self._is_flying(match):
                self.scheduler.expect(match)  # it took this for the one that is still out
            self._n_told += 1
            while self._void and self._void[0][0] <= self._n_told:
                self._withdraw(self._void.popleft()[1])

    def _is_flying(self, match: Match) -> bool:
        return any(set(match) == set(flying) for flying in self._flying.values())

    def _forget(self, number: int) -> bool:
        """A match is told: it is no longer expected, nor void; whether it was expected."""
        if self._flying.pop(number, None) is None:
            return False
        self._void = deque(pair for pair in self._void if pair[1] != number)
        return True

    def _withdraw(self, number: int) -> None:
        self.scheduler.withdraw(self._flying.pop(number))

    def _placed(self, entry: Entry) -> Match | None:
        """The match of an entry by the scheduler's numbers; None if one is not among them."""
        if entry.first not in self._places or entry.second not in self._places:
            return None
        return Match(self._places[entry.first], self._places[entry.second])


def add_entry(tally: Tally, entry: Entry) -> None:
    """Count a result; a match of several games by its games, seats swapped in every other one."""
    assert entry.first is not None
    assert entry.second is not None
    assert entry.score is not None
    games = json.loads(entry.text) if entry.text else [entry.score]
    for number, score in enumerate(games):
        if number % 2 == 0:
            tally.add(entry.first, entry.second, score, 1.0 / len(games))
        else:  # the score is still that of the match's first player
            tally.add(entry.second, entry.first, 1.0 - score, 1.0 / len(games))
