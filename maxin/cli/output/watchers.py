"""A run as it is told to whoever reads along: a line a match, JSON, or nothing at all."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self

import typer
from rich.console import Console
from rich.text import Text

from maxin.cli.output.tables import counted, print_json

if TYPE_CHECKING:
    from maxin.cli.output.ending import Ending
    from maxin.tournament import Event, Interrupted, Ticket

LAST_WORDS = 8  # lines of a failure's log that are shown


class Watcher(Protocol):
    """Sees every event of a run, within its `with` block."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def __call__(self, event: Event) -> None:
        """Something happened."""

    def end(self, end: Ending) -> None:
        """It is over."""


class Silent:
    """Tells nothing, but that we are leaving."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def __call__(self, event: Event) -> None:
        """Say nothing, or that we are leaving."""
        from maxin.tournament import Interrupted

        if isinstance(event, Interrupted):
            typer.echo(leaving(event), err=True)

    def end(self, end: Ending) -> None:
        """Say how it ended."""
        end.show_words()


class Lines(Silent):
    """A line a match on standard output; what went wrong on standard error."""

    def __call__(self, event: Event) -> None:
        """Print it."""
        from maxin.tournament import Told

        super().__call__(event)
        if isinstance(event, Told):
            typer.echo(f"{pairing(event.ticket)} {result(event.score)} (seed {event.ticket.seed})")
            for error in event.errors:
                typer.echo(f"{pairing(event.ticket)}: {one_line(error)}", err=True)
        for line in trouble(event):
            typer.echo(line, err=True)

    def end(self, end: Ending) -> None:
        """Print the leaderboard too."""
        end.show_board(Console())
        end.show_words()


class JsonLines(Silent):
    """An object a line on standard output, each there as soon as it is printed."""

    def __call__(self, event: Event) -> None:
        """Print it."""
        super().__call__(event)
        print_json(as_json(event))

    def end(self, end: Ending) -> None:
        """The last object has it all."""
        print_json(end.document())


def as_json(event: Event) -> dict[str, Any]:
    """The event as an object: what it is, and all that it says.

    >>> from maxin.tournament import Ticket, Told
    >>> as_json(Told(Ticket(17, "anna", "bo", seed=5), 1.0, ()))["score"]
    1.0
    """
    kind = type(event).__name__.lower().replace("voided", "void")
    rest: dict[str, Any] = event._asdict()
    ticket: Ticket | None = rest.pop("ticket", None)
    if ticket is None:
        return {"event": kind, **rest}
    number, first, second, seed = ticket
    return {"event": kind, "match": number, "first": first, "second": second, "seed": seed, **rest}


def pairing(ticket: Ticket) -> str:
    """A match in a few words."""
    return f"#{ticket.id} {ticket.first} - {ticket.second}"


def result(score: float) -> str:
    """Both players' shares.

    >>> result(1.0), result(0.5), result(0.25)
    ('1-0', '0.5-0.5', '0.25-0.75')
    """
    return f"{score:g}-{1.0 - score:g}"


def trouble(event: Event) -> list[str]:
    """What went wrong, with the last words of what failed; nothing for any other event."""
    from maxin.tournament import Failed, Paused, Refused, Voided, Waiting

    if isinstance(event, Failed):
        words = last_words(event.log)
        return [f"{pairing(event.ticket)} failed, attempt {event.attempt}: {event.reason}", *words]
    if isinstance(event, Voided):
        return [f"{pairing(event.ticket)} is void: {event.reason}"]
    if isinstance(event, Paused):
        return [f"{event.player} is paused: {event.reason}"]
    if isinstance(event, Refused):
        return [f"{pairing(event.ticket)} was refused: {event.reason}"]
    if isinstance(event, Waiting):
        return [f"waiting for {counted(event.n_out, 'match')} that others hold; see `maxin void`"]
    return []


def last_words(log: str) -> list[str]:
    r"""The end of a log, set off, and harmless to a terminal.

    >>> last_words("one\ntwo\x1b[31m red")
    ['  | one', '  | two red']
    """
    return [f"  | {line}" for line in harmless(log.strip()).splitlines()[-LAST_WORDS:]]


def harmless(text: str) -> str:
    """Lines of somebody else's, each as it can be printed."""
    return "\n".join(map(one_line, text.splitlines()))


def one_line(text: str) -> str:
    """A text of somebody else's as it can be printed: one line, and no commands to a terminal."""
    from maxin.core.text import visible

    return visible(Text.from_ansi(text).plain.expandtabs(4).rstrip())


def say(words: str, *, is_error: bool = False) -> None:
    """Print a sentence; on a terminal its lines break between words."""
    console = Console(stderr=is_error, highlight=False)
    console.print(Text(words), soft_wrap=not console.is_terminal)


def leaving(event: Interrupted) -> str:
    """What Ctrl-C does now."""
    running = counted(event.n_running, "running match")
    if event.times > 1:
        return f"killing {running}"
    if not event.n_running:
        return "leaving; nothing is running"
    it = "it" if event.n_running == 1 else "them"
    return f"finishing {running}; Ctrl-C again to kill {it}"


def this_command() -> str:
    """What was typed, to be typed again: the same command resumes."""
    return shlex.join([*_program(Path(sys.argv[0]), shutil.which), *sys.argv[1:]])


def _program(called: Path, which: Callable[[str], str | None]) -> list[str]:
    """How this program is called: by its name if that is how it is found, or by its path."""
    if called.name == "__main__.py":
        found = which("python")
        is_ours = found is not None and found == sys.executable
        return ["python" if is_ours else sys.executable, "-m", "maxin"]
    found = which(called.name)
    is_on_path = found is not None and Path(found).resolve() == called.resolve()
    return [called.name if is_on_path else str(called)]
