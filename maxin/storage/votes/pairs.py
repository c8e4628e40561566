"""Pairs as they are stored: two outputs, the voter who was shown them, and the answer.

A pair has no copy of its vote: that is the result of its match.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from sqlalchemy import bindparam, func, insert, select, update

from maxin.core import Match
from maxin.storage.entries import is_retracted
from maxin.storage.records import Vote, vote_of
from maxin.storage.rows import RowReader
from maxin.storage.schema import ITEMS, PAIRS, TOLD
from maxin.storage.votes.items import THESE_PLAYERS

if TYPE_CHECKING:
    from maxin.storage.store import Store
    from maxin.storage.writer import Writer

# What became of a pair: its voter has voted, or skipped it, or was removed with all votes. An
# earlier version wrote the voter's choice in place of "vote".
Answer = Literal["vote", "skip", "removed"]
ANSWERS: dict[str, Answer] = {"skip": "skip", "removed": "removed"}


class StoredPair(NamedTuple):
    """Two outputs that were shown to one voter.

    Args:
        key: names this showing.
        match: None once another voter has it.
        item: the number of the item.
        name: of the item.
        prompt: of the item.
        category: of the item; empty if it has none.
        is_swapped: whether the second player is on the left.
        answer: None while it is open.
    """

    key: str
    match: int | None
    item: int
    name: str
    prompt: str
    category: str
    is_swapped: bool
    answer: Answer | None


class VoterAnswer(NamedTuple):
    """What one voter did with a pair.

    Args:
        voter: who it is.
        choice: that of the vote, or "skip" or "removed".
        ms: from the showing to the vote.
        match: the players of a vote that stands, first seat first; None if there is no vote.
        score: the first player's.
    """

    voter: str
    choice: str
    ms: int | None = None
    match: Match | None = None
    score: float = 0.5


def read_pair(store: Store | Writer, voter: str, key: str) -> StoredPair | None:
    """The pair of this key, if it was shown to this voter."""
    for row in store.query(_WITH_ITEM.where(_THIS, _MINE), {"of": key, "who": voter}):
        return _stored(row)
    return None


def pair_of_match(store: Store, match: int) -> StoredPair | None:
    """The pair whose vote is the result of a match; None if there is none."""
    for row in store.query(_WITH_ITEM.where(PAIRS.c.match == match)):
        return _stored(row)
    return None


def _stored(row: Any) -> StoredPair:
    what = (row.item, row.name, row.prompt, row.category, bool(row.swapped))
    return StoredPair(row.key, row.match, *what, _answer(row.choice))


def _answer(choice: str | None) -> Answer | None:
    return None if choice is None else ANSWERS.get(choice, "vote")


def add_pair(
    writer: Writer, key: str, voter: str, match: int, players: Match, item: int, *, is_swapped: bool
) -> None:
    """Record that a voter is shown a pair; an earlier pair of the same match is closed."""
    close_pair(writer, match)
    low, high = sorted(players)
    row = {"key": key, "match": match, "voter": voter, "item": item, "low": low, "high": high}
    sides = {"swapped": int(is_swapped), "shown": writer.now, "until": writer.now}
    writer.query(insert(PAIRS), {**row, **sides})


def close_pair(writer: Writer, match: int) -> None:
    """Take the pair of a match away from its voter."""
    writer.query(_CLOSE, {"number": match})


def open_pairs(writer: Writer, voter: str) -> list[tuple[str, int | None]]:
    """The keys and matches of the pairs that a voter has not answered, the oldest first."""
    return [(row.key, row.match) for row in writer.query(_OPEN, {"who": voter})]


def answer_pair(writer: Writer, key: str, answer: Answer | None) -> None:
    """Record what the voter did with a pair; None opens it again."""
    at = None if answer is None else writer.now
    writer.query(_ANSWER, {"of": key, "with": answer, "at": at})


def remove_pair(writer: Writer, key: str, *, frees_match: bool) -> None:
    """Record that the voter was removed; with `frees_match`, another voter gets the match."""
    writer.query(_FREE if frees_match else _REMOVE, {"of": key})


def earlier_vote(writer: Writer, match: int) -> Vote | None:
    """The vote that a match has, or had before it was taken back."""
    writer.flush()
    for row in writer.query(_LAST_RESULT, {"number": match}):
        return vote_of(RowReader(writer.url, TOLD, row).data("data"))
    return None


def shown_to(writer: Writer, voter: str) -> set[tuple[int, int, int]]:
    """The pairs that a voter has seen: the two players, the lower number first, and the item."""
    return {(row.low, row.high, row.item) for row in writer.query(_SEEN, {"who": voter})}


def times_shown(writer: Writer) -> Counter[int]:
    """How often each item was shown."""
    return Counter({row.item: row.times for row in writer.query(_TIMES)})


def count_seen(
    store: Store | Writer, players: Collection[int], voter: str | None = None
) -> Counter[str]:
    """How many pairs of outputs of these players each voter has seen; of one voter, or of all."""
    statement = _N_SEEN if voter is None else _N_SEEN.where(_MINE)
    rows = store.query(statement, {"players": players, "who": voter})
    return Counter({row.voter: row.n for row in rows})


def count_votes(writer: Writer, voter: str) -> int:
    """How many votes a voter has given."""
    found: int = writer.query(_N_VOTES, {"who": voter})[0][0]
    return found


def latest_answer(writer: Writer, voter: str) -> str | None:
    """The key of the pair that a voter answered last."""
    found = writer.query(_LATEST, {"who": voter})
    return found[0].key if found else None


def has_pairs(writer: Writer, voter: str) -> bool:
    """Whether a voter was shown anything."""
    return bool(writer.query(_ANY, {"who": voter}))


def voted_pairs(writer: Writer, voter: str, most: int) -> list[tuple[str, int]]:
    """The keys and matches of a voter's votes, at most so many, in the order of the matches."""
    rows = writer.query(_VOTED, {"who": voter, "most": most})
    return [(row.key, row.match) for row in rows]


