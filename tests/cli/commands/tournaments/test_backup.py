import sqlite3

import pytest

from tests.helpers.command import call, right


def test_backup_makes_a_copy_that_is_a_store(store, tmp_path):
    done = right("backup", "copy.db")
    size = (tmp_path / "copy.db").stat().st_size
    assert done.out == f"copy.db: 120 results, {size / 1000:,.0f} kB, checked\n"
    assert not list(tmp_path.glob("copy.db-*"))
    where = ("--store", "sqlite:///copy.db")
    assert right("export", *where).out == right("export").out
    assert right("show", *where).out == right("show").out
    assert "OK: everything matches the record" in right("verify", *where).out


def test_an_existing_file_is_kept(store, tmp_path):
    (tmp_path / "copy.db").write_text("precious")
    done = call("backup", "copy.db")
    assert done.code == 2
    assert "'copy.db' exists; --force" in done.err
    assert (tmp_path / "copy.db").read_text() == "precious"
    right("backup", "copy.db", "--force")
    assert "OK" in right("verify", "--store", "sqlite:///copy.db").out


def test_a_damaged_record_replaces_no_backup(store, tmp_path):
    right("backup", "copy.db")
    before = (tmp_path / "copy.db").read_bytes()
    with sqlite3.connect(tmp_path / "maxin.db") as connection:
        connection.execute("DELETE FROM maxin_told WHERE match = 7")
    connection.close()
    done = call("backup", "copy.db", "--force")
    assert done.code == 1
    assert "no backup was made, because the record has problems: entry" in done.err
    assert (tmp_path / "copy.db").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["x.db", "--store", "sqlite:///nothing.db"], "no store at nothing.db; "),
        (["nowhere/x.db"], "there is no folder 'nowhere' for 'x.db'"),
        (["maxin.db"], "'maxin.db' is the store itself; choose another file for its copy"),
        (["."], "'.' is a folder; a backup must be a file"),
        (["used.db"], "'used.db' is in use, or was left so: there is 'used.db-wal'; choose "),
    ],
)
def test_an_error_names_the_file_and_what_is_wrong(store, tmp_path, arguments, words):
    (tmp_path / "used.db-wal").touch()
    done = call("backup", *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"error: {words}")


def test_a_store_that_cannot_be_shown_is_not_called_checked(store, tmp_path):
    with sqlite3.connect(tmp_path / "maxin.db") as connection:
        connection.execute("UPDATE maxin_settings SET value = '\"nonsense\"' WHERE key = 'goal'")
    connection.close()
    shown, done = call("show"), call("backup", "copy.db")
    assert (shown.code, done.code) == (1, 1)
    assert done.err == shown.err
    assert not (tmp_path / "copy.db").exists()
