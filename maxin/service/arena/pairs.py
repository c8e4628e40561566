"""Pairs: two outputs side by side, which one voter compares; one vote is one match."""

from __future__ import annotations

import random
import secrets
from collections.abc import Set
from functools import partial
from typing import Any, Literal, NamedTuple, get_args

from sqlalchemy import Row, bindparam, func, insert, select, update

from maxin.core import InvalidInput, Match
from maxin.runners import Outcome
from maxin.service.arena.item_files import Output
from maxin.service.arena.shelf import Shelf, n_left
from maxin.storage import Store, Writer
from maxin.storage.schema import ASKED, ITEMS, OUTPUTS, PAIRS, TOKENS
from maxin.tournament.tickets.tickets import Ticket
from maxin.tournament.tickets.wishes import ASK, CORRECTION, RESULT, WishGroup, WorkWish

LEASE = 600.0  # seconds that a voter has for a pair; then it may go to somebody else
MOST_WAITING = 8  # matches that wait for a voter to whom an item of theirs is new
NO_MORE = (
    "a voter has compared everything there is; `maxin items FILE` adds items, `maxin invite` voters"
)
WAITING = "vote|"  # holds the matches that wait
SKIP, REMOVED = "skip", "removed"
LONGEST_REASON = 1_000  # characters
LONGEST_MS = 86_400_000  # a day: whoever took longer was away
Choice = Literal["a", "b", "tie", "bad", "skip"]
CHOICES: tuple[str, ...] = get_args(Choice)
VOTES = tuple(choice for choice in CHOICES if choice != SKIP)
Side = Literal["left", "right"]


class UnknownPair(InvalidInput):
    """There is no such pair, or it was shown to somebody else."""


class PairGone(InvalidInput):
    """The pair was given to somebody else, because its voter was away."""


class VoteConflict(InvalidInput):
    """The pair has another vote, or a vote that cannot be undone."""


class NoItems(InvalidInput):
    """There is nothing to compare at all; the message says how to add items."""


class Pair(NamedTuple):
    """What a voter sees: no name, and nothing that stays the same for a player.

    Args:
        key: names this showing.
        prompt: of the item.
        left: the type of the output on the left, as in HTTP.
        right: the type of the other one.
        n_votes: how many votes this voter has given.
        latest: the key of the voter's latest vote, which can be undone; None if there is none.
    """

    key: str
    prompt: str
    left: str
    right: str
    n_votes: int
    latest: str | None


def holder(voter: str) -> str:
    """The name under which a voter holds a match.

    >>> holder("k3x0")
    'vote|k3x0'
    """
    return WAITING + voter


def score_of(choice: str, *, is_swapped: bool) -> float:
    """The first player's score; if the seats are swapped on the page, it is on the right.

    >>> score_of("a", is_swapped=False), score_of("a", is_swapped=True)
    (1.0, 0.0)
    """
    if choice not in ("a", "b"):
        return 0.5
    return float((choice == "a") != is_swapped)


