"""The command line: arguments in, a call to the library, a rendering out."""

import sys


def main() -> None:
    """Run the command; Ctrl-C before there is anything to save ends it with one line."""
    try:
        # Imported here, so that Ctrl-C during the import ends with that line too.
        from maxin.cli.app import main as run

        run()
    except KeyboardInterrupt:
        print("interrupted; run the same command again to continue", file=sys.stderr)
        sys.exit(130)


__all__ = ["main"]
