"""What voters have compared, for those who may know whose it was."""

from __future__ import annotations

from typing import NamedTuple

from maxin.core import Match
from maxin.storage import Store
from maxin.storage.votes.items import Output, read_output
from maxin.storage.votes.pairs import StoredPair, pair_of_match
from maxin.worker.source import UnknownMatch

SEATS = ("first", "second")


class AnsweredPair(NamedTuple):
    """The pair of outputs that a voter has compared, and the players who made them."""

    pair: StoredPair
    players: Match

    @property
    def seats(self) -> list[int]:
        """The seat of the player on the left, 0 or 1, and that of the other one."""
        return [1, 0] if self.pair.is_swapped else [0, 1]


def answered_pair(store: Store, number: int) -> AnsweredPair | None:
    """What was compared in a match; None as long as the pair is open.

    Until then nobody may see whose outputs they are: the voter could look.
    """
    pair = pair_of_match(store, number)
    if pair is None or pair.answer is None:
        return None
    return AnsweredPair(pair, store.seats([number])[number])


def answered_output(store: Store, number: int, seat: int) -> Output:
    """The output of the player in a seat of a match; `UnknownMatch` before it was compared."""
    found = answered_pair(store, number)
    if found is None:
        raise UnknownMatch(f"match {number} has no outputs that a voter has compared")
    return read_output(store, found.pair.item, found.players[seat])


def output_url(number: int, seat: int) -> str:
    """Where that output is.

    >>> output_url(7, 1)
    '/api/v1/matches/7/second'
    """
    return f"/api/v1/matches/{number}/{SEATS[seat]}"
