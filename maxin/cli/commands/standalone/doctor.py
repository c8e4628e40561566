"""`maxin doctor`: what a bug report needs to know about this installation and its stores."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from maxin._version import __version__
from maxin.cli.config.flags import n_cores, repeated
from maxin.cli.config.settings import DEFAULT_STORE, AnswerOption
from maxin.cli.config.stores import store_url
from maxin.cli.output.printing import print_json
from maxin.core.installation import Installation, Library
from maxin.core.text import aligned, moment

if TYPE_CHECKING:  # they load the database, which may be broken
    from maxin.storage.database.checkup import Checkup

GIGABYTE = 1e9


def doctor(
    stores: Annotated[
        tuple[str, ...],
        repeated(
            "The stores to examine: URLs or files.",
            "STORES...",
            shown=f"$MAXIN_STORE, or {DEFAULT_STORE} if it exists",
        ),
    ] = (),
    /,
    *,
    format: AnswerOption = "text",
) -> int:
    """Describe this installation and examine stores, for a bug report.

    Nothing is changed, and no password is shown. The exit code is 1 if something is broken: a
    library that cannot be used, or a store that cannot be reached, read or written, or whose server
    has another time. An extra that is not installed is not broken.
    """
    here = Installation.here()
    found = _examined(stores)
    problems = here.problems + [problem for one in found for problem in one.problems]
    if format == "json":
        print_json(_document(here, found, problems))
    else:
        print(aligned(["maxin", __version__], _rows(here, found), left=[0, 1]))
        verdict = [f"wrong: {problem}" for problem in problems] or ["OK: nothing is broken"]
        print("\n".join(verdict))
    return 1 if problems else 0


def _examined(stores: Sequence[str]) -> list[Checkup]:
    """The stores that were given, or the one that other commands would use, if there is one."""
    try:
        from maxin.storage.database.checkup import check_up
        from maxin.storage.database.engine import parse_url
    except ImportError:  # of a library that is missing, and is named as such
        return []
    default = os.environ.get("MAXIN_STORE") or DEFAULT_STORE
    if not stores and (default != DEFAULT_STORE or _default_exists()):
        stores = (default,)
    urls = [parse_url(store_url(store)) for store in stores]  # an invalid one ends it here
    return [check_up(url) for url in urls]


def _default_exists() -> bool:
    return Path(DEFAULT_STORE.removeprefix("sqlite:///")).exists()


def _document(here: Installation, stores: Sequence[Checkup], problems: list[str]) -> dict[str, Any]:
    """Everything, as JSON."""
    return {
        "maxin": __version__,
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "system": platform.platform(),
        "n_cores": n_cores(),
        "memory": memory(),
        "time": time.time(),
        **asdict(here),
        "stores": [asdict(store) for store in stores],
        "problems": problems,
        "is_right": not problems,
    }


def _rows(here: Installation, stores: Sequence[Checkup]) -> Iterator[tuple[str, str]]:
    """The lines of the text, below the version."""
    yield "kernels", here.kernels or "not installed"
    yield "Python", f"{platform.python_version()} ({platform.python_implementation()})"
    yield "system", platform.platform()
    yield "cores", f"{n_cores()} of {os.cpu_count()}"
    yield "memory", "unknown" if (size := memory()) is None else f"{size / GIGABYTE:.1f} GB"
    yield "clock", f"{moment(time.time())} UTC"
    yield "libraries", _versions(here.libraries)
    for name, found in here.extras.items():
        missing = [one.name for one in found if not one.version]
        how = f"; not installed: {', '.join(missing)} (pip install 'maxin[{name}]')"
        yield f"extra {name}", (_versions(found) + how * bool(missing)).removeprefix("; ")
    if not stores:
        yield "stores", "none examined"
    for store in stores:
        yield "store", f"{store.store}: {_state(store)}"


def _versions(libraries: Sequence[Library]) -> str:
    return ", ".join(f"{one.name} {one.version}" for one in libraries if one.version)


def _state(store: Checkup) -> str:
    """What is known about a store, in a few words."""
    if not store.database:
        return "cannot be reached"
    facts = [store.database, "no tournament" if store.schema is None else f"schema {store.schema}"]
    facts.append("can be written" if store.is_writable else "cannot be written")
    if store.clock_ahead is not None:
        way = "ahead of" if store.clock_ahead > 0.0 else "behind"
        facts.append(f"our clock is {abs(store.clock_ahead):.2f} s {way} the server's")
    return ", ".join(facts)


def memory() -> int | None:
    """The bytes of memory of this machine; None where the system does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError):  # not a system of the Unix family
        return None
