"""Items: what files may hold, and what the store takes."""

import json

import pytest
from sqlalchemy import func, select

from maxin.core import InvalidInput, Match
from maxin.service.arena.item_files import LARGEST_OUTPUT, Item, read_items
from maxin.service.arena.items import AddedItems, add_items
from maxin.storage.schema import ITEMS, OUTPUTS
from maxin.storage.votes.items import Output
from maxin.storage.votes.pairs import add_pair
from maxin.tournament import Tournament
from tests.helpers.inside import change_record

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"></svg>'


@pytest.fixture(params=["sqlite", "postgresql"])
def tournament(request, tmp_path):
    is_server = request.param == "postgresql"
    url = request.getfixturevalue("postgres_url") if is_server else tmp_path / "league.db"
    with Tournament(["anna", "bo"], url, seed=1) as opened:
        yield opened


def lines(tmp_path, *rows):
    path = tmp_path / "items.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def item(name="greeting", prompt="Say hello.", **texts):
    texts = texts or {"anna": "Hello!", "bo": "Hi."}
    outputs = {player: Output("text/plain", text.encode()) for player, text in texts.items()}
    return Item(name, prompt, outputs)


def stored(tournament):
    with tournament.store.one_moment() as connection:
        count = select(func.count()).select_from
        return tuple(connection.execute(count(table)).scalar() for table in (ITEMS, OUTPUTS))


def show(tournament, number):
    """Have an item shown to somebody."""
    tournament.store.transact(
        lambda writer: add_pair(writer, "k", "v", 1, Match(0, 1), number, is_swapped=False)
    )


def test_json_lines_hold_texts_and_files(tmp_path):
    (tmp_path / "a.png").write_bytes(PNG)
    row = {"item": "x", "prompt": "Draw.", "outputs": {"anna": {"file": "a.png"}, "bo": "no"}}
    (found,) = read_items(lines(tmp_path, row))
    assert found.outputs == {"anna": Output("image/png", PNG), "bo": Output("text/plain", b"no")}


def test_a_folder_has_a_folder_per_item(tmp_path):
    folder = tmp_path / "items" / "one"
    folder.mkdir(parents=True)
    (folder / "prompt.txt").write_text("Draw.")
    (folder / "anna.svg").write_bytes(SVG)
    (folder / "bo.mp3").write_bytes(b"ID3\x04")
    (found,) = read_items(tmp_path / "items")
    assert (found.name, found.prompt) == ("one", "Draw.")
    assert {name: output.type for name, output in found.outputs.items()} == {
        "anna": "image/svg+xml",
        "bo": "audio/mpeg",
    }


def test_csv_has_a_column_per_player(tmp_path):
    path = tmp_path / "items.csv"
    path.write_text('item,prompt,anna,bo\none,Hello?,"two\nlines",\n')
    (found,) = read_items(path)
    assert found.outputs == {"anna": Output("text/plain", b"two\nlines")}


@pytest.mark.parametrize(
    ("name", "body", "message"),
    [
        ("a.png", b"<html>", "its name says image/png, and its content is text/plain"),
        ("a.txt", PNG, "its name says text/plain, and its content is image/png"),
        ("a.svg", b"<html>", "its name says image/svg\\+xml, and its content is text/plain"),
        ("a.html", b"<html>", "must end with txt, md, png"),
        ("a.txt", b"\xff\xfe\x00", "neither text nor"),
        ("a.txt", b"a" * (LARGEST_OUTPUT + 1), "10,485,761 bytes; at most 10,485,760"),
    ],
)
def test_the_content_decides_what_an_output_is(tmp_path, name, body, message):
    (tmp_path / name).write_bytes(body)
    path = lines(tmp_path, {"prompt": "x", "outputs": {"anna": {"file": name}}})
    with pytest.raises(InvalidInput, match=message):
        read_items(path)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"outputs": {"anna": "x", "bo": "y"}}, "line 1: item 'items.jsonl:1' has no prompt"),
        ({"prompt": " ", "outputs": {"anna": "x", "bo": "y"}}, "has no prompt"),
        ({"prompt": "x", "outputs": {"anna": " \n", "bo": "y"}}, "the output of 'anna' is empty"),
    ],
)
def test_an_unreadable_item_is_refused(tmp_path, row, message):
    with pytest.raises(InvalidInput, match=message):
        read_items(lines(tmp_path, row))


def test_a_folder_without_a_prompt_is_refused(tmp_path):
    folder = tmp_path / "items" / "one"
    folder.mkdir(parents=True)
    (folder / "anna.txt").write_text("Hello!")
    with pytest.raises(InvalidInput, match=r"one': the folder of an item must have a prompt\.txt"):
        read_items(tmp_path / "items")


