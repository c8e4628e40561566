"""Stores whose rows were edited by hand: an error names the row, and no number is wrong."""

import random
import re
import shutil
import sqlite3
from contextlib import closing, suppress

import pytest

from maxin.core import MaxinError
from maxin.storage import StoreFailed
from maxin.tournament import Tournament
from tests.helpers.command import call
from tests.helpers.shaky import aborted

NAMES = ["anna", "bo", "cy"]
BIG = 2**63 - 1
VALUES = [
    *(None, 0, 1, 2, 7, -1, -7, BIG, -BIG, 10**12, 0.5, 7.0, 1e308, -1e308, 0.1),
    *("", "abc", "{", "[", "x", "{}", "[]", "null", "NaN", "[NaN]", "[1e999]", '{"a": 1e999}'),
    *("[7]", '["a"]', "[[]]", "[0.5]", "[1, 0]", '{"reason": 5}', '{"attempt": []}', "1", "-1"),
    *("sleeping", "active", "retired", "demand", "void", "failed", "anna", "bo", "a\x00b", "a\nb"),
    *("\x1b[31m", "\u202e", "<script>", "[" * 3000, "9" * 5000, "[" + "9" * 5000 + "]", "n" * 400),
    *(b"abc", b"\xff\xfe", b""),
    *(
        '"best"',
        '"top-9"',
        '"top-two:k=2"',
        '"nosuch"',
        "true",
        '{"k": 1}',
        '["anna"]',
        '["cy", 5]',
    ),
]
TABLES = [f"maxin_{name}" for name in ("head", "settings", "players", "asked", "told", "events")]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A small store with everything in it: games, errors, data, failures, imports, a lease."""
    path = tmp_path_factory.mktemp("whole") / "league.db"
    url = f"sqlite:///{path}"
    with Tournament(NAMES, url, seed=3, scheduler="random", games_per_match=2) as tournament:
        for number in range(6):
            ticket = tournament.ask()
            games = [1.0, 0.5] if number % 2 else None
            score = 0.75 if number % 2 else 0.5
            tournament.tell(ticket, score, games=games, errors=["slow"], data={"plies": number})
        tournament.void(tournament.ask(), "it hung")
        tournament.add_results([("anna", "bo", 1.0), ("cy", "bo", 0.5)], source="old.csv")
        aborted(tournament, fail, budget=10, retries=1)
        tournament.resume(*NAMES)
        tournament.request("cy", "anna")
        tournament.pause("bo")
        tournament.ask()
    return path


def fail(first, second, seed):
    raise RuntimeError("out of memory")


def read_all(url):
    """Everything that a command may show."""
    with Tournament(store=url) as tournament:
        board = str(tournament.leaderboard())
        matches, events = list(tournament.matches()), list(tournament.store.events())
        failures, verified = tournament.failures(), tournament.verify()
        return board, matches, events, failures, verified, tournament.entrants()


def outcome(url):
    """What is read, or the error."""
    try:
        return read_all(url)
    except Exception as error:
        return error


def edit(path, rng):
    """Change one random cell; returns what was done."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        table = rng.choice([*TABLES, "maxin_leases", "maxin_told", "maxin_players"])
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        rows = [row for (row,) in connection.execute(f"SELECT rowid FROM {table}")]
        column, row, value = rng.choice(columns), rng.choice(rows), rng.choice(VALUES)
        # Whoever edits the file may drop its rules too.
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '')")
        connection.commit()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA synchronous = OFF")
        with suppress(sqlite3.IntegrityError, sqlite3.DataError):  # keys are unique, and whole
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (value, row))
    return f"{table}.{column} = {str(value)[:40]!r} in row {row}"


def counts(path):
    """How many results there are, and the sum of their scores, as the file has them."""
    with closing(sqlite3.connect(path)) as connection:
        query = "SELECT count(*), sum(score) FROM (SELECT score FROM maxin_told ORDER BY seq)"
        return connection.execute(query).fetchone()


