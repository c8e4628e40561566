"""Voters: what is known about each, and how the votes of one are taken out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from statistics import median
from typing import Any, NamedTuple

from sqlalchemy import bindparam, func, select, update

from maxin.core import UnknownName
from maxin.service.access.tokens import SHELL, add_token, revoke_token
from maxin.service.arena.pairs import REMOVED, SKIP, VOTES, WAITING, holder
from maxin.service.arena.shelf import N_OUTPUTS, N_SEEN_BY_ALL, n_pairs
from maxin.storage import Writer
from maxin.storage.entries import is_retracted
from maxin.storage.schema import PAIRS, TOKENS, TOLD
from maxin.tournament import Tournament
from maxin.tournament.tickets.wishes import CORRECTION, WishGroup, WorkWish

ROLE = "voter"
BATCH = 500  # votes that one transaction takes out, so that others wait for a moment only
SIGMAS = 1.959964  # of a 95 % interval


class VoterRow(NamedTuple):
    """One voter.

    Args:
        voter: the id of the invitation, or of another token; a name if there was none.
        name: given with the invitation.
        state: "active", "revoked" if the invitation no longer holds, or "removed" if the votes
            were taken out too.
        votes: how many stand.
        skips: how many pairs were skipped.
        median_seconds: from the showing of a pair to the vote.
        a_share: the share of A among the votes for A or B.
        agreement: the share of the votes for A or B that went to the player who has the higher
            rating now, by all votes, those of this voter included.
        left: how many pairs of outputs the voter has not seen yet.
    """

    voter: str
    name: str
    state: str
    votes: int
    skips: int
    median_seconds: float | None
    a_share: float | None
    agreement: float | None
    left: int


class SideBias(NamedTuple):
    """How often A won among the votes for A or B, with the 95 % interval of that share.

    Sides are random, so without a bias it is one half.
    """

    votes: int
    a_share: float
    low: float
    high: float


class VoterTable(NamedTuple):
    """All voters, and the bias of their votes together; None if nobody has chosen a side."""

    voters: list[VoterRow]
    bias: SideBias | None

    @property
    def n_done(self) -> int:
        """How many active voters have seen everything.

        >>> VoterTable([], None).n_done
        0
        """
        own = [row for row in self.voters if row.state == "active" and row.votes + row.skips]
        return sum(not row.left for row in own)


def side_bias(n_a: int, n_votes: int) -> SideBias:
    """The share of A, with the interval of Wilson (1927).

    >>> bias = side_bias(55, 100)
    >>> bias.a_share, round(bias.low, 3), round(bias.high, 3)
    (0.55, 0.452, 0.644)
    """
    share, spread = n_a / n_votes, SIGMAS**2 / n_votes
    middle = (share + spread / 2) / (1 + spread)
    half = math.sqrt(spread * (share * (1 - share) + spread / 4)) / (1 + spread)
    return SideBias(n_votes, share, middle - half, middle + half)


def voter_table(tournament: Tournament) -> VoterTable:
    """Every voter with the votes, pace, side share and agreement with the ratings.

    >>> voter_table(Tournament(["anna", "bo"])).voters
    []
    """
    states = tournament.states.values()
    active = {"active": [player for player, state in enumerate(states) if state == "active"]}
    with tournament.store.one_moment() as connection:
        tokens = connection.execute(_TOKENS).all()
        rows = connection.execute(_ANSWERS).all()
        total = n_pairs(connection.execute(N_OUTPUTS, active).scalars())
        seen = {row.voter: row.n for row in connection.execute(N_SEEN_BY_ALL, active)}
    ratings = {standing.player: standing.rating for standing in tournament.leaderboard()}
    numbered = [ratings.get(name, -math.inf) for name in tournament.names]
    known = {token.id: token for token in tokens}
    answers: dict[str, list[Any]] = {token.id: [] for token in tokens if token.role == ROLE}
    for row in rows:
        answers.setdefault(row.voter, []).append(row)
    voters = [
        _voter(id, known.get(id), own, numbered, total - seen.get(id, 0))
        for id, own in answers.items()
    ]
    sided = [row.choice for row in rows if row.choice in ("a", "b")]
    return VoterTable(voters, side_bias(sided.count("a"), len(sided)) if sided else None)


def _voter(
    id: str, token: Any | None, rows: Sequence[Any], ratings: Sequence[float], left: int
) -> VoterRow:
    votes = [row for row in rows if row.choice in VOTES]
    sided = [row for row in votes if row.choice in ("a", "b")]
    agrees = [(row.score > 0.5) == (ratings[row.first] > ratings[row.second]) for row in sided]
    times = [row.ms / 1000 for row in votes if row.ms is not None]
    return VoterRow(
        id,
        id if token is None else token.name,
        _state(token, rows),
        len(votes),
        sum(row.choice == SKIP for row in rows),
        median(times) if times else None,
        _share([row.choice == "a" for row in sided]),
        _share(agrees),
        left,
    )


def _state(token: Any | None, rows: Sequence[Any]) -> str:
    if token is None or token.revoked is None:
        return "active"
    return REMOVED if any(row.choice == REMOVED for row in rows) else "revoked"


def _share(found: Sequence[bool]) -> float | None:
    return sum(found) / len(found) if found else None


def invite(
    writer: Writer, count: int, name: str = "voter", by: str = SHELL
) -> list[tuple[str, str, str]]:
    """Make invitations in a transaction: the id, the name and the token of each voter.

    >>> from maxin.storage import open_store
    >>> made = open_store("sqlite://").transact(lambda writer: invite(writer, 2, "student"))
    >>> [name for _, name, _ in made], len(made[0][2])
    (['student 1', 'student 2'], 61)
    """
    names = _new_names(writer, name, count)
    tokens = [add_token(writer, ROLE, one, by) for one in names]
    return [(token.split("_")[2], one, token) for one, token in zip(names, tokens, strict=True)]


def _new_names(writer: Writer, name: str, count: int) -> list[str]:
    """Names that no other voter has or had: a table of voters must tell them apart."""
    writer.flush()
    of_voters = select(TOKENS.c.name).where(TOKENS.c.role == ROLE)
    taken = {row.name for row in writer.query(of_voters)}
    ends = [one[len(name) + 1 :] for one in taken if one.startswith(f"{name} ")]
    numbers = [int(end) for end in ends if end.isdecimal()]
    if count == 1 and name not in taken and not numbers:
        return [name]
    last = max(numbers, default=int(name in taken))
    return [f"{name} {number}" for number in range(last + 1, last + count + 1)]


def removal(voter: str, reason: str, by: str = SHELL) -> WorkWish:
    """Revoke an invitation and take back the next votes; the answer is how many.

    Grant it until the answer is 0. Pairs that are open go to other voters.

    Args:
        voter: the id of the invitation.
        reason: why; it is recorded with every vote.
        by: who does it, for the audit log.
    """
    return WorkWish(partial(_remove, voter, reason, by), CORRECTION)


def remove_voter(tournament: Tournament, voter: str, reason: str, by: str = SHELL) -> int:
    """Take out all votes of a voter, a batch per transaction; returns how many stood.

    Whoever is interrupted can do it again.

    >>> tournament = Tournament(["anna", "bo"])
    >>> ((voter, *_),) = tournament.store.transact(lambda writer: invite(writer, 1, "eve"))
    >>> remove_voter(tournament, voter, "a robot")
    0
    """
    total: int = 0
    while True:
        (answer,) = tournament.batch([removal(voter, reason, by)])
        if isinstance(answer, Exception):
            raise answer
        total += answer
        if not answer:
            return total


def _remove(voter: str, reason: str, by: str, group: WishGroup) -> int:
    writer = group.writer
    invitations = writer.query(_INVITATION, {"who": voter})
    if not invitations and not writer.query(_ANY, {"who": voter}):
        raise UnknownName(f"there is no voter {voter!r}")
    rows = writer.query(_STANDING, {"who": voter})
    if rows:
        words = "remove votes"
        writer.event("admin", token=by, action=words, voter=voter, reason=reason, votes=len(rows))
    if invitations:
        revoke_token(writer, voter, by)
    _free_open_pairs(voter, group)
    for row in rows:
        group.tickets.retract(writer, row.match, reason)
        writer.query(_MARK, {"of": row.key})
    return len(rows)


def _free_open_pairs(voter: str, group: WishGroup) -> None:
    for row in group.writer.query(_OPEN, {"who": voter}):
        lease = None if row.match is None else group.writer.holder(row.match)
        if lease is not None and lease.worker == holder(voter):
            group.put_back(row.match, WAITING)
        group.writer.query(_GIVE_UP, {"of": row.key})


_IS_VOTER = TOKENS.c.role == ROLE
_TOKENS = select(TOKENS.c.id, TOKENS.c.role, TOKENS.c.name, TOKENS.c.revoked).order_by(
    TOKENS.c.created,
    func.length(TOKENS.c.name),  # voter 2 comes before voter 10
    TOKENS.c.name,
)
_INVITATION = select(TOKENS.c.id).where(_IS_VOTER, TOKENS.c.id == bindparam("who"))
_STANDS = (TOLD.c.match == PAIRS.c.match) & ~is_retracted()
_ANSWERS = (
    select(PAIRS.c.voter, PAIRS.c.choice, PAIRS.c.ms, TOLD.c.first, TOLD.c.second, TOLD.c.score)
    .select_from(PAIRS.outerjoin(TOLD, _STANDS))
    .where(
        PAIRS.c.choice.in_((SKIP, REMOVED)) | (PAIRS.c.choice.in_(VOTES) & TOLD.c.seq.is_not(None))
    )
)
_MINE = PAIRS.c.voter == bindparam("who")
_ANY = select(PAIRS.c.key).where(_MINE).limit(1)
_STANDING = (
    select(PAIRS.c.key, PAIRS.c.match)
    .where(_MINE, PAIRS.c.choice.in_(VOTES))
    .order_by(PAIRS.c.match)
    .limit(BATCH)
)
_OPEN = select(PAIRS.c.key, PAIRS.c.match).where(_MINE, PAIRS.c.choice.is_(None))
_THIS = PAIRS.c.key == bindparam("of")
_MARK = update(PAIRS).where(_THIS).values(choice=REMOVED)
_GIVE_UP = update(PAIRS).where(_THIS).values(choice=REMOVED, match=None)
