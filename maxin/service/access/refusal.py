"""Refusals: a request is not answered with what it asks for, and the reason is said."""

from __future__ import annotations


class Refusal(Exception):
    """A request is refused.

    Args:
        status: of HTTP.
        detail: what is wrong, and what to do.
        retry_after: seconds after which the request may be sent again.
        headers: more of them.
        reason: one word for programs, if there is one.

    >>> Refusal(429, "too many requests", retry_after=2).headers
    (('retry-after', '2'),)
    """

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        retry_after: int | None = None,
        headers: tuple[tuple[str, str], ...] = (),
        reason: str | None = None,
    ) -> None:
        super().__init__(detail)
        self.status, self.detail, self.reason = status, detail, reason
        again = () if retry_after is None else (("retry-after", str(retry_after)),)
        self.headers = (*headers, *again)
