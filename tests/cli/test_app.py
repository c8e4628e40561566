"""The command as a person calls it: its help, its version, its errors, and what it loads."""

import gc
import importlib
import subprocess
import sys

import pytest

import maxin
import maxin.cli
from maxin.cli.app import plugin_summary, summary
from maxin.cli.commands import COMMANDS
from tests.helpers.command import call, right

HEAVY = [
    "maxin.kernels",
    "scipy",
    "scipy.linalg",
    "scipy.special",
    "numpy",
    "sqlalchemy",
    "matplotlib",
    "maxin.views.belief",
    "maxin.schedulers.base",
    "maxin.tournament.tournament",
]
TARGETS = {name: target for group in COMMANDS.values() for name, target in group.items()}


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "maxin", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def loaded(*commands):
    """Which heavy modules a process has loaded after each of some commands."""
    code = (
        "import sys, maxin.cli\n"
        f"for words in {commands!r}:\n"
        "    sys.argv = ['maxin', *words]\n"
        "    try: maxin.cli.main()\n"
        "    except SystemExit: pass\n"
        f"    print('loaded:', *(name for name in {HEAVY} if name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    found = [line.split()[1:] for line in done.stdout.splitlines() if line.startswith("loaded:")]
    return dict(zip(commands, found, strict=True))


def test_version():
    done = run("--version")
    assert (done.returncode, done.stdout.strip()) == (0, f"maxin {maxin.__version__}")


@pytest.mark.parametrize("arguments", [(), ("--help",), ("-h",)])
def test_the_list_of_commands(arguments, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    out = right(*arguments).out
    for group, commands in COMMANDS.items():
        assert f"{group}:" in out
        for name, target in commands.items():
            assert f"  {name}" in out
            assert summary(f"maxin.cli.commands.{target}") in out


def test_help_and_version_load_nothing_heavy():
    commands = [("--version",), ("--help",), ("runn",), ("--verzion",)]
    assert loaded(*commands) == {words: [] for words in commands}


def test_the_help_page_of_a_command_loads_no_database_and_no_numbers():
    commands = [(name, "--help") for name in ("run", "ask", "tell", "report")]
    assert loaded(*commands) == {words: ["maxin.tournament.tournament"] for words in commands}


def test_a_score_is_reported_without_numbers_and_schedulers(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MAXIN_STORE", raising=False)
    right("start", "--player", "anna", "--player", "bo")
    right("ask")
    words = ("tell", "1", "1")
    assert loaded(words) == {words: ["sqlalchemy", "maxin.tournament.tournament"]}
    assert right("show", "--format", "json").document["n_matches"] == 1


def test_asking_and_showing_load_only_a_little_of_scipy(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MAXIN_STORE", raising=False)
    right("start", "--player", "anna", "--player", "bo", "--player", "cy")
    for found in loaded(("ask",), ("show",)).values():
        assert "scipy" in found
        assert not {"scipy.linalg", "scipy.special"} & set(found)


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
def test_a_summary_is_the_first_line_of_the_description(target):
    module, _, name = target.partition(":")
    thing = getattr(importlib.import_module(f"maxin.cli.commands.{module}"), name)
    text = thing.help if name == "app" else thing.__doc__
    assert summary(f"maxin.cli.commands.{target}") == text.partition("\n")[0]


@pytest.mark.parametrize(
    ("name", "text"),
    [("told", "Say hello."), ("untold", ""), ("app", "Do things."), ("bare", ""), ("gone", "")],
)
def test_the_summary_of_a_plugin_is_its_text_or_nothing(name, text, tmp_path, monkeypatch):
    code = """from cyclopts import App
app = App(name="x", help="Do things.")
bare = App()
def told():
    'Say hello.'
def untold():
    print("words")
"""
    (tmp_path / "maxin_summaries.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    assert plugin_summary(f"maxin_summaries:{name}") == text


@pytest.mark.parametrize("name", TARGETS)
def test_every_command_explains_itself(name):
    out = right(name, "--help").out
    assert out.startswith(f"Usage: maxin {name}")
    assert "default: None" not in out
    assert "default: False" not in out


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in ("run", "players") else pytest.mark.slow)
        for name in TARGETS
    ],
)
def test_help_has_a_short_flag(name):
    assert right(name, "-h").out == right(name, "--help").out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["runn"], "there is no command of `maxin` named 'runn'; did you mean 'run'?"),
        (["add", "anna"], "there is no command of `maxin` named 'add'"),
        (["--verson"], "there is no option of `maxin` named '--verson'; did you mean '--version'?"),
        (
            ["run", "--budgt", "3"],
            "no option of `maxin run` named '--budgt'; did you mean '--budget'?",
        ),
        (["run", "--budget"], "--budget needs a value; see `maxin run --help`"),
        (["run", "--budget", "3", "--budget", "4"], "--budget is given twice; give it once"),
        (["run", "a.toml", "b.toml"], "`maxin run` has no place for 'b.toml'"),
        (
            ["run", "--players", "a.py", "b.py", "c.py"],
            "`maxin run` has no place for 'c.py'; quote the glob, so that the shell does not",
        ),
        (
            ["run", "--player", "a", "--player", "b", "--call", "nowhere:x"],
            "cannot load nowhere:x:",
        ),
        (["run", "--k", "2"], "there is no option of `maxin run` named '--k'"),
    ],
)
def test_mistakes_are_one_line_and_exit_code_2(arguments, words):
    done = call(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: ")
    assert words in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("name", ["paper", "bench"])
def test_without_the_studies_their_commands_say_how_to_install_them(name, monkeypatch):
    monkeypatch.setattr("maxin.cli.app.plugins_of", lambda group: {})
    done = call(name, "--quick")
    how = "install them: pip install ./studies, in a clone"
    assert (done.code, done.err) == (2, f"error: `maxin {name}` is in the studies; {how}\n")


def test_a_reader_may_stop_reading(tmp_path, monkeypatch):
    command = f"{sys.executable} -m maxin games | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert "error" not in done.stderr


def test_a_short_command_does_not_search_for_cycles():
    code = (
        "import atexit, gc, sys; sys.argv = ['maxin', '--version']; import maxin.cli\n"
        "atexit.register(lambda: print(gc.get_freeze_count() > 0, gc.get_threshold()[0]))\n"
        "maxin.cli.main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split()[-2:] == ["True", str(maxin.cli.FIRST_SEARCH)]


def test_commands_in_this_process_leave_its_collector_alone():
    # Hypothesis does not find its own generator among frozen objects, and warns.
    right("--version")
    gc.collect()
    assert gc.get_freeze_count() == 0


def test_a_long_command_searches_for_cycles_among_its_new_objects():
    code = (
        "import gc, sys; sys.argv = ['maxin', '--version']; import maxin.cli\n"
        "try: maxin.cli.main()\n"
        "finally:\n"
        "    kept = [[] for _ in range(2 * maxin.cli.FIRST_SEARCH)]\n"
        "    print(gc.get_freeze_count() > 0, gc.get_threshold()[0])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split()[-2:] == ["True", str(maxin.cli.LATER_SEARCH)]


def test_a_plan_needs_no_database():
    (found,) = loaded(("plan", "2", "--tournaments", "1", "--tolerance", "300")).values()
    assert "maxin.kernels" in found
    assert "sqlalchemy" not in found


@pytest.mark.parametrize("words", [["show"], ["plan", "4"]])
def test_kernels_of_another_version_are_one_line(words, tmp_path):
    code = (
        "import sys, maxin._version; maxin._version.__version__ = '9.9'; "
        f"sys.argv = {['maxin', *words]!r}; from maxin.cli import main; main()"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("error: the Python code of maxin has version 9.9, its kernels")
    assert done.stderr.count("\n") == 1
