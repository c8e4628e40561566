"""Pairs: two outputs side by side, which one voter compares; one vote is one match."""

from __future__ import annotations

import random
import secrets
from collections.abc import Set
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, get_args

from maxin.core import InvalidInput, Match
from maxin.runners import Outcome
from maxin.service.arena.outputs import OutputIndex, n_left
from maxin.storage import Judge, Store, Vote, Writer
from maxin.storage.tokens import read_token
from maxin.storage.votes import pairs
from maxin.storage.votes.items import Output, output_types, read_output
from maxin.storage.votes.pairs import StoredPair
from maxin.tournament.record.commands import Change, apply
from maxin.tournament.record.transaction import Transaction
from maxin.worker.source import ASK, RESULT, Ticket

LEASE = 600.0  # seconds that a voter has for a pair; then it may go to somebody else
MOST_WAITING = 8  # matches waiting for a voter who has not seen their items
NO_MORE = (
    "a voter has compared everything there is; `maxin items FILE` adds items, `maxin invite` voters"
)
WAITING = "vote|"  # holds the matches that wait
LONGEST_REASON = 1_000  # characters
LONGEST_MS = 86_400_000  # a day: whoever took longer was away
Choice = Literal["a", "b", "tie", "bad", "skip"]
CHOICES: tuple[str, ...] = get_args(Choice)
Side = Literal["left", "right"]
SIDES: tuple[Side, Side] = ("left", "right")


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


@dataclass(frozen=True)
class NextPair:
    """The voter's open pair, else a new one; the answer is None if there is none now."""

    arena: VoteArena
    voter: str
    rank: ClassVar[int] = ASK


@dataclass(frozen=True)
class OpenPair(Change):
    """The voter's open pair; the answer is None if there is none."""

    arena: VoteArena
    voter: str


@dataclass(frozen=True)
class CastVote:
    """Record a vote; the answer is whether it is new.

    Another choice than before is a `VoteConflict`, the pair of another voter is an `UnknownPair`,
    and one that has gone to another voter meanwhile is a `PairGone`.

    Args:
        voter: who votes.
        key: of the pair.
        choice: one of `CHOICES`.
        ms: milliseconds from the showing to the vote.
        reason: in the voter's own words.
    """

    voter: str
    key: str
    choice: str
    ms: int | None = None
    reason: str = ""
    rank: ClassVar[int] = RESULT


@dataclass(frozen=True)
class UndoVote(Change):
    """Take back the voter's latest vote, so that the pair is open again.

    The answer is False if the pair was open already; a vote that is not the latest is a
    `VoteConflict`.
    """

    voter: str
    key: str


