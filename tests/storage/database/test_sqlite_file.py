"""A store whose file goes away: nothing that would be lost with it is acknowledged."""

import shutil

import pytest

from maxin.storage import StoreFailed, open_store

GONE = "its file was deleted, moved or replaced while it was in use"


def note(writer):
    return writer.event("note", text="hello")


def remove(path):
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink()


def replace(path):
    shutil.copy(path, path.with_name("copy.db"))
    path.with_name("copy.db").replace(path)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "league.db"


@pytest.fixture
def store(path):
    store = open_store(path)
    store.transact(note)
    yield store
    store.close()


@pytest.mark.parametrize("harm", [remove, replace])
def test_a_file_that_is_gone_takes_nothing(store, path, harm):
    harm(path)
    with pytest.raises(StoreFailed, match=GONE) as caught:
        store.transact(note)
    assert f"sqlite:///{path}" in str(caught.value)
    assert str(path) not in caught.value.reason
    with pytest.raises(StoreFailed, match=GONE):
        store.seq()


@pytest.mark.parametrize("harm", [remove, replace])
def test_a_file_that_goes_before_the_commit_is_noticed_after_it(store, path, harm):
    def work(writer):
        harm(path)
        return note(writer)

    with pytest.raises(StoreFailed, match=GONE):
        store.transact(work)


def test_a_file_that_is_put_back_is_used_again(store, path):
    path.rename(path.with_name("moved.db"))
    with pytest.raises(StoreFailed, match=GONE):
        store.transact(note)
    path.with_name("moved.db").rename(path)
    assert store.transact(note) == 2


def test_a_file_can_be_opened_by_a_relative_name(path, monkeypatch):
    monkeypatch.chdir(path.parent)
    store = open_store(path.name)
    monkeypatch.chdir("/")
    assert store.transact(note) == 1
    store.close()


def test_readers_see_the_file_as_it_was(store, path):
    reader = open_store(path, reads=True)
    replace(path)
    assert reader.seq() == 1
    reader.close()
