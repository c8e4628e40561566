"""`maxin verify`: is the record complete and unchanged, and does everything follow from it?"""

import math
from contextlib import closing
from typing import Annotated

from cyclopts import Parameter

from maxin.cli.config.settings import AnswerOption, Store
from maxin.cli.config.stores import store_url
from maxin.cli.output.printing import print_json
from maxin.core.text import counted
from maxin.storage import open_store
from maxin.tournament.state.verification import Verification, checked_digest
from maxin.tournament.state.verification import verify as verify_store


def verify(
    *,
    store: Store = None,
    digest: Annotated[
        str | None,
        Parameter(
            help="A digest that an earlier `maxin verify` printed, or its first 8 digits or more: "
            "check that the record up to there is still the same.",
            metavar="DIGEST",
            show_default=False,
        ),
    ] = None,
    format: AnswerOption = "text",
) -> int:
    """Check that the record is complete and unchanged; the exit code is 1 if anything is wrong."""
    if digest is not None:
        checked_digest(digest, "--digest")
    with closing(open_store(store_url(store), reads=True)) as opened:
        found = verify_store(opened, digest=digest)
        is_server = opened.url.get_backend_name() != "sqlite"
    if format == "json":
        difference = found.largest_difference
        print_json(
            found._asdict()
            | {
                "is_right": not found.problems,
                "largest_difference": difference if math.isfinite(difference) else None,
            }
        )
    else:
        _print(found, is_server=is_server)
    return 1 if found.problems else 0


def _print(found: Verification, *, is_server: bool) -> None:
    for problem in found.problems:
        print(f"wrong: {problem}")
    if not found.problems:
        print("OK: everything matches the record")
    matches, players = counted(found.n_matches, "match"), counted(found.n_players, "player")
    print(f"read {matches} of {players} again, {found.n_pending:,} pending")
    if math.isfinite(found.largest_difference):
        print(f"largest difference of a rating: {found.largest_difference:.3g} nats")
    if is_server:
        print("not checked: the files of the database server, which has tools for that")
    if found.n_unsealed:
        print(
            f"not checked: the first {found.n_unsealed} entries come from an older version and "
            "have no digest"
        )
    if found.known_until is not None:
        since = f"from entry {found.n_unsealed + 1} " if found.n_unsealed else ""
        print(f"the record {since}up to entry {found.known_until} is as it was with this digest")
    if found.digest and not found.problems:
        print(
            f"digest of entry {found.n_entries}: {found.digest}\n"
            "Keep it elsewhere: `maxin verify --digest` then proves that nothing before it was "
            "rewritten."
        )
