"""A command that does what a test wants inside the transaction."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from maxin.tournament.record.commands import apply
from maxin.tournament.record.record import Needs
from maxin.tournament.record.transaction import Transaction
from maxin.worker.source import CORRECTION


@dataclass(frozen=True)
class Act:
    """Call a function with the transaction; the answer is what it returns."""

    act: Callable[[Transaction], Any]
    rank: int = CORRECTION
    needs: Needs = Needs.ALL


@apply.register
def _(command: Act, transaction: Transaction) -> Any:
    return command.act(transaction)
