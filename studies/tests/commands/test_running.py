"""The progress of long experiments: one estimate for all stages."""

import io

from rich.console import Console

from maxin_studies.commands.running import StageProgress


class Progressed:
    """Plays calls at given times; keeps the lines, and the last state of each bar."""

    def __init__(self):
        self.time = 0.0
        self.file = io.StringIO()
        self.bars = {}
        console = Console(file=self.file, width=100)
        self.progress = StageProgress(self.bar, console, clock=lambda: self.time)

    def bar(self, name, done, total):
        self.bars[name] = (done, total)

    def at(self, time, *call):
        self.time = time
        self.progress(*call)

    @property
    def lines(self):
        return self.file.getvalue().splitlines()


def test_the_time_left_is_that_of_all_stages():
    shown = Progressed()
    for name, size in {"best": 100, "loss": 300}.items():
        shown.at(0.0, name, 0, size)
    assert shown.lines == []
    assert shown.bars == {}
    shown.at(0.0, "best", 0, 100)
    shown.at(1.0, "best", 50, 100)  # too soon after the last line
    shown.at(40.0, "best", 80, 100)
    shown.at(50.0, "best", 100, 100)
    shown.at(50.0, "loss", 0, 300)
    assert shown.lines == [
        "best: 0 % of all done",
        "best: 20 % of all done, about 3 min left",  # 160 s
        "loss: 25 % of all done, about 2 min left",  # 150 s
    ]
    assert shown.bars == {"all": (100, 400), "best": (100, 100), "loss": (0, 300)}


def test_stored_runs_are_no_measure_of_speed():
    shown = Progressed()
    shown.at(0.0, "best", 0, 100)
    shown.at(0.0, "best", 80, 100)
    shown.at(31.0, "best", 90, 100)
    assert shown.lines == ["best: 80 % of all done", "best: 90 % of all done, about 31 s left"]
    shown.at(62.0, "best", 100, 100)
    assert shown.lines[-1] == "best: 100 % of all done"
