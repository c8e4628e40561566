"""A backup is a whole store as of one moment, whoever writes meanwhile, or there is none."""

import os
import signal
from contextlib import closing

import pytest

from maxin.core import InvalidInput
from maxin.storage import Store, StoreFailed, open_store
from maxin.storage.backup import back_up
from maxin.tournament import Tournament
from tests.helpers.inside import change_record
from tests.helpers.leagues import NAMES, play_some, results_of
from tests.helpers.processes import forked
from tests.helpers.waiting import LONG

N_WRITERS = 2


def write(url, is_ready):
    """Play until this process is killed."""
    with Tournament(store=url) as tournament:
        is_ready.set()
        while True:
            tournament.tell(tournament.ask(), 1.0)


def die_in_backup(url, path, force):
    """Start a backup, and kill this process before its copy is checked."""
    Store.audit = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
    back_up(open_store(url), path, force=force)


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path / 'league.db'}"


@pytest.fixture(params=["sqlite", "postgresql"])
def shared_url(request, tmp_path):
    if request.param == "postgresql":
        return request.getfixturevalue("postgres_url")
    return f"sqlite:///{tmp_path / 'league.db'}"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "copy.db"


def leftovers(path):
    """The files in the folder of a backup that are neither it nor the store."""
    return [
        file.name
        for file in path.parent.iterdir()
        if not file.name.startswith(("league", "copy.db"))
    ]


def test_the_copy_is_the_same_tournament(shared_url, path):
    with Tournament(NAMES, shared_url, seed=3) as tournament:
        play_some(tournament, 20)
        tournament.request("anna", "bo")
        tournament.ask()
        tournament.pause("cy")
        made = tournament.backup(path)
        assert made == (path, 20, path.stat().st_size, tournament.verify().digest)
        assert leftovers(path) == []
        assert not list(path.parent.glob("copy.db-*"))
        with Tournament(store=f"sqlite:///{path}") as copy:
            assert results_of(copy) == results_of(tournament)
            assert copy.states == tournament.states
            assert copy.entrants() == tournament.entrants()
            pending = [ticket[:5] for ticket in copy.pending()]
            assert pending == [ticket[:5] for ticket in tournament.pending()]
            assert copy.store.leases() == tournament.store.leases()
            assert copy.verify().problems == []
            assert copy.ask()[:4] == tournament.ask()[:4]


def test_a_tournament_in_memory_is_kept(path):
    tournament = Tournament(NAMES, seed=3)
    play_some(tournament, 5)
    assert tournament.backup(str(path)).n_results == 5
    with Tournament(store=f"sqlite:///{path}") as copy:
        assert results_of(copy) == results_of(tournament)


def test_a_copy_made_while_others_write_is_the_start_of_the_record(shared_url, path):
    tournament = Tournament(NAMES, shared_url, seed=3)
    context = forked()
    ready = [context.Event() for _ in range(N_WRITERS)]
    writers = [context.Process(target=write, args=(shared_url, is_ready)) for is_ready in ready]
    for writer in writers:
        writer.start()
    try:
        assert all(is_ready.wait(LONG) for is_ready in ready)
        made = [tournament.backup(path.with_name(f"copy.db{number}")) for number in range(3)]
        assert tournament.verify().problems == []  # while they write
    finally:
        for writer in writers:
            writer.kill()
            writer.join()
    assert tournament.verify().problems == []
    sizes = []
    for backup in made:
        with closing(open_store(f"sqlite:///{backup.path}", create=False)) as copy:
            found = copy.audit()
        assert (found.problems, found.digest) == ([], backup.digest)
        assert tournament.store.audit(backup.digest).known_until == found.n_entries
        sizes.append(found.n_entries)
    assert sizes == sorted(sizes)
    tournament.close()


@pytest.mark.parametrize("force", [False, True])
def test_a_killed_backup_leaves_nothing_under_its_name(shared_url, path, force):
    with Tournament(NAMES, shared_url, seed=3) as tournament:
        play_some(tournament, 5)
    if force:
        path.write_text("the last backup")
    process = forked().Process(target=die_in_backup, args=(shared_url, path, force))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    assert path.exists() == force
    assert not force or path.read_text() == "the last backup"


def test_a_failed_backup_leaves_nothing(shared_url, path):
    with Tournament(NAMES, shared_url, seed=3) as tournament:
        play_some(tournament, 5)
        change_record(tournament.store, "DELETE FROM maxin_told WHERE match = 3")
        with pytest.raises(StoreFailed, match="the record has problems: entry 11 is missing"):
            tournament.backup(path)
    assert not path.exists()
    assert leftovers(path) == []


def test_no_file_is_overwritten_and_no_link_followed(url, path):
    precious = path.with_name("league-precious")
    precious.write_text("precious")
    path.symlink_to(precious)
    with Tournament(NAMES, url) as tournament:
        with pytest.raises(InvalidInput, match="exists; --force, or force=True in Python"):
            tournament.backup(path)
        tournament.backup(path, force=True)
    assert precious.read_text() == "precious"
    assert not path.is_symlink()


def test_a_file_that_appears_meanwhile_is_kept(url, path, monkeypatch):
    sync = os.fsync

    def appear(handle):
        path.write_text("precious")
        sync(handle)

    with Tournament(NAMES, url) as tournament:
        monkeypatch.setattr(os, "fsync", appear)
        with pytest.raises(InvalidInput, match=r"copy.db' exists"):
            tournament.backup(path)
    assert path.read_text() == "precious"
    assert leftovers(path) == []


def test_a_file_system_without_links_works(url, path, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError("no links here")

    monkeypatch.setattr(os, "link", refuse)
    with Tournament(NAMES, url) as tournament:
        tournament.backup(path)
        assert leftovers(path) == []
        with pytest.raises(InvalidInput, match="exists"):
            tournament.backup(path)


def test_a_store_in_use_is_not_replaced(url, path):
    with Tournament(NAMES, url) as tournament:
        with pytest.raises(InvalidInput, match="is the store itself"):
            tournament.backup(path.with_name("league.db"), force=True)
        with Tournament(NAMES, f"sqlite:///{path}") as other:
            play_some(other, 1)
            with pytest.raises(InvalidInput, match=r"there is .*; choose another file"):
                tournament.backup(path, force=True)
            assert other.verify().problems == []
        with pytest.raises(InvalidInput, match="is a folder"):
            tournament.backup(path.parent, force=True)
