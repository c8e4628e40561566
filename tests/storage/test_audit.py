"""The audit names every entry that was changed, removed, added or moved, and nothing else."""

import random
import uuid
from contextlib import closing

import pytest
from sqlalchemy import delete, event, insert, select, update

from maxin.core import Match
from maxin.storage import PlayedMatch, StoreFailed, open_store
from maxin.storage import audit as audit_module
from maxin.storage.schema import (
    ASKED,
    EVENTS,
    HEAD,
    METADATA,
    PLAYERS,
    RECORD,
    RETRACTED,
    SETTINGS,
    TOLD,
)
from tests.helpers.inside import change_record, value_of
from tests.helpers.stores import write_match

N_ENTRIES = 21
# The number of an entry of each table in the middle of the record, and its description.
ENTRIES = {
    PLAYERS: (3, "player 'bo'"),
    ASKED: (9, "the ticket of match 3"),
    TOLD: (10, "the result of match 3"),
    EVENTS: (15, "the event 'request'"),
    RETRACTED: (20, "the retraction of entry 14"),
}
FLIPS = [(table, column.name) for table in RECORD for column in table.c if column.name != "seq"]
each_table = pytest.mark.parametrize("table", RECORD, ids=lambda table: table.name)


def fill(store):
    """Write a record of 21 entries with some of every kind, in several transactions."""
    store.transact(lambda writer: writer.set({"seed": 7, "players": ["anna", "bo"]}))

    def begin(writer):
        for number, name in enumerate(("anna", "bo", "cy")):
            writer.player(number, name, "active", {"depth": number})

    store.transact(begin)
    for number in range(1, 6):
        store.transact(lambda writer, number=number: write_match(writer, number, number / 8))
    store.transact(lambda writer: writer.request(0, 1))
    imported = PlayedMatch(None, 0, 1, 0.5, source="old.csv", line=1)
    store.transact(lambda writer: writer.tell(imported, "me"))
    store.transact(lambda writer: write_match(writer, 6))
    store.transact(lambda writer: writer.void(6, "no time"))
    store.transact(lambda writer: writer.event("failed", match=6, reason="none"))
    store.transact(lambda writer: writer.retract(writer.result_of(5), "wrong", "me"))
    store.transact(lambda writer: write_match(writer, 7))


@pytest.fixture(scope="module", params=["memory", "sqlite", "postgresql"])
def written(request, tmp_path_factory):
    """A filled store on each database, and the rows of its tables."""
    url = "sqlite://"
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path_factory.mktemp('audit') / 'league.db'}"
    elif request.param == "postgresql":
        name = f"audit_{uuid.uuid4().hex}"  # a process may make this fixture more than once
        url = request.getfixturevalue("postgres").new_database(name)
    with closing(open_store(url)) as store:
        fill(store)
        assert store.audit().problems == []
        tables = METADATA.sorted_tables
        found = execute(store, *map(select, tables))
        yield (
            store,
            {
                table: [dict(row) for row in rows.mappings()]
                for table, rows in zip(tables, found, strict=True)
            },
        )


@pytest.fixture
def filled(written):
    """The filled store as it was written, whatever tests before this one did to it."""
    store, tables = written
    with store._connected() as connection:
        for table, rows in tables.items():
            connection.execute(delete(table))
            if rows:
                connection.execute(insert(table), rows)
    return store


def execute(store, *statements):
    """Execute statements of SQLAlchemy, as somebody with the file could."""
    with store._connected() as connection:
        return [connection.execute(statement) for statement in statements]


def row_of(store, table, seq):
    (found,) = execute(store, select(table).where(table.c.seq == seq))
    return dict(found.mappings().one())


def other_value(value):
    """Another value of the same type."""
    if value is None:
        return None
    return value + "x" if isinstance(value, str) else 1 - value


def test_an_untouched_record_has_no_problems(filled):
    found = filled.audit()
    assert found.problems == []
    assert (found.n_entries, found.n_results, found.n_unsealed) == (N_ENTRIES, 5, 0)
    assert len(found.digest) == 32


