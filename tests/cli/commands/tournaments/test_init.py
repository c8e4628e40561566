import tomllib

import pytest

from maxin.cli.commands.tournaments.init import init
from maxin.cli.config.config_file import template
from maxin.core import InvalidInput


def test_a_file_is_not_overwritten_without_force(tmp_path, capsys):
    path = tmp_path / "my league.toml"
    init(path)
    assert capsys.readouterr().out.endswith(f"maxin run '{path}'\n")
    assert tomllib.loads(path.read_text())["players"] == ["anna", "bo", "cy"]
    path.write_text("mine")
    with pytest.raises(InvalidInput, match="exists; --force overwrites it"):
        init(path)
    assert path.read_text() == "mine"
    init(path, force=True)
    assert path.read_text() == template()


def test_where_nothing_can_be_written(tmp_path):
    with pytest.raises(InvalidInput, match="cannot be written: No such file"):
        init(tmp_path / "none" / "x.toml")
    with pytest.raises(InvalidInput, match="cannot be written: Is a directory"):
        init(tmp_path, force=True)
