import pytest

pytest.importorskip("starlette", reason="the extra `web` is not installed")

from tests.helpers.command import call, right, start


def test_a_token_is_shown_once_and_stored_as_a_digest(folder):
    start("anna", "bo")
    done = right("token", "add", "worker", "office")
    token = done.out.strip()
    _, role, number, secret = token.split("_", 3)
    assert (role, len(secret)) == ("worker", 43)  # 256 bit
    assert "only this once" in done.err
    stored = b"".join(path.read_bytes() for path in folder.iterdir())
    assert secret.encode() not in stored
    listed = right("token", "list")
    assert number in listed.out
    assert "1 token, 1 in force" in listed.out
    assert secret not in listed.out


def test_tokens_are_listed_in_every_format():
    start("anna", "bo")
    assert right("token", "list").out == "0 tokens, 0 in force\n"
    right("token", "add", "admin", "boss")
    right("token", "add", "viewer", "wall")
    rows = right("token", "list", "--format", "json").document["tokens"]
    assert [(row["role"], row["name"], row["revoked"]) for row in rows] == [
        ("admin", "boss", None),
        ("viewer", "wall", None),
    ]
    assert all("digest" not in row for row in rows)
    assert right("token", "list", "--format", "csv").out.startswith("token,role,name,made,state\n")
    assert "| boss |" in right("token", "list", "--format", "markdown").out


def test_a_token_is_revoked_by_number_or_name():
    start("anna", "bo")
    number = right("token", "add", "worker", "office").out.split("_")[2]
    right("token", "add", "worker", "lab")
    assert right("token", "revoke", number).out == f"token {number}, worker office: revoked\n"
    assert "was revoked before" in right("token", "revoke", number).out
    assert "worker lab: revoked" in right("token", "revoke", "lab").out
    assert right("token", "list").out.endswith("2 tokens, 0 in force\n")


def test_wrong_tokens_are_refused():
    start("anna", "bo")
    for _ in range(2):
        right("token", "add", "worker", "office")
    for words, message in (
        (("revoke", "office"), "2 tokens are named 'office'; give a number"),
        (("revoke", "offic"), "did you mean 'office'?"),
        (("add", "god", "me"), "'worker', 'viewer' or 'admin'"),
        (("add", "worker", "a|b"), "a token's name must be"),
    ):
        done = call("token", *words)
        assert done.code == 2
        assert message in done.err


def test_a_store_that_does_not_exist_is_said():
    done = call("token", "add", "worker", "office")
    assert done.code != 0
    assert "error:" in done.err
