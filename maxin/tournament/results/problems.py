"""What is wrong with rows of results: refused by default, or left out, and counted either way."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from maxin.core import InvalidInput
from maxin.core.text import counted, joined

BLANK, SELF, REPEATED, UNREADABLE = "no_result", "self_match", "repeated_id", "unreadable"
KINDS = {
    BLANK: "without a result",
    SELF: "of a player against itself",
    REPEATED: "with an id that an earlier row has",
    UNREADABLE: "that cannot be read",
}
MOST_SHOWN = 10  # invalid rows that an error lists
WIDEST = 160  # characters of each
MOST_ALIKE = 5  # groups of similar names that a note lists
HINT = "--skip-invalid, or skip_invalid=True in Python"


class InvalidRow(InvalidInput):
    """A row that breaks a rule, and which kind of rule that is."""

    def __init__(self, message: str, kind: str = UNREADABLE) -> None:
        super().__init__(message)
        self.kind, self.line = kind, 0

    @classmethod
    def at(cls, line: int, message: str) -> InvalidRow:
        """A row that a reader cannot make values of."""
        found = cls(message)
        found.line = line
        return found


class MisreadResults(InvalidInput):
    """Results that may mean two things: they are refused even if invalid rows are left out."""


class RowProblems:
    """The invalid rows of some results, and names that are suspiciously similar.

    Args:
        name: of the results, in errors.
        unit: what a place in them is called: line, row or item.

    >>> problems = RowProblems("league.csv")
    >>> problems.add(3, InvalidRow("a player cannot play itself; both are 'anna'", SELF))
    >>> problems.check_name("anna", 4), problems.check_name("Anna ", 7)
    (None, None)
    >>> for note in problems.notes:
    ...     print(note)
    1 invalid row was left out: 1 of a player against itself (line 3)
    different players, though their names differ only in blanks or case: 'anna' (line 4) and
    'Anna ' (line 7)
    """

    def __init__(self, name: str, unit: str = "line") -> None:
        self.name, self.unit = name, unit
        self.counts: Counter[str] = Counter()  # the invalid rows of each kind
        self._places: dict[str, list[int]] = defaultdict(list)  # the first ones of each kind
        self._first: list[tuple[int, str]] = []  # the first ones of all
        self._names: dict[str, int] = {}  # the line in which each name occurs first
        self._ids: dict[str, int] = {}

    def add(self, line: int, error: Exception) -> None:
        """Count an invalid row."""
        kind = error.kind if isinstance(error, InvalidRow) else UNREADABLE
        self.counts[kind] += 1
        if len(self._places[kind]) < MOST_SHOWN:
            self._places[kind].append(line)
        if len(self._first) < MOST_SHOWN:
            self._first.append((line, str(error)))

    def check_name(self, name: str, line: int = 0) -> None:
        """Note a name, if it is new; without a line, it is one of a player of the tournament."""
        if name not in self._names:
            self._names[name] = line

    def check_id(self, value: Any, line: int) -> None:
        """Raise if an earlier row has the same id; a blank one is not an id."""
        found = str(value) if value is not None else ""
        if found and self._ids.setdefault(found, line) != line:
            raise InvalidRow(
                f"the id {found!r} is that of {self.unit} {self._ids[found]} too; if this column "
                "does not identify results, give --column id=none, or columns={'id': None} in "
                "Python",
                REPEATED,
            )

    def refuse(self) -> None:
        """Raise if any row is invalid; the error lists the first ones."""
        total = self.counts.total()
        if total == 1:
            (line, message) = self._first[0]
            raise InvalidInput(
                f"{self.name}, {self.unit} {line}: {message}; {HINT}, leaves this row out"
            )
        if total:
            rest = [f"  and {total - len(self._first):,} more"] * (total > len(self._first))
            rows = [f"  {self.unit} {line}: {_cut(message)}" for line, message in self._first]
            raise InvalidInput(
                "\n".join([f"{self.name}: {self._summary}; {HINT}, leaves them out", *rows, *rest])
            )

    @property
    def notes(self) -> list[str]:
        """What a reader should know: the rows that were left out, and names that are similar."""
        total = self.counts.total()
        verb = "was" if total == 1 else "were"
        left_out = self._summary.replace(":", f" {verb} left out:", 1)
        return [*([left_out] if total else []), *self._alike_notes()]

    @property
    def _summary(self) -> str:
        """How many rows of each kind are invalid, and where the first ones are."""
        parts = []
        for kind, number in self.counts.most_common():
            places = [str(line) for line in self._places[kind]]
            places += [f"{number - len(places):,} more"] * (number > len(places))
            units = self.unit if number == 1 else f"{self.unit}s"
            parts.append(f"{number:,} {KINDS[kind]} ({units} {joined(places)})")
        return f"{counted(self.counts.total(), 'invalid row')}: {', '.join(parts)}"

    @property
    def alike(self) -> list[list[str]]:
        """Names that differ only in blanks or case; some of each group are in these results."""
        groups: dict[str, list[str]] = defaultdict(list)
        for name in self._names:
            groups["".join(name.split()).casefold()].append(name)
        return [names for names in groups.values() if names[1:] and any(map(self._line, names))]

    def _line(self, name: str) -> int:
        return self._names[name]

    def _alike_notes(self) -> list[str]:
        alike = self.alike
        notes = [
            "different players, though their names differ only in blanks or case: "
            + joined([f"{name!r} ({self._place(name)})" for name in names])
            for names in alike[:MOST_ALIKE]
        ]
        rest = len(alike) - MOST_ALIKE
        return [*notes, *([f"and {counted(rest, 'more group')} of such names"] if rest > 0 else [])]

    def _place(self, name: str) -> str:
        """Where a name occurs first."""
        line = self._names[name]
        return f"{self.unit} {line}" if line else "a player before"


def _cut(message: str) -> str:
    return message if len(message) <= WIDEST else f"{message[:WIDEST]}…"
