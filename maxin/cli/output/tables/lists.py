"""Lists: judges, players, tokens, and matches that were played, are pending, or have failed."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from maxin.core.text import counted, duration, moment, shortened, visible
from maxin.ratings.judging.judge_fit import JudgeRow
from maxin.storage import PlayedMatch
from maxin.tournament import Tournament
from maxin.tournament.results import written
from maxin.views.columns import Column, DataTable, Format
from maxin.views.recorded.failures import Failure
from maxin.views.recorded.games import GameEnds, ended_games, ends_line
from maxin.views.recorded.judges import JUDGES
from maxin.worker.source import Ticket

if TYPE_CHECKING:
    from maxin.storage.tokens import TokenRow

MOST_JUDGES = 50  # shown to a reader who asks for no number
LATEST = 20  # the same for results
LATEST_FAILURES = 6  # and for failures, which have logs
LOG_LINES = 12  # lines of a failure's log

MOMENT = Format(moment)


def judge_list(judges: Sequence[JudgeRow], top: int | None) -> DataTable[JudgeRow]:
    """Each judge's position bias and reliability; the busiest `top`, or all."""
    some = judges if top is None else judges[:top]
    brief = some[: top or MOST_JUDGES]
    first = f"the first {len(brief)} of " if len(brief) < len(judges) else ""
    return DataTable(
        JUDGES,
        some,
        "judges",
        {"n_judges": len(judges)},
        notes=(
            f"{first}{counted(len(judges), 'judge')}",
            "bias: what being shown first is worth to the judge, in Elo points",
            "reliability: 1 sees differences as the others do, 0 flips coins, below 0 is inverted",
            "counted: reversed or not at all if a judge prefers the worse player; reversed only "
            "with strong evidence",
        ),
        empty="no result has a judge; `maxin tell --judge NAME` names one",
        brief=brief,
    )


class ListedPlayer(NamedTuple):
    """A player, as it is listed."""

    player: str
    state: str
    matches: int
    options: dict[str, Any]


PLAYERS: tuple[Column[ListedPlayer], ...] = (
    Column("player", "player", left=True),
    Column("state", "state", left=True),
    Column("matches", "matches"),
    Column(
        "options",
        "options",
        read=lambda row: json.dumps(row.options, ensure_ascii=False) if row.options else None,
        left=True,
    ),
)


def player_list(tournament: Tournament) -> DataTable[ListedPlayer]:
    """All players, in the order they joined: their states, matches and options."""
    entrants = tournament.entrants()  # first: the rest then has them all, whoever joins meanwhile
    n_matches = tournament.tally().n_matches.round().astype(int).tolist()
    rows = [
        ListedPlayer(one.name, tournament.states[one.name], count, dict(one.options))
        for one, count in zip(entrants, n_matches, strict=False)
        if tournament.states[one.name] != "removed"
    ]
    count = player_count(tournament)
    return DataTable(PLAYERS, rows, "players", notes=[count], empty=count, is_csv_read=True)


def player_count(tournament: Tournament) -> str:
    """How many players there are, and how many of them are active."""
    states = [state for state in tournament.states.values() if state != "removed"]
    return f"{counted(len(states), 'player')}, {states.count('active')} active"


TOKENS: tuple[Column[TokenRow], ...] = (
    Column("id", "token", left=True),
    Column("role", "role", left=True),
    Column("name", "name", left=True),
    Column("created", "made", format=MOMENT, left=True),
    Column(
        "revoked",
        "state",
        read=lambda row: "in force" if row.revoked is None else f"revoked {moment(row.revoked)}",
        left=True,
    ),
)


def token_list(tokens: Sequence[TokenRow]) -> DataTable[TokenRow]:
    """All tokens, the oldest first; nobody can see their secrets."""
    n_valid = sum(row.revoked is None for row in tokens)
    count = f"{counted(len(tokens), 'token')}, {n_valid} in force"
    return DataTable(TOKENS, tokens, "tokens", notes=[count], empty=count, is_csv_read=True)


PENDING: tuple[Column[Ticket], ...] = (
    Column("match", "match", value=lambda ticket: ticket.id),
    Column("first", "first", left=True),
    Column("second", "second", left=True),
    Column("worker", "holder", left=True),
    Column("since", "since (UTC)", format=MOMENT),
    Column(
        "remaining",
        "time left",
        read=lambda row: duration(row.remaining) if row.remaining else "none",
    ),
)


def pending_list(held: Sequence[Ticket], top: int | None) -> DataTable[Ticket]:
    """The matches without a result, and who has them; the latest `top`, or all."""
    some = held if top is None else held[-top:]
    latest = f"the latest {len(some)} of " if len(some) < len(held) else ""
    return DataTable(
        PENDING,
        some,
        "pending",
        {"n_pending": len(held)},
        notes=[f"{latest}{counted(len(held), 'pending match')}"],
        empty="no match is pending",
    )


