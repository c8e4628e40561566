"""Voters: what is known about each, and how the votes of one are taken out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from maxin.core import UnknownName
from maxin.service.access.tokens import SHELL, AddToken, RevokeToken
from maxin.service.arena.pairs import WAITING, holder
from maxin.storage import Writer
from maxin.storage.tokens import TokenRow, read_token, read_tokens
from maxin.storage.votes import pairs
from maxin.storage.votes.items import count_pairs
from maxin.storage.votes.pairs import VoterAnswer, read_answers
from maxin.tournament import Tournament
from maxin.tournament.record.commands import Change, apply
from maxin.tournament.record.transaction import Transaction
from maxin.tournament.tournament import session_of

ROLE = "voter"
BATCH = 500  # votes that one transaction takes out, so that others wait for a moment only
SIDES = ("a", "b")  # choices of one side
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
        """How many active voters have seen everything."""
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
    """Every voter with the votes, pace, side share and agreement with the ratings."""
    store, states = tournament.store, tournament.states.values()
    active = [player for player, state in enumerate(states) if state == "active"]
    tokens = sorted(read_tokens(store), key=_by_age)
    found, total = read_answers(store), count_pairs(store, active)
    seen = pairs.count_seen(store, active)
    ratings = {standing.player: standing.rating for standing in tournament.leaderboard()}
    numbered = [ratings.get(name, -math.inf) for name in tournament.names]
    known = {token.id: token for token in tokens}
    answers: dict[str, list[VoterAnswer]]
    answers = {token.id: [] for token in tokens if token.role == ROLE}
    for answer in found:
        answers.setdefault(answer.voter, []).append(answer)
    voters = [
        _voter(id, known.get(id), own, numbered, total - seen[id]) for id, own in answers.items()
    ]
    sided = [answer.choice for answer in found if answer.choice in SIDES]
    return VoterTable(voters, side_bias(sided.count("a"), len(sided)) if sided else None)


def _by_age(token: TokenRow) -> tuple[float, int, str]:
    """The oldest first; of those made together, voter 2 comes before voter 10."""
    return token.created, len(token.name), token.name


def _voter(
    id: str,
    token: TokenRow | None,
    answers: Sequence[VoterAnswer],
    ratings: Sequence[float],
    left: int,
) -> VoterRow:
    votes = [answer for answer in answers if answer.match is not None]
    sided = [vote for vote in votes if vote.choice in SIDES]
    times = [vote.ms / 1000 for vote in votes if vote.ms is not None]
    return VoterRow(
        id,
        id if token is None else token.name,
        _state(token, answers),
        len(votes),
        sum(answer.choice == "skip" for answer in answers),
        median(times) if times else None,
        _share([vote.choice == "a" for vote in sided]),
        _share([_agrees(vote, ratings) for vote in sided]),
        left,
    )


def _agrees(vote: VoterAnswer, ratings: Sequence[float]) -> bool:
    assert vote.match is not None
    return (vote.score > 0.5) == (ratings[vote.match.first] > ratings[vote.match.second])


def _state(token: TokenRow | None, answers: Sequence[VoterAnswer]) -> str:
    if token is None or token.revoked is None:
        return "active"
    return "removed" if any(answer.choice == "removed" for answer in answers) else "revoked"


def _share(found: Sequence[bool]) -> float | None:
    return sum(found) / len(found) if found else None


@dataclass(frozen=True)
class Invite(Change):
    """Make invitations; the answer is the id, the name and the token of each voter.

    >>> made = session_of(Tournament(["anna", "bo"])).answer(Invite(2, "student"))
    >>> [name for _, name, _ in made]
    ['student 1', 'student 2']
    """

    count: int
    name: str = "voter"
    by: str = SHELL


@apply.register
def _(command: Invite, transaction: Transaction) -> list[tuple[str, str, str]]:
    names = _new_names(transaction.writer, command.name, command.count)
    tokens = [apply(AddToken(ROLE, name, command.by), transaction) for name in names]
    return [(token.split("_")[2], name, token) for name, token in zip(names, tokens, strict=True)]


def _new_names(writer: Writer, name: str, count: int) -> list[str]:
    """Names that no other voter has or had: a table of voters must tell them apart."""
    taken = {token.name for token in read_tokens(writer) if token.role == ROLE}
    ends = [one[len(name) + 1 :] for one in taken if one.startswith(f"{name} ")]
    numbers = [int(end) for end in ends if end.isdecimal()]
    if count == 1 and name not in taken and not numbers:
        return [name]
    last = max(numbers, default=int(name in taken))
    return [f"{name} {number}" for number in range(last + 1, last + count + 1)]


@dataclass(frozen=True)
class RemoveVotes(Change):
    """Revoke an invitation and take back the next votes; the answer is how many.

    Apply it until the answer is 0. Pairs that are open go to other voters.

    Args:
        voter: the id of the invitation.
        reason: why; it is recorded with every vote.
        by: who does it, for the audit log.
    """

    voter: str
    reason: str
    by: str = SHELL


def remove_voter(tournament: Tournament, voter: str, reason: str, by: str = SHELL) -> int:
    """Take out all votes of a voter, a batch per transaction; returns how many stood.

    If interrupted, call it again.

    >>> tournament = Tournament(["anna", "bo"])
    >>> ((voter, *_),) = session_of(tournament).answer(Invite(1, "eve"))
    >>> remove_voter(tournament, voter, "a robot")
    0
    """
    total: int = 0
    while True:
        answer = session_of(tournament).answer(RemoveVotes(voter, reason, by))
        total += answer
        if not answer:
            return total


@apply.register
def _(command: RemoveVotes, transaction: Transaction) -> int:
    writer, voter, reason, by = transaction.writer, command.voter, command.reason, command.by
    token = read_token(writer, voter)
    is_invited = token is not None and token.role == ROLE
    if not is_invited and not pairs.has_pairs(writer, voter):
        raise UnknownName(f"there is no voter {voter!r}")
    voted = pairs.voted_pairs(writer, voter, BATCH)
    if voted:
        words = "remove votes"
        writer.event("admin", token=by, action=words, voter=voter, reason=reason, votes=len(voted))
    if is_invited:
        apply(RevokeToken(voter, by), transaction)
    _free_open_pairs(voter, transaction)
    for key, match in voted:
        transaction.retract(match, reason, transaction.record.worker)
        pairs.remove_pair(writer, key, frees_match=False)
    return len(voted)


def _free_open_pairs(voter: str, transaction: Transaction) -> None:
    for key, match in pairs.open_pairs(transaction.writer, voter):
        lease = None if match is None else transaction.writer.holder(match)
        if lease is not None and lease.worker == holder(voter):
            transaction.put_back(lease.match, WAITING)
        pairs.remove_pair(transaction.writer, key, frees_match=True)
