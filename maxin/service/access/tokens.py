"""Tokens: secrets of 256 bit that are shown once, of which the store keeps only the digest."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from maxin.core import InvalidInput, check_name
from maxin.service.access.roles import ROLES, Caller, check_role
from maxin.storage import Store, StoreFailed
from maxin.storage.tokens import TokenRow, mark_revoked, read_tokens, write_token
from maxin.tournament.record.commands import Change, apply
from maxin.tournament.record.transaction import Transaction

FRESH = 0.4  # seconds after which the tokens are read again, while the known ones are in use
STALE = 0.9  # seconds after which a request waits for that
LONGEST_READ = 1.0  # seconds that it waits, as the store may be away
PREFIX = "mx"
LONGEST_NAME = 100  # characters of a token's name
LONGEST = 200  # characters of a token; ours have fewer
SHELL = "the command line"  # who acts in the audit log, if it was not through the service


@dataclass(frozen=True)
class AddToken(Change):
    """Make a token; the answer is its text, which nothing can show again."""

    role: str
    name: str
    by: str = SHELL


@dataclass(frozen=True)
class RevokeToken(Change):
    """Revoke a token; the answer is False if that was done before.

    Args:
        number: of the token.
        by: who does it, for the audit log.
    """

    number: str
    by: str = SHELL


def digest(secret: str) -> str:
    """What is stored of a secret. It has 256 bits, so a slow hash would add nothing."""
    return hashlib.sha256(secret.encode()).hexdigest()


@apply.register
def _(command: AddToken, transaction: Transaction) -> str:
    writer, role, name = transaction.writer, check_role(command.role), command.name
    number, secret = secrets.token_hex(4), secrets.token_urlsafe(32)
    row = TokenRow(number, role, check_token_name(name), digest(secret), writer.now)
    write_token(writer, row)
    writer.event("admin", token=command.by, action="add a token", id=number, role=role, name=name)
    return f"{PREFIX}_{role}_{number}_{secret}"


@apply.register
def _(command: RevokeToken, transaction: Transaction) -> bool:
    writer, number = transaction.writer, command.number
    known = {row.id: row for row in read_tokens(writer)}
    check_name(number, known, "token")
    row = known[number]
    if row.revoked is not None:
        return False
    mark_revoked(writer, number)
    by, action = command.by, "revoke a token"
    writer.event("admin", token=by, action=action, id=number, role=row.role, name=row.name)
    return True


def check_token_name(name: str) -> str:
    """Return the name of a token, or raise unless a table and a log can hold it."""
    if not name.strip() or not name.isprintable() or "|" in name or len(name) > LONGEST_NAME:
        raise InvalidInput(
            f"a token's name must be a text in one line without |, with at most {LONGEST_NAME} "
            f"characters; got {name[: LONGEST_NAME + 1]!r}"
        )
    return name


def find_token(rows: Iterable[TokenRow], given: str) -> TokenRow:
    """The token with this number, else the only one in force with this name.

    If none of this name is in force, it is the last one that was revoked.

    >>> find_token([TokenRow("1f", "worker", "pc", "", 0.0)], "pc").id
    '1f'
    """
    known = list(rows)
    check_name(given, {name for row in known for name in (row.id, row.name)}, "token")
    named = [row for row in known if row.name == given]
    found = [row for row in known if row.id == given]
    found = found or [row for row in named if row.revoked is None] or named[-1:]
    if len(found) == 1:
        return found[0]
    numbers = ", ".join(row.id for row in found)
    raise InvalidInput(f"{len(found)} tokens are named {given!r}; give a number: {numbers}")


class Tokens:
    """The tokens in force, as the store had them within the last second.

    Args:
        store: where they are; other processes may add and revoke them.

    >>> from maxin.tournament import Tournament
    >>> from maxin.tournament.tournament import session_of
    >>> tournament = Tournament(["anna", "bo"])
    >>> token = session_of(tournament).answer(AddToken("worker", "office"))
    >>> tokens = Tokens(tournament.store)
    >>> tokens.find(token).role, tokens.find(token + "x")
    ('worker', None)
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._reading: asyncio.Task[None] | None = None
        self._turn = threading.Lock()
        self._known: dict[str, TokenRow] = {}
        self._revoked: dict[str, TokenRow] = {}
        self._read_at = 0.0
        self.read()

    def __len__(self) -> int:
        return len(self._known)

    def read(self) -> None:
        """Read them again."""
        with self._turn:  # what was read first must not be kept last
            now = time.monotonic()
            rows = read_tokens(self._store)
            self._known = {row.id: row for row in rows if row.revoked is None}
            self._revoked = {row.id: row for row in rows if row.revoked is not None}
            self._read_at = now

    def find(self, text: str) -> Caller | None:
        """Whose token this is; None if it is unknown or revoked."""
        return _found(self._known, text)

    def was_revoked(self, text: str) -> bool:
        """Whether this is a token that was once in force."""
        return _found(self._revoked, text) is not None

    async def look_up(self, text: str) -> Caller | None:
        """Whose token this is, also if it was made a moment ago."""
        await self.look_for(text)
        return self.find(text)

    async def look_for(self, text: str) -> None:
        """Read the tokens again if this one may have been made since; many callers share a read.

        It returns after a read that began after the call, unless the store is away.
        """
        number = text.partition("_")[2].partition("_")[2].partition("_")[0]
        if not number or number in self._known or number in self._revoked:
            return
        since = time.monotonic()
        for _ in range(2):  # the one that is under way, and one more
            if self._read_at < since:
                if self._reading is None or self._reading.done():
                    self._reading = asyncio.create_task(self._read_aside())
                await asyncio.wait({self._reading}, timeout=LONGEST_READ)

    async def refresh(self, *, now: bool = False) -> None:
        """Read them again in the background if it is time; wait if it is overdue, or with `now`.

        While the store is away, the tokens that were last known remain in force.
        """
        age = time.monotonic() - self._read_at
        if age < FRESH and not now:
            return
        if now or self._reading is None or self._reading.done():
            self._reading = asyncio.create_task(self._read_aside())
        if age > STALE or now:
            await asyncio.wait({self._reading}, timeout=LONGEST_READ)

    async def _read_aside(self) -> None:
        with suppress(StoreFailed):
            await asyncio.to_thread(self.read)


def _found(rows: Mapping[str, TokenRow], text: str) -> Caller | None:
    prefix, _, rest = text.partition("_")
    role, _, rest = rest.partition("_")
    number, _, secret = rest.partition("_")
    row = rows.get(number)
    if prefix != PREFIX or row is None or role != row.role or role not in ROLES:
        return None
    is_right = len(text) <= LONGEST and hmac.compare_digest(digest(secret), row.digest)
    return Caller(number, row.role, row.name) if is_right else None
