"""`maxin invite`: links for people who vote."""

import sys
from typing import Annotated

from cyclopts import Parameter

from maxin.cli.config.flags import setting
from maxin.cli.config.settings import Store
from maxin.cli.config.stores import stored_tournament
from maxin.core.declaration import TEXT, whole
from maxin.tournament.tournament import session_of

MOST = 10_000  # invitations at once


def invite(
    number: Annotated[
        int, setting(whole(1, MOST), "How many people to invite.", "N", shown="1")
    ] = 1,
    /,
    *,
    store: Store = None,
    name: Annotated[
        str,
        Parameter(
            help="Whom to invite; several are numbered: voter 1, voter 2.",
            metavar="NAME",
        ),
    ] = "voter",
    url: Annotated[
        str,
        setting(TEXT, "Where people reach the service.", "URL", shown="http://127.0.0.1:8000"),
    ] = "http://127.0.0.1:8000",
) -> None:
    """Print links for people who vote, one per line; each is for one person.

    A link cannot be shown again. Its part after the # is the invitation, which browsers do not
    send to servers or other sites. `maxin token revoke` ends an invitation.
    """
    from maxin.service.arena.voters import Invite
    from maxin.service.client.http import Address

    Address.of(url)
    with stored_tournament(store) as tournament:
        made = session_of(tournament).answer(Invite(number, name))
    for _, _, token in made:
        print(f"{url.rstrip('/')}/vote#{token}")
    print("keep them: they are shown only this once", file=sys.stderr)
