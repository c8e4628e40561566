"""The command line: arguments in, a call to the library, a rendering out."""

import atexit
import gc
import sys
import warnings

# Loading libraries makes hundreds of thousands of objects that stay, and searching them for cycles
# takes a tenth of the time of a short command. So the first search comes late. Later ones come
# sooner, and leave out what the first one kept.
FIRST_SEARCH, LATER_SEARCH = 500_000, 20_000  # new objects before a search


def main() -> None:
    """Run the command; Ctrl-C before there is anything to save ends it with one line."""
    gc.set_threshold(FIRST_SEARCH)
    gc.callbacks.append(_settle)
    atexit.register(gc.freeze)  # the end of the process need not search everything once more
    try:
        # Imported here, so that Ctrl-C during the import ends with that line too.
        from maxin.cli.app import main as run
        from maxin.cli.output.usage_errors import formatted_warning

        warnings.formatwarning = formatted_warning
        run()
    except KeyboardInterrupt:
        print("interrupted; run the same command again to continue", file=sys.stderr)
        sys.exit(130)


def _settle(phase: str, _: object) -> None:
    """Leave out of later searches what the first one has kept."""
    if phase == "stop":
        gc.callbacks.remove(_settle)
        gc.freeze()
        gc.set_threshold(LATER_SEARCH)


__all__ = ["main"]