class VoteArena:
    """Chooses what to show, and takes votes; each method returns a wish for the desk.

    Args:
        rng: chooses sides and items; by default that of the system.
        lease: seconds that a voter has for a pair.

    >>> from maxin.service.arena.items import add_items
    >>> from maxin.service.arena.item_files import Item
    >>> from maxin.tournament import Tournament
    >>> tournament = Tournament(["anna", "bo"], seed=1)
    >>> outputs = {name: Output("text/plain", name.encode()) for name in tournament.names}
    >>> _ = add_items(tournament, [Item("greeting", "Say hello.", outputs)])
    >>> arena = VoteArena(random.Random(1))
    >>> [pair] = tournament.batch([arena.next_pair("k3x0")])
    >>> tournament.batch([arena.vote("k3x0", pair.key, "tie", ms=2_500)]), tournament.n_matches
    ([True], 1)
    """

    def __init__(self, rng: random.Random | None = None, *, lease: float = LEASE) -> None:
        self._rng = rng or random.SystemRandom()
        self._shelf = Shelf(self._rng)
        self._lease = lease

    # Wishes

    def next_pair(self, voter: str) -> WorkWish:
        """The voter's open pair, else a new one; the answer is None if there is none now."""
        return WorkWish(partial(self._next_pair, voter), ASK)

    def open_pair(self, voter: str) -> WorkWish:
        """The voter's open pair; the answer is None if there is none."""
        return WorkWish(partial(self._open_pair, voter), CORRECTION)

    def vote(
        self, voter: str, key: str, choice: str, *, ms: int | None = None, reason: str = ""
    ) -> WorkWish:
        """Record a vote; the answer is whether it is new.

        Another choice than before is a `VoteConflict`, the pair of another voter is an
        `UnknownPair`, and one that has gone to another voter meanwhile is a `PairGone`.
        """
        if choice not in CHOICES:
            raise InvalidInput(f"choice must be one of {', '.join(CHOICES)}; got {choice!r}")
        if len(reason) > LONGEST_REASON:
            raise InvalidInput(
                f"reason has at most {LONGEST_REASON:,} characters; got {len(reason):,}"
            )
        if ms is not None and ms < 0:
            raise InvalidInput(f"ms must be at least 0; got {ms}")
        taken = None if ms is None else min(ms, LONGEST_MS)
        return WorkWish(partial(self._vote, voter, key, choice, taken, reason), RESULT)

    def undo(self, voter: str, key: str) -> WorkWish:
        """Take back the voter's latest vote, so that the pair is open again.

        The answer is False if the pair was open already; a vote that is not the latest is a
        `VoteConflict`.
        """
        return WorkWish(partial(self._undo, voter, key), CORRECTION)

    # Inside the transaction

    def _next_pair(self, voter: str, group: WishGroup) -> Pair | None:
        found = self._open_pair(voter, group)
        if found is not None or group.writer.query(_REVOKED, {"who": voter}):
            return found
        if self._shelf.is_empty(group):
            raise NoItems("there is nothing to compare yet; `maxin items FILE` adds items")
        ticket, items = self._match_for(voter, group)
        if ticket is not None:
            return self._show(voter, ticket, items, group)
        if not n_left(group, voter) and self._shelf.is_news():
            group.tickets.store.notice(NO_MORE)
        return None

    def _open_pair(self, voter: str, group: WishGroup) -> Pair | None:
        writer = group.writer
        for row in writer.query(_OPEN, {"who": voter}):
            lease = writer.holder(row.match)
            if not _is_open(group, voter, row.match):
                writer.query(_CLOSE, {"number": row.match})
                continue
            if lease is not None:  # after an undo there is none, and nobody else gets the match
                writer.lease([row.match], holder(voter), self._lease)
            writer.query(_EXTEND, {"of": row.key, "to": writer.now + self._lease})
            return _pair(group, row.key, voter)
        return None

    def _match_for(self, voter: str, group: WishGroup) -> tuple[Ticket | None, Set[int]]:
        """A match with items that are new to the voter; those without wait for another voter.

        Once many wait, it is the most promising match that this voter can judge.
        """
        seen = {(row.low, row.high, row.item) for row in group.writer.query(_SEEN, {"who": voter})}

        def unseen(match: Match) -> Set[int]:
            low, high = sorted(match)
            both = self._shelf.common(group, low, high)
            return {item for item in both if (low, high, item) not in seen}

        ticket = group.hand_out_again(self._lease, holder(voter), lambda match: bool(unseen(match)))
        n_tries = MOST_WAITING - group.n_waiting(WAITING)
        while ticket is None and n_tries > 0:
            n_tries -= 1
            ticket = group.hand_out_new(self._lease, holder(voter))
            if ticket is None:
                break
            if not unseen(ticket.players):
                self._pass_on(ticket, group)
                ticket = None
        if ticket is None and n_left(group, voter):
            ticket = group.hand_out_suited(
                self._lease, holder(voter), lambda match: bool(unseen(match))
            )
        return ticket, set() if ticket is None else unseen(ticket.players)

    def _pass_on(self, ticket: Ticket, group: WishGroup) -> None:
        """Let a match wait for another voter; if nobody could vote on it, it is void."""
        low, high = sorted(ticket.players)
        if self._shelf.common(group, low, high):
            group.put_back(ticket.id, WAITING)
        else:
            names = f"{ticket.first} and {ticket.second}"
            group.tickets.void(group.writer, ticket.id, f"no item has outputs of both {names}")

    def _show(self, voter: str, ticket: Ticket, items: Set[int], group: WishGroup) -> Pair:
        writer, item, key = group.writer, self._shelf.least_shown(items), secrets.token_urlsafe(16)
        low, high = sorted(ticket.players)
        writer.query(_CLOSE, {"number": ticket.id})  # of the voter who was away
        row = {
            "key": key,
            "match": ticket.id,
            "voter": voter,
            "item": item,
            "low": low,
            "high": high,
            "swapped": self._rng.getrandbits(1),
            "shown": writer.now,
            "until": writer.now + self._lease,
        }
        writer.query(insert(PAIRS), row)
        self._shelf.note(item)
        return _pair(group, key, voter)

    def _vote(
        self, voter: str, key: str, choice: str, ms: int | None, reason: str, group: WishGroup
    ) -> bool:
        writer, row = group.writer, _own(group.writer, voter, key)
        if row.choice is not None:
            if row.choice == choice:
                return False
            raise VoteConflict(f"this pair has the vote {row.choice!r}; undo it to vote again")
        _check_open(group, voter, row)
        if choice == SKIP:
            group.tickets.void(writer, row.match, "skipped by a voter")
        else:
            score = score_of(choice, is_swapped=bool(row.swapped))
            data = _data_of(voter, row, choice, ms, reason)
            group.tickets.tell(writer, row.match, Outcome(score, data=data), worker=holder(voter))
        told = {"with": choice, "why": reason or None, "after": ms, "at": writer.now}
        writer.query(_ANSWER, {"of": key, **told})
        return True

    def _undo(self, voter: str, key: str, group: WishGroup) -> bool:
        writer, row = group.writer, _own(group.writer, voter, key)
        if row.choice is None:
            return False
        if _latest(writer, voter) != key:
            raise VoteConflict("only the latest vote can be undone, and this is an earlier one")
        if row.choice != SKIP:
            group.tickets.retract(writer, row.match, "undone by the voter", worker=holder(voter))
        writer.query(_ANSWER, {"of": key, "with": None, "why": None, "after": None, "at": None})
        writer.query(_EXTEND, {"of": key, "to": writer.now + self._lease})
        return True


