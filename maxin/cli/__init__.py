"""The command line: arguments in, calls out; heavy libraries load where a command needs them."""

from maxin.cli.app import main

__all__ = ["main"]
