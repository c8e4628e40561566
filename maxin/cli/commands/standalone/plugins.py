"""`maxin plugins`: what other packages add."""

from collections.abc import Container

from rich.console import Console
from rich.table import Table
from rich.text import Text

from maxin.cli.commands import COMMAND_NAMES
from maxin.core.plugins import Plugin, PluginFailed, described, installed
from maxin.games import GAMES
from maxin.runners.registry import RUNNERS
from maxin.schedulers import SCHEDULERS

OWN: dict[str, Container[str]] = {
    "scheduler": SCHEDULERS.own,
    "game": GAMES.own,
    "runner": RUNNERS.own,
    "command": COMMAND_NAMES,
}


def plugins() -> int:
    """List what other packages add: schedulers, games, runners and commands.

    The exit code is 1 if one of them cannot be used.
    """
    found = sorted(installed(), key=lambda plugin: (plugin.kind, plugin.name))
    if not found:
        print("no package adds anything; see docs/how-to/plugins.md")
        return 0
    table = Table("kind", "name", "package", "state", box=None, pad_edge=False)
    states = [state(plugin, found) for plugin in found]
    for plugin, how in zip(found, states, strict=True):
        table.add_row(*map(Text, (plugin.kind, plugin.name, plugin.package, how)))
    Console().print(table)
    return int(any(how != "ok" for how in states))


def state(plugin: Plugin, everything: list[Plugin]) -> str:
    """Whether a plug-in can be used: "ok", or the reason why it cannot."""
    if plugin.name in OWN[plugin.kind]:
        return f"hidden by maxin's own {plugin.kind}"
    first = next(one for one in everything if (one.kind, one.name) == (plugin.kind, plugin.name))
    if plugin is not first:
        return f"hidden by that of {first.package}"
    try:
        plugin.load()
    except PluginFailed as error:
        cause = error.__cause__ or error
        return f"cannot be loaded from {plugin.entry.value}: {described(cause)}"
    return "ok"