class VoteArena:
    """Chooses what to show.

    Args:
        rng: chooses sides and items; by default that of the system.
        lease: seconds that a voter has for a pair.

    >>> from maxin.service.arena.items import add_items
    >>> from maxin.service.arena.item_files import Item
    >>> from maxin.tournament import Tournament
    >>> from maxin.tournament.tournament import session_of
    >>> tournament = Tournament(["anna", "bo"], seed=1)
    >>> outputs = {name: Output("text/plain", name.encode()) for name in tournament.names}
    >>> _ = add_items(tournament, [Item("greeting", "Say hello.", outputs)])
    >>> session = session_of(tournament)
    >>> pair = session.answer(NextPair(VoteArena(random.Random(1)), "k3x0"))
    >>> session.answer(CastVote("k3x0", pair.key, "tie", ms=2_500)), tournament.n_matches
    (True, 1)
    """

    def __init__(self, rng: random.Random | None = None, *, lease: float = LEASE) -> None:
        self._rng = rng or random.SystemRandom()
        self._outputs = OutputIndex(self._rng)
        self._lease = lease

    def next_pair(self, voter: str, transaction: Transaction) -> Pair | None:
        """The voter's open pair, else a new one; None if there is none now."""
        found = self.open_pair(voter, transaction)
        token = read_token(transaction.writer, voter)
        if found is not None or (token is not None and token.revoked is not None):
            return found
        if self._outputs.is_empty(transaction):
            raise NoItems("there is nothing to compare yet; `maxin items FILE` adds items")
        ticket, items = self._match_for(voter, transaction)
        if ticket is not None:
            return self._show(voter, ticket, items, transaction)
        if not n_left(transaction, voter) and self._outputs.is_news():
            transaction.record.store.notice(NO_MORE)
        return None

    def open_pair(self, voter: str, transaction: Transaction) -> Pair | None:
        """The voter's open pair; None if there is none."""
        writer = transaction.writer
        for key, match in pairs.open_pairs(writer, voter):
            if match is None:
                continue
            if not _is_open(transaction, voter, match):
                pairs.close_pair(writer, match)
                continue
            if writer.holder(match) is not None:  # after an undo nobody has it, or can get it
                writer.lease([match], holder(voter), self._lease)
            return _pair(transaction, key, voter)
        return None

    def _match_for(self, voter: str, transaction: Transaction) -> tuple[Ticket | None, Set[int]]:
        """A match with items that are new to the voter; those without wait for another voter.

        Once many wait, it is the most promising match that this voter can judge.
        """
        seen = pairs.shown_to(transaction.writer, voter)

        def unseen(match: Match) -> Set[int]:
            low, high = sorted(match)
            both = self._outputs.common(transaction, low, high)
            return {item for item in both if (low, high, item) not in seen}

        ticket = transaction.hand_out_again(
            self._lease, holder(voter), lambda match: bool(unseen(match))
        )
        n_tries = MOST_WAITING - transaction.n_waiting(WAITING)
        while ticket is None and n_tries > 0:
            n_tries -= 1
            ticket = transaction.hand_out_new(self._lease, holder(voter))
            if ticket is None:
                break
            if not unseen(ticket.players):
                self._pass_on(ticket, transaction)
                ticket = None
        if ticket is None and n_left(transaction, voter):
            ticket = transaction.hand_out_suited(
                self._lease, holder(voter), lambda match: bool(unseen(match))
            )
        return ticket, set() if ticket is None else unseen(ticket.players)

    def _pass_on(self, ticket: Ticket, transaction: Transaction) -> None:
        """Let a match wait for another voter; if nobody could vote on it, it is void."""
        low, high = sorted(ticket.players)
        if self._outputs.common(transaction, low, high):
            transaction.put_back(ticket.id, WAITING)
        else:
            names = f"{ticket.first} and {ticket.second}"
            transaction.void(ticket.id, f"no item has outputs of both {names}")

    def _show(self, voter: str, ticket: Ticket, items: Set[int], transaction: Transaction) -> Pair:
        item, key = self._outputs.least_shown(items), secrets.token_urlsafe(16)
        what, is_swapped = (ticket.id, ticket.players, item), bool(self._rng.getrandbits(1))
        pairs.add_pair(transaction.writer, key, voter, *what, is_swapped=is_swapped)
        self._outputs.note(item)
        return _pair(transaction, key, voter)


@apply.register
def _(command: NextPair, transaction: Transaction) -> Pair | None:
    return command.arena.next_pair(command.voter, transaction)


@apply.register
def _(command: OpenPair, transaction: Transaction) -> Pair | None:
    return command.arena.open_pair(command.voter, transaction)


@apply.register
def _(command: CastVote, transaction: Transaction) -> bool:
    _check_vote(command)
    writer, voter, choice = transaction.writer, command.voter, command.choice
    pair = _own(writer, voter, command.key)
    if pair.answer is not None:
        before = _choice(writer, pair)
        if before == choice:
            return False
        raise VoteConflict(f"this pair has the vote {before!r}; undo it to vote again")
    match = _open_match(transaction, voter, pair)
    if choice == "skip":
        transaction.void(match, "skipped by a voter")
    else:
        ms = None if command.ms is None else min(command.ms, LONGEST_MS)
        judge, more = Judge(voter, pair.is_swapped), (command.reason, pair.category)
        vote = Vote(judge, pair.name, choice, ms, *more)
        transaction.tell(match, Outcome(vote.score, data=vote.data()), holder(voter))
    pairs.answer_pair(writer, command.key, "skip" if choice == "skip" else "vote")
    return True


