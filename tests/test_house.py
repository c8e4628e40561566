"""The house is in order: names resolve, everything is documented, rooms and files stay small.

Each test that fails lists what to change.
"""

import ast
import importlib
import inspect
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

import maxin
from maxin.games import GAMES
from maxin.schedulers import SCHEDULERS

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "maxin"
PAGES = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "studies").rglob("*.md")]
DOCS = "\n".join(page.read_text() for page in PAGES)
STUDIES = ROOT / "studies" / "maxin_studies"
MODULES = [*sorted(PACKAGE.rglob("*.py")), *sorted(STUDIES.rglob("*.py"))]
ROOMS = [
    "ratings",
    "schedulers",
    "games",
    "evaluation",
    "storage",
    "runners",
    "tournament",
    "views",
]
ROOMS += ["views", "simulation", "service.client"]
INSIDE = ("storage", "tournament", "views")  # the rooms whose records the docs need not all name
LONGEST = 600  # lines of a file, if it is one thing
MOST_ENTRIES = 16  # files and folders of a folder: about a dozen, as its meaning asks for
UNCOUNTED = {"__init__.py", "__init__.pyi", "__main__.py", "__pycache__", "_version.py", "py.typed"}
UNCOUNTED |= {"kernels"}  # the types of the extension, which are made with it

# Phrases that a reader has to decode, and what to write instead.
PHRASES = {
    r"\banew\b": "again, from scratch",
    r"\bamiss\b": "invalid, must be",
    r"\b(go|goes|going|gone|went) on (with|from|where)\b": "resume, continue",
    r"\bso surely\b|\bknown so (?!far)": "with 95 % confidence",
    r", in words\b|\bin plain words\b": "a description, as text",
    r"\b(is|are|was|were) said by\b|\b(was|were) not said\b": "given, set, specified",
    r"\b(thrown|throws of) dice\b": "simulated from a payoff table",
    r"\bin the air\b|\b(tickets?|matches) (is|are) (still )?out\b": "pending",
    r"\bhave it so\b": "name the subject",
    r"\ball is as recorded\b": "OK: everything matches the record",
    r"\bpaid up\b": "the budget is spent",
    r"\banother matter\b": "differs from",
    r"\bin the print\b": "in the paper",
    r"\bunless told\b": "by default",
    r"\bWho leaves\b|\brated on\b": "a player that leaves keeps its rating",
    r"\bmost telling\b|\btelling (match|pair)": "informative",
    r"\btold (match|result|score)(es|s)?\b": "a match with a result, a recorded result",
    r"\b(cost|step|line|O\([^)]*\)) a (match|round|batch)\b": "per match, per round",
    r"(?<!here\s)\b(is|are|was|were) no (business|copy|file|JSON|judge|line|name|number|player|"
    r"sample|score|terminal|token|URL|verdict|worker)s?\b": "is not a",
    r"\bwould else\b": "otherwise",
    r"\bto speak of\b|\bcan be seen here\b": "negligible, measurable",
    r"\blike features\b": "similar features",
    r"\b(result|score|match)e?s? told\b": "a recorded result",
}
WRITTEN = ("maxin", "studies", "tests", "docs", "scripts", "benchmarks", "examples")
SUFFIXES = {".py", ".pyi", ".md", ".toml", ".html", ".css", ""}


def public(room):
    """The public names of a room and what they are."""
    module = importlib.import_module(f"maxin.{room}")
    return {name: getattr(module, name) for name in module.__all__}


def relative(path):
    return str(path.relative_to(ROOT))


def listed(lines):
    """The message of a failure: a line each."""
    return "\n" + "\n".join(lines)


@pytest.mark.parametrize("name", maxin.__all__)
def test_public_names_resolve(name):
    assert getattr(maxin, name) is not None


def test_public_names_of_the_stub_are_those_of_the_rooms():
    for room in ROOMS:
        for name, thing in public(room).items():
            if name in maxin.__all__:
                assert getattr(maxin, name) is thing


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_export_each_name_once_and_only_what_exists(room):
    names = importlib.import_module(f"maxin.{room}").__all__
    assert len(set(names)) == len(names)
    assert public(room)


@pytest.mark.parametrize("room", ["", *ROOMS])
def test_public_names_differ_in_more_than_case(room):
    module = importlib.import_module(f"maxin.{room}".rstrip("."))
    alike = defaultdict(list)
    for name in module.__all__:
        alike[name.lower().replace("_", "")].append(name)
    assert not (found := [names for names in alike.values() if len(names) > 1]), found


def test_class_names_are_unique():
    places = defaultdict(list)
    for module in MODULES:
        for name in re.findall(r"^class (\w+)", module.read_text(), re.MULTILINE):
            places[name].append(relative(module))
    found = [f"{name}: {', '.join(files)}" for name, files in places.items() if len(files) > 1]
    assert not found, listed(found)


