"""How long until maxin is imported, and until the first answer, on a first and a second run?

Compiled kernels are cached beside the package: the first run compiles, later ones load.
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


def main() -> None:
    bare = python("pass")
    numpy = python("import numpy")
    with tempfile.TemporaryDirectory() as empty:
        first = python(ANSWER, NUMBA_CACHE_DIR=empty)
        second = python(ANSWER, NUMBA_CACHE_DIR=empty)
    rows = [
        ["python -c pass", human(bare), "1.0 x"],
        ["import numpy", human(numpy), f"{numpy / bare:.1f} x"],
    ]
    for name, duration in (
        ("import maxin", python("import maxin")),
        ("maxin --version", python("import sys; sys.argv[1:] = ['--version']; import runpy; "
                                   "runpy.run_module('maxin', run_name='__main__')")),
        ("first answer, nothing compiled", first),
        ("first answer, second run", second),
    ):  # fmt: skip
        rows.append([name, human(duration), f"{duration / bare:.1f} x"])
    show("From the start of a process", ["what", "time", "against bare Python"], rows)


if __name__ == "__main__":
    main()