def content(store: Store, voter: str, key: str, side: Side) -> Output:
    """What a voter sees on one side of a pair; not to be called inside a transaction.

    Raises:
        UnknownPair: if the pair is not this voter's.
        PairGone: if it has gone to another voter.
    """
    with store.one_moment() as connection:
        found = connection.execute(_OWN, {"of": key, "who": voter}).first()
        row = _known(found)
        if row.match is None:
            raise PairGone(AWAY)
        seats = connection.execute(_SEATS, {"number": row.match}).one()
        is_first = (side == "left") != bool(row.swapped)
        wanted = {"number": row.item, "by": seats.first if is_first else seats.second}
        output = connection.execute(_OUTPUT, wanted).one()
    return Output(output.type, bytes(output.body))


AWAY = "this pair was given to another voter, because you were away for too long"


def _own(writer: Writer, voter: str, key: str) -> Row[Any]:
    found = writer.query(_OWN, {"of": key, "who": voter})
    return _known(found[0] if found else None)


def _known(row: Row[Any] | None) -> Row[Any]:
    if row is None or row.choice == REMOVED:
        raise UnknownPair("there is no such pair, or it was not shown to you")
    return row


def _check_open(group: WishGroup, voter: str, row: Row[Any]) -> None:
    if row.match is None or not _is_open(group, voter, row.match):
        raise PairGone(AWAY)