def test_folders_are_not_crowded():
    folders = [path for top in (PACKAGE, STUDIES) for path in (top, *top.rglob("*"))]
    folders = [path for path in folders if path.is_dir()]
    entries = {
        relative(folder): len([path for path in folder.iterdir() if path.name not in UNCOUNTED])
        for folder in folders
        if folder.name != "__pycache__"
    }
    found = [f"{folder}: {n} entries" for folder, n in entries.items() if n > MOST_ENTRIES]
    assert not found, listed(found)


def test_tests_mirror_the_package():
    """Each folder of tests is a folder of the package, but for those that serve all of it."""
    shared = {"contracts", "examples", "fixtures", "golden", "helpers"}
    folders = [path for path in (ROOT / "tests").rglob("*") if path.is_dir()]
    inside = [path.relative_to(ROOT / "tests") for path in folders if path.name != "__pycache__"]
    mirrored = [path for path in inside if path.parts[0] not in shared]
    found = [f"tests/{path}" for path in mirrored if not (PACKAGE / path).is_dir()]
    assert not found, listed(found)


def written_files():
    """All files that a person reads."""
    yield from ROOT.glob("*.md")
    yield ROOT / "pyproject.toml"
    for folder in WRITTEN:
        paths = sorted((ROOT / folder).rglob("*"))
        yield from (
            path
            for path in paths
            if path.suffix in SUFFIXES and path.is_file() and "__pycache__" not in path.parts
        )


def test_the_language_is_plain():
    """No line has a phrase of `PHRASES`; a phrase may not hide behind the end of a line either."""
    found = []
    for path in written_files():
        if path == Path(__file__):  # it has to name the phrases
            continue
        text = path.read_text()
        for phrase, better in PHRASES.items():
            pattern = phrase.replace(" ", r"\s+")
            if not re.search(pattern.replace(r"\b", ""), text):  # much faster
                continue
            for match in re.finditer(pattern, text):
                line = text.count("\n", 0, match.start()) + 1
                found.append(f"{relative(path)}:{line}: {match[0]!r}; better: {better}")
    assert not found, listed(found)


def test_no_merge_is_left_unfinished():
    marker = re.compile(r"^(<{7}|>{7}) ", re.MULTILINE)
    found = [relative(path) for path in written_files() if marker.search(path.read_text())]
    assert not found, listed(found)


@pytest.mark.parametrize("name", SCHEDULERS)
def test_schedulers_are_listed(name):
    assert f"| `{name}` | `" in (ROOT / "docs" / "reference" / "schedulers.md").read_text()


@pytest.mark.parametrize("name", GAMES)
def test_games_are_listed(name):
    assert f"| `{name}` |" in (ROOT / "docs" / "reference" / "games.md").read_text()


@pytest.mark.parametrize("name", SCHEDULERS)
def test_schedulers_are_in_the_help_of_simulate(name):
    page = (ROOT / "docs" / "reference" / "cli.md").read_text()
    assert re.search(rf"\b{name}\b", page)


def test_public_classes_are_in_the_docs():
    rooms = {
        name: thing for room in ROOMS if room not in INSIDE for name, thing in public(room).items()
    }
    exported = {name: getattr(maxin, name) for name in maxin.__all__}
    classes = [name for name, thing in {**exported, **rooms}.items() if inspect.isclass(thing)]
    missing = [name for name in classes if not re.search(rf"\b{name}\b", DOCS)]
    assert not missing


def needs_an_example(thing):
    """Functions and classes do; records, errors, protocols and abstract classes do not."""
    if not inspect.isclass(thing):
        return inspect.isroutine(thing)
    is_protocol = getattr(thing, "_is_protocol", False)
    return not (issubclass(thing, tuple | Exception) or is_protocol or inspect.isabstract(thing))


@pytest.mark.parametrize("room", [room for room in ROOMS if room != "simulation"])
def test_what_users_meet_has_an_example(room):
    """What `maxin` exports, and what a room exports and the docs name."""
    things = {
        name: thing
        for name, thing in public(room).items()
        if needs_an_example(thing) and (name in maxin.__all__ or re.search(rf"\b{name}\b", DOCS))
    }
    assert [name for name, thing in things.items() if ">>>" not in (thing.__doc__ or "")] == []


@pytest.mark.parametrize("module", MODULES, ids=relative)
def test_modules_have_a_docstring_and_stay_short(module):
    text = module.read_text()
    assert module.name == "_version.py" or re.match(r'"""[^"\s]', text)
    assert len(text.splitlines()) <= LONGEST


