"""`maxin verify`: is the record complete and unchanged, and does everything follow from it?"""

import math
from contextlib import closing
from typing import Annotated

from cyclopts import Parameter

from maxin.cli.config.settings import AnswerOption, Store
from maxin.cli.config.stores import store_url
from maxin.cli.output.printing import print_json
from maxin.storage import open_store
from maxin.tournament.state.verification import checked_digest
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
        print("\n".join(found.lines(is_server=is_server)))
    return 1 if found.problems else 0
