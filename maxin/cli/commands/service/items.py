"""`maxin items`: what people compare."""

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from maxin.cli.config.flags import switch
from maxin.cli.config.settings import Store
from maxin.cli.config.stores import stored_tournament
from maxin.cli.output.watchers import warn
from maxin.core.text import counted


def items(
    file: Annotated[
        Path, Parameter(help="A .jsonl or .csv file, or a folder of items.", metavar="FILE")
    ],
    /,
    *,
    store: Store = None,
    add_players: Annotated[
        bool, switch("Let unknown names join as players, instead of refusing them.")
    ] = False,
) -> None:
    """Add prompts with one output per player, which people compare at /vote.

    A line of a .jsonl file is {"prompt": "...", "outputs": {"anna": "...", "bo": {"file":
    "bo.png"}}}. A .csv file has a column prompt and one column per player. A folder has a folder
    per item with prompt.txt, anna.txt and so on; images and sounds may take the place of texts.
    Adding the same file again changes nothing.
    """
    from maxin.service.arena.item_files import read_items
    from maxin.service.arena.items import add_items

    found = read_items(file)
    with stored_tournament(store) as tournament:
        added = add_items(tournament, found, add_players=add_players)
    more = [
        f"{number:,} {words}"
        for number, words in ((added.n_changed, "changed"), (added.n_same, "there already"))
        if number
    ]
    print(", ".join([f"{counted(added.n_new, 'item')} added", *more]))
    if added.n_new:
        print("`maxin serve` shows them to voters, at /vote", file=sys.stderr)
    if added.n_lone:
        warn(
            f"warning: {counted(added.n_lone, 'item')} with one output; nobody sees an item until "
            "it has the outputs of two players"
        )
