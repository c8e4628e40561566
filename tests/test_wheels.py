"""A release: what is in it, where it plays, and that an upgrade replaces its machine code."""

import importlib.util
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tarfile
import zipfile
from contextlib import chdir
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.helpers.environments import ROOT, Environment, build_wheel, own_wheel, run

PLAY = """
import maxin
report = maxin.Tournament(["weak", "strong"], seed=1).run(lambda a, b, seed: float(a == "strong"))
print(report.sentence.partition(",")[0])
"""
PLAYED = "decided: strong is the best"
RATE = """
import numpy as np
from maxin import Match, Result, __version__
from maxin.ratings import Elo, Online
online = Online(Elo(2), step_size=0.4, rng=np.random.default_rng(0))
online.tell(Result(Match(0, 1), 1.0))
print(__version__, online.ratings()[0].round(3))
"""
MEET = """
try: import maxin.kernels
except ImportError as error: print(error)
"""
MET = "the Python code of maxin has version 0.1.0, its kernels have 0.2.0; install maxin again"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
SOURCES = {  # folders and files of the sdist
    *("maxin", "kernels", "docs", "examples", "pyproject.toml", "PKG-INFO"),
    *("CHANGELOG.md", "CITATION.cff", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md"),
    *("LICENSE", "README.md", "SECURITY.md"),
}
# The match command of the README: the bot whose name comes last wins.
BOT_MATCH = "import sys; print(float(sys.argv[1] > sys.argv[2]))"
CHANGED = "ratings/elo.cpp"  # of the kernels


def check_contents(wheel):
    """The package, one extension for all versions of Python from 3.11, and no source of it."""
    assert "-cp311-abi3-" in wheel.name
    names = zipfile.ZipFile(wheel).namelist()
    assert [name for name in names if name.endswith(".so")] == ["maxin/kernels.abi3.so"]
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"maxin"}
    sources = r"\.(cpp|hpp|h|o|a|cmake)$|CMakeLists|build_backend"
    assert [name for name in names if re.search(sources, name)] == []


def test_a_wheel_plays_without_a_compiler_and_an_upgrade_runs_the_new_code(tmp_path):
    wheel = own_wheel(tmp_path / "old")
    check_contents(wheel)
    environment = Environment(tmp_path / "environment")
    environment.install(wheel, "--no-deps")
    assert environment.run(PLAY, is_sharing=True) == PLAYED
    assert environment.run(RATE, is_sharing=True) == "0.1.0 0.2"

    changed = copy_of_the_tree(tmp_path / "tree")
    replace(changed / "maxin" / "_version.py", '"0.1.0"', '"0.2.0"')
    replace(changed / "kernels" / CHANGED, "sigmoid(advantage(parameters, i, j))", "0.25")
    # The old wheel has compiled all other files; module.cpp has the version.
    sources = f"module.cpp {CHANGED} {' '.join(unchanged_objects())}"
    replace(changed / "kernels" / "CMakeLists.txt", "module.cpp ${sources}", sources)
    wheel = build_wheel(changed, tmp_path / "new", **{"cmake.build-type": "Plain"})
    environment.install(wheel, "--no-deps")
    assert environment.run(RATE, is_sharing=True) == "0.2.0 0.3"
    old_code = f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
    assert environment.run(old_code + MEET, is_sharing=True) == MET


