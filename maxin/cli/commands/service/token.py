"""Make, list or revoke the tokens of a service."""

import sys
from typing import Annotated

from cyclopts import App, Parameter

from maxin.cli.config.flags import OPTIONS, setting
from maxin.cli.config.settings import FormatOption, Store
from maxin.cli.config.stores import store_url, stored_tournament
from maxin.cli.output.printing import present
from maxin.cli.output.tables.lists import token_list
from maxin.core.declaration import one_of
from maxin.storage import open_store
from maxin.tournament.tournament import session_of

app = App(name="token", help=__doc__, group_parameters=OPTIONS)


@app.command(sort_key=0)
def add(
    role: Annotated[
        str,
        setting(
            one_of("worker", "viewer", "admin"),
            "What it allows: worker, to play matches and see everything; viewer, to see "
            "everything; admin, to do everything.",
            "ROLE",
        ),
    ],
    name: Annotated[str, Parameter(help="Who or what will use it.", metavar="NAME")],
    /,
    *,
    store: Store = None,
) -> None:
    """Make a token and print it; it cannot be shown again.

    Keep it in a file that only its user can read, named by MAXIN_TOKEN_FILE, or in the environment
    variable MAXIN_TOKEN.
    """
    from maxin.service.access.tokens import AddToken

    with stored_tournament(store) as tournament:
        token = session_of(tournament).answer(AddToken(role, name))
    print(token)
    print("keep it: it is shown only this once", file=sys.stderr)


@app.command(name="list", sort_key=1)
def list_tokens(*, store: Store = None, format: FormatOption = "text") -> None:
    """List the tokens: number, role, name, and whether they are in force."""
    from maxin.storage.tokens import read_tokens

    opened = open_store(store_url(store), reads=True)
    present(token_list(read_tokens(opened)), format)
    opened.close()


@app.command(sort_key=2)
def revoke(
    token: Annotated[str, Parameter(help="Its number, or its name.", metavar="TOKEN")],
    /,
    *,
    store: Store = None,
) -> None:
    """Revoke a token: it stops working within a second."""
    from maxin.service.access.tokens import RevokeToken, find_token
    from maxin.storage.tokens import read_tokens

    with stored_tournament(store) as tournament:
        found = find_token(read_tokens(tournament.store), token)
        is_new = session_of(tournament).answer(RevokeToken(found.id))
    done = "revoked" if is_new else "was revoked before"
    print(f"token {found.id}, {found.role} {found.name}: {done}")
