"""`maxin items` and `maxin invite`: what they add and print."""

from pathlib import Path

import pytest

from maxin.service.access.tokens import Tokens
from maxin.storage import open_store
from tests.helpers.command import call, right

EXAMPLE = Path(__file__).resolve().parents[4] / "examples" / "arena" / "texts.jsonl"


@pytest.fixture
def store(tmp_path):
    url = f"sqlite:///{tmp_path / 'arena.db'}"
    right("start", "--player", "plain", "--player", "terse", "--store", url)
    return url


def test_the_example_is_added_once(store):
    done = call("items", EXAMPLE, "--store", store)
    assert done.code == 2
    assert "no players named florid and chatty; --add-players" in done.err
    done = right("items", EXAMPLE, "--add-players", "--store", store)
    assert done.out == "12 items added\n"
    assert right("items", EXAMPLE, "--store", store).out == "0 items added, 12 there already\n"


def test_a_file_that_is_not_there_is_named(store, tmp_path):
    done = call("items", tmp_path / "no.jsonl", "--store", store)
    assert done.code == 2
    assert "no.jsonl" in done.err


def test_invitations_are_links_that_the_service_takes(store):
    done = right("invite", 2, "--name", "jury", "--url", "https://arena.example/", "--store", store)
    links = done.out.split()
    assert len(links) == 2
    assert "shown only this once" in done.err
    opened = open_store(store)
    tokens = Tokens(opened)
    opened.close()
    callers = [tokens.find(link.partition("https://arena.example/vote#")[2]) for link in links]
    assert [(caller.role, caller.name) for caller in callers] == [
        ("voter", "jury 1"),
        ("voter", "jury 2"),
    ]
