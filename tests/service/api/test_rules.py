"""What is wrong with a body is said with the value, the rule and the place."""

import gc

import msgspec
import pytest

pytest.importorskip("starlette", reason="the extra `web` is not installed")

from maxin.core import InvalidInput
from maxin.service.access.refusal import Refusal
from maxin.service.api.rules import decoded
from maxin.service.api.schemas import (
    AskBody,
    FailureBody,
    LeasesBody,
    NumberedResult,
    ResultBody,
    SessionBody,
    VoteBody,
)


@pytest.mark.parametrize(
    ("kind", "body", "message"),
    [
        (AskBody, b'{"n":0}', "n of the body must be a whole number of at least 1; got 0"),
        (AskBody, b'{"wait":99}', "wait of the body must be a number of at most 25; got 99"),
        (AskBody, b'{"lease":0}', "lease of the body must be a number above 0; got 0"),
        (AskBody, b"[]", "the body must be an object; got []"),
        (
            AskBody,
            b'{"m":1}',
            "the body has the unknown field 'm'; it may have n, lease, wait",
        ),
        (
            VoteBody,
            b'{"choice":"zz"}',
            'choice of the body must be one of a, b, bad, skip, tie; got "zz"',
        ),
        (
            VoteBody,
            b'{"choice":"a","ms":"x"}',
            'ms of the body must be a whole number or null; got "x"',
        ),
        (ResultBody, b"{}", "the body must have the field 'score'; got {}"),
        (
            ResultBody,
            b'{"score":1,"games":[1,"x"]}',
            'games[1] of the body must be a number; got "x"',
        ),
        (ResultBody, b'{"score":1e999}', "the body is invalid: Number out of range - at `$.score`"),
        (list[NumberedResult], b"{}", "the body must be an array; got {}"),
        (
            list[NumberedResult],
            b'[{"match":1,"score":1},{"match":0,"score":1}]',
            "[1].match of the body must be a whole number of at least 1; got 0",
        ),
        (
            FailureBody,
            b'{"reason":""}',
            'reason of the body must be a text of at least 1 character; got ""',
        ),
        (
            LeasesBody,
            msgspec.json.encode({"matches": [1] * 1001}),
            "matches of the body must be an array of at most 1,000 elements; got [1, 1",
        ),
    ],
)
def test_the_sentence_has_the_value_the_rule_and_the_place(kind, body, message):
    with pytest.raises(InvalidInput) as caught:
        decoded(msgspec.json.Decoder(kind), body, kind)
    assert str(caught.value).startswith(message)
    assert len(str(caught.value)) < 200


def test_a_token_is_not_repeated():
    body = msgspec.json.encode({"token": "mx_admin_1f_secret" + "x" * 300})
    with pytest.raises(InvalidInput) as caught:
        decoded(msgspec.json.Decoder(SessionBody), body, SessionBody)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("body", [b"", b"  "])
def test_an_empty_body_is_said_to_be_empty(body):
    with pytest.raises(Refusal, match="the body must be JSON; it is empty"):
        decoded(msgspec.json.Decoder(AskBody), body, AskBody)


@pytest.mark.parametrize("start", [b"", b'{"data":', b'{"score":1,"data":{"a":'])
def test_a_body_that_is_nested_too_deeply_is_refused(start):
    gc.collect()  # a finalizer of an earlier test's garbage would fail for want of stack
    decoder = msgspec.json.Decoder(ResultBody)
    with pytest.raises(Refusal, match="the body is nested too deeply"):
        decoded(decoder, start + b"[" * 50_000, ResultBody)


def test_a_body_that_is_not_utf_8_is_refused():
    for body in (b'{"score\xff": 1}', b'{"score": 1, "data": {"a": "\xfe"}}'):
        with pytest.raises(Refusal, match="the body must be UTF-8"):
            decoded(msgspec.json.Decoder(ResultBody), body, ResultBody)
