"""Output of a result: text for a person, JSON or CSV for a program, Markdown for a document."""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Protocol

from maxin.cli.config.options import Format
from maxin.core import InvalidInput


class View(Protocol):
    """A result that can be printed in every format."""

    def document(self) -> Any:
        """All of it, as JSON."""

    def csv(self) -> str:
        """Lines of CSV."""

    def markdown(self) -> str:
        """A Markdown table."""

    def text(self, room: int) -> str:
        """A table no wider than `room` columns, and sentences about it."""


def present(view: View, format: Format) -> None:
    """Print a view in a format."""
    if format == "json":
        print_json(view.document())
    elif format == "csv":
        print(view.csv(), end="")
    elif format == "markdown":
        print(view.markdown(), end="")
    else:
        print(view.text(shutil.get_terminal_size().columns))


def print_json(document: Any) -> None:
    """Print one JSON document in one line, at once; NaN and infinity are errors."""
    print(json.dumps(document, allow_nan=False), flush=True)


@contextmanager
def whole_file(path: Path) -> Iterator[IO[str]]:
    """A file to write that takes its name only when all of it is on disk.

    It is written under a name that nobody can guess and that must be new, so no link is followed.
    """
    if not path.parent.is_dir():
        raise InvalidInput(f"there is no folder {str(path.parent)!r} for {path.name!r}")
    part = path.with_name(f".{secrets.token_hex(8)}.part")
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666)
    try:
        with open(handle, "w", encoding="utf-8", newline="") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