@pytest.mark.parametrize(
    "path", ["../secret.txt", "/etc/hostname", "link.txt", "inner/../../secret.txt"]
)
def test_no_file_outside_the_folder_is_read(tmp_path, path):
    (tmp_path / "secret.txt").write_text("secret")
    folder = tmp_path / "items"
    (folder / "inner").mkdir(parents=True)
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    with pytest.raises(InvalidInput, match="the file must be in the folder"):
        read_items(lines(folder, {"prompt": "x", "outputs": {"anna": {"file": path}}}))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"prompt": "x"}, "an item is"),
        ({"prompt": 1, "outputs": {"a": "b"}}, "prompt must be a text; got 1"),
        ({"prompt": "x", "outputs": {"a": 1}}, "must be a text or"),
        ({"prompt": "x", "outputs": {}}, "has no outputs"),
        ({"prompt": "x\0", "outputs": {"a": "b"}}, "must be text that can be stored"),
        ({"prompt": "x", "outputs": {"a": "b"}, "other": 1}, "got other"),
    ],
)
def test_a_wrong_line_is_named(tmp_path, row, message):
    with pytest.raises(InvalidInput, match=f"line 2: .*{message}"):
        read_items(lines(tmp_path, {"prompt": "x", "outputs": {"a": "b"}}, row))


def test_adding_the_same_items_again_changes_nothing(tournament):
    assert add_items(tournament, [item()]) == AddedItems(1, 0, 0)
    assert add_items(tournament, [item()]) == AddedItems(0, 0, 1)
    assert stored(tournament) == (1, 2)


def test_unknown_players_are_named_or_join(tournament):
    new = item(anna="a", cy="c")
    with pytest.raises(InvalidInput, match="no players named cy; --add-players"):
        add_items(tournament, [new])
    assert stored(tournament) == (0, 0)
    add_items(tournament, [new], add_players=True)
    assert tournament.names == ["anna", "bo", "cy"]
    assert stored(tournament) == (1, 2)


def test_an_item_changes_until_it_is_shown(tournament):
    add_items(tournament, [item()])
    assert add_items(tournament, [item(prompt="Greet.")]) == AddedItems(0, 1, 0)
    show(tournament, 1)
    with pytest.raises(InvalidInput, match="another prompt in the store"):
        add_items(tournament, [item(prompt="Say hi."), item("new")])
    with pytest.raises(InvalidInput, match="another output in the store"):
        add_items(tournament, [item(prompt="Greet.", anna="other", cy="c")], add_players=True)
    assert tournament.names == ["anna", "bo"]
    assert stored(tournament) == (1, 2)
    more = item(prompt="Greet.", anna="Hello!", bo="Hi.", cy="Hey.")
    assert add_items(tournament, [more], add_players=True) == AddedItems(0, 1, 0)
    assert stored(tournament) == (1, 3)


def test_every_kind_of_file_may_have_categories(tmp_path):
    row = {"item": "x", "prompt": "p", "category": " code ", "outputs": {"anna": "a"}}
    plain = {"item": "y", "prompt": "p", "outputs": {"anna": "a"}}
    assert [one.category for one in read_items(lines(tmp_path, row, plain))] == ["code", ""]
    (tmp_path / "items.csv").write_text("prompt,category,anna,bo\np,code,a,b\nq,,a,b\n")
    found = read_items(tmp_path / "items.csv")
    assert [one.category for one in found] == ["code", ""]
    assert list(found[0].outputs) == ["anna", "bo"]
    for name, text in (("prompt", "p"), ("category", "code\n"), ("anna", "a"), ("bo", "b")):
        (tmp_path / "all" / "x").mkdir(parents=True, exist_ok=True)
        (tmp_path / "all" / "x" / f"{name}.txt").write_text(text)
    (one,) = read_items(tmp_path / "all")
    assert (one.category, list(one.outputs)) == ("code", ["anna", "bo"])


@pytest.mark.parametrize(
    ("category", "message"),
    [
        (3, "category must be a text; got 3"),
        ("x" * 101, "a category has at most 100 characters; got 101"),
        ("a\nb", "a category must be printable, in one line"),
    ],
)
def test_a_category_is_a_short_text(tmp_path, category, message):
    row = {"prompt": "p", "category": category, "outputs": {"anna": "a"}}
    with pytest.raises(InvalidInput, match=message):
        read_items(lines(tmp_path, row))


def test_a_store_of_schema_4_gets_a_column_for_categories(tmp_path):
    path = tmp_path / "league.db"
    with Tournament(["anna", "bo"], path, seed=1) as tournament:
        add_items(tournament, [item()])
        change_record(
            tournament.store,
            "ALTER TABLE maxin_items DROP COLUMN category",
            "ALTER TABLE maxin_head DROP COLUMN ahead",
            "UPDATE maxin_head SET schema = 4",
        )
    with Tournament(store=path) as tournament:
        added = add_items(tournament, [item()._replace(category="code"), item("new")])
        assert (added.n_new, added.n_changed) == (1, 1)
        with tournament.store.one_moment() as connection:
            rows = connection.execute(select(ITEMS.c.name, ITEMS.c.category)).all()
        assert dict(map(tuple, rows)) == {"greeting": "code", "new": ""}
