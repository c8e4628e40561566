"""Processes that play matches and are killed."""

import subprocess
import sys
import textwrap

import pytest

from tests.helpers.processes import ROOT

# Prints the mark of the process as soon as the reaper's helper runs.
START = """
import os, sys, time
from maxin.core import Entrant
from maxin.runners import Command, Job, Processes
from tests.helpers import misbehaviour
from tests.helpers.match_loop import announce, play_forever

announce()
"""


@pytest.fixture
def start_parent():
    """Starts a process that runs the given lines; returns the process and its mark."""
    started = []

    def start(lines):
        process = subprocess.Popen(
            [sys.executable, "-c", START + textwrap.dedent(lines)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=ROOT,  # to import the helpers
            start_new_session=True,
        )
        started.append(process)
        return process, process.stdout.readline().strip()

    yield start
    for process in started:
        with process:
            process.kill()
