"""Files that get their name only once they are complete on disk."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from maxin.core.errors import InvalidInput

DENIED = (errno.EACCES, errno.EPERM, errno.EROFS)  # what a folder that cannot be written says


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
    part, handle = new_part(path)
    try:
        with open(handle, mode, **options) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def new_part(path: Path) -> tuple[Path, int]:
    """A new file beside `path` and its handle, until it is complete and gets the name `path`.

    Its name is one that nobody can guess and that must be new, so no link is followed.
    """
    part = path.with_name(f".{secrets.token_hex(8)}.part")
    with naming(path):
        return part, os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Within it, the error of a folder that cannot be written names the file `path`."""
    try:
        yield
    except OSError as error:
        if error.errno not in DENIED:
            raise
        raise InvalidInput(
            f"{str(path)!r} cannot be written: it needs write permission for the folder "
            f"{str(path.parent)!r}"
        ) from None
