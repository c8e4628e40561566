"""Plug-ins: what other packages add to maxin, by entry points.

A package declares, for example, `[project.entry-points."maxin.games"]` with a line `dice =
"maxin_dice:dice"`. Entry points are read when a name is unknown to maxin itself, or when a list is
needed; a plug-in is imported when it is used. One that cannot be read, imported or used is an error
for those who name it, and a `PluginWarning` for everyone else.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from traceback import extract_tb
from typing import TYPE_CHECKING, Any, TypeVar

from maxin.core.errors import InvalidInput, MaxinError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Made = TypeVar("Made")
KINDS = {  # by the group of entry points
    "maxin.schedulers": "scheduler",
    "maxin.games": "game",
    "maxin.runners": "runner",
    "maxin.commands": "command",
}


class PluginFailed(MaxinError):
    """A plug-in cannot be loaded, or has failed; the message names it and the error."""


class PluginWarning(RuntimeWarning):
    """A plug-in cannot be loaded or is hidden, and is left out of a list."""


@dataclass(frozen=True)
class Plugin:
    """A scheduler, game, runner or command of another package, which may not be loaded yet."""

    entry: EntryPoint

    @property
    def kind(self) -> str:
        """One of the values of `KINDS`."""
        return KINDS[self.entry.group]

    @property
    def name(self) -> str:
        """The name by which it is used."""
        return self.entry.name

    @property
    def target(self) -> str:
        """Where it is: "module:name"."""
        return f"{self.entry.module}:{self.entry.attr}"

    @property
    def package(self) -> str:
        """The package that declares it, with its version."""
        owner = self.entry.dist
        return "an unknown package" if owner is None else f"{owner.name} {owner.version}"

    def load(self) -> Any:
        """Import it, or raise `PluginFailed`; it can be called, and its types can be read."""
        import inspect  # not before it is needed

        try:
            found = self.entry.load()
            if not callable(found):
                raise TypeError(f"a {self.kind} must be a function or a class; got {found!r}")
            if inspect.isfunction(found) or inspect.isclass(found):
                inspect.signature(found, eval_str=True)
        except (Exception, SystemExit) as error:
            raise self.failure(error) from error
        return found

    def make(self, builder: Callable[..., Made], needs: Iterable[str], **given: Any) -> Made:
        """What its builder makes, or `PluginFailed` if that is not of its kind."""
        try:
            made = builder(**given)
            missing = [name for name in needs if not hasattr(made, name)]
        except MaxinError:
            raise  # an option is invalid
        except Exception as error:
            raise PluginFailed(f"{self._label} cannot be made: {described(error)}") from error
        if missing:
            raise PluginFailed(f"{self._label} made {made!r:.80}, which has no {missing[0]!r}")
        return made

    @property
    def _label(self) -> str:
        owner = f" of {self.package}" if self.entry.dist else ""
        return f"the {self.kind} {self.name!r}{owner}"

    def failure(self, error: BaseException) -> PluginFailed:
        """The error that says why it cannot be loaded."""
        return PluginFailed(
            f"{self._label} cannot be loaded from {self.entry.value}: {described(error)}"
        )

    def warn_hidden(self) -> None:
        """Warn that maxin has something of its name, which is used instead."""
        warnings.warn(f"{self._label} is hidden by maxin's own", PluginWarning, stacklevel=3)


@contextmanager
def blaming(thing: object, what: str, kind: type[MaxinError] = InvalidInput) -> Iterator[None]:
    """Within it, an error of a thing of another package says what failed, and in which line.

    Errors of maxin's own things are raised as they are.

    Args:
        thing: what may fail.
        what: has failed, as the beginning of a sentence.
        kind: of the error that is raised.
    """
    try:
        yield
    except Exception as error:
        module = type(thing).__module__
        if isinstance(error, MaxinError) or module.partition(".")[0] == "maxin":
            raise
        file = getattr(sys.modules.get(module), "__file__", None)
        lines = [at for at in extract_tb(error.__traceback__) if at.filename == file]
        place = f", in {file}, line {lines[-1].lineno}" if lines else ""
        raise kind(f"{what}: {described(error)}{place}") from error


def described(error: BaseException) -> str:
    """An error's type and text, in one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


@cache
def installed() -> tuple[Plugin, ...]:
    """All plug-ins of the packages on the path. Reading them takes a twentieth of a second."""
    from importlib.metadata import distributions  # not before it is needed

    found: dict[tuple[str, str, str], Plugin] = {}
    for package in distributions():
        text = package.read_text("entry_points.txt") or ""
        if "maxin." not in text:
            continue
        label = str(package)
        try:
            label = f"{package.name} {package.version}"
            for entry in package.entry_points:
                if entry.group in KINDS:
                    found.setdefault((package.name, entry.group, entry.name), Plugin(entry))
        except Exception as error:
            message = f"the entry points of {label} cannot be read: {described(error)}"
            warnings.warn(message, PluginWarning, stacklevel=2)
    return tuple(found.values())


def plugins_of(group: str) -> dict[str, Plugin]:
    """The plug-ins of a group, by name; of two with the same name, the first found."""
    return {plugin.name: plugin for plugin in installed()[::-1] if plugin.entry.group == group}


class Registry(Mapping[str, Callable[..., Made]]):
    """Builders by name: those of maxin, and those that plug-ins add.

    No plug-in replaces a builder of maxin.

    Args:
        group: the entry points of the plug-ins, a key of `KINDS`.
        own: the builders of maxin.
        needs: what everything that they make has.

    >>> games = Registry("maxin.games", {"dice": list})
    >>> games["dice"], "dice" in games
    (<class 'list'>, True)
    """

    def __init__(
        self, group: str, own: dict[str, Callable[..., Made]], needs: Sequence[str] = ()
    ) -> None:
        self.group, self.own, self.needs = group, own, needs

    def __getitem__(self, name: str) -> Callable[..., Made]:
        if name in self.own:
            return self.own[name]
        plugin = plugins_of(self.group)[name]
        builder: Callable[..., Made] = plugin.load()

        def make(**given: Any) -> Made:
            return plugin.make(builder, self.needs, **given)

        make.__doc__, make.__wrapped__ = builder.__doc__, builder  # type: ignore[attr-defined]
        return make

    def __contains__(self, name: object) -> bool:
        return name in self.own or name in plugins_of(self.group)

    def __iter__(self) -> Iterator[str]:
        return iter({**self.own, **plugins_of(self.group)})

    def __len__(self) -> int:
        return len({**self.own, **plugins_of(self.group)})

    def loaded(self) -> dict[str, Callable[..., Made]]:
        """All builders, and a warning for each plug-in that is hidden or cannot be loaded."""
        for name, plugin in plugins_of(self.group).items():
            if name in self.own:
                plugin.warn_hidden()
        found = {}
        for name in self:
            try:
                found[name] = self[name]
            except PluginFailed as error:
                warnings.warn(str(error), PluginWarning, stacklevel=2)
        return found
