"""Call the `maxin` command in this process."""

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from typing import NamedTuple
from unittest.mock import patch

from maxin.cli.app import main  # `maxin.cli.main` also sets up the process, its collector


class Done(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def document(self):
        """The one JSON document on standard output."""
        return json.loads(self.out)


def call(*arguments):
    """Run `maxin ARGUMENTS`; return its exit code and what it printed."""
    out, err = io.StringIO(), io.StringIO()
    argv = ["maxin", *map(str, arguments)]
    with redirect_stdout(out), redirect_stderr(err), patch.object(sys, "argv", argv):
        try:
            main()
            code = 0
        except SystemExit as end:
            code = end.code or 0
    return Done(code, out.getvalue(), err.getvalue())


def right(*arguments):
    """Run `maxin ARGUMENTS`, which must succeed."""
    done = call(*arguments)
    assert done.code == 0, done.err
    return done


def start(*names, flags=()):
    """Start a tournament of these players in the current folder."""
    players = [word for name in names for word in ("--player", name)]
    return right("start", *players, *flags)
