"""Imported once by the process that others are forked from: it loads what the command needs."""

import tests.helpers.preloaded  # noqa: F401 - a tournament
from tests.helpers.command import right

for name in ("ask", "tell", "show", "run", "work"):
    right(name, "--help")
