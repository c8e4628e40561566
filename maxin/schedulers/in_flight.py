"""Matches in flight: an ordered collection in which none has to be searched for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import overload

from maxin.core import Match


class InFlight(Sequence[Match]):
    """Pending matches, oldest first; a match may be pending several times.

    Adding and removing one takes the same time however many are pending.

    >>> flying = InFlight([Match(0, 1), Match(1, 2), Match(0, 1)])
    >>> flying.remove(Match(1, 0)), len(flying), flying[0]
    (True, 2, Match(first=1, second=2))
    """

    def __init__(self, matches: Iterable[Match] = ()) -> None:
        self._matches: dict[int, Match] = {}  # by number, in the order asked
        self._numbers: dict[Match, list[int]] = {}  # of each seating, oldest first
        self._n_added = 0
        for match in matches:
            self.append(match)

    def append(self, match: Match) -> None:
        """Add a match that was asked last."""
        self._matches[self._n_added] = match
        self._numbers.setdefault(match, []).append(self._n_added)
        self._n_added += 1

    def remove(self, match: Match, *, latest: bool = False) -> bool:
        """Remove the oldest `match`, or the latest; False if there is none.

        Its seats may be swapped. To remove the latest undoes `append`.
        """
        seating = match if match in self._numbers else Match(match.second, match.first)
        numbers = self._numbers.get(seating)
        if numbers is None:
            return False
        del self._matches[numbers.pop(-1 if latest else 0)]
        if not numbers:
            del self._numbers[seating]
        return True

    def __len__(self) -> int:
        return len(self._matches)

    def __iter__(self) -> Iterator[Match]:
        return iter(self._matches.values())

    @overload
    def __getitem__(self, place: int) -> Match: ...

    @overload
    def __getitem__(self, place: slice) -> list[Match]: ...

    def __getitem__(self, place: int | slice) -> Match | list[Match]:
        return list(self._matches.values())[place]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # it changes

    def __repr__(self) -> str:
        return f"InFlight({list(self)})"
