"""Functions of a notebook or a prompt: the error says what to do."""

import subprocess
import sys

import pytest

CODE = """
import functools, maxin

def play(first, second, seed):
    return 1.0

class Judge:
    __call__ = play

for given in (play, Judge(), functools.partial(play)):
    try:
        maxin.Processes(given)
    except maxin.InvalidInput as error:
        print(error)
"""


@pytest.mark.parametrize("arguments", [["-c", CODE], ["-"]], ids=["command", "stdin"])
def test_a_function_without_a_file_is_refused_with_what_to_do(arguments, tmp_path):
    done = subprocess.run(
        [sys.executable, *arguments], input=CODE, capture_output=True, text=True, check=True
    )
    errors = done.stdout.splitlines()
    assert len(errors) == 3
    for error in errors:
        assert "was defined in a notebook or at a prompt" in error
        assert "%%writefile judge.py" in error
        assert "Processes('judge:play')" in error
