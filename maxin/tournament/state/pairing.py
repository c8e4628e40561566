"""The scheduler of the active players, kept up to date from the record."""

from __future__ import annotations

import reprlib
from collections import deque
from collections.abc import Sequence

import numpy as np

from maxin.core import InvalidInput, Match, Result, check_match
from maxin.core.half_life import AgeClock
from maxin.core.plugins import PluginFailed, blaming
from maxin.ratings import Features, Tally
from maxin.ratings.fading import FadingTally, fade
from maxin.ratings.fitting.pairs import Pairs
from maxin.ratings.judging.judged_tally import JudgedTally
from maxin.schedulers.base import Fades, StartsFromPoints
from maxin.storage import Counted, Entry
from maxin.tournament.custom import own_name
from maxin.tournament.settings import Settings


class Pairing:
    """A scheduler over some players of the field, as a fold over the record.

    It sees the matches between active players only, in order. Any process that reads the same
    record has the same scheduler, up to rounding: BLAS may add in another order where an array
    lies elsewhere in memory.

    Args:
        settings: the scheduler and its seed, and the lag.
        active: the players to choose from, by number.
        n_players: how many players there are in all.
        features: of all of them, if the tournament has any.
    """

    def __init__(
        self,
        settings: Settings,
        active: Sequence[int],
        n_players: int,
        features: Features | None = None,
    ) -> None:
        self._places = {player: place for place, player in enumerate(active)}
        self._active = list(active)
        self._name, self._lag = own_name(settings.scheduler), settings.lag
        self.n_known = 0  # with a lag: the scheduler has learnt from matches up to this number
        self.known = JudgedTally(n_players)  # the points of those matches, of all players
        self._ended: dict[int, Entry] = {}  # later matches with a result, or void
        self._unordered: deque[Entry] = deque()  # results without a place in that order
        self._flying: dict[int, Match] = {}  # matches the scheduler expects, by number
        self._void: deque[tuple[int, int]] = deque()  # (results until release, match number)
        self._n_told = 0
        rng = np.random.default_rng(settings.seed)
        own = None if features is None else features.of(active)
        self.scheduler = settings.make_scheduler(len(active), rng, own)
        fading = settings.fading
        self._clock = None if fading is None else AgeClock(fading)  # of all players' results
        # Whether it needs no record of every match; with a lag their order counts.
        self.can_start_from_points = not self._lag and isinstance(self.scheduler, StartsFromPoints)

    def start_from(self, tally: Tally) -> None:
        """Let a new scheduler learn the points of all matches so far between active players."""
        assert isinstance(self.scheduler, StartsFromPoints)
        pairs = Pairs.of_tally(tally, self._active)
        self._n_told = round(float(pairs.games.sum()))
        if not isinstance(tally, FadingTally):
            self.scheduler.start_from(pairs, tally.split_among(self._active))
            return
        assert isinstance(self.scheduler, Fades)
        self._clock, now = tally.clock.copy(), tally.weighed
        pairs, split = Pairs.of_tally(now, self._active), now.split_among(self._active)
        self.scheduler.start_from(pairs, split, self._n_told)

    @property
    def is_strict(self) -> bool:
        """Whether a match must not be chosen without those before it, by a plan or with a lag."""
        return bool(self._lag) or getattr(self.scheduler, "has_plan", False)

    def choose(self, number: int) -> Match | None:
        """The players of match `number`, by number; None if it has to wait for a result."""
        if not self.catch_up(number):
            return None
        match = self._chosen() or self._oldest_void()
        return None if match is None else Match(*(self._active[place] for place in match))

    def _chosen(self) -> Match | None:
        """The match that the scheduler chooses, which may be one of another package."""
        with blaming(self.scheduler, f"the scheduler {self._name} failed to choose a match"):
            chosen = self.scheduler.choose()
        if chosen is None:
            return None
        try:
            match = check_match(chosen, len(self._active))
            if match.first == match.second:
                raise InvalidInput("a player cannot play itself")
        except InvalidInput as error:
            shown = reprlib.repr(chosen)
            raise InvalidInput(
                f"the scheduler {self._name} chose an invalid match, {shown}: {error}"
            ) from None
        return match

    def _oldest_void(self) -> Match | None:
        """The void match to try again when there is nothing else to play."""
        return next((self._flying[number] for _, number in self._void), None)

    def catch_up(self, number: int) -> bool:
        """Learn the results that match `number` may depend on; False while one is pending.

        Results are learnt in the order of their numbers, then those without a place in that order
        (see `_end`), so the scheduler is the same whether or not anyone looked in between.
        """
        while self._lag and self.n_known < number - self._lag:
            ended = self._ended.pop(self.n_known + 1, None)
            if ended is None:
                return False
            self.n_known += 1
            self._settle(ended)
        while self._unordered:
            self._settle(self._unordered.popleft())
        return True

    def take(self, entry: Entry) -> None:
        """Apply the next entry of the record."""
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
            if set(self._flying[number]) == set(match):  # the same two players try again
                self._void.remove((until, number))
                self._withdraw(number)
        self._flying[entry.match] = match
        self.scheduler.expect(match)

    @property
    def has_void(self) -> bool:
        """Whether void matches are still expected, to be tried again."""
        return bool(self._void)

    def suppose(self, number: int, match: Match) -> None:
        """Expect a match that nobody has asked for yet."""
        self._flying[number] = Match(*(self._places[player] for player in match))
        self.scheduler.expect(self._flying[number])

    def suppose_no_more(self, number: int) -> None:
        """Undo `suppose`."""
        self._withdraw(number)

    def _end(self, entry: Entry) -> None:
        """Take a result now or, with a lag, when its turn comes.

        Imported results have no number, and a late result of a void match has missed its turn:
        both wait for the next match that is asked.
        """
        if not self._lag:
            self._settle(entry)
        elif entry.match is None or entry.match <= self.n_known or entry.match in self._ended:
            if entry.kind == "tell":  # else the match is void already
                self._unordered.append(entry)
        else:
            self._ended[entry.match] = entry

    def _settle(self, entry: Entry) -> None:
        """Report a result to the scheduler; a void match stays expected for a while.

        Otherwise the scheduler would choose the same two players again at once.
        """
        match = self._placed(entry)
        if entry.kind == "void":
            is_void = any(number == entry.match for _, number in self._void)
            if entry.match in self._flying and not is_void:
                self._void.append((self._n_told + len(self._active), entry.match))
            return
        if self._lag:
            add_entry(self.known, entry)
        if self._clock is not None:
            assert isinstance(self.scheduler, Fades)
            self.scheduler.fade(self._clock.tick(entry.time).fade)
        was_expected = entry.match is not None and self._forget(entry.match)
        if match is not None and entry.score is not None:
            what = f"the scheduler {self._name} failed to learn a result"
            with blaming(self.scheduler, what, PluginFailed):  # the result itself is valid
                self.scheduler.tell(Result(match, entry.score))
            if not was_expected and self._is_flying(match):
                self.scheduler.expect(match)  # it took this result for the pending match
            self._n_told += 1
            while self._void and self._void[0][0] <= self._n_told:
                self._withdraw(self._void.popleft()[1])

    def _is_flying(self, match: Match) -> bool:
        return any(set(match) == set(flying) for flying in self._flying.values())

    def _forget(self, number: int) -> bool:
        """Expect a match no longer, since it has a result; returns whether it was expected."""
        if self._flying.pop(number, None) is None:
            return False
        self._void = deque(pair for pair in self._void if pair[1] != number)
        return True

    def _withdraw(self, number: int) -> None:
        self.scheduler.withdraw(self._flying.pop(number))

    def _placed(self, entry: Entry) -> Match | None:
        """The entry's match in the scheduler's numbers; None if a player is not active."""
        if entry.first not in self._places or entry.second not in self._places:
            return None
        return Match(self._places[entry.first], self._places[entry.second])


