"""The gallery: its scripts are short and run, and its pages are those of their last runs."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys

import pytest

from maxin import Tournament
from scripts.gallery import GALLERY, SCRIPTS, index, page, read_runs

NAMES = sorted(path.stem for path in SCRIPTS.glob("*.py"))
LONGEST = 80  # lines of a script
PUBLIC = re.compile(r"maxin|maxin\.(evaluation|runners|views|worker|games|tournament)")
PROGRAMS = {"race": ["cc"], "engines": ["stockfish", "toga2"]}  # what a script needs
FOLDERS = os.environ["PATH"] + ":/usr/games"
MODULES = {  # what it imports, beyond what maxin needs
    "cycles": ["pyspiel"],
    "engines": ["chess"],
    "fleet": ["starlette"],
    "images": ["PIL", "sklearn", "matplotlib"],
    "policies": ["pettingzoo", "rlcard"],
}
MATCHES = 3  # of a shortened run

each_script = pytest.mark.parametrize("name", NAMES)


def missing(name):
    """What this machine lacks of what a script needs."""
    programs = [word for word in PROGRAMS.get(name, []) if shutil.which(word, path=FOLDERS) is None]
    modules = [word for word in MODULES.get(name, []) if importlib.util.find_spec(word) is None]
    return programs + modules


@each_script
def test_a_shortened_run_plays_matches(name, tmp_path):
    if lacks := missing(name):
        pytest.skip(f"{name}.py needs {', '.join(lacks)}")
    command = [sys.executable, SCRIPTS / f"{name}.py", str(MATCHES)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with Tournament(store=f"sqlite:///{tmp_path}/{name}.db") as played:
        assert played.n_matches == MATCHES
        assert 1 < len(played.names) <= read_runs()[name].n_players


@each_script
def test_a_script_is_short_and_uses_public_names(name):
    script = (SCRIPTS / f"{name}.py").read_text()
    assert len(script.splitlines()) <= LONGEST
    used = re.findall(r"^\s*(?:from|import) (maxin[\w.]*)", script, re.MULTILINE)
    assert used
    assert all(PUBLIC.fullmatch(module) for module in used)


@each_script
def test_a_page_is_that_of_the_script_and_its_last_run(name):
    found = read_runs()[name]
    hint = f"run scripts/gallery {name}"
    assert (GALLERY / f"{name}.md").read_text() == page(name, found), hint
    assert f"{found.n_matches:,} matches" in found.printed
    assert found.seconds < 300


def test_pictures_are_small_and_the_index_lists_all_runs():
    assert sorted(read_runs()) == NAMES
    assert {path.stem for path in GALLERY.rglob("*.png")} == {*NAMES, "images-vote"}
    assert all(path.stat().st_size < 100_000 for path in GALLERY.rglob("*.png"))
    assert (GALLERY / "README.md").read_text() == index(read_runs())