def copy_of_the_tree(folder):
    """What a build needs of this tree."""
    without = shutil.ignore_patterns("__pycache__")
    for name in ("maxin", "kernels"):
        shutil.copytree(ROOT / name, folder / name, ignore=without)
    for name in (".gitignore", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    return folder


def unchanged_objects():
    """What `scripts/setup` has compiled of all files of the kernels but two."""
    sources = [str(path.relative_to(ROOT / "kernels")) for path in ROOT.glob("kernels/**/*.cpp")]
    objects = ROOT / "build" / "CMakeFiles" / "kernels.dir"
    return [f"{objects}/{source}.o" for source in sources if source not in (CHANGED, "module.cpp")]


def replace(path, old, new):
    """Change the one place of a file that has this text."""
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


@pytest.mark.parametrize(
    ("programs", "cxx", "needs_one"),
    [([], "", True), ([], "/opt/c++", False), (["clang++"], "", False)],
)
def test_a_build_asks_for_a_compiler_if_there_is_none(tmp_path, programs, cxx, needs_one):
    if importlib.util.find_spec("ziglang") is not None:
        pytest.skip("zig is installed already, as `scripts/setup` does without a compiler")
    for name in programs:
        (tmp_path / name).touch(0o755)
    code = "import build_backend; print(*build_backend.get_requires_for_build_wheel())"
    places = {"PATH": str(tmp_path), "PYTHONPATH": str(ROOT / "kernels")}
    required = run(sys.executable, "-c", code, **places, CXX=cxx)
    assert ("ziglang" in required) == needs_one


def test_a_build_asks_for_the_headers_of_python_if_there_are_none(tmp_path):
    code = (
        f"import sysconfig; sysconfig.get_config_vars()['INCLUDEPY'] = {str(tmp_path)!r}; "
        "import build_backend; build_backend.get_requires_for_build_wheel()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(ROOT / "kernels")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("maxin cannot be built: this Python has no headers in ")
    assert done.stderr.count("\n") == 1


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """The sdist and the wheel of `scripts/wheels`, as they are uploaded."""
    folder = tmp_path_factory.mktemp("dist")
    run(ROOT / "scripts" / "wheels", folder)
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return sdist, wheel


@pytest.mark.slow
def test_a_release_has_what_builds_and_explains_the_package(released):
    sdist, wheel = released
    check_contents(wheel)
    if sys.platform == "linux":
        assert "manylinux" in wheel.name
    with tarfile.open(sdist) as archive:
        names = [name.split("/")[1:] for name in archive.getnames()]
    assert {name[0] for name in names if name} == SOURCES


@pytest.mark.slow
def test_the_commands_of_the_readme_run_from_the_wheel(released, tmp_path):
    """Its example in Python, and the blocks of commands, each in a folder of its own."""
    environment = Environment(tmp_path / "environment")
    environment.install(f"{released[1]}[web]")
    with chdir(tmp_path):
        Path("examples.txt").write_text("\n".join(blocks_of_the_readme("python")))
        environment.script("python", "-m", "doctest", "examples.txt")
    for number, block in enumerate(commands_of_the_readme()):
        with chdir(folder_of_a_reader(tmp_path / str(number))):
            for command in block:
                follow(environment, command)


def blocks_of_the_readme(language):
    """The texts of its blocks in a language; there is at least one."""
    text = (ROOT / "README.md").read_text()
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert blocks
    return blocks


def commands_of_the_readme():
    """The calls of `maxin` in each block of shell commands that has some."""
    for block in blocks_of_the_readme("sh"):
        if lines := [line for line in block.splitlines() if line.startswith("maxin ")]:
            yield [shlex.split(line, comments=True) for line in lines]


def folder_of_a_reader(folder):
    """A folder with the examples, and with the bots and the program that the README plays."""
    shutil.copytree(ROOT / "examples", folder / "examples")
    (folder / "bots").mkdir()
    for name in ("anna", "bo", "cy"):
        (folder / "bots" / f"{name}.py").touch()
    (folder / "play.py").write_text(BOT_MATCH)
    return folder


def follow(environment, command):
    """Run a command, which must succeed; a service must show its pages until it is interrupted."""
    if command[:2] != ["maxin", "serve"]:
        environment.script(*command)
        return
    with environment.start(*command, "--port", "0") as service:
        place = service.stdout.readline().split()[1]
        for page in ("", "/vote"):
            assert "<html" in urlopen(place + page).read().decode()
        service.send_signal(signal.SIGINT)
        assert service.wait() == 0


@pytest.mark.slow
def test_the_wheel_plays_on_all_versions_of_python(released, tmp_path):
    wheel = released[1]
    found = {version: interpreter(version) for version in PYTHONS}
    for version, python in found.items():
        if python is not None:
            environment = Environment(tmp_path / version, python)
            environment.install(wheel)
            assert environment.run(PLAY) == PLAYED
    missing = [version for version, python in found.items() if python is None]
    if missing:
        pytest.skip(f"no Python {', '.join(missing)}; all others play")


def interpreter(version):
    """A Python of this version: ours, one of pyenv, or one on the PATH."""
    if sys.version.startswith(f"{version}."):
        return sys.executable
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    found = sorted(pyenv.glob(f"versions/{version}.*/bin/python"))
    return found[-1] if found else shutil.which(f"python{version}")
