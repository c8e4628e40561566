from hypothesis import given
from hypothesis import strategies as st

from maxin.runners.programs.tail import Tail


@given(st.lists(st.binary(max_size=20)), st.integers(1, 30))
def test_a_tail_is_the_end_of_the_stream(pieces, size):
    tail = Tail(size)
    for piece in pieces:
        tail.add(piece)
    whole = b"".join(pieces)
    assert tail.text() == whole[-size:].decode("utf-8", "replace")
    line = whole.rstrip().rpartition(b"\n")[2].decode("utf-8", "replace").strip()
    assert tail.last_line() in ("", line)  # empty if its start was dropped
    if len(whole) <= size:
        assert tail.last_line() == line


def test_a_cleared_tail_is_empty():
    tail = Tail(3)
    tail.add(b"0.5\n")
    tail.clear()
    assert (tail.text(), tail.last_line()) == ("", "")
    tail.add(b"1")
    assert tail.last_line() == "1"
