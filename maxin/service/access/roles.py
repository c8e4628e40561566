"""Roles: what the holder of a token may do."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

from maxin.core import InvalidInput

Role = Literal["viewer", "worker", "voter", "admin"]
Need = Literal["anyone", "viewer", "worker", "voter", "admin"]  # what a route asks for
ROLES: tuple[Role, ...] = get_args(Role)

# Workers see what they play for. Voters see only what they compare: a leaderboard would tell
# them whom to vote for.
MAY: dict[Need, frozenset[str]] = {
    "anyone": frozenset({"", *ROLES}),
    "viewer": frozenset({"viewer", "worker", "admin"}),
    "worker": frozenset({"worker", "admin"}),
    "voter": frozenset({"voter", "admin"}),
    "admin": frozenset({"admin"}),
}


class Caller(NamedTuple):
    """Who sends a request: the token's number, role and name; the role "" is of a stranger."""

    id: str = ""
    role: str = ""
    name: str = ""

    @property
    def holder(self) -> str:
        """The name under which this caller holds matches.

        >>> Caller("1f", "worker", "office").holder
        'http|1f|office'
        """
        return f"http|{self.id}|{self.name}"

    def may(self, need: Need) -> bool:
        """Whether the role is enough.

        >>> Caller("1f", "worker", "office").may("viewer"), Caller().may("viewer")
        (True, False)
        """
        return self.role in MAY[need]


def check_role(role: str) -> Role:
    """Return the role, or raise unless it is one."""
    for known in ROLES:
        if role == known:
            return known
    raise InvalidInput(f"a role must be one of {', '.join(ROLES)}; got {role!r}")
