"""The environment of a match: an allow-list, so that a program sees none of our secrets."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping

from maxin.core import InvalidInput

# What programs need to find files, libraries and devices, and to write text. A password is in
# none of them. The mark joins the marks of nested runs, see `maxin.runners.programs.reaper`.
PASSED = (
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TMPDIR",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "CUDA_VISIBLE_DEVICES",
    "MAXIN_MARK",
)
LOCALE = "LC_"  # all variables that begin so
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
RULE = "the name of an environment variable: letters, digits and _, no digit first"


def is_variable(name: object) -> bool:
    """Whether `name` can be a variable; `RULE` describes it.

    >>> is_variable("WANDB_DIR"), is_variable("WANDB_DIR=/tmp")
    (True, False)
    """
    return isinstance(name, str) and NAME.fullmatch(name) is not None


def check_env(env: Iterable[str]) -> tuple[str, ...]:
    """Return the names, or raise unless each is the name of a variable.

    >>> check_env(["WANDB_DIR", "OMP_NUM_THREADS"])
    ('WANDB_DIR', 'OMP_NUM_THREADS')
    """
    if isinstance(env, str) or not isinstance(env, Iterable):
        raise InvalidInput(f"env must be a list of names; got {env!r}")
    names = tuple(env)
    for name in names:
        if not is_variable(name):
            raise InvalidInput(f"env must hold {RULE}; got {name!r}")
    return names


def passed(env: Iterable[str], ours: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The variables of `ours` that a match gets: `PASSED`, the locale, and those `env` names.

    A name that is not set is left out.

    >>> passed(["SEEDS"], {"PATH": "/bin", "LC_ALL": "C", "PGPASSWORD": "secret", "SEEDS": "9"})
    {'PATH': '/bin', 'LC_ALL': 'C', 'SEEDS': '9'}
    """
    wanted = {*PASSED, *env}
    return {
        name: value for name, value in ours.items() if name in wanted or name.startswith(LOCALE)
    }