def test_an_empty_store_has_no_problems(store):
    assert store.audit() == (0, 0, 0, "", None, [])


@each_table
def test_a_deleted_entry_is_missing(filled, table):
    seq, _ = ENTRIES[table]
    execute(filled, delete(table).where(table.c.seq == seq))
    assert filled.audit().problems == [f"entry {seq} is missing"]


def test_deleted_entries_are_one_gap(filled):
    execute(filled, *(delete(table).where(table.c.seq.between(8, 11)) for table in RECORD))
    assert filled.audit().problems == ["entries 8 to 11 are missing"]


@pytest.mark.parametrize(("table", "name"), FLIPS, ids=lambda part: getattr(part, "name", part))
def test_a_changed_value_is_noticed(filled, table, name):
    seq, words = ENTRIES[table]
    value = other_value(row_of(filled, table, seq)[name])
    value = {"games": "[1.0]", "player": 5, "match": 55}.get(name, 5 if value is None else value)
    execute(filled, update(table).where(table.c.seq == seq).values({name: value}))
    (problem,) = filled.audit().problems
    assert problem.startswith(f"entry {seq}, ")
    assert problem.endswith(", was changed")
    if name not in ("name", "match", "kind", "result"):
        assert problem == f"entry {seq}, {words}, was changed"


@each_table
def test_a_removed_digest_is_noticed(filled, table):
    seq, words = ENTRIES[table]
    execute(filled, update(table).where(table.c.seq == seq).values(digest=None))
    assert filled.audit().problems == [f"entry {seq}, {words}, was changed"]


@each_table
def test_an_entry_put_in_at_the_end_is_noticed(filled, table):
    seq, _ = ENTRIES[table]
    row = row_of(filled, table, seq) | {"seq": N_ENTRIES + 1}
    unique = {"result": 12} if table is RETRACTED else {}
    execute(filled, insert(table).values(row | unique))
    problems = filled.audit().problems
    assert problems[0] == "the head says 21 entries, the record ends with entry 22"
    assert "entry 22, " in problems[1]


@each_table
def test_an_entry_of_the_same_number_is_noticed(filled, table):
    seq, words = ENTRIES[table]
    row = {"seq": seq, "kind": "note", "detail": "{}", "time": 0.0, "digest": "0" * 32}
    other = PLAYERS if table is EVENTS else EVENTS
    if other is PLAYERS:
        row = {"seq": seq, "player": 0, "name": "bo", "state": "active", "time": 0.0}
    execute(filled, insert(other).values(row))
    (problem,) = filled.audit().problems
    assert problem.startswith(f"entry {seq} occurs 2 times: as ")
    assert words in problem


@each_table
@pytest.mark.parametrize("seq", [-3, 0])
def test_a_number_before_the_first_is_noticed(filled, table, seq):
    place, words = ENTRIES[table]
    execute(filled, update(table).where(table.c.seq == place).values(seq=seq))
    assert filled.audit().problems == [
        f"entry {seq}, {words}, is out of order: the first is 1",
        f"entry {place} is missing",
    ]


@pytest.mark.parametrize(
    ("table", "one", "two"),
    [(ASKED, 5, 11), (TOLD, 6, 12), (PLAYERS, 2, 4), (PLAYERS, 2, 3), (EVENTS, 15, 18)],
)
def test_two_rows_that_changed_places_are_noticed(filled, table, one, two):
    moves = [(one, 1000), (two, one), (1000, two)]
    for old, new in moves:
        execute(filled, update(table).where(table.c.seq == old).values(seq=new))
    problems = filled.audit().problems
    named = [problem for problem in problems if "do not follow each other" in problem]
    assert named == problems
    assert f"entries {one} " in problems[0]
    assert len(problems) == (1 if two - one <= 2 else 2)
    if len(problems) == 2:
        assert f"entries {two} " in problems[1]


