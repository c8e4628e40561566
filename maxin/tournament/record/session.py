"""Applies the commands of one run or service: asks, results, failures, the stop."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from maxin.core import Entrant, InvalidInput, Match, Stop
from maxin.core.stop import Spent
from maxin.core.text import counted
from maxin.storage import FRESH_SECONDS, Lease, StoreFailed, StoreLost, caller_waits
from maxin.tournament.budgets import Budgets
from maxin.tournament.record.commands import AskAhead, RecordCommand, apply, needs_of
from maxin.tournament.record.failures import ATTEMPTS, FailureCounts
from maxin.tournament.record.record import TRIES, Moved, Needs, Record
from maxin.tournament.record.transaction import Restarted, Transaction
from maxin.worker.source import ASK, About, Ask, Idle, Offers, Ticket

if TYPE_CHECKING:
    from maxin.storage import Writer
    from maxin.tournament.state.state import TournamentState
    from maxin.tournament.stopping import StopEngine
    from maxin.views import BeliefCache

MOST_QUERIES = 20  # that are quicker than to read what others have written
LOOK = 0.01  # seconds before the first look at what somebody else is choosing
PAUSE = 0.5  # seconds between two looks at what other processes do


class Session:
    """Applies commands to a tournament's record, until its stop.

    Args:
        record: of the tournament.
        beliefs: makes its latest fit, shared with its views.
        stop: when no more matches are handed out; by default never.
        attempts: at a match, before it is void.
        is_service: whether many workers share this session. Then their commands always share a
            transaction, the caller of `over` decides when the stop is checked, and a spent budget
            is over when nothing is pending. Otherwise a worker that is not alone on the store
            chooses its matches outside the lock, and leaves pending matches to others.
    """

    def __init__(
        self,
        record: Record,
        beliefs: Callable[[], BeliefCache],
        stop: Stop = Stop(confidence=None),
        *,
        attempts: int = ATTEMPTS,
        is_service: bool = False,
    ) -> None:
        self.record, self._beliefs, self._stop = record, beliefs, stop
        self._is_service, self._budgets = is_service, Budgets(stop, record.store)
        self._made_engine: StopEngine | None = None
        self._failures = FailureCounts(attempts)
        self._last_asked = 0  # the number of the last match when we last handed one out
        self._asked_at = -math.inf  # when that was
        self._terms = f"{stop.confidence} {stop.tolerance} {stop.sprt}"
        self._entrants: dict[str, Entrant] = {}
        self._entrants_at = -1  # the last change of players that they include

    @property
    def _engine(self) -> StopEngine:
        if self._made_engine is None:  # to record a result, no fit is needed
            from maxin.tournament.stopping import StopEngine

            self._made_engine = StopEngine(self.record.settings, self._stop, self._beliefs())
        return self._made_engine

    def about(self) -> About:
        """What a worker has to know before it plays: the players are the active ones."""
        record = self.record
        with record.lock:
            names = [record.state.names[player] for player in record.state.active()]
            entrants = self._known_entrants()
        playing = tuple(entrants[name] for name in names)
        rules = record.settings
        identity = record.store.identity()
        return About(identity, rules.games_per_match, rules.seed, tuple(names), playing)

    def over(self) -> Idle | None:
        """Why no more matches are handed out; None while they are.

        A decision that later results undo does not count.
        """
        with self.record.lock:
            state = self.record.state
            if self._engine.over(state, confirms=True) is not None:
                return self._idle(state)
            self._budgets.note()
            return None if self._budgets.spent(state, 0) is None else self._idle(state)

    @contextmanager
    def noticing(self, notice: Callable[[str], None]) -> Iterator[None]:
        """Within it, `notice` hears who holds the store, and the caller waits for a lost server."""
        store = self.record.store
        before, store.notice = store.notice, notice
        try:
            with caller_waits():
                yield
        finally:
            store.notice = before

    # Commands

    def answer(self, command: RecordCommand) -> Any:
        """The answer to one command; raises its error."""
        (answer,) = self.apply([command])
        if isinstance(answer, Exception):
            raise answer
        return answer

    def apply(self, commands: Sequence[RecordCommand]) -> list[Any]:
        """Apply commands in one transaction, in the order of their ranks; returns their answers.

        A command that is refused is answered with its error, and the others are applied. If one
        breaks the transaction, each command gets a transaction of its own. When this returns,
        everything is on disk.

        >>> from maxin.runners import Outcome
        >>> from maxin.tournament import Tournament
        >>> from maxin.tournament.tournament import session_of
        >>> from maxin.worker.source import Tell
        >>> session = session_of(Tournament(["anna", "bo", "cy"], seed=1))
        >>> (asked,) = session.apply([Ask(2, worker="afar")])
        >>> new, is_new = session.apply([Ask(1), Tell(asked.tickets[0].id, Outcome(1.0))])
        >>> len(asked.tickets), new.tickets[0].id, is_new
        (2, 3, True)
        """
        places = sorted(range(len(commands)), key=lambda place: commands[place].rank)
        asks = {place: one for place, one in enumerate(commands) if isinstance(one, Ask)}
        if self._is_service or self.record.is_alone:
            asks = {}  # else nobody waits while we choose: it is done outside of the transaction
        is_ahead = (len(asks) < len(commands) or self.record.is_ahead) and not self._has_found
        ahead = {place: self._ahead(ask) for place, ask in asks.items() if is_ahead}
        together = [place for place in places if place in ahead or place not in asks]
        answers: dict[int, Any] = {}
        while together:
            group = [ahead.get(place, commands[place]) for place in together]
            try:
                work = partial(self._apply_inside, group, self._lapsed(group))
                found, self._failures = self.record.transact(work, self._needs(group))
            except Exception as error:
                if isinstance(error, self._final) or len(group) == 1:
                    raise
                found = [self._answer_or_error(command) for command in group]
            answers.update(zip(together, found, strict=True))
            together = [place for place in together if isinstance(answers[place], Restarted)]
        for place, ask in asks.items():
            taken = answers.get(place)
            left = taken if isinstance(taken, Offers) else Offers([])
            answers[place] = self._ask_among_others(ask, left)
        return [self._offered(command, answers[n]) for n, command in enumerate(commands)]

    @property
    def _final(self) -> type[StoreFailed]:
        """If the store fails, so would the others; only callers of a service get an answer each."""
        return StoreLost if self._is_service else StoreFailed

    def _answer_or_error(self, command: RecordCommand) -> Any:
        try:
            return self.answer(command)
        except Exception as error:  # of this command alone
            return error

    def _needs(self, commands: Sequence[RecordCommand]) -> Needs:
        needs = max(map(needs_of, commands))
        # Then the state is quicker than a query for each.
        most = 1 if self.record.is_alone else MOST_QUERIES
        is_large = sum(not isinstance(command, AskAhead) for command in commands) > most
        return max(needs, Needs.ALL) if is_large or self._is_service else needs

    def _lapsed(self, commands: Sequence[RecordCommand]) -> list[Lease]:
        """The leases whose matches can be handed out again, if somebody asks."""
        if not any(command.rank == ASK for command in commands):
            return []
        self.record.patiently(self._budgets.note)
        return self.record.patiently(self.record.leases.lapsed)

    def _apply_inside(
        self, commands: Sequence[RecordCommand], lapsed: Sequence[Lease], writer: Writer
    ) -> tuple[list[Any], FailureCounts]:
        """Apply commands in the order given; returns their answers, and the counts by then."""
        counts = self._failures.copy()  # the work may be done again
        keys = [one.key for one in commands if isinstance(one, Ask) and one.key]
        transaction = Transaction(
            self.record, writer, self._budgets, counts, lapsed, keys, self._is_over
        )
        answers: list[Any] = []
        if any(isinstance(command, Ask) for command in commands):
            self._let_others_choose(writer)
        for command in commands:
            try:
                answers.append(apply(command, transaction))
            except (InvalidInput, Restarted) as error:
                answers.append(error)
        if any(isinstance(answer, Offers) and answer.tickets for answer in answers):
            self._note_asked(writer)
        return answers, counts

    # Matches

    def _is_over(self, is_busy: bool) -> bool:
        """Whether there is a reason to stop; a service looks between two transactions."""
        if not self._stop.seeks_decision:
            return False
        if self._is_service:
            return self._engine.found is not None
        return self._engine.over(self.record.state, confirms=not is_busy) is not None

    @property
    def _has_found(self) -> bool:
        """Whether we know the decision already."""
        return self._made_engine is not None and self._made_engine.found is not None

    def _ahead(self, ask: Ask) -> AskAhead:
        """The ask for matches chosen ahead; one chooses and the others wait, but for a plan."""
        return AskAhead(ask, self._terms, claims=not self._is_strict)

    def _awaited(self, ask: Ask, seconds: float) -> Sequence[Ticket]:
        """The matches that somebody else is choosing, if they come within so many seconds."""
        give_up, pause = time.monotonic() + seconds, LOOK
        while time.monotonic() < give_up:
            time.sleep(pause)
            pause *= 1.5
            ahead = self.record.patiently(self.record.store.ahead)
            if ahead is None or ahead.matches:
                work = partial(self._apply_inside, [AskAhead(ask, self._terms)], [])
                ((offers,), _) = self.record.transact(work)
                tickets: Sequence[Ticket] = offers.tickets
                return tickets
        return []

    def _ask_among_others(self, ask: Ask, found: Offers) -> Offers | InvalidInput:
        """The matches for an ask: those that were chosen ahead, and others chosen here."""
        tickets = list(found.tickets)
        if len(tickets) < ask.n and found.pause:
            tickets += self._awaited(ask._replace(n=ask.n - len(tickets)), found.pause)
        while len(tickets) < ask.n:
            try:
                more = self.record.patiently(partial(self._choose, ask, ask.n - len(tickets)))
            except InvalidInput as error:  # of the scheduler
                if tickets:
                    break  # those that are handed out already are the answer
                self.record.transact(self._let_others_choose)
                return error
            if not more:
                break
            tickets += more
        if not tickets and not found.pause:
            self.record.transact(self._let_others_choose)
        return Offers(tickets)

    def _let_others_choose(self, writer: Writer) -> None:
        """Nobody waits for us to choose any more."""
        ahead = writer.ahead
        if ahead is not None and ahead.by == self.record.worker and not ahead.matches:
            writer.choose_no_more()

    def _choose(self, ask: Ask, n: int) -> Sequence[Ticket]:
        """Choose matches outside the lock and hand them out inside; after some tries, one inside.

        The matches after those are left to other processes.
        """
        record = self.record
        for _ in range(TRIES):
            record.catch_up()
            record.prepare()
            self._budgets.note()
            if record.leases.lapsed():
                break
            if self._is_over(ask.is_busy) or self._budgets.spent(record.state) is not None:
                return []
            chosen = record.state.next_matches(1 if self._is_strict else n + self._n_ahead())
            if not chosen:
                return []
            with suppress(Moved):
                work = partial(self._hand_out_chosen, chosen, ask, n)
                return record.transact(work, Needs.PLAYERS, is_read=True)
        one = [ask._replace(n=1)]
        inside = partial(self._apply_inside, one, self._lapsed(one))
        (offers,), self._failures = record.transact(inside, Needs.SCHEDULER)
        if isinstance(offers, Exception):
            raise offers
        tickets: Sequence[Ticket] = offers.tickets
        return tickets

    @property
    def _is_strict(self) -> bool:
        """See `Pairing.is_strict`."""
        state = self.record.known
        return state is None or (state.pairing is not None and state.pairing.is_strict)

    def _n_ahead(self) -> int:
        """How many matches to choose ahead: four times those that others get between two of ours.

        None that would be too old when it is their turn: where matches take long, everybody has
        the time to choose from all results.
        """
        n_others = self.record.state.n_asked - self._last_asked
        elapsed = time.monotonic() - self._asked_at
        return int(n_others * min(4.0, FRESH_SECONDS / elapsed))

    def _hand_out_chosen(
        self, chosen: Sequence[Match], ask: Ask, n: int, writer: Writer
    ) -> Sequence[Ticket]:
        """Hand out the first `n` matches that were chosen outside the lock, and leave the others.

        Other processes may have handed out matches since. If many are pending, or if others hand
        out many between two of ours, it does no harm to choose without the latest. But they count
        for the budget, a request is fulfilled once, and by a plan or with a lag every choice
        follows from the last. Matches that somebody left meanwhile come first, so that one of us
        chooses for all.
        """
        transaction = Transaction(self.record, writer, self._budgets, self._failures)
        taken: Offers = apply(AskAhead(ask._replace(n=n), self._terms), transaction)
        tickets = taken.tickets or self._write_chosen(chosen, ask, n, transaction)
        self._note_asked(writer)
        return tickets

    def _write_chosen(
        self, chosen: Sequence[Match], ask: Ask, n: int, transaction: Transaction
    ) -> list[Ticket]:
        state, writer = self.record.state, transaction.writer
        n_missed, n_ahead = writer.asked - state.n_asked, len(chosen) - n
        is_strict = self._is_strict or chosen[0] in state.requests
        n_parallel = max(len(state.pending), state.n_asked - self._last_asked, 1) - 1
        if n_missed > (0 if is_strict else n_parallel + max(n_ahead, 0)):
            raise Moved
        worker, tickets = ask.worker or self.record.worker, []
        for n_more, match in enumerate(chosen[:n], start=len(state.pending) + n_missed):
            if self._budgets.spent(state, n_more, writer) is not None:
                break
            tickets.append(transaction.write_ask(writer.asked + 1, match, ask.lease, worker))
        if not tickets:
            raise Moved
        if n_ahead > 0:
            writer.choose_ahead(self.record.worker, self._terms, chosen[n:])
        else:
            self._let_others_choose(writer)
        return tickets

    def _note_asked(self, writer: Writer) -> None:
        self._last_asked, self._asked_at = writer.asked, time.monotonic()

    def _offered(self, command: RecordCommand, answer: Any) -> Any:
        """An answer as callers get it: offers have the players, or say why there are none."""
        needs_none = isinstance(command, Ask) and command.n == 0
        if not isinstance(answer, Offers) or (needs_none and not answer.tickets):
            return answer
        with self.record.lock:
            if answer.tickets:
                known = self._known_entrants()
                seats = {
                    name for ticket in answer.tickets for name in (ticket.first, ticket.second)
                }
                is_shared = not (self._is_service or self.record.is_alone)
                entrants = {name: known[name] for name in seats}
                return answer._replace(entrants=entrants, is_shared=is_shared)
            return answer._replace(idle=self._idle(self.record.state), pause=PAUSE)

    def _known_entrants(self) -> Mapping[str, Entrant]:
        """The players with their options; read again when one has joined or was edited."""
        players_at = (self.record.known or self.record.state).players_at
        if players_at != self._entrants_at:
            rows = self.record.store.players()
            self._entrants = {row.name: Entrant(row.name, row.options) for row in rows}
            self._entrants_at = players_at
        return self._entrants

    def _idle(self, state: TournamentState) -> Idle:
        """Why there is no match to hand out.

        A worker whose budget is used up by results and pending matches does not wait for the
        matches of others; but a match whose holder has ended may come back to it, until the time
        is over.
        """
        n_pending, found = len(state.pending), self._engine.found
        failed = [] if n_pending or len(state.active()) >= 2 else self.paused_by_failures()
        if found is not None and (found[0] == "decided" or not failed):
            return Idle(self._engine.sentence(state), True, *found, n_pending)
        self._budgets.note()  # the results that came with the ask
        spent = self._budgets.spent(state)
        idle = idle_reason(state, spent)
        if spent is not None and not self._is_service:
            may_come_back = n_pending and self.record.leases.may_come_back()
            parts = (idle.message, pending_elsewhere(n_pending))
            return idle._replace(
                is_over=spent.is_late or not may_come_back,
                message="; ".join(filter(None, parts)),
            )
        if failed:
            message = (
                f"{', '.join(failed)} had to be paused because matches kept failing, and nobody is "
                f"left to play (resume or retire them): {self._last_failure()}"
            )
            return Idle(f"aborted: {message}", True, "aborted", message)
        return idle

    def paused_by_failures(self) -> list[str]:
        """The players who are paused for failures, in whichever process those were."""
        from maxin.storage.results import paused_players

        names = self.record.state.names
        return [names[player] for player, _ in paused_players(self.record.store)]

    def _last_failure(self) -> str:
        """The reason of the last failure, and the end of its output."""
        from maxin.storage.results import last_failure

        reason, log = last_failure(self.record.store)
        return "\n".join(filter(None, [reason, log.strip()]))


def idle_reason(state: TournamentState, spent: Spent | None) -> Idle:
    """Why nothing is handed out in this state, to whoever waits for pending matches.

    Args:
        state: of the tournament.
        spent: the budget that allows no further match, if there is one.
    """
    n_pending, n_active = len(state.pending), len(state.active())
    waits = f"; {counted(n_pending, 'match')} pending" if n_pending else ""
    is_over = not n_pending
    if spent is not None and spent.is_unpriced:
        return Idle(f"aborted: {spent.reason}", is_over, "aborted", spent.reason, n_pending)
    if spent is not None:
        reason = f"{spent.reason}{waits}"
        return Idle(reason, is_over or spent.is_late, "budget", spent.detail, n_pending)
    if n_active < 2:
        reason = f"a match needs two active players; there are {n_active}"
        return Idle(reason, is_over, n_pending=n_pending)
    if n_pending:
        return Idle(f"nothing to ask until a result comes{waits}", False, n_pending=n_pending)
    return Idle("the scheduler has nothing more to ask", is_over)


def pending_elsewhere(n_pending: int) -> str:
    """The pending matches that a run leaves to others, if there are any.

    >>> pending_elsewhere(1)
    '1 match is pending elsewhere: `maxin show pending` lists who has it'
    >>> pending_elsewhere(0)
    ''
    """
    if not n_pending:
        return ""
    are, them = ("is", "it") if n_pending == 1 else ("are", "them")
    matches = counted(n_pending, "match")
    return f"{matches} {are} pending elsewhere: `maxin show pending` lists who has {them}"
