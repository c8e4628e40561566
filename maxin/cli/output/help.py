"""Help pages: plain text in two columns, no wider than the terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cyclopts.help import HelpEntry, HelpPanel
    from rich.console import Console, ConsoleOptions

WIDEST = 100  # columns of a page
LABEL = 28  # columns of the flags and names; a longer one has a line of its own


class HelpPage:
    """Renders a help page; an instance is a help formatter of cyclopts."""

    def render_usage(self, console: Console, options: ConsoleOptions, usage: Any) -> None:
        """The first line."""
        _print(console, f"Usage: {_plain(usage, console)}\n")

    def render_description(self, console: Console, options: ConsoleOptions, text: Any) -> None:
        """What the command does: paragraphs."""
        paragraphs = _plain(text, console).split("\n\n")
        width = min(console.width, WIDEST)
        for paragraph in paragraphs:
            _print(console, textwrap.fill(" ".join(paragraph.split()), width) + "\n")

    def __call__(self, console: Console, options: ConsoleOptions, panel: HelpPanel) -> None:
        """A group of arguments, options or commands."""
        if not panel.entries:
            return
        console.print(f"{panel.title}:", style="bold", markup=False, highlight=False)
        labels = [_label(entry) for entry in panel.entries]
        room = min(LABEL, max(map(len, labels)))
        for label, entry in zip(labels, panel.entries, strict=True):
            for line in _lines(label, _text(entry, console), room, min(console.width, WIDEST)):
                _print(console, line)
        _print(console, "")


def _label(entry: HelpEntry) -> str:
    """Flags and the name of their value, or the name of an argument or a command."""
    names = [*entry.positive_shorts, *entry.positive_names]
    if entry.positional_label is not None:
        return entry.metavar or entry.positional_label
    metavar = f" {entry.metavar}" if entry.metavar and not entry.negative_names else ""
    negative = f" / {entry.negative_names[0]}" if entry.negative_names else ""
    return ", ".join(names) + metavar + negative


def _text(entry: HelpEntry, console: Console) -> str:
    default = f" [default: {entry.default}]" if entry.default is not None else ""
    return _plain(entry.description, console) + default


def _lines(label: str, text: str, room: int, width: int) -> Iterator[str]:
    """An entry's lines: its label, and its text beside it."""
    start = " " * (room + 4)
    lines = textwrap.wrap(text, max(20, width - len(start)), break_on_hyphens=False) or [""]
    if len(label) > room:
        yield f"  {label}"
    else:
        yield f"  {label:{room}}  {lines.pop(0)}".rstrip()
    for line in lines:
        yield start + line


def _plain(thing: Any, console: Console) -> str:
    if thing is None:
        return ""
    wide = console.options.update(width=10_000, no_wrap=True)
    return "".join(segment.text for segment in console.render(thing, wide)).strip()


def _print(console: Console, line: str) -> None:
    console.print(line, markup=False, highlight=False, soft_wrap=True)