def _check_vote(vote: CastVote) -> None:
    if vote.choice not in CHOICES:
        raise InvalidInput(f"choice must be one of {', '.join(CHOICES)}; got {vote.choice!r}")
    if len(vote.reason) > LONGEST_REASON:
        raise InvalidInput(
            f"reason has at most {LONGEST_REASON:,} characters; got {len(vote.reason):,}"
        )
    if vote.ms is not None and vote.ms < 0:
        raise InvalidInput(f"ms must be at least 0; got {vote.ms}")


@apply.register
def _(command: UndoVote, transaction: Transaction) -> bool:
    writer, voter, key = transaction.writer, command.voter, command.key
    pair = _own(writer, voter, key)
    if pair.answer is None:
        return False
    if pairs.latest_answer(writer, voter) != key:
        raise VoteConflict("only the latest vote can be undone, and this is an earlier one")
    if pair.answer == "vote":
        assert pair.match is not None
        transaction.retract(pair.match, "undone by the voter", holder(voter))
    pairs.answer_pair(writer, key, None)
    return True


def content(store: Store, voter: str, key: str, side: Side) -> Output:
    """What a voter sees on one side of a pair; not to be called inside a transaction.

    Raises:
        UnknownPair: if the pair is not this voter's.
        PairGone: if it has gone to another voter.
    """
    pair = _known(pairs.read_pair(store, voter, key))
    if pair.match is None:
        raise PairGone(AWAY)
    match = store.seats([pair.match])[pair.match]
    is_first = (side == "left") != pair.is_swapped
    return read_output(store, pair.item, match.first if is_first else match.second)


def compared(store: Store, voter: str, key: str) -> tuple[str, Output, Output]:
    """The prompt of a pair, and what its voter sees on the left and on the right; see `content`."""
    pair = _known(pairs.read_pair(store, voter, key))
    left, right = (content(store, voter, key, side) for side in SIDES)
    return pair.prompt, left, right


AWAY = "this pair was given to another voter, because you were away for too long"


def _own(writer: Writer, voter: str, key: str) -> StoredPair:
    return _known(pairs.read_pair(writer, voter, key))


def _known(pair: StoredPair | None) -> StoredPair:
    if pair is None or pair.answer == "removed":
        raise UnknownPair("there is no such pair, or it was not shown to you")
    return pair


def _choice(writer: Writer, pair: StoredPair) -> str | None:
    """What the voter has chosen; None if another result has replaced the vote."""
    if pair.answer == "skip" or pair.match is None:
        return pair.answer
    vote = pairs.earlier_vote(writer, pair.match)
    return None if vote is None else vote.choice


def _open_match(transaction: Transaction, voter: str, pair: StoredPair) -> int:
    if pair.match is None or not _is_open(transaction, voter, pair.match):
        raise PairGone(AWAY)
    return pair.match


def _is_open(transaction: Transaction, voter: str, match: int) -> bool:
    """Whether nobody else has got a match; a voter who is late but the only one may vote."""
    lease = transaction.writer.holder(match)
    if lease is not None:
        return lease.worker == holder(voter)
    return transaction.match(match)[1] is None


def _pair(transaction: Transaction, key: str, voter: str) -> Pair:
    writer, pair = transaction.writer, _own(transaction.writer, voter, key)
    assert pair.match is not None
    match, _ = transaction.match(pair.match)
    types = output_types(writer, pair.item, match)
    left, right = reversed(match) if pair.is_swapped else match
    n_votes, latest = pairs.count_votes(writer, voter), pairs.latest_answer(writer, voter)
    return Pair(key, pair.prompt, types[left], types[right], n_votes, latest)
