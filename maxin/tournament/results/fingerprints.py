"""Fingerprints of imported files, by which a copy under another name is noticed.

A fingerprint covers the first results of a file, in their order, so it is also found in a copy
that has grown. Every import records those of its file, as events. An export of the tournament
itself is known by the times of its results or, in PGN, by the numbers of its matches.
"""

from __future__ import annotations

import json
import shlex
from hashlib import blake2b
from itertools import islice, zip_longest
from typing import NamedTuple

from maxin.core import InvalidInput
from maxin.storage import PlayedMatch, Store, Writer
from maxin.storage.results import recorded_results
from maxin.tournament.results.columns import as_it_was
from maxin.tournament.results.pgn import Seated, seated_games

EVENT = "import"  # the kind of event
ALL_THE_SAME = "--again, or again=True in Python, imports it all the same, so that it counts twice"
SIZE = 16  # bytes of a digest
SAMPLE, OWN = 1_000, 100_000  # results of a file, and of the store, that are compared
FEWEST = 10  # results with which two different files hardly begin alike by chance


class Fingerprint(NamedTuple):
    """How many results a file begins with, and their digest."""

    n_results: int
    digest: str

    def record(self, writer: Writer, source: str) -> None:
        """Note that so much of a source was imported."""
        writer.event(EVENT, source=source, n_results=self.n_results, digest=self.digest)


class CopyCheck:
    """Compares the results of a file, one by one, with everything that was imported before.

    Args:
        store: the record.
        source: the name of the file.

    >>> from maxin.storage import open_store
    >>> check = CopyCheck(open_store("sqlite://"), "league.csv")
    >>> check.add(PlayedMatch(None, "anna", "bo", 1.0, line=2))
    >>> check.fingerprint().n_results, check.unchanged_until
    (1, 0)
    """

    def __init__(self, store: Store, source: str) -> None:
        self.unchanged_until = 0  # the last line that is as it was in the last import
        self._store, self._source = store, source
        self._times: list[float] = []  # those that the file has for its first results
        self._games: list[Seated] = []  # the first results, as games of PGN
        self._last = Fingerprint(0, "")  # of this source
        self._others: dict[Fingerprint, str] = {}  # the sources with results that would double
        self._whole: dict[str, Fingerprint] = {}  # of everything that these sources have
        counting = store.sources(retracted=False)
        self._is_new = source not in counting
        for event in store.events(EVENT):
            found = Fingerprint(event.detail["n_results"], event.detail["digest"])
            if event.detail["source"] == source:
                self._last = found
            elif event.detail["source"] in counting:
                self._others[found] = event.detail["source"]
                self._whole[event.detail["source"]] = found
        self._lengths = {self._last.n_results, *(one.n_results for one in self._others)}
        self._n_results, self._hash = 0, blake2b(digest_size=SIZE)
        self._alike: list[Fingerprint] = []  # the beginnings that other sources have

    def add(self, result: PlayedMatch[str]) -> None:
        """Take the next result of the file."""
        told = (result.first, result.second, result.score, result.games, result.data)
        self._hash.update(json.dumps(told).encode() + b"\n")
        self._n_results += 1
        time = (result.data or {}).get("time")
        if self._n_results <= SAMPLE and isinstance(time, float) and not time.is_integer():
            self._times.append(time)  # days or whole seconds may be the same by chance
        if self._n_results <= SAMPLE:
            self._games += seated_games(result)
        if self._n_results in self._lengths:
            now = self.fingerprint()
            if now in self._others:
                self._alike.append(now)
            if now == self._last:
                self.unchanged_until = result.line or 0

    def fingerprint(self) -> Fingerprint:
        """That of the results so far."""
        return Fingerprint(self._n_results, self._hash.hexdigest())

    def finish(self) -> None:
        """Raise if a new source is a copy of another one or of this record, or begins with it."""
        if not self._is_new:
            return
        for alike in reversed(self._alike):
            if self._is_copied(alike):
                other = self._others[alike]
                raise InvalidInput(
                    f"{self._source} seems to be a copy: its first {alike.n_results:,} results "
                    f"were imported from {other}; --source {shlex.quote(other)}, or "
                    f"source={other!r} in Python, adds only the new lines; {ALL_THE_SAME}"
                )
        n_own = self._n_own()
        if n_own and 2 * n_own >= len(self._times):
            raise InvalidInput(
                f"{self._source} seems to be an export of this tournament: {n_own:,} of its first "
                f"{len(self._times):,} results are recorded with the same time; {ALL_THE_SAME}"
            )
        if self._is_own_pgn():
            raise InvalidInput(
                f"{self._source} seems to be an export of this tournament: its first "
                f"{len(self._games):,} games are recorded with the same players and scores; "
                f"{ALL_THE_SAME}"
            )

    def _is_copied(self, alike: Fingerprint) -> bool:
        """Whether a common beginning is all of the other source or of this file, or is long."""
        is_whole = alike.n_results > 1 and alike in self._whole.values()
        return is_whole or alike.n_results >= min(FEWEST, self._n_results)

    def _is_own_pgn(self) -> bool:
        """Whether the first games are in the record: by number, or without any in the same order.

        Numbers are those of a PGN export; results that were imported have none in it.
        """
        has_numbers = any(game.number is not None for game in self._games)
        if not has_numbers and len(self._games) < FEWEST:
            return False
        played = islice(recorded_results(self._store, [], retracted=has_numbers), OWN)
        own = (game for match in played for game in seated_games(as_it_was(match)))
        if has_numbers:
            return set(self._games) <= set(own)
        return all(
            game == other for game, other in zip_longest(self._games, islice(own, len(self._games)))
        )

    def _n_own(self) -> int:
        """How many of the first results are in the record already, by their times."""
        played = islice(self._store.played() if self._times else (), OWN)
        own = {as_it_was(match).time for match in played}
        return sum(time in own for time in self._times)
