"""Waiting for a lock: who is named, and when."""

import itertools
import logging
from types import SimpleNamespace

import pytest

from maxin.storage.database import waiting
from maxin.storage.database.waiting import UNKNOWN, Holder, log_notice, wait_for_lock


@pytest.fixture
def notices(monkeypatch):
    """The sentences of a wait in which each look at the clock is one second later."""
    clock = itertools.count()
    fake = SimpleNamespace(monotonic=lambda: next(clock), sleep=lambda seconds: None)
    monkeypatch.setattr(waiting, "time", fake)

    def said(*holders):
        sentences, left = [], list(holders)
        wait_for_lock(lambda: not left, lambda: left.pop(0), sentences.append)
        return sentences

    return said


def process(pid, what="which holds the store"):
    return Holder(f"process {pid}", what)


def test_a_holder_is_named_once(notices):
    assert notices(*[process(7)] * 9) == ["waiting for process 7, which holds the store"]


def test_what_else_is_known_may_change_without_another_notice(notices):
    ages = [process(7, f"which has held the store for {seconds} s") for seconds in range(9)]
    assert len(notices(*ages)) == 1


def test_another_holder_is_named_when_it_keeps_the_lock(notices):
    found = notices(*[process(7)] * 9, *[process(8)] * 9)
    assert [sentence.split(",")[0] for sentence in found] == [
        "waiting for process 7",
        "waiting for process 8",
    ]


def test_processes_that_take_turns_are_not_named(notices):
    assert notices(*[process(number) for number in range(9)]) == []


def test_a_short_wait_says_nothing(notices):
    assert notices(UNKNOWN) == []


def test_the_default_notice_is_a_warning_in_the_log(caplog):
    log_notice("waiting for another process, which holds the store")
    assert caplog.record_tuples == [
        ("maxin", logging.WARNING, "waiting for another process, which holds the store")
    ]