def test_a_truncated_record_is_noticed(filled):
    for n_kept in (N_ENTRIES - 1, 12, 0):
        execute(filled, *(delete(table).where(table.c.seq > n_kept) for table in RECORD))
        problem = f"the head says 21 entries, the record ends with entry {n_kept}"
        assert filled.audit().problems == [problem]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"seq": 20}, "the head says 20 entries, the record ends with entry 21"),
        ({"seq": 22}, "the head says 22 entries, the record ends with entry 21"),
        ({"asked": 6}, "the head says that the last match is 6, the record says 7"),
        (
            {"changed": 3},
            "the head says that players last changed with entry 3, the record says 20",
        ),
        ({"unsealed": 3}, "the head says that 3 entries have no digest, in the record it is 0"),
        ({"unsealed": -1}, "the head says that -1 entries have no digest, in the record it is 0"),
        (
            {"digest": "0" * 32},
            "the digest in the head is not that of entry 21, the ticket of match 7",
        ),
    ],
)
def test_a_changed_head_is_noticed(filled, change, problem):
    execute(filled, update(HEAD).values(change))
    assert filled.audit().problems == [problem]


def test_changed_settings_are_noticed(filled):
    filled.transact(lambda writer: writer.set({"seed": 8}))
    assert filled.audit().problems == []
    seed = SETTINGS.c.key == "seed"
    execute(filled, update(SETTINGS).where(seed).values(value="9"))
    place = "in the table of settings and 8 in the record"
    assert filled.audit().problems == [f"the setting 'seed' is 9 {place}"]
    execute(filled, delete(SETTINGS).where(seed))
    assert filled.audit().problems == [f"the setting 'seed' is missing {place}"]
    execute(filled, insert(SETTINGS).values(key="seed", value="8"))
    execute(filled, insert(SETTINGS).values(key="lag", value="1"))
    place = "in the table of settings and missing in the record"
    assert filled.audit().problems == [f"the setting 'lag' is 1 {place}"]


def test_settings_that_change_meanwhile_are_no_problem(filled):
    if filled.url.database is None:
        pytest.skip("nobody else can write to memory")
    other = open_store(str(filled.url))

    def write(*arguments):
        if "max(" in arguments[2] and "maxin_head" in arguments[2]:
            other.transact(lambda writer: writer.set({"seed": writer.seq}))

    event.listen(filled._engine, "after_cursor_execute", write)
    assert filled.audit().problems == []
    event.remove(filled._engine, "after_cursor_execute", write)
    assert other.settings()["seed"] != 7  # it did change
    other.close()


def test_a_score_out_of_range_and_an_unknown_player_are_noticed(filled):
    filled.transact(lambda writer: writer.tell(PlayedMatch(7, 0, 5, 1.5), "me"))
    filled.transact(lambda writer: writer.ask(8, Match(0, 5), 7, "me", lease=60.0))
    assert filled.audit().problems == [
        "entry 22, the result of match 7, has the score 1.5, which must be in [0, 1]",
        "entry 22, the result of match 7, has the unknown player 5",
    ]


def test_a_negative_zero_changes_nothing(filled):
    filled.transact(lambda writer: writer.tell(PlayedMatch(7, 0, 1, -0.0), "me"))
    assert filled.audit().problems == []


def test_many_problems_are_counted(filled):
    filled.transact(lambda writer: [write_match(writer, number, 1.0) for number in range(100, 300)])
    execute(filled, update(TOLD).where(TOLD.c.match >= 100).values(score=0.0))
    problems = filled.audit().problems
    assert len(problems) == 21
    assert problems[0] == "entry 23, the result of match 100, was changed"
    assert problems[-1] == "and 180 more problems"


def test_pages_of_the_tables_are_joined_in_order(filled, monkeypatch):
    for size in (1, 2, 5):
        monkeypatch.setattr(audit_module, "PAGE", size)
        assert filled.audit().problems == []


