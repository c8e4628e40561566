"""Builds the package: scikit-build-core, with a compiler from the package index if there is none.

That compiler is zig. Its C++ library is not the one of `nanobind-backend`, so `MAXIN_ZIG` makes
pyproject.toml build an extension that contains nanobind, for one version of Python.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import sysconfig
import tomllib
from pathlib import Path

from scikit_build_core import build
from scikit_build_core.build import *  # noqa: F403 (all steps that are not below)

COMPILERS = ("c++", "g++", "clang++")
# The tools of zig, which CMake needs as programs. What zig makes runs on any processor. CMake asks
# which compiler it has by a program; it must not be linked, which takes a minute.
TOOLS = {
    "c++": 'c++ -mcpu=baseline $(case "$*" in *CompilerId.cpp) echo -c ;; esac)',
    "ar": "ar",
    "ranlib": "ranlib",
}


def choose_compiler() -> list[str]:
    """Set CXX for CMake, and return what to install first: nothing, or zig."""
    if os.environ.get("CXX") or sys.platform == "win32":  # there, CMake finds compilers by itself
        return []
    found = next(filter(None, map(shutil.which, COMPILERS)), None)
    if found is None:
        os.environ["MAXIN_ZIG"] = "1"
        package = importlib.util.find_spec("ziglang")
        if package is None or package.origin is None:
            project = tomllib.loads(Path("pyproject.toml").read_text())
            return project["dependency-groups"]["compiler"]
        found = make_tools(Path(package.origin).parent)
    os.environ["CXX"] = found  # and not the compiler of Python, which may be elsewhere
    return []


def make_tools(folder: Path) -> str:
    """Write the tools of zig beside it, and return the compiler."""
    for name, words in TOOLS.items():
        (folder / name).write_text(f'#!/bin/sh\nexec "{folder}/zig" {words} "$@"\n')
        (folder / name).chmod(0o755)
    return str(folder / "c++")


MISSING = choose_compiler()
if MISSING:
    print("No C++ compiler found: building with zig, which takes some minutes.", file=sys.stderr)


def check_headers() -> None:
    """End with one sentence if the C headers of this Python are missing."""
    folder = Path(sysconfig.get_config_var("INCLUDEPY"))
    if not (folder / "Python.h").exists():
        raise SystemExit(
            f"maxin cannot be built: this Python has no headers in {folder}; install them, on "
            "Debian and Ubuntu with the package python3-dev, on Fedora with python3-devel"
        )


def get_requires_for_build_wheel(config_settings: dict | None = None) -> list[str]:
    """What to install before a wheel is built."""
    check_headers()
    return build.get_requires_for_build_wheel(config_settings) + MISSING


def get_requires_for_build_editable(config_settings: dict | None = None) -> list[str]:
    """What to install before the package is built for use from its folder."""
    check_headers()
    return build.get_requires_for_build_editable(config_settings) + MISSING
