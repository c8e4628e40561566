"""Callers: holders of tokens, and users of this machine."""

from __future__ import annotations

import math
from collections.abc import Mapping

from maxin.service.access.cookies import cookie_token
from maxin.service.access.limits import FAILED_LOGINS, MOST_FAILED, RATES, Buckets
from maxin.service.access.refusal import Refusal
from maxin.service.access.roles import Caller, Need
from maxin.service.access.tokens import LONGEST_NAME, Tokens

BEARER = b"bearer "
FORWARDED = (b"x-forwarded-for", b"forwarded", b"via")  # a proxy passes it on for somebody
CHALLENGE = (("www-authenticate", 'Bearer realm="maxin"'),)
Headers = Mapping[bytes, bytes]


class Authenticator:
    """Identifies callers by their tokens, and refuses those whose role does not suffice.

    Without a token, somebody on this machine may do everything while the store has no token, and
    may only view once it has one. That holds only if the service is for this machine alone;
    otherwise everybody needs a token.

    Args:
        tokens: those in force.
        is_local: whether the service is for this machine alone.
    """

    def __init__(self, tokens: Tokens, *, is_local: bool) -> None:
        self.tokens, self.is_local = tokens, is_local
        self.rates, self._failed = Buckets(), Buckets()

    async def admit(self, headers: Headers, address: str, need: Need) -> Caller:
        """The caller; raises `Refusal` if its role does not suffice."""
        token = sent_token(headers, need)
        if token is not None:
            await self.tokens.look_for(token)
        await self.tokens.refresh()
        caller = self.tokens.find(token) if token is not None else None
        if caller is None and token is not None and has_bearer(headers):
            raise self.failed_login(address)
        caller = caller or self._nobody(headers)
        if not caller.may(need):
            raise self._refusal(caller, need, token)
        if caller.id:
            self._check_rate(caller)
        return caller

    def _nobody(self, headers: Headers) -> Caller:
        """Somebody without a token."""
        if not self.is_local or any(name in headers for name in FORWARDED):
            return Caller()
        return Caller("", "viewer" if len(self.tokens) else "admin", worker_name(headers))

    def failed_login(self, address: str) -> Refusal:
        """Why a token is refused; repeated failures get 429, a valid token never does."""
        wait = self._failed.wait(address, rate=FAILED_LOGINS, most=MOST_FAILED)
        if wait:
            detail = f"too many invalid tokens came from {address}; wait before you try again"
            return Refusal(429, detail, retry_after=math.ceil(wait))
        detail = "this token is not valid: it is misspelt, of another store, or revoked"
        return Refusal(401, detail, headers=CHALLENGE)

    def _check_rate(self, caller: Caller) -> None:
        rate = RATES[caller.role]
        wait = self.rates.wait(caller.id, rate=rate, most=2 * rate)
        if wait:
            detail = f"a token of role {caller.role} may send {rate:,g} requests per second"
            raise Refusal(429, detail, retry_after=math.ceil(wait))

    def _refusal(self, caller: Caller, need: Need, token: str | None) -> Refusal:
        if caller.id:
            detail = (
                f"this needs a token of role {need}; {caller.name!r} has the role {caller.role}"
            )
            return Refusal(403, detail)
        if need == "voter" and token is not None and self.tokens.was_revoked(token):
            return Refusal(403, "your invitation has ended, so you can vote no more")
        command = "maxin invite" if need == "voter" else f"maxin token add {need} NAME"
        detail = (
            f"this needs a token of role {need}, in the header `Authorization: Bearer mx_...`; "
            f"`{command}` makes one"
        )
        return Refusal(401, detail, headers=CHALLENGE)


def worker_name(headers: Headers) -> str:
    """How somebody without a token is named, in the header X-Worker.

    >>> worker_name({b"x-worker": b"gpu-3"})
    'gpu-3'
    """
    given = headers.get(b"x-worker", b"local").decode("latin-1")
    return "".join(c for c in given if c.isprintable() and c != "|")[:LONGEST_NAME] or "local"


def has_bearer(headers: Headers) -> bool:
    """Whether a token is in the header; browsers do not send one there by themselves."""
    return headers.get(b"authorization", b"")[: len(BEARER)].lower() == BEARER


def sent_token(headers: Headers, need: Need) -> str | None:
    """The one token that counts: that of the header, else that of a cookie.

    >>> headers = {b"authorization": b"Bearer mx_worker_1f_x", b"cookie": b"maxin=mx_admin_2f_y"}
    >>> sent_token(headers, "worker"), sent_token({b"cookie": headers[b"cookie"]}, "worker")
    ('mx_worker_1f_x', 'mx_admin_2f_y')
    """
    if has_bearer(headers):
        return headers[b"authorization"][len(BEARER) :].strip().decode("latin-1")
    return cookie_token(headers, need)