def check_edits(whole, folder, n_edits, seed):
    """Edit copies of a store; each gives one of our errors, or what the record says."""
    rng = random.Random(seed)
    path = folder / "league.db"
    url = f"sqlite:///{path}"
    n_errors = 0
    for _ in range(n_edits):
        shutil.copy(whole, path)
        done = edit(path, rng)
        found = outcome(url)
        if isinstance(found, MaxinError):
            n_errors += 1
            assert str(path) in str(found) or "written by a newer maxin" in str(found), done
            assert len(str(found)) < 1000, done
            continue
        assert not isinstance(found, Exception), f"{done}: {found!r}"
        board, matches, *_ = found
        assert all(0.0 <= match.score <= 1.0 for match in matches), done
        assert all((match.first + match.second).isprintable() for match in matches), done
        assert "nan" not in board, done
        assert counts(path) == (len(matches), sum(match.score for match in matches)), done
    return n_errors


def test_random_edits_are_named_or_harmless(whole, tmp_path):
    assert check_edits(whole, tmp_path, 40, seed=0) > 12


@pytest.mark.slow
def test_many_random_edits_are_named_or_harmless(whole, tmp_path):
    assert check_edits(whole, tmp_path, 3000, seed=1) > 1000


def test_a_feature_that_no_player_has_is_named(whole, tmp_path):
    statement = "INSERT INTO maxin_settings VALUES ('features', '[\"step\"]')"
    path = changed(whole, tmp_path, statement)
    words = f"{re.escape(str(path))} is damaged: 'anna' needs the option 'step'"
    with pytest.raises(StoreFailed, match=words):
        read_all(f"sqlite:///{path}")


EDITS = [  # what is changed, and the table and the row that the error names
    ("UPDATE maxin_told SET games = '{' WHERE seq = 6", "maxin_told", 6),
    ("UPDATE maxin_told SET errors = '[' WHERE seq = 6", "maxin_told", 6),
    ("UPDATE maxin_told SET data = 'x' WHERE seq = 6", "maxin_told", 6),
    ("UPDATE maxin_told SET data = '{\"a\": 1e999}' WHERE seq = 6", "maxin_told", 6),
    ("UPDATE maxin_told SET score = 'abc' WHERE seq = 6", "maxin_told", 6),
    ("UPDATE maxin_told SET score = 7 WHERE seq = 6", "maxin_told", 6),
    ("UPDATE maxin_told SET score = 9e999 WHERE seq = 6", "maxin_told", 6),
    ("UPDATE maxin_told SET score = 0.25 WHERE seq = 8", "maxin_told", 8),
    ("UPDATE maxin_told SET first = 9 WHERE seq = 6", "maxin_told", 6),
    ("UPDATE maxin_told SET first = -1 WHERE seq = 6", "maxin_told", 6),
    ("UPDATE maxin_told SET first = second WHERE seq = 6", "maxin_told", 6),
    ("UPDATE maxin_told SET time = 1e300 WHERE seq = 6", "maxin_told", 6),
    ("UPDATE maxin_told SET seq = -5 WHERE seq = 6", "maxin_told", -5),
    ("UPDATE maxin_asked SET match = 9223372036854775807 WHERE seq = 5", "maxin_asked", 5),
    ("UPDATE maxin_asked SET second = x'00' WHERE seq = 5", "maxin_asked", 5),
    ("UPDATE maxin_asked SET seed = 'x' WHERE seq = 5", "maxin_told", 6),
    ("UPDATE maxin_players SET options = '{' WHERE seq = 3", "maxin_players", 3),
    ("UPDATE maxin_players SET state = 'sleeping' WHERE seq = 3", "maxin_players", 3),
    ("UPDATE maxin_players SET name = 'a' || char(7) WHERE seq = 3", "maxin_players", 3),
    ("UPDATE maxin_players SET name = 'anna' WHERE seq = 3", "maxin_players", 3),
    ("UPDATE maxin_players SET name = x'ff00' WHERE seq = 3", "maxin_players", 3),
    ("UPDATE maxin_players SET player = 7 WHERE seq = 3", "maxin_players", 3),
    ("DELETE FROM maxin_players WHERE player = 2", "maxin_asked", r"\d+"),
    ("UPDATE maxin_events SET detail = '{'", "maxin_events", r"\d+"),
    ("UPDATE maxin_events SET time = 'x'", "maxin_events", r"\d+"),
]


