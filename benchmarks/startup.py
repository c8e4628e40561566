"""How long does `import maxin` take, and the first answer, in a first and in a second run?

The first run compiles the kernels and caches them beside the package; later runs load them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from common import human, seconds, show

ANSWER = """
import numpy as np
from maxin import Match, Result, make_scheduler
scheduler = make_scheduler("maxin", 10, np.random.default_rng(0))
for _ in range(20):
    scheduler.tell(Result(scheduler.ask(), 1.0))
"""


def python(code: str, **environment: str) -> float:
    command = [sys.executable, "-c", code]
    return seconds(
        lambda: subprocess.run(
            command, check=True, env=os.environ | environment, stdout=subprocess.DEVNULL
        ),
        1 if environment else 5,
    )


def command(*words: str) -> str:
    """Code that calls the command line."""
    return (
        f"import sys; sys.argv[1:] = {list(words)!r}; import runpy; "
        "runpy.run_module('maxin', run_name='__main__')"
    )


def main() -> None:
    bare = python("pass")
    numpy = python("import numpy")
    with tempfile.TemporaryDirectory() as empty:
        first = python(ANSWER, NUMBA_CACHE_DIR=empty)
        second = python(ANSWER, NUMBA_CACHE_DIR=empty)
    with tempfile.TemporaryDirectory() as folder:
        store = ("--store", f"sqlite:///{folder}/league.db")
        python(command("start", "--player", "anna", "--player", "bo", *store))
        asking = python(command("ask", *store))
        telling = python(command("tell", "1", "1", *store))
    rows = [
        ["python -c pass", human(bare), "1.0 x"],
        ["import numpy", human(numpy), f"{numpy / bare:.1f} x"],
    ]
    for name, duration in (
        ("import maxin", python("import maxin")),
        ("maxin --version", python(command("--version"))),
        ("maxin --help", python(command("--help"))),
        ("maxin tell", telling),
        ("maxin ask", asking),
        ("first answer, nothing compiled", first),
        ("first answer, second run", second),
    ):
        rows.append([name, human(duration), f"{duration / bare:.1f} x"])
    show("From the start of a process", ["what", "time", "against bare Python"], rows)


if __name__ == "__main__":
    main()
