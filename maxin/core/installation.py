"""What is installed: the libraries that maxin needs, those of its extras, and its kernels."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import Distribution, PackageNotFoundError, distribution

from packaging.requirements import Requirement

from maxin.core.plugins import described

MODULES = {"open-spiel": "pyspiel", "markdown-it-py": "markdown_it"}  # with names of their own


@dataclass(frozen=True)
class Library:
    """A library that maxin or one of its extras needs.

    Attributes:
        name: of its package.
        version: the one that is installed; empty if none is.
        problem: why it cannot be used; empty if it can, or is not installed.
    """

    name: str
    version: str = ""
    problem: str = ""


def library(needed: Requirement) -> Library:
    """What is installed of a library; it is imported, since that may fail too.

    >>> library(Requirement("numpy<2")).problem.partition("; ")[2]
    'maxin needs numpy<2'
    >>> library(Requirement("no-such-library"))
    Library(name='no-such-library', version='', problem='')
    """
    name = needed.name
    try:
        version = distribution(name).version
    except PackageNotFoundError:
        return Library(name)
    problem = ""
    if not needed.specifier.contains(version, prereleases=True):
        problem = f"{name} {version} is installed; maxin needs {name}{needed.specifier}"
    else:
        try:
            import_module(MODULES.get(name, name.replace("-", "_")))
        except Exception as error:
            problem = f"{name} {version} cannot be imported: {described(error)}"
    return Library(name, version, problem)


@dataclass(frozen=True)
class Installation:
    """What is installed of maxin and of the libraries that it needs.

    Attributes:
        kernels: the Python and the system that the kernels are built for, as a tag such as
            cp311-abi3-manylinux_2_34_x86_64; empty if maxin is not installed.
        libraries: those that maxin always needs.
        extras: those of every extra but `all`, by its name.
        problems: what cannot be used, though it is needed or installed.
    """

    kernels: str
    libraries: list[Library]
    extras: dict[str, list[Library]]
    problems: list[str]

    @classmethod
    def here(cls) -> Installation:
        """That of this Python.

        >>> found = Installation.here()
        >>> sorted(found.extras), found.problems
        (['open-spiel', 'pandas', 'parquet', 'postgres', 'ray', 'uci', 'web'], [])
        """
        package = _package()
        needed = [Requirement(text) for text in (package and package.requires) or []]
        names = (package and package.metadata.get_all("Provides-Extra")) or []
        own = _libraries(needed)
        extras = {name: _libraries(needed, name) for name in names if name != "all"}
        problems = _kernel_problems()
        problems += [
            f"{one.name} is not installed; maxin needs it" for one in own if not one.version
        ]
        problems += [
            one.problem for group in (own, *extras.values()) for one in group if one.problem
        ]
        return cls(_tag(package), own, extras, problems)


def _libraries(needed: list[Requirement], extra: str = "") -> list[Library]:
    """Those that an extra adds on this system, or those that maxin always needs."""
    return [library(one) for one in needed if _is_of(one, extra)]


def _tag(package: Distribution | None) -> str:
    text = (package and package.read_text("WHEEL")) or ""
    tags = [line.removeprefix("Tag: ") for line in text.splitlines() if line.startswith("Tag: ")]
    return ", ".join(tags)


def _kernel_problems() -> list[str]:
    """Why the kernels cannot be loaded, if they cannot."""
    try:
        import_module("maxin.kernels")
    except ImportError as error:
        return [f"the kernels of maxin cannot be loaded: {error}"]
    return []


def _package() -> Distribution | None:
    """Maxin as it is installed; None in a clone that is not installed."""
    try:
        return distribution("maxin")
    except PackageNotFoundError:
        return None


def _is_of(needed: Requirement, extra: str) -> bool:
    """Whether an extra has a requirement on this system; "" stands for maxin without extras."""
    if needed.marker is None:
        return extra == ""
    is_always = needed.marker.evaluate({"extra": ""})
    return is_always if extra == "" else not is_always and needed.marker.evaluate({"extra": extra})
