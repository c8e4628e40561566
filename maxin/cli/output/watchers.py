"""Watchers of a run: they print a line per match, JSON, or nothing until the end."""

from __future__ import annotations

import sys
from typing import Any, Protocol, Self

from rich.console import Console
from rich.text import Text

from maxin.cli.output.printing import print_json
from maxin.core.text import counted, visible
from maxin.views.recorded.games import ends_line
from maxin.worker import (
    Blocked,
    Event,
    Failed,
    Interrupted,
    Paused,
    Rated,
    Recovered,
    Refused,
    Ticket,
    Told,
    Voided,
    Waiting,
)
from maxin.worker.events import games_of, pairing

LOG_LINES = 8  # lines of a failure's log that are shown


class Summary(Protocol):
    """The end of a run, as watchers print it."""

    def print_leaderboard(self, console: Console) -> None:
        """Print the leaderboard."""

    def print_sentences(self) -> None:
        """Print how the run ended."""

    def document(self) -> dict[str, Any]:
        """All of it, as JSON."""


class Watcher(Protocol):
    """Sees every event of a run, within its `with` block."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def __call__(self, event: Event) -> None:
        """See an event."""

    def end(self, summary: Summary) -> None:
        """Print the end."""


class QuietWatcher:
    """Prints nothing but the end, and why it takes longer: Ctrl-C, or another process."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def __call__(self, event: Event) -> None:
        """Print only an interruption, and who holds the store."""
        if isinstance(event, Interrupted):
            warn(interruption(event))
        if isinstance(event, Blocked):
            warn(event.reason)
        if isinstance(event, Recovered):
            warn(recovery(event))

    def end(self, summary: Summary) -> None:
        """Print how the run ended."""
        summary.print_sentences()


class LineWatcher(QuietWatcher):
    """Prints a line per match on standard output, and failures on standard error."""

    def __call__(self, event: Event) -> None:
        """Print an event."""
        super().__call__(event)
        if isinstance(event, Told):
            seed = f"(seed {event.ticket.seed})"
            ends = [one_line(ends_line(games))] if (games := games_of(event)) else []
            line = f"{pairing(event.ticket)} {result(event.score)} {seed}"
            print(": ".join([line, *ends]), flush=True)
            for error in event.errors:
                warn(f"{pairing(event.ticket)}: {one_line(error)}")
        for line in trouble(event):
            warn(line)

    def end(self, summary: Summary) -> None:
        """Print the leaderboard too."""
        summary.print_leaderboard(Console())
        summary.print_sentences()


class JsonWatcher(QuietWatcher):
    """Prints one JSON object per line on standard output, as soon as the event happens."""

    def __call__(self, event: Event) -> None:
        """Print an event."""
        super().__call__(event)
        if not isinstance(event, Rated):
            print_json(as_json(event))

    def end(self, summary: Summary) -> None:
        """Print the last object, which has everything."""
        print_json(summary.document())


def warn(line: str) -> None:
    """Print a line on standard error, at once."""
    print(line, file=sys.stderr, flush=True)


def as_json(event: Event) -> dict[str, Any]:
    """The event as an object.

    >>> from maxin.core import Match
    >>> from maxin.runners import Outcome
    >>> as_json(Told(Ticket(17, "anna", "bo", 5, Match(0, 1)), Outcome(1.0)))
    {'event': 'told', 'match': 17, 'first': 'anna', 'second': 'bo', 'seed': 5, 'score': 1.0, ...}
    """
    kind = type(event).__name__.lower().replace("voided", "void")
    rest: dict[str, Any] = event._asdict()
    ticket: Ticket | None = rest.pop("ticket", None)
    if isinstance(event, Told):
        rest = {"score": event.score, "errors": event.errors}
        if games := games_of(event):
            rest["ends"] = [game.end for game in games]
    if ticket is None:
        return {"event": kind, **rest}
    seats = {"first": ticket.first, "second": ticket.second}
    return {"event": kind, "match": ticket.id, **seats, "seed": ticket.seed, **rest}


def result(score: float) -> str:
    """The scores of both players.

    >>> result(1.0), result(0.5), result(0.25)
    ('1-0', '0.5-0.5', '0.25-0.75')
    """
    return f"{score:g}-{1.0 - score:g}"


def trouble(event: Event) -> list[str]:
    """What went wrong, with the end of the log; nothing for an event without a problem."""
    if isinstance(event, Failed):
        count = "" if event.attempt is None else f", attempt {event.attempt}"
        head = f"{pairing(event.ticket)} failed{count}: {event.reason}"
        return [head, *log_end(event.log)]
    if isinstance(event, Voided):
        return [f"{pairing(event.ticket)} is void: {event.reason}"]
    if isinstance(event, Paused):
        return [f"{event.player} is paused: {event.reason}"]
    if isinstance(event, Refused):
        ticket = event.ticket
        reason = event.reason.removeprefix(f"match {ticket.id}, {ticket.first} - {ticket.second}, ")
        return [f"{pairing(ticket)} was refused: {reason}"]
    if isinstance(event, Waiting):
        pending = counted(event.n_pending, "pending match")
        return [
            f"waiting for {pending} of other workers; see `maxin show pending` and `maxin void`"
        ]
    return []


def log_end(log: str) -> list[str]:
    r"""The last lines of a log, indented, without commands to the terminal.

    >>> log_end("one\ntwo\x1b[31m red")
    ['  | one', '  | two red']
    """
    return [f"  | {line}" for line in harmless(log.strip()).splitlines()[-LOG_LINES:]]


def harmless(text: str) -> str:
    """The text of another program, without commands to the terminal."""
    return "\n".join(map(one_line, text.splitlines()))


def one_line(text: str) -> str:
    """The text of another program in one line, without commands to the terminal."""
    return visible(Text.from_ansi(text).plain.expandtabs(4).rstrip())


def print_sentence(sentence: str, *, is_error: bool = False, style: str = "") -> None:
    """Print a sentence; on a terminal its lines break between words."""
    console = Console(stderr=is_error, highlight=False)
    console.print(Text(sentence, style=style), soft_wrap=not console.is_terminal)


def interruption(event: Interrupted) -> str:
    """What Ctrl-C does now."""
    running = counted(event.n_running, "running match")
    if event.times > 1:
        return f"killing {running}"
    if not event.n_running:
        return "stopping; no match is running"
    it = "it" if event.n_running == 1 else "them"
    return f"finishing {running}; Ctrl-C again to kill {it}"


def recovery(event: Recovered) -> str:
    """What became of the results that an earlier run had kept.

    >>> recovery(Recovered(3, 1, ""))
    'recorded 3 results that an earlier run had kept on this machine; 1 was refused'
    """
    results = counted(event.n_results, "result")
    words = [f"recorded {results} that an earlier run had kept on this machine"]
    words += [f"{event.n_refused} {'was' if event.n_refused == 1 else 'were'} refused"] * bool(
        event.n_refused
    )
    return "; ".join(filter(None, [*words, event.problem]))