def add_entry(tally: JudgedTally, entry: Entry) -> None:
    """Count a result, game by game if there are several, and weigh it if results fade."""
    count_entry(tally, entry)
    if isinstance(tally, FadingTally):
        if tally.is_stale:
            tally.clock.tick(entry.time)
        else:
            weigh_entry(tally, entry)


def weigh_entry(tally: FadingTally, entry: Entry) -> None:
    """Weigh a result that is counted; those before it fade."""
    weight = tally.new_weight(entry.time)
    add_weighed(tally.weighed, entry, weight)


def add_weighed(tally: JudgedTally, entry: Entry, weight: float) -> None:
    """Count a result with a weight."""
    if weight == 1.0:
        count_entry(tally, entry)
        return
    late = JudgedTally(tally.n_players)
    count_entry(late, entry)
    fade(late, weight)
    tally.add_tally(late)


def count_entry(tally: JudgedTally, entry: Entry) -> None:
    """Count a result, game by game if there are several."""
    assert entry.first is not None
    assert entry.second is not None
    assert entry.score is not None
    if entry.judge is not None:
        name, is_swapped = entry.judge
        games = entry.games or (entry.score,)
        tally.add_judged(name, entry.first, entry.second, games, is_swapped=is_swapped)
    elif entry.games:
        tally.add_match(entry.first, entry.second, entry.games)
    else:
        tally.add(entry.first, entry.second, entry.score)


def remove_entry(tally: JudgedTally, entry: Entry) -> None:
    """Count a result no longer; if results fade, all have to be weighed again."""
    if isinstance(tally, FadingTally):
        tally.clock.untick(entry.time)
        tally.mark_stale()
    assert entry.first is not None
    assert entry.second is not None
    assert entry.score is not None
    games = entry.games or (entry.score,)
    if entry.judge is None:
        tally.remove_match(entry.first, entry.second, games)
        return
    name, is_swapped = entry.judge
    tally.remove_judged(name, entry.first, entry.second, games, is_swapped=is_swapped)


def counted_tally(counted: Counted, n_players: int) -> JudgedTally:
    """The points of a summary of the record."""
    tally = JudgedTally(n_players)
    plain = [row for row in counted.results if row[3] is None and row[4] is None]
    if plain:
        kinds = {0: np.int64, 1: np.int64, 2: np.float64, 5: np.int64}  # of columns
        columns = [
            np.fromiter((row[place] for row in plain), kind, len(plain))
            for place, kind in kinds.items()
        ]
        players, scores = np.array(columns[:2]), columns[2]
        are_known = (players >= 0) & (players < n_players)
        if not (are_known.all() and ((scores >= 0.0) & (scores <= 1.0)).all()):
            raise InvalidInput("a result in the record is damaged")
        tally.add_many(*columns[:3], times=columns[3])
    for first, second, score, games, judge, times in counted.results:
        if judge is not None:
            shown = (first, second, games or (score,), times)
            tally.add_judged(judge.name, *shown, is_swapped=judge.is_swapped)
        elif games is not None:
            tally.add_match(first, second, games, times)
    return tally
