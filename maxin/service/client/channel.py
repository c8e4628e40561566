"""The channel to a service: commands in, answers out, tried again while it is away."""

from __future__ import annotations

import itertools
import json
import uuid
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from typing import Any, TypeVar

from maxin.core import InvalidInput
from maxin.service.client.api import Api
from maxin.storage import outlast
from maxin.worker.source import About, Ask, Fail, Renew, Retract, Tell, Void

PATIENCE = 30.0  # seconds to wait for a service that was there and is away
MOST_SENT = 100  # results in one request
MOST_BYTES = 400_000  # characters of their data in one request
Done = TypeVar("Done")


class ServiceChannel:
    """Sends commands to a service; see `Channel`.

    Args:
        api: the calls of the service.
    """

    def __init__(self, api: Api) -> None:
        self.api = api

    def about(self) -> About:
        """What a worker has to know before it plays; the service names no options of players."""
        return self._patiently(self.api.about)

    def noticing(self, notice: Callable[[str], None]) -> AbstractContextManager[None]:
        """A worker notices itself that the service is away."""
        return nullcontext()

    def board(self) -> dict[str, Any]:
        """The standings, as the service sends them."""
        return self._patiently(self.api.board)

    def slices(self, by: str) -> dict[str, Any]:
        """The leaderboards per slice, as the service sends them."""
        return self._patiently(lambda: self.api.slices(by))

    def apply(self, commands: Sequence[Any]) -> list[Any]:
        """The answer to each command, in their order; results are sent together."""
        answers: list[Any] = []
        while len(answers) < len(commands):
            rest = commands[len(answers) :]
            results = list(itertools.takewhile(lambda one: isinstance(one, Tell), rest))
            answers += self._told(results) if results else [self._answered(rest[0])]
        return answers

    def _told(self, results: Sequence[Tell]) -> list[bool | InvalidInput]:
        """The answer to each of the first results; if refused together, to each on its own."""
        some = results[: n_sent_together(results)]
        if len(some) > 1:
            with suppress(InvalidInput):
                return self._patiently(partial(self.api.tell_all, some))
        return [self._answered(result) for result in some]

    def _answered(self, command: Any) -> Any:
        if isinstance(command, Ask) and command.key is None:
            command = command._replace(key=uuid.uuid4().hex)  # asked again, it counts once
        try:
            return self._patiently(partial(self._sent, command))
        except InvalidInput as error:
            if isinstance(command, Ask | Renew):
                raise
            return error

    def _sent(self, command: Ask | Tell | Fail | Renew | Void | Retract) -> Any:
        match command:
            case Ask():
                return self.api.ask(command)
            case Tell():
                return self.api.tell(command)
            case Fail():
                return self.api.fail(command)
            case Renew():
                return self.api.renew(command)
        return self.api.correct(command)

    def _patiently(self, act: Callable[[], Done]) -> Done:
        """Try until there is an answer, unless the caller does."""
        return outlast(act, seconds=PATIENCE)


def n_sent_together(results: Sequence[Tell]) -> int:
    """How many of the first results one request may have; at least one.

    >>> from maxin.runners import Outcome
    >>> n_sent_together([Tell(1, Outcome(1.0))] * 1_000)
    100
    """
    size = 0
    for place, result in enumerate(results[:MOST_SENT]):
        size += len(json.dumps([dict(result.outcome.data), result.outcome.errors]))
        if place and size > MOST_BYTES:
            return place
    return min(len(results), MOST_SENT)
