"""Commands that only read need no write permission, and change nothing."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from maxin.core import InvalidInput
from maxin.storage import StoreFailed, open_store
from maxin.tournament import Tournament
from tests.helpers.command import Done, call

READERS = [
    ["show"],
    ["show", "matches"],
    ["show", "failures"],
    ["export"],
    ["export", "--what", "leaderboard"],
    ["verify"],
]
# Permissions do not bind root, unless it gives up the right to ignore them.
BOUND = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
bound = pytest.mark.skipif(
    bool(BOUND) and shutil.which("setpriv") is None, reason="root needs setpriv for this"
)
ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A store that tests copy."""
    path = tmp_path_factory.mktemp("played") / "league.db"
    with Tournament(["anna", "bo", "cy"], f"sqlite:///{path}") as tournament:
        tournament.run(lambda first, second, seed: float(first < second), budget=12)
    return path


@pytest.fixture
def folder(played, tmp_path):
    """A folder with a store in it."""
    shutil.copy(played, tmp_path)
    yield tmp_path
    for path in [tmp_path, *tmp_path.iterdir()]:
        path.chmod(0o755)


def contents(folder):
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()}


# Calls one command after the other, and prints its exit code, its output and its errors.
EACH = """
import json, sys
from tests.helpers.command import call
for line in sys.stdin:
    print(json.dumps(call(*json.loads(line))), flush=True)
"""


@pytest.fixture(scope="module")
def call_bound():
    """Call the command in a process that permissions bind."""
    with subprocess.Popen(
        [*BOUND, sys.executable, "-c", EACH],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as process:

        def call_there(*words):
            print(json.dumps(words), file=process.stdin, flush=True)
            return Done(*json.loads(process.stdout.readline()))

        yield call_there
        process.stdin.close()


@bound
@pytest.mark.parametrize("is_file_writable", [False, True])
def test_readers_need_no_write_permission(folder, call_bound, is_file_writable):
    (folder / "league.db").chmod(0o666 if is_file_writable else 0o444)
    folder.chmod(0o555)
    before = contents(folder)
    for reader in READERS:
        done = call_bound(*reader, "--store", f"sqlite:///{folder / 'league.db'}")
        assert (done.code, done.err) == (0, ""), reader
        assert contents(folder) == before, reader


@bound
@pytest.mark.parametrize("writer", ["report x.html", "backup x.db", "init x.toml"])
def test_a_folder_that_cannot_be_written_is_an_error_that_names_the_file(
    folder, call_bound, writer
):
    folder.chmod(0o555)
    command, name = writer.split()
    store = [] if command == "init" else ["--store", f"sqlite:///{folder / 'league.db'}"]
    for force in [[], ["--force"]] if command == "init" else [[]]:
        done = call_bound(command, str(folder / name), *store, *force)
        assert done.code == 2
        assert done.err == (
            f"error: {str(folder / name)!r} cannot be written: it needs write permission for the "
            f"folder {str(folder)!r}\n"
        )


@bound
def test_a_file_that_cannot_be_written_is_read_in_a_folder_that_can(folder, call_bound):
    (folder / "league.db").chmod(0o444)
    folder.chmod(0o777)
    before = contents(folder)
    done = call_bound("show", "--store", f"sqlite:///{folder / 'league.db'}")
    assert done.code == 0, done.err
    assert contents(folder) == before


@bound
def test_a_log_that_cannot_be_used_is_one_clear_error(folder, call_bound):
    url = f"sqlite:///{folder / 'league.db'}"
    copy = folder / "copy"
    copy.mkdir()
    with Tournament(store=url) as tournament:
        ticket = tournament.ask()
        tournament.tell(ticket, 1.0)
        for end in ("", "-wal"):  # as after a crash, without the index
            shutil.copy(folder / f"league.db{end}", copy / f"league.db{end}")
            (copy / f"league.db{end}").chmod(0o444)
    copy.chmod(0o555)
    done = call_bound("show", "--store", f"sqlite:///{copy / 'league.db'}")
    assert done.code == 1
    assert "results are in the write-ahead log beside it" in done.err
    assert len(done.err.splitlines()) == 1


@bound
def test_a_reader_sees_what_a_running_tournament_wrote(folder, call_bound):
    url = f"sqlite:///{folder / 'league.db'}"
    for path in folder.iterdir():
        path.chmod(0o644)
    with Tournament(store=url) as tournament:
        tournament.tell(tournament.ask(), 1.0)
        n_matches = tournament.n_matches
        done = call_bound("export", "--store", url)
    assert done.code == 0, done.err
    assert len(done.out.splitlines()) == n_matches + 1


def test_reading_where_everything_can_be_written_changes_nothing(folder):
    before = contents(folder)
    for reader in READERS:
        done = call(*reader, "--store", f"sqlite:///{folder / 'league.db'}")
        assert done.code == 0, done.err
    assert contents(folder) == before


def test_a_store_opened_for_reading_cannot_be_created_or_written(folder, monkeypatch):
    with pytest.raises(InvalidInput, match="no store at"):
        open_store(f"sqlite:///{folder / 'other.db'}", reads=True)
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with (
        Tournament(store=open_store(f"sqlite:///{folder / 'league.db'}", reads=True)) as tournament,
        pytest.raises(StoreFailed, match="readonly database; it needs write permission"),
    ):
        tournament.ask()


def test_a_store_without_a_tournament_stays_empty(tmp_path):
    url = f"sqlite:///{tmp_path / 'league.db'}"
    open_store(url).close()
    before = contents(tmp_path)
    done = call("show", "--store", url)
    assert done.code == 2
    assert "no tournament in" in done.err
    assert contents(tmp_path) == before


@pytest.fixture
def old(tmp_path):
    """A store of the first version, in a folder of its own."""
    with sqlite3.connect(tmp_path / "old.db") as connection:
        connection.executescript((ROOT / "tests" / "tournament" / "old_store.sql").read_text())
    connection.close()
    return f"sqlite:///{tmp_path / 'old.db'}"


def test_an_old_store_is_read_without_an_upgrade(old, tmp_path):
    before = contents(tmp_path)
    for reader in READERS:
        done = call(*reader, "--store", old)
        assert done.code == 0, done.err
    assert contents(tmp_path) == before


@bound
def test_an_old_store_is_read_where_nothing_can_be_written(old, tmp_path, call_bound):
    (tmp_path / "old.db").chmod(0o444)
    tmp_path.chmod(0o555)
    done = call_bound("verify", "--store", old)
    tmp_path.chmod(0o755)
    assert done.code == 0, done.err
    assert "OK: everything matches the record" in done.out


def test_nothing_is_written_to_the_copy_of_an_old_store(old):
    with (
        Tournament(store=open_store(old, reads=True)) as tournament,
        pytest.raises(StoreFailed, match="readonly database"),
    ):
        tournament.ask()
