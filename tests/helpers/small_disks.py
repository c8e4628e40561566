"""A small disk, which is soon full."""

import os
import subprocess
from contextlib import contextmanager

import pytest


@contextmanager
def small_disk(folder, size):
    """A disk at a new folder; the value is what makes it large."""
    folder.mkdir()

    def mount(*options):
        words = ["mount", "-t", "tmpfs", "-o", ",".join(options), "tmpfs", str(folder)]
        return subprocess.run(words, capture_output=True, check=False)

    if os.geteuid() != 0 or mount(f"size={size}").returncode != 0:
        pytest.skip("mounting a small disk needs root")
    try:
        yield lambda: mount("remount", "size=64m").check_returncode()
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
