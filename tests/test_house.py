"""The house is in order: names resolve, everything is documented, files stay short."""

import ast
import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import maxin
from maxin.games import GAMES
from maxin.schedulers import SCHEDULERS

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()
DOCS = "\n".join(page.read_text() for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
MODULES = sorted((ROOT / "maxin").rglob("*.py"))
ROOMS = ["ratings", "schedulers", "games", "evaluation"]
LONGEST = 400  # lines of a file

WITHOUT_EXAMPLE = {
    "Learner": "a protocol",
    "RatingModel": "a protocol",
    "Scheduler": "a protocol",
    "BaseScheduler": "abstract; docs/add-a-scheduler.md is its example",
    "Fit": "a named tuple; bradley_terry returns it",
    "Hodge": "a named tuple; hodge returns it",
    "NashAverage": "a named tuple; nash_average returns it",
    "Lemma1": "a named tuple; lemma1 returns it",
    "Verdict": "a named tuple; verdict returns it",
    "GAMES": "a dictionary; make_game reads it",
    "SCHEDULERS": "a dictionary; make_scheduler reads it",
}


def public(room):
    """The public names of a room and what they are."""
    module = importlib.import_module(f"maxin.{room}")
    return {name: getattr(module, name) for name in module.__all__}


@pytest.mark.parametrize("name", maxin.__all__)
def test_public_names_resolve(name):
    assert getattr(maxin, name) is not None


def test_public_names_of_the_stub_are_those_of_the_rooms():
    for room in ROOMS:
        for name, thing in public(room).items():
            if name in maxin.__all__:
                assert getattr(maxin, name) is thing


@pytest.mark.parametrize("room", [*ROOMS, "experiments"])
def test_rooms_export_in_order_and_only_what_exists(room):
    names = importlib.import_module(f"maxin.{room}").__all__
    assert len(set(names)) == len(names)
    assert public(room)


@pytest.mark.parametrize("name", [*SCHEDULERS, *GAMES])
def test_schedulers_and_games_are_in_the_readme(name):
    assert f"| `{name}` |" in README


@pytest.mark.parametrize("name", SCHEDULERS)
def test_schedulers_are_in_the_help_of_simulate(name):
    page = (ROOT / "docs" / "cli.md").read_text()
    assert re.search(rf"\b{name}\b", page)


def test_public_classes_are_in_the_docs():
    rooms = {
        name: thing for room in [*ROOMS, "experiments"] for name, thing in public(room).items()
    }
    exported = {name: getattr(maxin, name) for name in maxin.__all__}
    classes = [name for name, thing in {**exported, **rooms}.items() if inspect.isclass(thing)]
    missing = [name for name in classes if not re.search(rf"\b{name}\b", DOCS)]
    assert not missing


@pytest.mark.parametrize("room", ROOMS)
def test_public_things_have_an_example(room):
    bare = [name for name, thing in public(room).items() if ">>>" not in (thing.__doc__ or "")]
    assert [name for name in bare if name not in WITHOUT_EXAMPLE] == []


def test_exceptions_from_examples_are_needed():
    things = {name: thing for room in ROOMS for name, thing in public(room).items()}
    for name in WITHOUT_EXAMPLE:
        thing = things[name]
        assert ">>>" not in (thing.__doc__ or ""), f"{name} has an example now"
        is_tuple = inspect.isclass(thing) and issubclass(thing, tuple)
        is_protocol = getattr(thing, "_is_protocol", False)
        assert is_tuple or is_protocol or isinstance(thing, dict) or inspect.isabstract(thing)


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_modules_say_what_they_are_and_stay_short(module):
    text = module.read_text()
    assert module.name == "_version.py" or ast.get_docstring(ast.parse(text))
    assert len(text.splitlines()) <= LONGEST


def test_changelog_knows_what_is_coming():
    changelog = (ROOT / "CHANGELOG.md").read_text()
    assert "## [Unreleased]" in changelog or f"## [{maxin.__version__}]" in changelog


def test_importing_the_package_loads_nothing_heavy():
    heavy = ["numba", "scipy", "numpy", "matplotlib", "rich", "typer"]
    code = f"import sys, maxin; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_asking_for_the_version_loads_no_compiler():
    code = (
        "import sys; sys.argv = ['maxin', '--version']; import maxin.cli\n"
        "try: maxin.cli.main()\n"
        "except SystemExit: pass\n"
        "print([name for name in ['numba', 'scipy', 'matplotlib'] if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == [f"maxin {maxin.__version__}", "[]"]
