"""Items from a file: JSON lines, CSV, or a folder with a folder per item."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from maxin.core import InvalidInput
from maxin.core.checks import check_player_name
from maxin.core.text import counted, listed
from maxin.service.arena.media import TEXT, type_of
from maxin.storage.slices import LONGEST
from maxin.storage.votes.items import Output

LARGEST_OUTPUT = 10 << 20  # bytes
LARGEST_PROMPT = 100_000  # characters
LARGEST_FILE = 500 << 20  # bytes of all outputs
LONGEST_NAME = 300  # characters of an item's name
PROMPT, ITEM, CATEGORY, OUTPUTS, FILE = "prompt", "item", "category", "outputs", "file"


class Item(NamedTuple):
    """A prompt with one output per player; `place` is where it was read.

    Votes on an item with a category have it in their data, and can be sliced by it.
    """

    name: str
    prompt: str
    outputs: Mapping[str, Output]
    place: str = ""
    category: str = ""


def read_items(path: str | Path) -> list[Item]:
    r"""The items of a JSON lines file, a CSV file or a folder.

    - JSON lines: `{"item": name, "prompt": text, "category": text, "outputs": {player: text}}`. A
      name and a category are optional, and `{"file": path}` in place of a text is a file next to
      it.
    - CSV: a column `prompt`, one column per player, and optionally `item` and `category`. An empty
      cell is no output.
    - A folder: a folder per item, in which `prompt.txt` is the prompt, `category.txt` its category,
      if it has one, and `anna.txt`, `anna.png` or `anna.mp3` is what the player anna answered.

    Raises:
        InvalidInput: names the file, the line, the value and the rule.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "hello.csv")
    ...     _ = path.write_text("prompt,anna,bo\nSay hello.,Hello!,Hi.\n")
    ...     [item] = read_items(path)
    >>> item.name, item.prompt, len(item.outputs)
    ('hello.csv:2', 'Say hello.', 2)
    """
    path = Path(path)
    try:
        items = list(_read(path))
    except OSError as error:
        named = str(error.filename or path)
        raise InvalidInput(f"{named!r} cannot be read: {error.strerror}") from error
    return _checked(items, str(path))


def _read(path: Path) -> Iterator[Item]:
    if path.is_dir():
        return _from_folder(path)
    readers = {".jsonl": _from_json_lines, ".ndjson": _from_json_lines, ".csv": _from_csv}
    if not path.is_file():
        raise InvalidInput(f"no file or folder {str(path)!r}")
    if path.suffix.lower() not in readers:
        raise InvalidInput(
            f"items must be a .jsonl file, a .csv file or a folder; got {str(path)!r}"
        )
    return readers[path.suffix.lower()](path)


def _checked(items: list[Item], place: str) -> list[Item]:
    if not items:
        raise InvalidInput(f"{place!r} has no items")
    seen: dict[str, str] = {}
    size = 0
    for item in items:
        _check_text(item.name, LONGEST_NAME, f"{item.place}: the name of an item")
        if not item.name.strip() or not item.name.isprintable():
            raise InvalidInput(
                f"{item.place}: the name of an item must be printable and not blank; "
                f"got {item.name!r}"
            )
        _check_text(item.prompt, LARGEST_PROMPT, f"{item.place}: a prompt")
        if not item.prompt.strip():
            raise InvalidInput(f"{item.place}: item {item.name!r} has no prompt; voters read it")
        _check_text(item.category, LONGEST, f"{item.place}: a category")
        if not item.category.isprintable():
            raise InvalidInput(
                f"{item.place}: a category must be printable, in one line; got {item.category!r}"
            )
        if item.name in seen:
            raise InvalidInput(f"{item.place}: {seen[item.name]} has an item {item.name!r} too")
        seen[item.name] = item.place
        if not item.outputs:
            raise InvalidInput(f"{item.place}: item {item.name!r} has no outputs")
        size += sum(len(output.body) for output in item.outputs.values())
    if size > LARGEST_FILE:
        raise InvalidInput(
            f"{place!r} has {size:,} bytes of outputs; at most {LARGEST_FILE:,} can be added at "
            "once, so split it"
        )
    return items


def _check_text(text: str, most: int, what: str) -> None:
    if len(text) > most:
        raise InvalidInput(f"{what} has at most {counted(most, 'character')}; got {len(text):,}")
    if "\0" in text or any("\ud800" <= sign <= "\udfff" for sign in text):
        raise InvalidInput(f"{what} must be text that can be stored; got {text[:40]!r}")


# JSON lines


def _from_json_lines(path: Path) -> Iterator[Item]:
    for line, text in enumerate(io.StringIO(_text(path)), start=1):
        if not text.strip():
            continue
        place = f"{str(path)!r}, line {line}"
        try:
            row = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InvalidInput(f"{place}: this is not JSON: {error}") from None
        yield _item_of(row, f"{path.name}:{line}", place, path.parent)


def _item_of(row: Any, name: str, place: str, folder: Path) -> Item:
    if not isinstance(row, dict) or not isinstance(row.get(OUTPUTS), dict):
        raise InvalidInput(
            f'{place}: an item is {{"prompt": text, "outputs": {{player: text}}}}; got '
            f"{json.dumps(row)[:80]}"
        )
    others = [key for key in row if key not in (ITEM, PROMPT, CATEGORY, OUTPUTS)]
    if others:
        raise InvalidInput(
            f"{place}: an item has item, prompt, category and outputs; got {listed(others)}"
        )
    defaults = {ITEM: name, PROMPT: "", CATEGORY: ""}
    texts = {key: row.get(key, default) for key, default in defaults.items()}
    for key, value in texts.items():
        if not isinstance(value, str):
            raise InvalidInput(f"{place}: {key} must be a text; got {json.dumps(value)[:80]}")
    outputs = {
        check_player_name(player): _output_of(given, f"{place}: the output of {player!r}", folder)
        for player, given in row[OUTPUTS].items()
    }
    return Item(texts[ITEM], texts[PROMPT], outputs, place, texts[CATEGORY].strip())


def _output_of(given: Any, place: str, folder: Path) -> Output:
    if isinstance(given, str):
        return _text_output(given, place)
    is_file = isinstance(given, dict) and given.keys() == {FILE} and isinstance(given[FILE], str)
    if not is_file:
        raise InvalidInput(
            f'{place} must be a text or {{"file": path}}; got {json.dumps(given)[:80]}'
        )
    return _file_output(folder, folder / given[FILE], f"{place}, {given[FILE]!r}")


def _text_output(text: str, place: str) -> Output:
    body = text.encode("utf-8", "replace")
    _check_size(len(body), place)
    return _not_blank(Output(TEXT, body), place)


def _not_blank(output: Output, place: str) -> Output:
    if not output.body.strip():
        raise InvalidInput(
            f"{place} is empty; leave it out, or write what voters shall see, as (no answer)"
        )
    return output


# CSV


def _from_csv(path: Path) -> Iterator[Item]:
    reader = csv.reader(io.StringIO(_text(path), newline=""), strict=True)
    header = next(reader, [])
    _check_header(header, f"{str(path)!r}, line 1")
    start = reader.line_num + 1
    try:
        for cells in reader:
            place = f"{str(path)!r}, line {start}"
            if any(cells):
                yield _item_of_cells(header, cells, f"{path.name}:{start}", place)
            start = reader.line_num + 1
    except csv.Error as error:
        raise InvalidInput(f"{str(path)!r}, line {start}: this is not CSV: {error}") from None


def _check_header(header: list[str], place: str) -> None:
    players = [name for name in header if name not in (ITEM, PROMPT, CATEGORY)]
    if PROMPT not in header or not players or len(set(header)) < len(header):
        raise InvalidInput(
            f"{place}: a CSV file of items has a column prompt and one column per player, each "
            f"once; got {listed(header) if header else 'an empty file'}"
        )
    for name in players:
        check_player_name(name)


def _item_of_cells(header: list[str], cells: list[str], name: str, place: str) -> Item:
    if len(cells) != len(header):
        raise InvalidInput(
            f"{place}: a row has {counted(len(header), 'cell')}, as its header; got {len(cells)}"
        )
    row = dict(zip(header, cells, strict=True))
    prompt, own, category = row.pop(PROMPT), row.pop(ITEM, ""), row.pop(CATEGORY, "")
    outputs = {
        player: _text_output(text, f"{place}: the output of {player!r}")
        for player, text in row.items()
        if text
    }
    return Item(own or name, prompt, outputs, place, category.strip())


# Folders


def _from_folder(folder: Path) -> Iterator[Item]:
    for inner in sorted(folder.iterdir()):
        if inner.name.startswith("."):
            continue
        if not inner.is_dir():
            raise InvalidInput(
                f"{str(inner)!r}: a folder of items has a folder per item, and nothing else"
            )
        yield _item_of_folder(folder, inner)


def _item_of_folder(folder: Path, inner: Path) -> Item:
    prompt, category, outputs = "", "", {}
    for path in sorted(inner.iterdir()):
        if path.name.startswith("."):
            continue
        output = _file_output(folder, path, repr(str(path)))
        if path.name in ("prompt.txt", "prompt.md"):
            prompt = output.body.decode()
        elif path.name == "category.txt":
            category = output.body.decode().strip()
        elif path.stem in outputs:
            raise InvalidInput(f"{str(path)!r}: the player {path.stem!r} has another output here")
        else:
            outputs[check_player_name(path.stem)] = output
    if not prompt:
        raise InvalidInput(f"{str(inner)!r}: the folder of an item must have a prompt.txt")
    return Item(inner.name, prompt, outputs, repr(str(inner)), category)


def _file_output(folder: Path, path: Path, place: str) -> Output:
    """The content of a file that is inside the folder, links followed."""
    real = path.resolve()
    if not real.is_relative_to(folder.resolve()):
        raise InvalidInput(f"{place}: the file must be in the folder {str(folder)!r}")
    if not real.is_file():
        raise InvalidInput(f"{place}: no such file")
    _check_size(real.stat().st_size, place)
    body = real.read_bytes()
    found = Output(type_of(body, path.suffix.lower().removeprefix("."), place), body)
    return _not_blank(found, place)


def _check_size(size: int, place: str) -> None:
    if size > LARGEST_OUTPUT:
        raise InvalidInput(f"{place} has {size:,} bytes; at most {LARGEST_OUTPUT:,} are allowed")


def _text(path: Path) -> str:
    if path.stat().st_size > LARGEST_FILE:
        raise InvalidInput(f"{str(path)!r} has more than {LARGEST_FILE:,} bytes; split it")
    try:
        return path.read_text(encoding="utf-8-sig", errors="strict")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{str(path)!r}: a file of items must be UTF-8 text; got the byte "
            f"{error.object[error.start]:#04x}"
        ) from None
