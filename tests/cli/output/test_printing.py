"""Files that are written whole: under a new name, through no link."""

import pytest

from maxin.cli.output.printing import whole_file


def test_a_link_in_the_way_is_not_followed(tmp_path):
    victim, page = tmp_path / "victim", tmp_path / "x.html"
    victim.write_text("precious")
    (tmp_path / "x.html.part").symlink_to(victim)
    with whole_file(page) as file:
        file.write("page")
    assert victim.read_text() == "precious"
    assert page.read_text() == "page"
    assert not page.is_symlink()


def test_what_fails_leaves_nothing_behind(tmp_path):
    def write():
        with whole_file(tmp_path / "x.html") as file:
            file.write("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write()
    assert list(tmp_path.iterdir()) == []