RESULTS: tuple[Column[PlayedMatch[str]], ...] = (
    Column(title="match", read=lambda match: match.number),
    Column(title="first", read=lambda match: match.first, left=True),
    Column(title="second", read=lambda match: match.second, left=True),
    Column(title="score", read=lambda match: match.score, format=Format("{:.4g}".format)),
    Column(title="ended by", read=lambda match: _ends(match), left=True, is_shown_if_any=True),
    Column(title="time (UTC)", read=lambda match: match.time, format=MOMENT),
    Column(title="source", read=lambda match: _place(match), left=True, is_shown_if_any=True),
    Column(
        title="errors", read=lambda match: "; ".join(match.errors), left=True, is_shown_if_any=True
    ),
    Column(title="retracted", read=lambda match: match.retracted, left=True, is_shown_if_any=True),
)


def _ends(match: PlayedMatch[str]) -> str:
    """How the games of a match ended, if its data says so."""
    players = match.first, match.second
    return ends_line(ended_games(players, match.score, match.games, match.data))


def _place(match: PlayedMatch[str]) -> str | None:
    """The line of a source that an imported result comes from."""
    return match.source if match.line is None else f"{match.source}:{match.line}"


class MatchList:
    """The latest results, also those that were taken back; for programs all of them.

    Programs get what `maxin export` writes; the results are read one by one.

    Args:
        tournament: whose results.
        top: how many; None for all, or for what a reader has patience for.
    """

    def __init__(self, tournament: Tournament, top: int | None) -> None:
        self.played = tournament.matches(retracted=True)
        self.top = top
        self.n_matches = tournament.n_matches

    def document(self) -> Any:
        """The results in the order they were reported."""
        matches = [match._asdict() for match in self._some()]
        return {"n_matches": self.n_matches, "matches": matches}

    def csv(self) -> str:
        """One line per result."""
        return "".join(written(self._some(), "csv"))

    def markdown(self) -> str:
        """One row per result."""
        return "".join(written(self._some(), "markdown"))

    def text(self, room: int) -> str:
        """The latest results, the last one at the end."""
        rows = list(deque(self.played, maxlen=self.top or LATEST))
        latest = f"the latest {len(rows)} of " if len(rows) < self.n_matches else ""
        count = f"{latest}{counted(self.n_matches, 'match')}"
        empty = "no match has been played"
        return DataTable(RESULTS, rows, notes=[count], empty=empty).text(room)

    def _some(self) -> Iterable[PlayedMatch[str]]:
        return self.played if self.top is None else deque(self.played, maxlen=self.top)


FAILURES: tuple[Column[Failure], ...] = (
    *(Column(key) for key in Failure._fields),
    Column(title="time (UTC)", read=lambda one: one.time, format=MOMENT, left=True),
    Column(title="what", read=lambda one: one.kind, left=True),
    Column(title="of", read=lambda one: _subject(one), left=True),
    Column(title="reason", read=lambda one: _reason(one), left=True),
)


@dataclass(frozen=True)
class FailureList(DataTable[Failure]):
    """Failures, of which the text has the latest, each with the end of its log."""

    def text(self, room: int | None = None) -> str:
        """The last one at the end."""
        return "\n".join([*map(_block, self.brief or ()), *self.notes]) or self.empty


def failure_list(failed: Sequence[Failure], ends: GameEnds | None, top: int | None) -> FailureList:
    """The latest `top` failures and forfeits; or all, and in text the latest few."""
    forfeited = [] if ends is None else ends.failures
    failures = sorted([*failed, *forfeited], key=lambda one: one.time)
    some = failures if top is None else failures[-top:]
    brief = some[-(top or LATEST_FAILURES) :]
    latest = f"the latest {len(brief)} of " if len(brief) < len(failures) else ""
    notes = [f"{latest}{counted(len(failures), 'failure')}"] if failures else []
    notes += [] if ends is None or not forfeited else ["", ends.table.text()]
    empty = "nothing has failed"
    return FailureList(FAILURES, some, "failures", notes=notes, brief=brief, empty=empty)


def _block(failure: Failure) -> str:
    """A line, and the end of the log below it."""
    attempt = "" if failure.attempt is None else f" (attempt {failure.attempt})"
    head = f"{moment(failure.time)}  {failure.kind}: {_subject(failure)}{attempt}: "
    log = failure.log.rstrip().splitlines()[-LOG_LINES:]
    return "\n".join([head + visible(_reason(failure)), *(f"    {visible(line)}" for line in log)])


def _reason(failure: Failure) -> str:
    """What happened, without the match, which a refusal names too."""
    own = f"match {failure.match}, {failure.first} - {failure.second}, "
    return failure.reason.removeprefix(own)


def _subject(failure: Failure) -> str:
    """The match that failed, or the player who was paused."""
    if failure.match is None:
        return shortened(failure.player or "", 60)
    pair = f"{shortened(failure.first or '', 60)} - {shortened(failure.second or '', 60)}"
    return f"match {failure.match}, {pair}"
