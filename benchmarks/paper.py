"""How long does the reproduction take, and how much time do the kernels need?

Prints the rounds per second of every algorithm of the paper in one process, with the share of time
spent outside the kernels, in Python and NumPy. Then it prints the wall time of
`maxin paper --quick`, and with `--full GAMES_FOLDER` also of the whole grid.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time

from common import human, seconds, show  # isort: skip  (sets one core before NumPy)

import numpy as np

from maxin.kernels import elo as elo_kernels
from maxin.kernels import learner as learner_kernels
from maxin.kernels import pairs as pair_kernels
from maxin.kernels import widths
from maxin.simulation.simulation import CurveReader, start_simulation
from maxin_studies.reproduction.figures import FIGURES, load_games


class Clock:
    """Measures the time spent in kernels, by wrapping them."""

    def __init__(self) -> None:
        self.spent = 0.0
        for module in (elo_kernels, learner_kernels, pair_kernels, widths):
            for name, value in list(vars(module).items()):
                if callable(value) and not isinstance(value, type):
                    setattr(module, name, self._timed(value))

    def _timed(self, kernel):
        def call(*arguments):
            start = time.perf_counter()
            try:
                return kernel(*arguments)
            finally:
                self.spent += time.perf_counter() - start

        return call


def rates(clock: Clock, rounds: int = 2000) -> list[list[str]]:
    games, rows = load_games(None), []
    for figure in (FIGURES["figure2"], FIGURES["figure3"]):
        game = games[figure.games[0].name]
        for line in figure.algorithms:
            setting = line.settings[len(line.settings) // 2]
            start_simulation(game, setting, seed=1).advance(200)  # load SciPy
            reader = CurveReader(every=rounds // 100)
            run = start_simulation(game, setting, seed=0, reader=reader)
            clock.spent = 0.0
            with np.errstate(all="ignore"):
                duration = seconds(lambda run=run: run.advance(rounds), repeats=1)
            outside = 1.0 - clock.spent / duration
            rows.append(
                [f"{figure.name}, {line.name}", f"{rounds / duration:,.0f}", f"{outside:.0%}"]
            )
    return rows


def command(*options: str) -> float:
    with tempfile.TemporaryDirectory() as out:
        call = [sys.executable, "-m", "maxin", "paper", "--out", out, *options]
        return seconds(lambda: subprocess.run(call, check=True, stdout=subprocess.DEVNULL), 1)


def main() -> None:
    show(
        "Rounds in one process",
        ["algorithm", "rounds per second", "outside kernels"],
        rates(Clock()),
    )
    rows = [["maxin paper --quick", human(command("--quick"))]]
    if "--full" in sys.argv:
        folder = sys.argv[sys.argv.index("--full") + 1]
        rows.append(["maxin paper, the whole grid", human(command("--games", folder))])
    show("Wall time, one process per core", ["command", "time"], rows)


if __name__ == "__main__":
    main()
