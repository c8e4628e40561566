"""The file of a SQLite store: whether its name still leads to the file that is open."""

from __future__ import annotations

import os
from typing import Any

from sqlalchemy import Connection

from maxin.storage.database.errors import StoreFailed


def note_file(path: str, record: Any) -> None:
    """Remember which file a new connection has opened under this name.

    Whoever only reads needs not know: it sees the file as it was when it was opened.
    """
    record.info["file"] = path, file_number(path)


def check_file(connection: Connection) -> None:
    """Raise `StoreFailed` unless the file that is open still has its name.

    A file that was deleted can be written until it is closed, and then it is gone with everything
    in it. So this is checked before a transaction, and again before its commit is relied on.
    """
    path, number = connection.info.get("file", ("", None))
    if path and (number is None or file_number(path) != number):
        raise StoreFailed(
            f"the store {connection.engine.url} failed: its file was deleted, moved or replaced "
            "while it was in use; put it back, or restore a backup and start again",
            reason="its file was deleted, moved or replaced",
        )


def file_number(path: str) -> tuple[int, int] | None:
    """What no other file on this machine has; None if there is no such file.

    >>> file_number("no-such-file-1.db") is None, len(file_number("/"))
    (True, 2)
    """
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