@pytest.mark.parametrize(("statement", "table", "seq"), EDITS, ids=[edit[0] for edit in EDITS])
def test_the_error_names_the_table_and_the_row(whole, tmp_path, statement, table, seq):
    path = changed(whole, tmp_path, statement)
    place = rf"is damaged: in the table {table}, the row with seq {seq}: "
    with pytest.raises(StoreFailed, match=f"{re.escape(str(path))} {place}"):
        read_all(f"sqlite:///{path}")


def changed(whole, folder, *statements):
    """A copy of the store, with these changes."""
    path = folder / "league.db"
    shutil.copy(whole, path)
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)
    return path


@pytest.mark.parametrize(
    ("statement", "place"),
    [
        ("UPDATE maxin_settings SET value = '{' WHERE key = 'seed'", "row with key 'seed'"),
        ("UPDATE maxin_settings SET value = '\"x\"' WHERE key = 'seed'", "maxin_settings: seed"),
        ("UPDATE maxin_settings SET value = '5' WHERE key = 'players'", "row with key 'players'"),
        ("UPDATE maxin_head SET seq = 'x'", "maxin_head, the row with id 1: seq must be"),
        ("UPDATE maxin_head SET schema = 'x'", "maxin_head, the row with id 1: schema must be"),
        ("DELETE FROM maxin_head", "maxin_head must have one row; it has 0"),
        ("UPDATE maxin_leases SET since = 'x'", "maxin_leases, the row with match"),
        ("DROP TABLE maxin_told", "no such table: maxin_told"),
    ],
)
def test_other_damage_is_named_too(whole, tmp_path, statement, place):
    path = changed(whole, tmp_path, statement)
    with pytest.raises(StoreFailed, match=place):
        read_all(f"sqlite:///{path}")


COMMANDS = [
    ["show"],
    ["report", "page.html"],
    ["export"],
    ["verify"],
    ["run", "--command", "echo 1"],
    ["ask"],
    ["tell", "1", "0.5"],
    ["players", "list"],
]
SLEEPING = "UPDATE maxin_players SET state = 'sleeping' WHERE seq = 3"
DAMAGE = [
    "UPDATE maxin_told SET score = 'abc' WHERE seq = 6",
    SLEEPING,
    "UPDATE maxin_settings SET value = '{' WHERE key = 'seed'",
    "UPDATE maxin_leases SET since = 'x', until = 'x'",
]


@pytest.mark.parametrize(
    ("command", "statement"),
    [
        pytest.param(command, statement, id=f"{' '.join(command)}-{statement}")
        for command in COMMANDS
        for statement in DAMAGE
        if (command[0], statement) != ("tell", SLEEPING)  # it reads no player's state
    ],
)
def test_commands_say_what_is_damaged(whole, tmp_path, monkeypatch, command, statement):
    monkeypatch.chdir(tmp_path)
    path = changed(whole, tmp_path, statement)
    done = call(*command, "--store", f"sqlite:///{path}")
    assert done.code == 1
    damage = f"the store sqlite:///{path} is damaged: in the table maxin_"
    if command == ["verify"]:
        assert "Traceback" not in done.err
        assert damage in done.out + done.err
    else:
        assert done.err.startswith(f"error: {damage}")
        assert len(done.err.splitlines()) == 1
