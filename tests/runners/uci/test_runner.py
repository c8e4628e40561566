import subprocess
import sys

import pytest

from maxin.core import Entrant, InvalidInput
from maxin.runners import Uci


@pytest.mark.parametrize("arguments", [{"opening_plies": -1}, {"opening_plies": 9, "max_plies": 9}])
def test_a_game_must_be_longer_than_its_opening(arguments):
    pytest.importorskip("chess", reason="python-chess is not installed")
    with pytest.raises(InvalidInput, match="0 <= opening_plies < max_plies"):
        Uci(**arguments)


def test_check_names_the_player_with_invalid_options():
    pytest.importorskip("chess", reason="python-chess is not installed")
    good = Entrant("good", {"command": "sh", "nodes": 1})
    with pytest.raises(InvalidInput, match="player 'bad' needs exactly one of"):
        Uci().check([good, Entrant("bad", {"command": "sh"})])
    with pytest.raises(InvalidInput, match="player 'bad': cannot find the program 'no-such'"):
        Uci().check([good, Entrant("bad", {"command": "no-such", "nodes": 1})])


def output(code):
    """What a fresh interpreter prints."""
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout


def test_without_python_chess_the_error_names_the_extra():
    code = (
        "import sys; sys.modules['chess'] = None\n"
        "from maxin.runners.uci.runner import Uci\n"
        "try: Uci()\n"
        "except ImportError as error: print(error)"
    )
    assert "pip install 'maxin[uci]'" in output(code)


def test_importing_the_runner_loads_no_chess():
    code = "import sys, maxin.runners.uci.runner; print('chess' in sys.modules)"
    assert output(code).strip() == "False"
