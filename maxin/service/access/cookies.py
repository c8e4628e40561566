"""Cookies: a browser keeps one token to sign in with, and beside it one invitation to vote.

An organiser who opens an invitation stays signed in, as the two have names of their own. Browsers
send cookies to all ports of a host, so a name has the port too: services on one machine do not
sign each other's users out.
"""

from __future__ import annotations

from collections.abc import Mapping

from maxin.service.access.roles import Need

COOKIE, VOTE_COOKIE = "maxin", "maxin-vote"
VOTER = "mx_voter_"  # how an invitation begins
YEAR = 365 * 86_400  # seconds


def cookie_token(headers: Mapping[bytes, bytes], need: Need) -> str | None:
    """The token in the one cookie that counts for a need; None if it was not sent.

    An invitation counts only for voting, and comes first there: it opens no other page.

    >>> headers = {b"host": b"localhost:8000", b"cookie": b"a=b; maxin-8000=mx_admin_1"}
    >>> other = {**headers, b"host": b"localhost:8001"}
    >>> cookie_token(headers, "admin"), cookie_token(other, "admin")
    ('mx_admin_1', None)
    """
    pairs = (part.partition(b"=") for part in headers.get(b"cookie", b"").split(b";"))
    sent = {name.strip(): value.strip() for name, _, value in pairs}
    for kind in (VOTE_COOKIE, COOKIE) if need == "voter" else (COOKIE,):
        found = sent.get(_name(kind, headers).encode("latin-1"))
        if found is not None:
            return found.decode("latin-1")
    return None


def session_cookie(
    token: str, headers: Mapping[bytes, bytes], *, is_https: bool
) -> tuple[str, str]:
    """The header that has a browser send this token from now on.

    >>> session_cookie("mx_viewer_1f_x", {b"host": b"localhost:8000"}, is_https=False)[1]
    'maxin-8000=mx_viewer_1f_x; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000'
    """
    kind = VOTE_COOKIE if token.startswith(VOTER) else COOKIE
    return _cookie(_name(kind, headers), token, YEAR, is_https)


def ended_session(headers: Mapping[bytes, bytes], *, is_https: bool) -> tuple[tuple[str, str], ...]:
    """The headers that have a browser forget its token and its invitation."""
    names = [_name(kind, headers) for kind in (COOKIE, VOTE_COOKIE)]
    return tuple(_cookie(name, "", 0, is_https) for name in names)


def _cookie(name: str, token: str, age: int, is_https: bool) -> tuple[str, str]:
    secure = "; Secure" if is_https else ""
    return (
        "set-cookie",
        f"{name}={token}; Path=/; HttpOnly; SameSite=Strict; Max-Age={age}{secure}",
    )


def _name(kind: str, headers: Mapping[bytes, bytes]) -> str:
    """The name of a cookie, with the port that the browser sees; 80 and 443 have none."""
    port = headers.get(b"host", b"").decode("latin-1").rpartition("]")[2].rpartition(":")[2]
    return f"{kind}-{port}" if port.isdecimal() and len(port) < 6 else kind
