"""Arguments and options that several commands share, and the command line as it was typed."""

import re
import shlex
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Group, Parameter, Token

from maxin.cli.config.declaration import WORDS, one_table_of, setting, tables_of
from maxin.cli.config.rules import TEXT, Rule, one_of

# The groups of flags on the help pages of `maxin run` and `maxin start`, in their order.
PLAYERS, MATCHES, TOURNAMENT, RUN, OUTPUT = (
    Group(title, sort_key=place)
    for place, title in enumerate(("Players", "Matches", "Tournament", "Run", "Output"), start=1)
)
OPTIONS = Group("Options", sort_key=10)  # of all other commands; below all other groups

Format = Literal["text", "json", "csv", "markdown"]
Answer = Literal["text", "json"]

ConfigArgument = Annotated[
    Path | None, Parameter(help="A config file; `maxin init` writes one.", metavar="CONFIG")
]
Reason = Annotated[str, Parameter(help="Why; it is recorded.", metavar="TEXT")]
FormatOption = Annotated[
    Format,
    setting(
        one_of("text", "json", "csv", "markdown"),
        "text for people; json, csv or markdown for programs and documents.",
        "FORMAT",
        shown="text",
    ),
]
InputFormat = Annotated[
    Literal["csv", "tsv", "jsonl", "json", "pgn"] | None,
    setting(
        one_of("csv", "tsv", "jsonl", "json", "pgn"),
        "The format of the file, if its name does not say it: csv, tsv, json, jsonl or pgn.",
        "FORMAT",
    ),
]
AnswerOption = Annotated[
    Answer,
    setting(one_of("text", "json"), "text for people; json for programs.", "FORMAT", shown="text"),
]


def switch(help: str, group: Group | None = None) -> Parameter:
    """A flag that is off unless it is given."""
    parameter = Parameter(help=help, negative=(), show_default=False)
    return parameter if group is None else Parameter.combine(parameter, Parameter(group=group))


def repeated(
    help: str, metavar: str, name: str | None = None, shown: str = "", rule: Rule = TEXT
) -> Parameter:
    """An option that may be given several times; each value obeys `rule`."""

    def read(kind: Any, tokens: Sequence[Token]) -> tuple[str, ...]:
        return tuple(rule.read(token.value, str(token.keyword)) for token in tokens)

    return Parameter(
        name=name,
        converter=read,
        help=help,
        metavar=metavar,
        show_default=(lambda _: shown) if shown else False,
        allow_leading_hyphen=True,  # a player may be named --eve
    )


@dataclass(frozen=True, kw_only=True)
class PlayerFlags:
    """The players of a tournament, in place of those in the config file."""

    player: Annotated[
        tuple[str, ...], repeated("The name of a player; repeat it for each player.", "NAME")
    ] = ()
    players: Annotated[
        str | None,
        Parameter(help="Files as players: a glob in quotes, 'bots/*.py'.", metavar="GLOB"),
    ] = None
    join: Annotated[
        bool, switch("Let players join who are new to a stored tournament, such as new files.")
    ] = False
    engine: Annotated[
        tuple[dict[str, Any], ...],
        Parameter(
            converter=tables_of,
            help="A UCI engine as a player, cmd=stockfish name=weak 'option.Skill Level=5' "
            "tc=10+0.1; repeat it for each.",
            metavar="KEY=VALUE",
            show_default=False,
        ),
        WORDS,
    ] = ()
    each: Annotated[
        dict[str, Any] | None,
        Parameter(
            converter=one_table_of,
            help="Options of every engine: tc=10+0.1 option.Hash=16. Those of --engine override "
            "them.",
            metavar="KEY=VALUE",
            show_default=False,
        ),
        WORDS,
    ] = None


def this_command() -> str:
    """The command line that was typed, without a password: typed again, it resumes the run."""
    words = [re.sub(r"(://[^/@:]*):[^/@]*@", r"\1:***@", word) for word in sys.argv[1:]]
    words = [re.sub(r"(://.*[?&]password=)[^&]*", r"\1***", word) for word in words]
    return shlex.join([*program(Path(sys.argv[0]), shutil.which), *words])


def program(called: Path, which: Callable[[str], str | None]) -> list[str]:
    """How to call this program: by its name if that finds it, else by its path.

    >>> program(Path("/opt/bin/maxin"), lambda name: None)
    ['/opt/bin/maxin']
    """
    if called.name == "__main__.py":
        found = which("python")
        is_ours = found is not None and found == sys.executable
        return ["python" if is_ours else sys.executable, "-m", "maxin"]
    found = which(called.name)
    is_on_path = found is not None and Path(found).resolve() == called.resolve()
    return [called.name if is_on_path else str(called)]
