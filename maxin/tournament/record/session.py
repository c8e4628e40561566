"""A session: a tournament as those who play it see it, with its stop and what failures lead to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from maxin.core import Entrant, InvalidInput, Match, Stop
from maxin.core.text import counted
from maxin.storage import StoreFailed, StoreLost, caller_waits
from maxin.tournament.record.commands import apply
from maxin.tournament.record.failures import ATTEMPTS, FailureCounts
from maxin.tournament.record.record import TRIES, Moved, Needs, Record
from maxin.tournament.record.transaction import Restarted, Transaction
from maxin.worker.source import ASK, About, Ask, Idle, Offers, Ticket

if TYPE_CHECKING:
    from maxin.storage import Writer
    from maxin.tournament.state.state import TournamentState
    from maxin.tournament.stopping import StopEngine
    from maxin.views import BeliefCache

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

    is_local = True

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
        self._is_service = is_service
        self._made_engine: StopEngine | None = None
        self._failures = FailureCounts(attempts)
        self._last_asked = 0  # the number of the last match when we last handed one out
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

        A decision that later results undo is none.
        """
        with self.record.lock:
            state = self.record.state
            if self._engine.over(state, confirms=True) is not None:
                return self._idle(state)
            budget = self._stop.budget
            return self._idle(state) if budget is not None and state.n_told >= budget else None

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

    def answer(self, command: Any) -> Any:
        """The answer to one command; raises its error."""
        (answer,) = self.apply([command])
        if isinstance(answer, Exception):
            raise answer
        return answer

    def tickets(self, ask: Ask) -> list[Ticket]:
        """The matches for an ask: asked again if the scheduler had to be made again in between."""
        found: list[Ticket] = []
        while len(found) < ask.n:
            offers: Offers = self.answer(ask._replace(n=ask.n - len(found)))
            if not offers.tickets:
                break
            found += offers.tickets
        return found

    def apply(self, commands: Sequence[Any]) -> list[Any]:
        """Apply commands in one transaction, in the order of their ranks; returns their answers.

        A command that is refused is answered with its error, and the others are applied. If one
        breaks the transaction, each command gets a transaction of its own. When this returns,
        everything is on disk.

        >>> from maxin.runners import Outcome
        >>> from maxin.tournament import Tournament
        >>> from maxin.worker.source import Tell
        >>> tournament = Tournament(["anna", "bo", "cy"], seed=1)
        >>> (asked,) = tournament.apply([Ask(2, worker="afar")])
        >>> new, is_new = tournament.apply([Ask(1), Tell(asked.tickets[0].id, Outcome(1.0))])
        >>> len(asked.tickets), new.tickets[0].id, is_new
        (2, 3, True)
        """
        asks = [command for command in commands if isinstance(command, Ask)]
        if not asks or self._is_service or self.record.is_alone:
            return self._apply_together(commands)
        # Each match is a transaction of its own, so that nobody waits while we choose.
        rest = [command for command in commands if not isinstance(command, Ask)]
        answers = iter(self._apply_together(rest) if rest else [])
        return [
            self._ask_among_others(command) if isinstance(command, Ask) else next(answers)
            for command in commands
        ]

    def _apply_together(self, commands: Sequence[Any]) -> list[Any]:
        answers: list[Any] = [None] * len(commands)
        places = sorted(range(len(commands)), key=lambda place: commands[place].rank)
        while places:
            applied = self._one_or_each([commands[place] for place in places])
            for place, answer in zip(places, applied, strict=True):
                answers[place] = answer
            places = [place for place in places if isinstance(answers[place], Restarted)]
        return [self._offered(answer) for answer in answers]

    def _one_or_each(self, commands: Sequence[Any]) -> list[Any]:
        """One transaction; if that fails because of one of the commands, one for each.

        If the store fails, so would the others; only the callers of a service each get an answer.
        """
        final = StoreLost if self._is_service else StoreFailed
        try:
            return self._transact(commands)
        except Exception as error:
            if isinstance(error, final) or len(commands) == 1:
                raise
        answers: list[Any] = []
        for command in commands:
            try:
                answers += self._transact([command])
            except Exception as error:  # of this command alone
                answers.append(error)
        return answers

    def _transact(self, commands: Sequence[Any]) -> list[Any]:
        """One transaction, in the order given."""
        record, counts = self.record, self._failures
        keys = [command.key for command in commands if isinstance(command, Ask) and command.key]
        asks = any(command.rank == ASK for command in commands)
        is_large = len(commands) > 1  # then the state is quicker than a query for each
        needs = Needs.ALL if asks or is_large or self._is_service else _needs(commands[0])
        lapsed = record.patiently(record.leases.lapsed) if asks else []

        def work(writer: Writer) -> list[Any]:
            nonlocal counts
            counts = self._failures.copy()  # the work may be done again
            transaction = Transaction(record, writer, self._stop, counts, lapsed, keys)
            return [self._answered(command, transaction) for command in commands]

        answers = record.transact(work, needs)
        self._failures = counts
        return answers

    def _answered(self, command: Any, transaction: Transaction) -> Any:
        try:
            if isinstance(command, Ask):
                return self._ask(command, transaction)
            return apply(command, transaction)
        except (InvalidInput, Restarted) as error:
            return error

    # Matches

    def _ask(self, ask: Ask, transaction: Transaction) -> Offers:
        """The matches for an ask, one by one, since each may be the last."""
        if ask.is_cancelled():
            return Offers([])
        worker, writer = ask.worker or self.record.worker, transaction.writer
        tickets = None if ask.key is None else transaction.earlier(worker, ask.key)
        if tickets is not None:  # whoever asks again has them from now on
            writer.lease([ticket.id for ticket in tickets], worker, ask.lease)
        else:
            tickets = []
            while len(tickets) < ask.n and not self._is_over(ask):
                try:
                    ticket = transaction.hand_out(ask.lease, worker)
                except Restarted:
                    if not tickets:
                        raise
                    break  # those that are handed out already are the answer
                if ticket is None:
                    break
                tickets.append(ticket)
            self._last_asked = writer.asked
        if ask.key is not None and tickets:
            transaction.remember(worker, ask.key, tickets, ask.lease)
        return Offers(tickets, until=writer.now + ask.lease)

    def _is_over(self, ask: Ask) -> bool:
        """Whether there is a reason to stop; a service looks between two transactions."""
        if self._stop.confidence is None:
            return False
        if self._is_service:
            return self._engine.found is not None
        return self._engine.over(self.record.state, confirms=not ask.is_busy) is not None

    def _ask_among_others(self, ask: Ask) -> Offers:
        """The matches for an ask, each chosen outside the lock."""
        tickets: list[Ticket] = []
        while len(tickets) < ask.n:
            found = self.record.patiently(partial(self._ask_one, ask))
            if not found:
                break
            tickets += found
        offers: Offers = self._offered(Offers(tickets))
        return offers

    def _ask_one(self, ask: Ask) -> Sequence[Ticket]:
        """Choose a match outside the lock and hand it out inside; after some tries, both inside."""
        record = self.record
        for _ in range(TRIES):
            record.catch_up()
            record.prepare()
            if record.leases.lapsed():
                break
            if self._is_over(ask) or self._is_spent():
                return []
            chosen = record.state.next_match()
            if chosen is None:
                return []
            with suppress(Moved):
                work = partial(self._hand_out_chosen, chosen, ask)
                return [record.attempt(work, Needs.PLAYERS, is_read=True)]
        offers: Offers = self._transact([ask._replace(n=1)])[0]
        return offers.tickets

    def _hand_out_chosen(self, chosen: Match, ask: Ask, writer: Writer) -> Ticket:
        """Hand out a match that was chosen outside the lock.

        Others may have handed out matches since. If many are pending, or if others hand out many
        between two of ours, it does no harm to choose without the latest. But they count for the
        budget, a request is fulfilled once, and with a lag every choice follows from the last.
        """
        state = self.record.state
        n_missed = writer.asked - state.n_asked
        is_strict = self.record.settings.lag or chosen in state.requests
        n_parallel = max(len(state.pending), state.n_asked - self._last_asked, 1) - 1
        if n_missed > (0 if is_strict else n_parallel) or self._is_spent(n_missed):
            raise Moved
        transaction = Transaction(self.record, writer, self._stop, self._failures)
        worker = ask.worker or self.record.worker
        ticket = transaction.write_ask(writer.asked + 1, chosen, ask.lease, worker)
        self._last_asked = writer.asked
        return ticket

    def _is_spent(self, n_more: int = 0) -> bool:
        state = self.record.state
        return self._stop.is_spent(state.n_told + len(state.pending) + n_more)

    def _offered(self, answer: Any) -> Any:
        """An answer as callers get it: offers have the players, or say why there are none."""
        if not isinstance(answer, Offers):
            return answer
        with self.record.lock:
            if answer.tickets:
                known = self._known_entrants()
                seats = {
                    name for ticket in answer.tickets for name in (ticket.first, ticket.second)
                }
                return answer._replace(entrants={name: known[name] for name in seats})
            return answer._replace(idle=self._idle(self.record.state), pause=PAUSE)

    def _known_entrants(self) -> Mapping[str, Entrant]:
        """The players with their options; read again when one has joined or was edited."""
        players_at = self.record.state.players_at
        if players_at != self._entrants_at:
            rows = self.record.store.players()
            self._entrants = {row.name: Entrant(row.name, row.options) for row in rows}
            self._entrants_at = players_at
        return self._entrants

    def _idle(self, state: TournamentState) -> Idle:
        """Why nothing is handed out in this state.

        A worker whose budget is used up by results and pending matches does not wait for the
        matches of others; but a match whose holder has ended may come back to it.
        """
        n_pending, found = len(state.pending), self._engine.found
        if found is not None:
            return Idle(self._engine.sentence(state), True, *found, n_pending)
        if self._is_spent() and not self._is_service:
            is_over = not (n_pending and self.record.leases.may_come_back())
            reason = idle_reason(state, self._stop.budget).reason
            return Idle(reason, is_over, "budget", pending_elsewhere(n_pending), n_pending)
        idle = idle_reason(state, self._stop.budget)
        paused = [state.names[player] for player in self._failures.paused]
        if not n_pending and paused and len(state.active()) < 2:
            words = f"{', '.join(paused)} had to be paused, and nobody is left to play"
            message = f"{words}: {self._failures.last_failure}"
            return Idle(f"aborted: {message}", True, "aborted", message)
        return idle


def _needs(command: Any) -> Needs:
    """What a command needs of the state: nothing, unless it says so."""
    return getattr(command, "needs", Needs.NOTHING)


def idle_reason(state: TournamentState, budget: int | None) -> Idle:
    """Why nothing is handed out in this state, to whoever waits for pending matches."""
    n_pending, n_active = len(state.pending), len(state.active())
    waits = f"; {counted(n_pending, 'match')} pending" if n_pending else ""
    is_over = not n_pending
    if budget is not None and state.n_told + n_pending >= budget:
        reason = f"the budget of {budget:,} matches is spent{waits}"
        return Idle(reason, is_over, "budget", n_pending=n_pending)
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
