"""Values of the store: a vote and its judge are read from the data of a result as written."""

from hypothesis import given
from hypothesis import strategies as st

from maxin.storage import Judge, PlayedMatch, Vote
from maxin.storage.records import vote_of

VOTES = st.builds(
    Vote,
    st.builds(Judge, st.sampled_from(["k3x0", "17", "local"]), st.booleans()),
    st.text(min_size=1),
    st.sampled_from(["a", "b", "tie", "bad"]),
    st.none() | st.integers(0, 10**6),
    st.none() | st.text(min_size=1),
    category=st.none() | st.text(min_size=1),
)


@given(VOTES)
def test_a_vote_is_read_as_it_was_written(vote):
    assert vote_of(vote.data()) == vote
    assert PlayedMatch(1, "anna", "bo", vote.score, data=vote.data()).judge == vote.judge


@given(VOTES)
def test_a_vote_for_a_side_is_a_win_of_who_was_there(vote):
    is_first_left = vote.data()["side"] == "left"
    wins = {"a": float(is_first_left), "b": float(not is_first_left)}
    assert vote.score == wins.get(vote.choice, 0.5)


def test_results_of_other_kinds_are_no_votes():
    for data in (None, {}, {"judge": "gpt"}, {"voter": "k3x0", "side": "left"}):
        assert vote_of(data) is None