def test_a_digest_of_the_record_is_found(filled):
    before = filled.audit()
    filled.transact(lambda writer: writer.event("note", text="later"))
    assert filled.audit(before.digest[:8]).known_until == N_ENTRIES
    execute(filled, update(EVENTS).where(EVENTS.c.seq == N_ENTRIES + 1).values(detail="{}"))
    found = filled.audit(before.digest)
    assert (found.known_until, len(found.problems)) == (N_ENTRIES, 1)
    execute(filled, update(TOLD).where(TOLD.c.seq == 6).values(score=0.0))
    found = filled.audit(before.digest)
    assert (found.known_until, len(found.problems)) == (None, 2)


def test_a_damaged_file_does_not_crash(tmp_path):
    path = tmp_path / "league.db"
    store = open_store(f"sqlite:///{path}")
    fill(store)
    page = value_of(store, "SELECT rootpage FROM sqlite_master WHERE name = 'maxin_told'")
    size = value_of(store, "PRAGMA page_size")
    store.close()
    data = bytearray(path.read_bytes())
    data[(page - 1) * size : page * size] = bytes(size)
    path.write_bytes(data)
    store = open_store(f"sqlite:///{path}", create=False)
    problems = store.audit().problems
    store.close()
    assert any("damaged" in problem or "cannot be read" in problem for problem in problems)


def test_bytes_and_words_in_sqlite_columns_are_no_crash(tmp_path):
    store = open_store(f"sqlite:///{tmp_path / 'league.db'}")
    fill(store)
    change_record(store, "UPDATE maxin_told SET score = 'x' WHERE seq = 10")
    change_record(store, "UPDATE maxin_told SET worker = x'00ff' WHERE seq = 12")
    change_record(store, "UPDATE maxin_asked SET digest = x'00ff' WHERE seq = 7")
    problems = store.audit().problems
    store.close()
    for seq, match in ((7, 2), (10, 3), (12, 4)):
        assert any(problem.startswith(f"entry {seq}, ") for problem in problems), (seq, match)


def random_value(rng, value):
    """A value that a cell could be changed to: a similar one, another one, or none."""
    choices = [None]
    if isinstance(value, str):
        place = rng.randrange(len(value) + 1)
        choices += [value + "0", value[1:], value[:place] + "é" + value[place:], value.upper()]
    elif isinstance(value, int):
        choices += [value + 1, -value, value + rng.randrange(1, 2**30), 0]
    elif isinstance(value, float):
        choices += [value + 2**-20, 1.0 - value, -value, 0.0]
    else:
        choices += ["[]", "x"]
    return rng.choice(choices)


def check_random_changes(store, n_changes, seed):
    """Change one cell at a time, and restore it; returns how many changes the tables allowed."""
    rng, n_done = random.Random(seed), 0
    while n_done < n_changes:
        table = rng.choice([*RECORD, HEAD, SETTINGS])
        (found,) = execute(store, select(table))
        rows = [dict(row) for row in found.mappings()]
        row = rng.choice(rows)
        names = [name for name in row if name not in ("id", "schema")]
        name = rng.choice(names)
        key = next(iter(table.primary_key))
        value = random_value(rng, row[name])
        whole = table.c[name].type.python_type is int
        if value == row[name] or (whole and isinstance(value, str)):
            continue
        if table.c[name].type.python_type is float and isinstance(value, str):
            continue
        where = key == row[key.name]
        try:
            execute(store, update(table).where(where).values({name: value}))
        except StoreFailed:  # the table allows no such value
            continue
        problems = store.audit().problems
        assert problems, (table.name, name, row, value)
        if table in RECORD and name not in ("seq", "digest"):
            assert any(f"entry {row['seq']}, " in problem for problem in problems), problems
        moved = value if name == key.name else row[key.name]
        execute(store, update(table).where(key == moved).values(row))
        n_done += 1
    assert store.audit().problems == []


def test_random_changes_are_noticed(filled):
    check_random_changes(filled, 25, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_a_thousand_random_changes_are_noticed(filled, seed):
    check_random_changes(filled, 100, seed=100 + seed)
