import sqlite3

from tests.helpers.command import call, right


def test_verify_compares_and_finds_what_was_changed(store, tmp_path):
    done = right("verify")
    assert "read 120 matches of 14 players again" in done.out
    assert "OK: everything matches the record" in done.out
    document = right("verify", "--format", "json").document
    assert (document["is_right"], document["problems"]) == (True, [])
    assert document["largest_difference"] < 1e-9
    with sqlite3.connect(tmp_path / "maxin.db") as connection:
        connection.execute("UPDATE maxin_asked SET seed = seed + 1 WHERE match = 7")
    connection.close()
    done = call("verify")
    assert done.code == 1
    assert "wrong: match 7 has another seed" in done.out
    done = call("verify", "--format", "json")
    assert (done.code, done.document["is_right"], len(done.document["problems"])) == (1, False, 1)
