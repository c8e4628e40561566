"""Output of a result: text for a person, JSON or CSV for a program, Markdown for a document."""

from __future__ import annotations

import json
import shutil
from typing import Any, Protocol

from maxin.cli.config.settings import Format


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
