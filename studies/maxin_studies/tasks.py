"""Tasks whose outcomes are stored, by a key that follows from their description."""

from __future__ import annotations

import functools
import hashlib
import json
from dataclasses import fields
from typing import Any, ClassVar, Protocol, TypeVar

from maxin.games import Game
from maxin.simulation.pool import Task


class TaskRecord(Protocol):
    """What a task gives: a named tuple of arrays and numbers."""

    def _asdict(self) -> dict[str, Any]: ...


OutcomeT = TypeVar("OutcomeT", bound=TaskRecord)


class StoredTask(Task[OutcomeT]):
    """A task whose outcome is stored.

    Fields with `compare=False` are not part of the description.
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]  # every task is a dataclass
    kind: ClassVar[str]  # the key of the version in the hashed description
    version: ClassVar[int]  # a change makes stored outcomes of this kind unknown
    outcome_type: ClassVar[type]
    folder: ClassVar[str] = ""  # where outcomes are stored, below the folder of the runs
    weight: ClassVar[int] = 1  # how much longer a round takes than one of a race, about

    @property
    def size(self) -> int:
        """See `Task.size`."""
        return self.weight * self.rounds

    def description(self) -> dict[str, Any]:
        """The fields that determine the outcome."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.compare}

    @functools.cached_property
    def key(self) -> str:
        """A short name for the description."""
        return key_of({self.kind: self.version, **self.description()})


def key_of(description: dict[str, object]) -> str:
    """A short hash of a description.

    >>> key_of({"seed": 0})
    'de7d7744ccd7722e315c'
    """
    text = json.dumps(description, sort_keys=True, default=vars)
    return hashlib.sha256(text.encode()).hexdigest()[:20]


@functools.cache
def fingerprint(game: Game) -> str:
    """A short hash of a game's payoffs, which tells two games of the same name apart.

    >>> fingerprint(Game("coin", [[0.0, 0.5], [-0.5, 0.0]]))
    'd434b61057ea1d2b'
    """
    return hashlib.sha256(game.payoffs.tobytes()).hexdigest()[:16]
