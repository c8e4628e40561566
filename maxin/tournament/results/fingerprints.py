"""Fingerprints of imported files, by which a copy under another name is noticed.

A fingerprint covers the first results of a file, in their order, so it is also found in a copy
that has grown. Every import records those of its file, as events. An export of the tournament
itself is known by the times of its results.
"""

from __future__ import annotations

import json
from hashlib import blake2b
from itertools import islice
from typing import NamedTuple

from maxin.core import InvalidInput
from maxin.storage import PlayedMatch, Store, Writer
from maxin.tournament.results.extras import as_it_was

EVENT = "import"  # the kind of event
ALL_THE_SAME = "--again, or again=True in Python, imports it all the same"
SIZE = 16  # bytes of a digest
SAMPLE, OWN = 1_000, 100_000  # results of a file, and of the store, whose times are compared
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
        self._last = Fingerprint(0, "")  # of this source
        self._others: dict[Fingerprint, str] = {}  # the sources with results that would double
        counting = store.sources(retracted=False)
        self._is_new = source not in counting
        for event in store.events(EVENT):
            found = Fingerprint(event.detail["n_results"], event.detail["digest"])
            if event.detail["source"] == source:
                self._last = found
            elif event.detail["source"] in counting:
                self._others[found] = event.detail["source"]
        self._lengths = {self._last.n_results, *(one.n_results for one in self._others)}
        self._n_results, self._hash = 0, blake2b(digest_size=SIZE)
        self._alike: Fingerprint | None = None  # the longest beginning that another source has

    def add(self, result: PlayedMatch[str]) -> None:
        """Take the next result of the file."""
        told = (result.first, result.second, result.score, result.games, result.data)
        self._hash.update(json.dumps(told).encode() + b"\n")
        self._n_results += 1
        time = (result.data or {}).get("time")
        if self._n_results <= SAMPLE and isinstance(time, float) and not time.is_integer():
            self._times.append(time)  # days or whole seconds may be the same by chance
        if self._n_results in self._lengths:
            now = self.fingerprint()
            self._alike = now if now in self._others else self._alike
            if now == self._last:
                self.unchanged_until = result.line or 0

    def fingerprint(self) -> Fingerprint:
        """That of the results so far."""
        return Fingerprint(self._n_results, self._hash.hexdigest())

    def finish(self) -> None:
        """Raise if a new source is a copy of another one or of this record, or begins with it."""
        alike = self._alike
        if not self._is_new:
            return
        if alike is not None and alike.n_results >= min(FEWEST, self._n_results):
            raise InvalidInput(
                f"{self._source} seems to be a copy: its first {alike.n_results:,} results were "
                f"imported from {self._others[alike]}; {ALL_THE_SAME}"
            )
        n_own = self._n_own()
        if n_own and 2 * n_own >= len(self._times):
            raise InvalidInput(
                f"{self._source} seems to be an export of this tournament: {n_own:,} of its first "
                f"{len(self._times):,} results are recorded with the same time; {ALL_THE_SAME}"
            )

    def _n_own(self) -> int:
        """How many of the first results are in the record already, by their times."""
        played = islice(self._store.played() if self._times else (), OWN)
        own = {as_it_was(match).time for match in played}
        return sum(time in own for time in self._times)