def read_answers(store: Store) -> list[VoterAnswer]:
    """What all voters did: skips, removals and the votes that stand."""
    found = []
    for row in store.query(_ANSWERS):
        if row.choice in ANSWERS:
            found.append(VoterAnswer(row.voter, row.choice))
            continue
        vote = vote_of(RowReader(store.url, TOLD, row).data("data"))
        if vote is not None:
            result = (Match(row.first, row.second), row.score)
            found.append(VoterAnswer(row.voter, vote.choice, vote.ms, *result))
    return found


_MINE, _THIS = PAIRS.c.voter == bindparam("who"), PAIRS.c.key == bindparam("of")
_IS_OPEN, _HAS_VOTE = PAIRS.c.choice.is_(None), PAIRS.c.choice.not_in(ANSWERS)
_WITH_ITEM = select(PAIRS, ITEMS.c.name, ITEMS.c.prompt, ITEMS.c.category).join(
    ITEMS, ITEMS.c.item == PAIRS.c.item
)
_OPEN = (
    select(PAIRS.c.key, PAIRS.c.match)
    .where(_MINE, _IS_OPEN)
    .order_by(PAIRS.c.shown)  # after an undo, the earlier one comes first
)
_SEEN = select(PAIRS.c.low, PAIRS.c.high, PAIRS.c.item).where(_MINE)
_TIMES = select(PAIRS.c.item, func.count().label("times")).group_by(PAIRS.c.item)
_N_SEEN = (
    select(PAIRS.c.voter, func.count().label("n"))
    .where(PAIRS.c.low.in_(THESE_PLAYERS), PAIRS.c.high.in_(THESE_PLAYERS))
    .group_by(PAIRS.c.voter)
)
_N_VOTES = select(func.count()).where(_MINE, _HAS_VOTE)
_LATEST = (
    select(PAIRS.c.key)
    .where(_MINE, PAIRS.c.choice != "removed")
    .order_by(PAIRS.c.voted.desc(), PAIRS.c.match.desc())
    .limit(1)
)
_ANY = select(PAIRS.c.key).where(_MINE).limit(1)
_VOTED = (
    select(PAIRS.c.key, PAIRS.c.match)
    .where(_MINE, _HAS_VOTE)
    .order_by(PAIRS.c.match)
    .limit(bindparam("most"))
)
_LAST_RESULT = (
    select(TOLD.c.seq, TOLD.c.data)
    .where(TOLD.c.match == bindparam("number"))
    .order_by(TOLD.c.seq.desc())
    .limit(1)
)
_STANDS = (TOLD.c.match == PAIRS.c.match) & ~is_retracted()
_ANSWERS = (
    select(PAIRS.c.voter, PAIRS.c.choice, TOLD)
    .select_from(PAIRS.outerjoin(TOLD, _STANDS))
    .where(PAIRS.c.choice.in_(ANSWERS) | (_HAS_VOTE & TOLD.c.seq.is_not(None)))
)
_CLOSE = update(PAIRS).where(PAIRS.c.match == bindparam("number")).values(match=None)
_ANSWER = update(PAIRS).where(_THIS).values(choice=bindparam("with"), voted=bindparam("at"))
_REMOVE = update(PAIRS).where(_THIS).values(choice="removed")
_FREE = _REMOVE.values(match=None)
