"""The `maxin` command: how commands are found, and how errors end."""

from __future__ import annotations

import importlib.util
import os
import sys
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import CodeType
from typing import Any, NoReturn

from cyclopts import App, CycloptsError, Group, Parameter

from maxin._version import __version__
from maxin.cli.commands import COMMAND_NAMES, COMMANDS
from maxin.cli.config.flags import OPTIONS
from maxin.cli.output.help import HelpPage
from maxin.cli.output.usage_errors import explained
from maxin.core import MaxinError
from maxin.core.plugins import Plugin, PluginWarning, plugins_of

HELP_FLAGS = ("--help", "-h")


def make_app(*, has_summaries: bool, plugins: Iterable[Plugin] = ()) -> App:
    """The command.

    Args:
        has_summaries: whether every command has a summary, for the list of commands. It would
            replace the description on the command's own help page.
        plugins: commands of other packages. One with the name of a command or flag of maxin is
            left out; the list of commands warns of it.
    """
    app = App(
        name="maxin",
        help="Find the best player in the fewest matches.",
        version=f"maxin {__version__}",
        help_flags=HELP_FLAGS,
        help_format="plaintext",
        help_formatter=HelpPage(),
        group_parameters=OPTIONS,
        default_parameter=Parameter(negative_iterable=(), json_list=False, show_choices=False),
        result_action="return_value",
        suppress_keyboard_interrupt=False,
    )
    for flag, text in (("--help", "Show this help."), ("--version", "Show the version.")):
        app[flag].group, app[flag].help = OPTIONS, text
    for number, (title, commands) in enumerate(COMMANDS.items()):
        group = Group(title, sort_key=number)
        for place, (name, target) in enumerate(commands.items()):
            path = f"maxin.cli.commands.{target}"
            how: dict[str, Any] = {"help": summary(path)} if has_summaries else {}
            app.command(path, name=name, group=group, sort_key=place, **how)
    others = Group("Commands of other packages", sort_key=len(COMMANDS))
    own = set(app)
    for plugin in plugins:
        if plugin.name in own:
            if has_summaries:
                plugin.warn_hidden()
            continue
        try:
            how = {"help": plugin_summary(plugin.target)} if has_summaries else {}
        except Exception as error:
            warnings.warn(str(plugin.failure(error)), PluginWarning, stacklevel=2)
            continue
        app.command(plugin.target, name=plugin.name, group=others, **how)
    return app


def summary(path: str) -> str:
    """The first line of a command's docstring, read from its compiled code: nothing is imported.

    >>> summary("maxin.cli.commands.tournaments.init:init")
    'Write a commented config file for `maxin run`.'
    """
    from importlib.machinery import SourceFileLoader

    module, _, name = path.partition(":")
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"No module named {module!r}", name=module)
    code = SourceFileLoader(module, spec.origin).get_code(module)
    assert code is not None  # a loader of a source file always has it
    parts = (part for part in code.co_consts if isinstance(part, CodeType) and part.co_name == name)
    described = next(parts, code)  # a family of commands is described by its module
    return str(described.co_consts[0]).partition("\n")[0]


def plugin_summary(path: str) -> str:
    """The first line of a command's docstring, or of an App's help; empty if there is none.

    It is read from the source: nothing is imported.

    >>> plugin_summary("maxin.cli.commands.standalone.games:app")
    'List the built-in games, or show one.'
    """
    import ast  # not before it is needed

    module, _, name = path.partition(":")
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"No module named {module!r}", name=module)
    if not spec.origin.endswith(".py"):
        return ""
    tree = ast.parse(Path(spec.origin).read_bytes())
    text: object = None
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
            text = ast.get_docstring(node)
        elif isinstance(node, ast.Assign) and name in map(ast.unparse, node.targets):
            given = {word.arg: word.value for word in getattr(node.value, "keywords", ())}
            shown = given.get("help")
            is_doc = isinstance(shown, ast.Name) and shown.id == "__doc__"
            text = ast.get_docstring(tree) if is_doc else getattr(shown, "value", None)
    return text.strip().partition("\n")[0] if isinstance(text, str) else ""


def main() -> NoReturn:
    """Run the command; an error is one line, with exit code 2, or 1 if the disk failed."""
    words = sys.argv[1:]
    try:
        sys.exit(_run(words))
    except CycloptsError as error:
        _fail(explained(error), code=2)
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except (
        OSError
    ) as error:  # before the next, because the failure of a store is a `MaxinError` too
        _fail(str(error), code=1)
    except MaxinError as error:
        _fail(str(error), code=2)
    except ImportError as error:
        cause = error.__cause__ or error  # cyclopts wraps what the module of a command raises
        if "install maxin again" not in str(cause):  # not kernels of another version
            raise
        _fail(str(cause), code=1)


def _run(words: Sequence[str]) -> Any:
    is_list = not words or words[0] in HELP_FLAGS
    plugins = _plugins(words[0]) if words and not is_list else plugins_of("maxin.commands")
    app = make_app(has_summaries=is_list, plugins=plugins.values())
    return app(words, print_error=False, exit_on_error=False)


def _plugins(word: str) -> dict[str, Plugin]:
    """The commands of other packages, unless `word` is a command of ours or an option."""
    if word in COMMAND_NAMES or word.startswith("-"):
        return {}
    found = plugins_of("maxin.commands")
    if word in found:
        found[word].load()  # raises with the reason if it cannot be loaded
    return found


def _fail(message: str, code: int) -> NoReturn:
    from rich.console import Console  # not before it is needed: it takes longer than a `tell`

    console = Console(stderr=True, highlight=False, soft_wrap=True, emoji=False)
    console.print("[bold red]error:[/]", end=" ")
    console.print(message, markup=False)
    sys.exit(code)
