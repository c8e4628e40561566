"""The command line: arguments in, a call to the library, a rendering out."""

import atexit
import gc
import sys

# New objects between two searches for cycles. Loading a library makes hundreds of thousands that
# stay: with Python's own number, searching them takes a tenth of the time of a short command.
NEW_OBJECTS = 20_000


def main() -> None:
    """Run the command; Ctrl-C before there is anything to save ends it with one line."""
    gc.set_threshold(NEW_OBJECTS)
    atexit.register(gc.freeze)  # the end of the process need not search everything once more
    try:
        # Imported here, so that Ctrl-C during the import ends with that line too.
        from maxin.cli.app import main as run

        run()
    except KeyboardInterrupt:
        print("interrupted; run the same command again to continue", file=sys.stderr)
        sys.exit(130)


__all__ = ["main"]
