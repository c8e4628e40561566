"""The tokens of a service."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from maxin.core.text import counted, csv_line, markdown, moment, table

if TYPE_CHECKING:
    from maxin.service.access.tokens import TokenRow

HEADER = ("token", "role", "name", "made", "state")


class TokenList:
    """All tokens, the oldest first; nobody can see their secrets."""

    def __init__(self, tokens: Sequence[TokenRow]) -> None:
        self._tokens = tokens

    def document(self) -> Any:
        """An object per token."""
        kept = ("id", "role", "name", "created", "revoked")
        return {"tokens": [{key: getattr(row, key) for key in kept} for row in self._tokens]}

    def csv(self) -> str:
        """A line per token."""
        return "".join(map(csv_line, [HEADER, *self._cells()]))

    def markdown(self) -> str:
        """A row per token."""
        return "".join(markdown(HEADER, self._cells(), left=range(len(HEADER))))

    def text(self, room: int) -> str:
        """The table, and how many are in force."""
        n_valid = sum(row.revoked is None for row in self._tokens)
        count = f"{counted(len(self._tokens), 'token')}, {n_valid} in force"
        if not self._tokens:
            return count
        drawn = table(HEADER, self._cells(), words=range(len(HEADER)), room=room)
        return f"{drawn}\n\n{count}"

    def _cells(self) -> list[list[str]]:
        return [
            [
                row.id,
                row.role,
                row.name,
                moment(row.created),
                "in force" if row.revoked is None else f"revoked {moment(row.revoked)}",
            ]
            for row in self._tokens
        ]
