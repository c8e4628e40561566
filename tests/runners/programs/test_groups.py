import os
import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxin.runners.programs import groups, reaper
from maxin.runners.programs.tail import Tail

pytestmark = pytest.mark.usefixtures("nothing_left")


def test_a_group_that_starts_is_known_at_once():
    group = groups.Group(["sleep", "60"], {})
    assert group._process.pid in reaper._reaper._groups
    assert group.end() == -signal.SIGKILL
    assert group._process.pid not in reaper._reaper._groups


def test_words_said_while_nobody_listened_are_kept(eventually):
    group = groups.Group(["sh", "-c", "echo 1; echo words >&2"], os.environ)
    assert eventually(group.has_ended)
    assert group.end() == 0
    assert (group.output.last_line(), group.log.text()) == ("1", "words\n")


def test_what_never_ends_is_not_read_to_its_end():
    endless = os.open("/dev/zero", os.O_RDONLY)
    groups._read_the_rest(endless, Tail(10))
    os.close(endless)


def test_time_that_is_up_is_said():
    group = groups.Group(["sleep", "60"], os.environ)
    assert not group.wait(groups.deadline(0.01))
    assert not group.has_ended()
    group.kill()
    assert group.wait(groups.deadline(None))
    assert group.end() == -signal.SIGKILL


@given(st.lists(st.binary(max_size=20)), st.integers(1, 30))
def test_a_tail_is_the_end_of_everything(pieces, size):
    tail = Tail(size)
    for piece in pieces:
        tail.add(piece)
    whole = b"".join(pieces)
    assert tail.text() == whole[-size:].decode("utf-8", "replace")
    line = whole.rstrip().rpartition(b"\n")[2].decode("utf-8", "replace").strip()
    assert tail.last_line() in ("", line)  # empty if its beginning is lost
    if len(whole) <= size:
        assert tail.last_line() == line
