"""Builds the package: scikit-build-core, with a compiler from the package index if there is none.

That compiler is zig. It brings a C++ library of its own, which `nanobind-backend` cannot share: the
extension then contains nanobind, and serves one version of Python.
"""

from __future__ import annotations

import os
import shutil
import sys
import tomllib

from scikit_build_core import build
from scikit_build_core.build import *  # noqa: F403 (the steps not below)

Settings = dict[str, list[str] | str] | None
COMPILERS = ("c++", "g++", "clang++")


def lacks_compiler() -> bool:
    """Whether there is no C++ compiler to find; on Windows, CMake searches by itself."""
    found = os.environ.get("CXX") or next(filter(None, map(shutil.which, COMPILERS)), None)
    if found is not None:
        os.environ["CXX"] = found  # and not the one that compiled Python, which may be missing
    return found is None and sys.platform != "win32"


def compiler_requirements() -> list[str]:
    """What to install before the build if there is no compiler."""
    if not lacks_compiler():
        return []
    with open("pyproject.toml", "rb") as project:
        return tomllib.load(project)["dependency-groups"]["compiler"]


def with_compiler(settings: Settings) -> Settings:
    """The settings of a build, for which a compiler is chosen."""
    if not lacks_compiler():
        return settings
    import ziglang

    print("No C++ compiler found: zig builds the kernels, for some minutes.", file=sys.stderr)
    os.environ["CXX"] = f"{os.path.dirname(ziglang.__file__)}/zig c++"
    return {**(settings or {}), "wheel.py-api": ""}


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    """What to install before a wheel is built."""
    return build.get_requires_for_build_wheel(config_settings) + compiler_requirements()


def get_requires_for_build_editable(config_settings: Settings = None) -> list[str]:
    """What to install before the package is built in place."""
    return build.get_requires_for_build_editable(config_settings) + compiler_requirements()


def build_wheel(folder: str, config_settings: Settings = None, metadata: str | None = None) -> str:
    """Build a wheel."""
    return build.build_wheel(folder, with_compiler(config_settings), metadata)


def build_editable(
    folder: str, config_settings: Settings = None, metadata: str | None = None
) -> str:
    """Build a wheel that refers to the files here."""
    return build.build_editable(folder, with_compiler(config_settings), metadata)
