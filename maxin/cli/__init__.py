"""The command line: arguments in, calls out; heavy libraries load where a command needs them."""

import sys


def main() -> None:
    """Run the command; Ctrl-C before there is anything to save ends it without a word more."""
    try:
        from maxin.cli.app import main as run

        run()
    except KeyboardInterrupt:
        print("interrupted; the same command goes on from here", file=sys.stderr)
        sys.exit(130)


__all__ = ["main"]
