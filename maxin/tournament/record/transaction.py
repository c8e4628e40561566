"""A transaction: what commands may do to the record while the store's lock is held."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from maxin.core import InvalidInput, Match
from maxin.runners import Outcome
from maxin.storage import FRESH_SECONDS, Entry, Lease, PlayedMatch
from maxin.storage.records import fence_of
from maxin.tournament.record.record import Moved, Record
from maxin.worker.source import OtherHistory, ScoreConflict, Ticket, UnknownMatch

if TYPE_CHECKING:
    from maxin.storage import PlayerState, Store, Writer
    from maxin.tournament.budgets import Budgets
    from maxin.tournament.record.failures import FailureCounts
    from maxin.tournament.state.state import TournamentState


class Restarted(Exception):
    """The scheduler must be made again, which takes too long inside a transaction."""


def correction(store: Store, *words: str) -> str:
    """What corrects the record, in a shell and in Python; whoever copies it fills in the reason.

    >>> from maxin.storage import open_store
    >>> correction(open_store("sqlite://"), "void", "5")
    '`maxin void 5 --store sqlite:// --reason ...`, or tournament.void(5, reason) in Python,'
    """
    verb, *rest = words
    source = rest[1:]  # after --source
    call = f"{verb}_source({source[0]!r}, reason)" if source else f"{verb}({rest[0]}, reason)"
    command = shlex.join(["maxin", *words, "--store", str(store), "--reason", "..."])
    return f"`{command}`, or tournament.{call} in Python,"


class Transaction:
    """One transaction, for one command or for those of many callers.

    Args:
        record: of the tournament.
        writer: holds the store's lock.
        budgets: whether they allow another match.
        failures: what they lead to.
        lapsed: leases that had lapsed before it began; their matches are handed out first.
        keys: of the asks in it.
        is_over: whether no more matches are handed out, to a worker that still plays some or not.
    """

    def __init__(
        self,
        record: Record,
        writer: Writer,
        budgets: Budgets,
        failures: FailureCounts,
        lapsed: Sequence[Lease] = (),
        keys: Sequence[str] = (),
        is_over: Callable[[bool], bool] = lambda is_busy: False,
    ) -> None:
        self.record, self.writer = record, writer
        self.failures, self._budgets, self.is_over = failures, budgets, is_over
        self._lapsed = list(lapsed)
        self._asks = writer.earlier_asks(keys) if keys else {}

    @property
    def state(self) -> TournamentState:
        """The state, as level with the record as the commands need it."""
        return self.record.state

    # Handing out

    def earlier(self, worker: str, key: str) -> list[Ticket] | None:
        """The pending matches that this key was answered with, as far as the worker holds them.

        None if the key is new. An ask whose caller has asked again may arrive after the others,
        by way of another process: there is nothing left for it then.
        """
        if (worker, key) not in self._asks:
            return None
        held = []
        for number in self._asks[worker, key]:
            lease = self.writer.holder(number)
            if lease is not None and lease.worker == worker:
                match, fence = self.state.pending[number], self.writer.fence(number)
                held.append(ticket_of(self.state, number, match, fence))
        return held

    def remember(self, worker: str, key: str, tickets: Sequence[Ticket], lease: float) -> None:
        """Keep the answer to a key for as long as its leases last."""
        numbers = [ticket.id for ticket in tickets]
        self._asks[worker, key] = numbers
        self.writer.remember_ask(worker, key, numbers, lease)

    def hand_out(self, lease: float, worker: str) -> Ticket | None:
        """A match whose lease has lapsed, else a new one; None if there is none."""
        return self.hand_out_again(lease, worker) or self.hand_out_new(lease, worker)

    def hand_out_ahead(self, lease: float, worker: str, terms: str) -> Ticket | None:
        """The next match, if it was chosen ahead by a process that stops by the same terms.

        The state need not have the latest matches and results, but all players.
        """
        writer, state, ahead = self.writer, self.record.known, self.writer.ahead
        if state is None or ahead is None or ahead.terms != terms or writer.changed > state.seq:
            return None
        match = ahead.match(writer.asked + 1, writer.changed)
        if match is None or not ahead.is_for(self.record.worker, writer.asked, writer.now):
            return None
        n_pending = len(state.pending) + writer.asked - state.n_asked
        if self._budgets.spent(state, n_pending, writer) is not None:
            return None
        return self.write_ask(writer.asked + 1, match, lease, worker)

    def await_ahead(self, terms: str) -> float:
        """How long to wait for somebody who is choosing for all; 0 if we choose.

        Unless others have matches left, or stop by other terms, they wait for us.
        """
        writer, ahead = self.writer, self.writer.ahead
        if ahead is not None and ahead.is_fresh(writer.now):
            if not ahead.matches and ahead.terms == terms:
                return ahead.at + FRESH_SECONDS - writer.now
            if ahead.terms != terms or ahead.match(writer.asked + 1, writer.changed):
                return 0.0
        writer.choose_ahead(self.record.worker, terms, [])
        return 0.0

    def hand_out_again(
        self, lease: float, worker: str, suits: Callable[[Match], bool] | None = None
    ) -> Ticket | None:
        """A match whose lease has lapsed; with `suits`, the first whose players suit.

        It is in the budgets of matches and cost already, but not once the time is over.
        """
        pending = self.state.pending
        if self._lapsed and self._budgets.is_late:
            return None
        for again in self._lapsed.copy():
            match = pending.get(again.match)
            if match is not None and suits is not None and not suits(match):
                continue
            self._lapsed.remove(again)
            if match is None or self.writer.holder(again.match) != again:
                continue  # its result has come, or it was renewed in this very transaction
            if all(self.state.states[player] == "active" for player in match):
                return self.write_ask(again.match, match, lease, worker)
            self.void(again.match, "its lease lapsed, and a player is no longer active")
        return None

    def hand_out_new(self, lease: float, worker: str) -> Ticket | None:
        """The scheduler's next match; None if there is none."""
        state = self.state
        if state.pairing is None and len(state.active()) >= 2:
            raise Restarted
        if state.pairing is None or self._is_spent():
            return None
        if self.writer.asked != state.n_asked:
            raise Moved
        chosen = state.next_match()
        if chosen is None:
            return None
        return self.write_ask(self.writer.asked + 1, chosen, lease, worker)

    def hand_out_suited(
        self, lease: float, worker: str, suits: Callable[[Match], bool]
    ) -> Ticket | None:
        """The best match for a voter whom none of the scheduler's choices suits.

        None if none suits, or if the scheduler wants no match at all.
        """
        state = self.state
        if state.pairing is None or self._is_spent() or state.next_match() is None:
            return None
        chosen = next(filter(suits, state.promising()), None)
        if chosen is None:
            return None
        return self.write_ask(self.writer.asked + 1, state.seated(chosen), lease, worker)

    def write_ask(self, number: int, match: Match, lease: float, worker: str) -> Ticket:
        """Hand out a match, for the first time or again."""
        entry = self.writer.ask(number, match, self.state.seed(number), worker, lease)
        self.record.note(entry)
        fence = fence_of(entry.seq, self.writer.digest)
        return ticket_of(self.state, number, match, fence)

    def put_back(self, number: int, holder: str) -> None:
        """Let a match wait for somebody else, under the name of a holder who does not play."""
        self.release(number, holder)
        lease = self.writer.holder(number)
        assert lease is not None
        self._lapsed.append(lease)

    def n_waiting(self, holder: str) -> int:
        """How many matches were put back under this name and still wait."""
        return sum(lease.worker == holder for lease in self._lapsed)

    def release(self, number: int, worker: str) -> None:
        """End the lease of a match: whoever asks next gets it."""
        self.writer.lease([number], worker, 0.0)
        self.record.leases.look_again()

    def _is_spent(self) -> bool:
        return self._budgets.spent(self.state, writer=self.writer) is not None

    # Taking in

    def match(self, number: int, fence: str = "") -> tuple[Match, float | None]:
        """Who plays match `number`, and its score if it has one."""
        if not fence and self.record.is_exact and number in self.state.pending:
            return self.state.pending[number], None
        found = self.writer.handed_out(number)
        if fence and (found is None or not found.has(fence)):
            raise OtherHistory(
                f"match {number} was not handed out with the fence {fence} here: the store was "
                "restored from a backup, or is another one; nothing is recorded"
            )
        if found is not None:
            return found.match, found.score
        n_asked = self.writer.asked
        raise UnknownMatch(f"there is no match {number}; {n_asked} were handed out so far")

    def is_ours(self, number: int, fence: str) -> bool:
        """Whether a fence is of this history, or empty."""
        if not fence:
            return True
        found = self.writer.handed_out(number)
        return found is not None and found.has(fence)

    def named(self, number: int, match: Match) -> str:
        """A match by its number and its players."""
        first, second = map(self.writer.name, match)
        return f"match {number}, {first} - {second},"

    def tell(
        self, number: int, outcome: Outcome, worker: str, fence: str = ""
    ) -> bool | ScoreConflict:
        """Record the outcome of a match; False if the same score is recorded already.

        If another score is, the new one is refused and noted: returns the error for the caller to
        raise when the note is on disk.
        """
        match, recorded = self.match(number, fence)
        if recorded is None:
            score, errors, data, games = outcome
            played = PlayedMatch(number, *match, score, games, errors, data or None)
            self.record.note(self.writer.tell(played, worker))
            self.failures.end_row(worker)
        if recorded is None or recorded == outcome.score:
            return recorded is None
        conflict = ScoreConflict(
            f"{self.named(number, match)} has the score {recorded:g}; "
            f"it cannot be reported again with {outcome.score:g}"
        )
        self.writer.event("refused", match=number, score=outcome.score, reason=str(conflict))
        return conflict

    def void(self, number: int, reason: str, blamed: Sequence[int] = ()) -> bool:
        """Give up a pending match, if it failed with those to blame; False if it is not pending."""
        if self.writer.holder(number) is None:  # a pending match has a lease
            return False
        self.record.note(self.writer.void(number, reason, blamed))
        return True

    def retract(self, number: int, reason: str, worker: str, fence: str = "") -> bool:
        """Take back the result of a match; False if that was done before."""
        match, _ = self.match(number, fence)
        result = self.writer.result_of(number)
        if result is not None:
            self.record.note(self.writer.retract(result, reason, worker))
        elif not self.writer.was_retracted(number):
            is_pending = self.writer.holder(number) is not None
            command = correction(self.record.store, "void", str(number))
            state = f"is pending; {command} gives it up" if is_pending else "is void"
            raise InvalidInput(f"{self.named(number, match)} has no result to retract: it {state}")
        return result is not None

    # Players

    def write_player(
        self, player: int, name: str, state: PlayerState, options: Mapping[str, Any] | None = None
    ) -> Entry:
        """Add a player with its options, or change its state and keep its options."""
        entry = self.writer.player(player, name, state, options)
        self.record.note(entry)
        return entry


def ticket_of(state: TournamentState, number: int, match: Match, fence: str = "") -> Ticket:
    """The ticket of a match."""
    first, second = (state.names[player] for player in match)
    return Ticket(number, first, second, state.seed(number), match, fence)
