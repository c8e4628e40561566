"""Tokens as they are stored: the role and name of a user, and the digest of the secret."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import bindparam, insert, select, update

from maxin.storage.schema import TOKENS

if TYPE_CHECKING:
    from maxin.storage.store import Store
    from maxin.storage.writer import Writer


class TokenRow(NamedTuple):
    """A token as it is stored: everything but its secret."""

    id: str
    role: str
    name: str
    digest: str
    created: float
    revoked: float | None = None


def read_tokens(store: Store | Writer) -> list[TokenRow]:
    """All tokens, the oldest first."""
    return [TokenRow._make(row) for row in store.query(_ALL)]


def read_token(writer: Writer, number: str) -> TokenRow | None:
    """The token of this number."""
    return next((TokenRow._make(row) for row in writer.query(_ONE, {"number": number})), None)


def write_token(writer: Writer, token: TokenRow) -> None:
    """Add a token."""
    writer.query(insert(TOKENS), token._asdict())


def mark_revoked(writer: Writer, number: str) -> None:
    """Note that a token is revoked from now on."""
    writer.query(_REVOKE, {"number": number, "now": writer.now})


_ALL = select(TOKENS).order_by(TOKENS.c.created, TOKENS.c.id)
_THIS = TOKENS.c.id == bindparam("number")
_ONE = select(TOKENS).where(_THIS)
_REVOKE = update(TOKENS).where(_THIS).values(revoked=bindparam("now"))
