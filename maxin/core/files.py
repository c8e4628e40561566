"""Files that get their name only once they are complete on disk."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from maxin.core.errors import InvalidInput


@contextmanager
def whole_file(path: Path) -> Iterator[IO[str]]:
    """Open a text file that gets its name only once it is complete on disk.

    It is written under a name that nobody can guess and that must be new, so no link is followed.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole_file(Path(folder, "page.html")) as file:
    ...         _ = file.write("<p>")
    ...     Path(folder, "page.html").stat().st_size
    3
    """
    with _part(path, "w", encoding="utf-8", newline="") as file:
        yield file


@contextmanager
def whole_binary_file(path: Path) -> Iterator[IO[bytes]]:
    """The same for bytes.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole_binary_file(Path(folder, "picture.png")) as file:
    ...         _ = file.write(b"png")
    ...     Path(folder, "picture.png").stat().st_size
    3
    """
    with _part(path, "wb") as file:
        yield file


@contextmanager
def _part(path: Path, mode: str, **options: Any) -> Iterator[IO[Any]]:
    if not path.parent.is_dir():
        raise InvalidInput(f"there is no folder {str(path.parent)!r} for {path.name!r}")
    part = path.with_name(f".{secrets.token_hex(8)}.part")
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666)
    try:
        with open(handle, mode, **options) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