def _is_open(group: WishGroup, voter: str, match: int) -> bool:
    """Whether nobody else has got a match; a voter who is late but the only one may vote."""
    lease = group.writer.holder(match)
    if lease is not None:
        return lease.worker == holder(voter)
    return group.tickets.match(group.writer, match)[1] is None


def _data_of(voter: str, row: Row[Any], choice: str, ms: int | None, reason: str) -> dict[str, Any]:
    """What is kept with the result; `side` is where the first player was."""
    data = {
        "voter": voter,
        "item": row.name,
        "choice": "both bad" if choice == "bad" else choice,
        "side": "right" if row.swapped else "left",
        "ms": ms,
        "reason": reason or None,
    }
    return {key: value for key, value in data.items() if value is not None}


def _pair(group: WishGroup, key: str, voter: str) -> Pair:
    writer = group.writer
    row = _own(writer, voter, key)
    match, _ = group.tickets.match(writer, row.match)
    found = writer.query(_TYPES, {"number": row.item, "players": list(match)})
    types = {output.player: output.type for output in found}
    left, right = reversed(match) if row.swapped else match
    n_votes = writer.query(_N_VOTES, {"who": voter})[0][0]
    return Pair(key, row.prompt, types[left], types[right], n_votes, _latest(writer, voter))


def _latest(writer: Writer, voter: str) -> str | None:
    found = writer.query(_LATEST, {"who": voter})
    return found[0].key if found else None


_REVOKED = select(TOKENS.c.id).where(TOKENS.c.id == bindparam("who"), TOKENS.c.revoked.is_not(None))
_MINE = PAIRS.c.voter == bindparam("who")
_THIS = PAIRS.c.key == bindparam("of")
_HAS_VOTE = PAIRS.c.choice.in_(VOTES)
_OWN = (
    select(PAIRS, ITEMS.c.name, ITEMS.c.prompt)
    .join(ITEMS, ITEMS.c.item == PAIRS.c.item)
    .where(_THIS, _MINE)
)
_OPEN = (
    select(PAIRS.c.key, PAIRS.c.match)
    .where(_MINE, PAIRS.c.choice.is_(None), PAIRS.c.match.is_not(None))
    .order_by(PAIRS.c.shown)  # after an undo, the earlier one comes first
)
_SEEN = select(PAIRS.c.low, PAIRS.c.high, PAIRS.c.item).where(_MINE)
_N_VOTES = select(func.count()).where(_MINE, _HAS_VOTE)
_LATEST = (
    select(PAIRS.c.key)
    .where(_MINE, PAIRS.c.choice.in_(CHOICES))
    .order_by(PAIRS.c.voted.desc(), PAIRS.c.match.desc())
    .limit(1)
)
_SEATS = select(ASKED.c.first, ASKED.c.second).where(ASKED.c.match == bindparam("number")).limit(1)
_TYPES = select(OUTPUTS.c.player, OUTPUTS.c.type).where(
    OUTPUTS.c.item == bindparam("number"),
    OUTPUTS.c.player.in_(bindparam("players", expanding=True)),
)
_OUTPUT = select(OUTPUTS.c.type, OUTPUTS.c.body).where(
    OUTPUTS.c.item == bindparam("number"), OUTPUTS.c.player == bindparam("by")
)
_CLOSE = update(PAIRS).where(PAIRS.c.match == bindparam("number")).values(match=None)
_EXTEND = update(PAIRS).where(_THIS).values(until=bindparam("to"))
_ANSWER = (
    update(PAIRS)
    .where(_THIS)
    .values(
        choice=bindparam("with"),
        reason=bindparam("why"),
        ms=bindparam("after"),
        voted=bindparam("at"),
    )
)
