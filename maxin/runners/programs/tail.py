"""The end of a stream that may be of any length."""

from __future__ import annotations


class Tail:
    r"""Keeps the last `size` bytes of what is added.

    >>> tail = Tail(size=8)
    >>> tail.add(b"thinking\n0.5\n\n")
    >>> tail.text(), tail.last_line()
    ('ng\n0.5\n\n', '0.5')
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self.clear()

    def clear(self) -> None:
        """Keep nothing."""
        self._kept, self._is_cut = b"", False

    def add(self, data: bytes) -> None:
        """Keep the end of all there was and `data`."""
        joined = self._kept + data
        self._kept = joined[-self._size :]
        self._is_cut = self._is_cut or len(joined) > self._size

    def text(self, size: int | None = None) -> str:
        """What is kept, or its last `size` bytes; whatever is not UTF-8 is replaced."""
        return self._kept[-(size or self._size) :].decode("utf-8", "replace")

    def last_line(self) -> str:
        """The last line with anything on it; empty if there is none, or its beginning is lost."""
        _, newline, line = self._kept.rstrip().rpartition(b"\n")
        if self._is_cut and not newline:
            return ""
        return line.decode("utf-8", "replace").strip()
