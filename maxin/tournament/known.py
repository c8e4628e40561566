"""Everything a tournament can say of itself, without changing it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from maxin import views
from maxin.core import Entrant, Stop, StopTerms
from maxin.core.text import counted
from maxin.storage import PlayedMatch, PlayerState, StoredEvent
from maxin.tournament.goals import Goal
from maxin.tournament.settings import Settings
from maxin.tournament.tickets.idle import Idle, idle_reason
from maxin.tournament.tickets.leases import HeldMatch
from maxin.tournament.tickets.tickets import Ticket, Tickets
from maxin.views import html
from maxin.views.recorded.costs import KEY as COST
from maxin.views.recorded.failures import FAILURES, Failure, read_failures

if TYPE_CHECKING:  # reporting a result loads neither NumPy nor the views
    from maxin.ratings import Tally
    from maxin.ratings.judging.judge_fit import JudgeRow
    from maxin.storage import Store
    from maxin.tournament.backup import Backup
    from maxin.tournament.run.referee import Referee
    from maxin.tournament.state.verification import Verification
    from maxin.views import Belief, BeliefCache, BestBy, Leaderboard, Overview, Top, TotalCost


class Known:
    """What a tournament knows: its players, results, ratings and verdict.

    `Tournament` adds what changes them.
    """

    store: Store
    settings: Settings
    _tickets: Tickets

    def __repr__(self) -> str:
        present = sum(state != "removed" for state in self.states.values())
        players, matches = counted(present, "player"), counted(self.n_matches, "match")
        return f"<Tournament of {players} with {matches}, {self.store}>"

    def _repr_html_(self) -> str:
        cost = self.cost()
        return self.overview()._repr_html_() + ("" if cost is None else f"<p>{cost}</p>")

    @cached_property
    def _beliefs(self) -> BeliefCache:
        return views.BeliefCache(
            self.settings.anchor, lambda: self._tickets.state.features_in(self.store)
        )

    @property
    def goal(self) -> Goal:
        """What the tournament is to find out."""
        return self.settings.parsed_goal

    @property
    def names(self) -> list[str]:
        """All players, in the order they joined."""
        with self._tickets.lock:
            return list(self._tickets.state.names)

    @property
    def states(self) -> dict[str, PlayerState]:
        """Which players are active, paused or retired."""
        with self._tickets.lock:
            state = self._tickets.state
            return dict(zip(state.names, state.states, strict=True))

    def refresh(self) -> None:
        """Read what other processes have written since."""
        self._tickets.refresh()

    @property
    def n_matches(self) -> int:
        """How many results there are."""
        return self._tickets.state.n_told

    @property
    def n_pending(self) -> int:
        """How many matches were handed out and have no result yet."""
        return len(self._tickets.state.pending)

    def pending(self) -> list[Ticket]:
        """The tickets without a result."""
        with self._tickets.lock:
            return self._tickets.pending()

    def held(self) -> list[HeldMatch]:
        """The matches without a result: who has each, since when, and how much time is left.

        >>> from maxin.tournament import Tournament
        >>> tournament = Tournament(["anna", "bo"], worker="office")
        >>> ticket = tournament.ask(lease=60.0)
        >>> [(one.match, one.worker, round(one.remaining)) for one in tournament.held()]
        [(1, 'office', 60)]
        """
        with self._tickets.lock:
            return self._tickets.held()

    def tally(self) -> Tally:
        """Points and games of every pair of players, by seat."""
        with self._tickets.lock:
            return self._tickets.state.tally.copy()

    def belief(self) -> Belief:
        """What all results say; fitted again only when results or players have changed."""
        return self._beliefs.get(*self._evidence())

    def _evidence(self) -> tuple[list[str], Tally, dict[str, PlayerState]]:
        """What a belief depends on, as of one moment."""
        with self._tickets.lock:
            return self.names, self.tally(), self.states

    def idle_reason(self, *, budget: int | None = None, confidence: float | None = None) -> Idle:
        """Why `ask` with the same arguments returned None, and whether that can change."""
        decision = self._decision(confidence)
        if decision is not None:
            return Idle(f"decided: {decision}", is_over=True)
        return idle_reason(self._tickets.state, budget)

    def _decision(self, confidence: float | None) -> str | None:
        """What is decided with this confidence; None if nothing is, or nobody asks."""
        if confidence is None:
            return None
        self._tickets.refresh()
        overview = self.overview(Stop(confidence=confidence))
        return overview.finding if overview.status == "decided" else None

    def overview(self, stop: Stop = Stop()) -> Overview:
        """The standings, the verdict and the numbers that a front page shows, as of one moment."""
        with self._tickets.lock:
            n_matches, n_pending, evidence = self.n_matches, self.n_pending, self._evidence()
        return views.Overview(
            self._beliefs.get(*evidence),
            top_size=self.goal.k,
            is_ranking=self.goal.is_ranking,
            stop=stop,
            n_matches=n_matches,
            n_pending=n_pending,
            first_advantage=self.settings.first_advantage,
            has_los=self.settings.is_chess,
            settings=asdict(self.settings),
        )

    def leaderboard(self) -> Leaderboard:
        """Ratings with intervals, the odds of being the best, matches and scores."""
        settings = self.settings
        return views.Leaderboard.of(
            self.belief(), first_advantage=settings.first_advantage, has_los=settings.is_chess
        )

    def top(self, k: int | None = None, **terms: Unpack[StopTerms]) -> Top:
        """The leaders, how certain they are, and who may still be among the best k.

        Args:
            k: the size of the top; by default that of the tournament's goal.
            terms: the `confidence` and the `tolerance` of a decision; see `Stop`.
        """
        belief = self.belief()
        size = belief.top_size(self.goal.k) if k is None else k
        return views.Top.of(belief, size, Stop(**terms))

    def best_by(self) -> BestBy:
        """Who is best by each meaning of the word."""
        return views.BestBy.of(self.belief())

    def entrants(self) -> list[Entrant]:
        """All players with their options, in the order they joined."""
        return [Entrant(row.name, row.options) for row in self.store.players()]

    def matches(self, *, retracted: bool = False) -> Iterator[PlayedMatch[str]]:
        """Every result in the order they came; with `retracted`, also those taken back."""
        from maxin.tournament.results.recorded import recorded_results

        return recorded_results(self.store, self.names, retracted=retracted)

    def cost(self) -> TotalCost | None:
        """What all matches cost: the sum of `cost` in their data; None if none has it."""
        return views.TotalCost.of(self.store.result_data(COST))

    def judges(self) -> list[JudgeRow]:
        """What each judge's votes are worth, with 95 % intervals; the busiest judge first.

        A judge has a position bias, in nats, and a reliability: 1 sees all of a difference between
        players, 0 flips coins, and a negative one prefers the worse player. Both are fitted with
        the ratings, and the ratings account for them.

        >>> from maxin.tournament import Tournament
        >>> tournament = Tournament(["anna", "bo"], seed=1)
        >>> for ticket in tournament.ask_many(40):
        ...     _ = tournament.tell(ticket, float(ticket.first == "anna"), judge="gpt")
        >>> [(row.judge, row.n_votes, round(row.bias, 1)) for row in tournament.judges()]
        [('gpt', 40, -0.0)]
        """
        found = self.belief().judges
        return [] if found is None else found.rows()

    def last_stop(self) -> Stop:
        """When the last run was to stop; the default if there was none."""
        from maxin.tournament.run.watching import last_stop

        return last_stop(self.store) or Stop()

    def events(self, *kinds: str) -> Iterator[StoredEvent]:
        """What else happened: "failed" attempts, "void" matches, "refused" results, "request"s."""
        return self.store.events(*kinds)

    def failures(self) -> list[Failure]:
        """Failed attempts, void matches, refused results and paused players, oldest first."""
        events = list(self.store.events(*FAILURES))
        numbers = {event.match for event in events if event.match is not None}
        return read_failures(events, self.names, self.store.seats(numbers))

    def report(self, path: str | Path, *, confidence: float | None = None) -> Path:
        """Write the HTML report, one page that needs nothing else; returns its path.

        Args:
            path: of the page, which must end with .html; an older report is overwritten.
            confidence: how certain a decision must be; by default as in the last run.

        >>> import tempfile
        >>> from maxin.tournament import Tournament
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     len(Tournament(["anna", "bo"]).report(f"{folder}/x.html").read_text()) > 5000
        True
        """
        return html.write_report(self, path, confidence=confidence)

    def referee(self, stop: Stop = Stop()) -> Referee:
        """Who says when the tournament is over, if others play its matches; see `run`."""
        from maxin.tournament.run.referee import Referee

        return Referee(self._tickets, self._beliefs, stop)

    def verify(self, *, digest: str | None = None) -> Verification:
        """Check that the record is complete and unchanged, derive everything again and compare.

        Args:
            digest: the `digest` of an earlier verification, which some entry must still have.
        """
        from maxin.tournament.state.verification import verify

        with self._tickets.lock:
            return verify(self.store, self._tickets, digest=digest)

    def backup(self, path: str | Path, *, force: bool = False) -> Backup:
        """Copy the store to a SQLite file and check the copy; see `back_up`."""
        from maxin.tournament.backup import back_up

        return back_up(self.store, Path(path), force=force)
