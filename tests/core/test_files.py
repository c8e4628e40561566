"""Files that are written whole: under a new name, through no link."""

import re
from pathlib import Path

import pytest

import maxin
from maxin.core.files import whole_binary_file, whole_file


def test_a_link_in_the_way_is_not_followed(tmp_path):
    victim, page = tmp_path / "victim", tmp_path / "x.html"
    victim.write_text("precious")
    (tmp_path / "x.html.part").symlink_to(victim)
    with whole_file(page) as file:
        file.write("page")
    assert victim.read_text() == "precious"
    assert page.read_text() == "page"
    assert not page.is_symlink()


def test_a_failure_leaves_nothing_behind(tmp_path):
    def write():
        with whole_file(tmp_path / "x.html") as file:
            file.write("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write()
    assert list(tmp_path.iterdir()) == []


def test_a_link_with_the_name_is_replaced(tmp_path):
    victim, picture = tmp_path / "victim", tmp_path / "x.png"
    victim.write_text("precious")
    picture.symlink_to(victim)
    with whole_binary_file(picture) as file:
        file.write(b"png")
    assert victim.read_text() == "precious"
    assert picture.read_bytes() == b"png"
    assert not picture.is_symlink()


def test_all_files_are_written_whole():
    """Nothing else opens a file to write; `x` creates a new file, and follows no link either."""
    direct = re.compile(r"\.write_(text|bytes)\(|open\([^)]*[\"'][wa]b?[\"']|\.savefig\((?!file)")
    found = []
    for module in Path(maxin.__file__).parent.rglob("*.py"):
        for number, line in enumerate(module.read_text().splitlines(), start=1):
            if direct.search(line) and not line.lstrip().startswith(("...", ">>>")):
                found.append(f"{module}:{number}: {line.strip()}")
    assert found == []