def test_changelog_lists_the_next_version():
    changelog = (ROOT / "CHANGELOG.md").read_text()
    assert "## [Unreleased]" in changelog or f"## [{maxin.__version__}]" in changelog


def test_importing_the_package_loads_nothing_heavy():
    heavy = ["scipy", "numpy", "matplotlib", "rich", "cyclopts", "sqlalchemy"]
    heavy += ["starlette", "uvicorn", "msgspec"]
    code = f"import sys, maxin; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("words", [["--version"], ["run", "--help"], ["tell", "--help"]], ids=str)
def test_help_and_version_load_nothing_heavy(words):
    heavy = ["scipy", "numpy", "maxin.kernels", "matplotlib", "sqlalchemy"]
    code = (
        f"import sys; sys.argv = ['maxin', *{words}]; import maxin.cli\n"
        "try: maxin.cli.main()\n"
        "except SystemExit: pass\n"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


PICKLES = {"pickle", "_pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"}
IMPORTERS = ("import_module", "__import__")
FROM_ITSELF = PACKAGE / "runners" / "processes"  # a program sends pickles to its own workers


def test_stored_data_runs_no_code():
    """Nothing imports pickles, and all that could unpickle an array says that it must not."""
    found = []
    for module in MODULES:
        tree = ast.parse(module.read_text())
        lines = unsafe_array_readers(tree)
        if module.parent != FROM_ITSELF:
            lines |= imports_of_pickles(tree)
        found += [f"{relative(module)}:{line}: {what}" for line, what in sorted(lines.items())]
    assert not found, listed(found)


@pytest.mark.parametrize(
    ("source", "n_found"),
    [
        ("import numpy as np; np.load(x, allow_pickle=False)", 0),
        ("import numpy as np; np.load(x)", 1),
        ("import numpy as np; np.load(x, allow_pickle=True)", 1),
        ("import numpy as np; np.load(x, allow_pickle=given)", 1),
        ("import numpy as other; other.load(x)", 1),
        ("import numpy; numpy.load(x)", 1),
        ("import numpy.lib.format; numpy.lib.format.read_array(x)", 1),
        ("from numpy import load; load(x)", 1),
        ("from numpy import load as read; read(x)", 1),
        ("from numpy import load as read; read(x, allow_pickle=False)", 0),
        ("from numpy.lib.format import read_array as read; read(x)", 1),
        ("from numpy.lib import format as npy; npy.read_array(x)", 1),
        ("import numpy as np; read = np.load", 1),
        ("def f():\n    from numpy import load\n    return load(x)", 1),
        ("from numpy import *", 1),
        ("import json; json.load(x)", 0),
        ("import pickle", 1),
        ("import joblib as j", 1),
        ("from dill import loads", 1),
        ("import importlib; importlib.import_module('shelve')", 1),
        ("__import__('marshal')", 1),
    ],
)
def test_unsafe_readers_are_found_under_any_name(source, n_found):
    tree = ast.parse(source)
    assert len(unsafe_array_readers(tree) | imports_of_pickles(tree)) == n_found


def imports_of_pickles(tree):
    """The lines that import a module of `PICKLES`, also by its name as text."""
    found = {}
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        elif isinstance(node, ast.Call) and dotted(node.func).endswith(IMPORTERS):
            names = [word.value for word in node.args if isinstance(word, ast.Constant)]
        for name in names:
            if str(name).partition(".")[0] in PICKLES:
                found[node.lineno] = f"store numbers or JSON instead of using {name}"
    return found


def unsafe_array_readers(tree):
    """The lines that use `numpy.load` or `read_array` without `allow_pickle=False`."""
    origins, safe, found = imported_names(tree), set(), {}
    for node in ast.walk(tree):  # a call comes before the function it calls
        if isinstance(node, ast.Call):
            given = {word.arg: word.value for word in node.keywords}
            allowed = given.get("allow_pickle")
            if isinstance(allowed, ast.Constant) and allowed.value is False:
                safe.add(node.func)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("numpy"):
            if any(alias.name == "*" for alias in node.names):
                found[node.lineno] = "import numpy as np"
        elif isinstance(node, ast.Name | ast.Attribute) and node not in safe:
            first, dot, rest = dotted(node).partition(".")
            name = origins.get(first, first) + dot + rest
            if name.startswith("numpy.") and name.endswith((".load", ".read_array")):
                found[node.lineno] = "call it with allow_pickle=False"
    return found


def dotted(node):
    """The text of an expression, as by `ast.unparse`, which is slow for names."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ast.unparse(node)


def imported_names(tree):
    """The full name of everything that is imported, by the name it has here."""
    origins = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                origins[alias.asname or top] = alias.name if alias.asname else top
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                origins[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return origins
