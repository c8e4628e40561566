import sqlite3
from pathlib import Path

from maxin.tournament import Tournament
from tests.helpers.command import call, right

OLD_STORE = Path(__file__).resolve().parents[3] / "tournament" / "old_store.sql"


def test_verify_compares_and_finds_what_was_changed(store, tmp_path):
    done = right("verify")
    assert "read 120 matches of 14 players again" in done.out
    assert done.out.startswith("OK: everything matches the record\n")
    document = right("verify", "--format", "json").document
    assert (document["is_right"], document["problems"]) == (True, [])
    assert document["largest_difference"] < 1e-9
    with sqlite3.connect(tmp_path / "maxin.db") as connection:
        connection.execute("UPDATE maxin_asked SET seed = seed + 1 WHERE match = 7")
    connection.close()
    done = call("verify")
    assert done.code == 1
    assert "the ticket of match 7, was changed" in done.out
    assert "wrong: probably as a result, match 7 has another seed" in done.out
    done = call("verify", "--format", "json")
    assert (done.code, done.document["is_right"], len(done.document["problems"])) == (1, False, 2)


def test_python_prints_what_the_command_prints(store):
    with Tournament(store=store) as tournament:
        assert f"{tournament.verify()}\n" == right("verify").out


def test_the_digest_proves_later_that_nothing_was_rewritten(store):
    digest = right("verify", "--format", "json").document["digest"]
    out = right("verify").out
    assert f": {digest}\nKeep it elsewhere" in out
    Path("more.csv").write_text("first,second,score\nzoe,zac,1\n")
    right("import", "more.csv", "--add-players")
    done = right("verify", "--digest", digest[:10])
    assert "is as it was with this digest" in done.out
    done = call("verify", "--digest", "0123456789")
    assert done.code == 1
    assert "wrong: no unchanged entry has the digest 0123456789" in done.out
    done = call("verify", "--digest", "123")
    assert (done.code, done.out) == (2, "")
    assert done.err == "error: --digest must be 8 or more digits 0-9, a-f; got '123'\n"


def test_settings_that_cannot_be_read_are_no_crash(store, tmp_path):
    with sqlite3.connect(tmp_path / "maxin.db") as connection:
        connection.execute("UPDATE maxin_settings SET value = 'x' WHERE key = 'seed'")
    connection.close()
    done = call("verify")
    assert done.code == 1
    assert "in the table maxin_settings, the row with key 'seed': value must be JSON" in done.err


def test_an_older_store_says_what_is_not_checked(tmp_path):
    path = tmp_path / "old.db"
    with sqlite3.connect(path) as connection:
        connection.executescript(OLD_STORE.read_text())
    connection.close()
    where = ("--store", f"sqlite:///{path}")
    out = right("verify", *where).out
    assert "the first 41 entries come from an older version and have no digest" in out
    right("ask", *where)
    out = right("verify", *where).out
    assert out.startswith("OK: everything matches the record\n")
    assert "digest of entry 42: " in out


def test_an_older_store_that_cannot_be_read_does_not_crash(tmp_path):
    path = tmp_path / "old.db"
    with sqlite3.connect(path) as connection:
        connection.executescript(OLD_STORE.read_text())
        connection.execute("UPDATE maxin_told SET games = 'x' WHERE match = 3")
    connection.close()
    done = call("verify", "--store", f"sqlite:///{path}")
    assert done.code == 1
    assert "wrong: no state can be derived from the record: the store sqlite:///" in done.out
    assert "in the table maxin_told, the row with seq" in done.out


def test_a_server_says_what_is_not_checked(postgres_url):
    where = ("--store", postgres_url)
    right("start", "--player", "anna", "--player", "bo", *where)
    out = right("verify", *where).out
    assert "not checked: the files of the database server" in out
    assert "OK: everything matches the record" in out
