"""Keep the end of a stream of any length."""

from __future__ import annotations


class Tail:
    r"""The last `size` bytes of all that was added.

    >>> tail = Tail(size=8)
    >>> tail.add(b"thinking\n0.5\n\n")
    >>> tail.text(), tail.last_line()
    ('ng\n0.5\n\n', '0.5')
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self._kept, self._is_cut = b"", False

    def add(self, data: bytes) -> None:
        """Append `data`, and keep only the end."""
        joined = self._kept + data
        self._kept = joined[-self._size :]
        self._is_cut = self._is_cut or len(joined) > self._size

    def text(self, size: int | None = None) -> str:
        """The kept bytes, or the last `size` of them, as text; invalid UTF-8 is replaced."""
        return self._kept[-(size or self._size) :].decode("utf-8", "replace")

    @property
    def is_endless(self) -> bool:
        """Whether the last line is longer than what is kept."""
        return self._is_cut and b"\n" not in self._kept.rstrip()

    def last_line(self) -> str:
        """The last line that is not blank; empty if there is none or its start was dropped."""
        if self.is_endless:
            return ""
        line = self._kept.rstrip().rpartition(b"\n")[2]
        return line.decode("utf-8", "replace").strip()
