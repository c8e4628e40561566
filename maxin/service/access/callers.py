"""Callers: holders of tokens, and users of this machine."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from maxin.service.access.cookies import cookie_tokens
from maxin.service.access.limits import FAILED_LOGINS, MOST_FAILED, RATES, Buckets
from maxin.service.access.refusal import Refusal
from maxin.service.access.roles import Caller, Need
from maxin.service.access.tokens import LONGEST_NAME, Tokens

BEARER = b"bearer "
FORWARDED = (b"x-forwarded-for", b"forwarded", b"via")  # a proxy passes it on for somebody
TOKEN = re.compile(r"mx_[a-z]+_[0-9a-f]+_[\w-]+")
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
        for token in sent_tokens(headers):
            await self.tokens.look_for(token)
        await self.tokens.refresh()
        caller = self._caller(headers, address, need)
        if not caller.may(need):
            raise self._refusal(caller, need, headers)
        if caller.id:
            self._check_rate(caller)
        return caller

    def _caller(self, headers: Headers, address: str, need: Need) -> Caller:
        given = headers.get(b"authorization", b"")
        if given[: len(BEARER)].lower() == BEARER:
            found = self.tokens.find(given[len(BEARER) :].strip().decode("latin-1"))
            if found is None:
                raise self.failed_login(address)
            return found
        held = [self.tokens.find(token) for token in cookie_tokens(headers, need)]
        return next(filter(None, held), None) or self._nobody(headers)

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

    def _refusal(self, caller: Caller, need: Need, headers: Headers) -> Refusal:
        if caller.id:
            detail = (
                f"this needs a token of role {need}; {caller.name!r} has the role {caller.role}"
            )
            return Refusal(403, detail)
        if need == "voter" and any(map(self.tokens.was_revoked, sent_tokens(headers))):
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


def sent_tokens(headers: Headers) -> list[str]:
    """The tokens that a request has, in its header or its cookies.

    >>> sent_tokens({b"authorization": b"Bearer mx_worker_1f_x", b"cookie": b"a=mx_admin_2f_y"})
    ['mx_worker_1f_x', 'mx_admin_2f_y']
    """
    given = [headers.get(name) for name in (b"authorization", b"cookie")]
    return [token for text in given if text for token in TOKEN.findall(text.decode("latin-1"))]
