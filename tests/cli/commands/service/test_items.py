"""`maxin items` and `maxin invite`: what they add and print."""

import subprocess
import sys
from pathlib import Path

import pytest

from maxin.service.access.tokens import Tokens
from maxin.storage import open_store
from maxin.storage.tokens import read_tokens
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
    assert "texts.jsonl', line 1: no players named florid and chatty; --add-players" in done.err
    done = right("items", EXAMPLE, "--add-players", "--store", store)
    assert done.out == "12 items added\n"
    assert right("items", EXAMPLE, "--store", store).out == "0 items added, 12 there already\n"


def test_items_need_no_ratings(store, tmp_path):
    path = tmp_path / "items.csv"
    path.write_text("prompt,plain,terse\nSay hello.,Hello!,Hi.\n")
    words = ("items", str(path), "--store", store)
    code = (
        "import sys; from maxin.cli import main\n"
        f"sys.argv = ['maxin', *{words!r}]\n"
        "try:\n    main()\nfinally:\n    print('maxin.kernels' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "1 item added\nFalse\n", done.stderr
    assert "/vote" in done.stderr


def test_an_item_with_one_output_is_warned_of(store, tmp_path):
    path = tmp_path / "items.csv"
    path.write_text("item,prompt,plain\none,Say hello.,Hello!\n")
    assert "warning: 1 item with one output" in right("items", path, "--store", store).err
    path.write_text("item,prompt,terse\none,Say hello.,Hi.\n")
    assert "warning" not in right("items", path, "--store", store).err


@pytest.mark.parametrize("url", ["ftp://x", "arena.example", "https://arena.example/#mx_voter_1"])
def test_an_invitation_needs_the_url_of_a_service(store, url):
    done = call("invite", 1, "--url", url, "--store", store)
    assert done.code == 2
    assert "URL" in done.err
    assert done.out == ""


def test_names_of_voters_are_never_given_twice(store):
    for count, name in ((2, "jury"), (1, "jury"), (1, "eve"), (1, "eve"), (2, "eve")):
        right("invite", count, "--name", name, "--store", store)
    names = [f"jury {n}" for n in (1, 2, 3)] + ["eve"] + [f"eve {n}" for n in (2, 3, 4)]
    opened = open_store(store)
    assert sorted(row.name for row in read_tokens(opened)) == sorted(names)
    opened.close()


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
