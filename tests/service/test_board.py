"""The board: made once for all viewers, soon after a change, and never too often."""

import asyncio
import time

import numpy as np
import pytest

pytest.importorskip("starlette", reason="the extra `web` is not installed")

from maxin.core import Stop
from maxin.service import timeline as timeline_module
from maxin.service.board import SHARE, LiveBoard
from maxin.service.timeline import Timeline
from maxin.storage import open_store
from maxin.tournament import Tournament
from maxin.views.html.drawings import ratings_chart
from tests.helpers.markup import Page


def play(tournament, n_matches=1):
    for number in range(n_matches):
        tournament.tell(tournament.ask(), float(number % 3 > 0))


def beside_board(tournament, act):
    async def main():
        board = LiveBoard(tournament)
        board.start()
        try:
            return await act(board)
        finally:
            board.close()

    return asyncio.run(main())


def test_news_come_with_a_result_and_not_without():
    tournament = Tournament(["anna", "bo", "cy"], seed=1)

    async def act(board):
        before = board.state
        assert await board.news(before.seq, patience=0.05) is None
        play(tournament)
        board.nudge()
        return before, await board.news(before.seq, patience=60.0)

    before, after = beside_board(tournament, act)
    assert after.seq > before.seq
    assert after.overview.n_matches == after.event()["matches"]


def test_it_sees_what_other_processes_write(tmp_path):
    url = f"sqlite:///{tmp_path / 'league.db'}"
    with Tournament(["anna", "bo"], url, seed=1) as tournament, Tournament(store=url) as other:

        async def act(board):
            play(other)
            seen = board.state
            while seen.overview.n_matches < 1:
                seen = await board.news(seen.seq, patience=60.0) or seen
            return seen

        assert beside_board(tournament, act).seq == open_store(url).seq()


def test_all_waiting_viewers_are_let_go_at_the_end():
    tournament = Tournament(["anna", "bo"], seed=1)

    async def main():
        board = LiveBoard(tournament)
        board.start()
        waits = [asyncio.create_task(board.news(board.state.seq, 600.0)) for _ in range(3)]
        await asyncio.sleep(0.05)
        await asyncio.to_thread(board.close)
        return await asyncio.gather(*waits)

    assert asyncio.run(main()) == [None, None, None]


def test_a_timeline_of_what_was_played_before_goes_on():
    tournament = Tournament(["anna", "bo", "cy"], seed=1)
    play(tournament, 8)
    timeline = Timeline(tournament)
    play(tournament, 2)
    tournament.add("dee")
    overview = tournament.overview()
    timeline.add(overview)
    history = timeline.history(overview)
    assert history.after[0] == 0
    assert history.after[-2:] == [8, 10]
    assert history.ratings.shape == (len(history.after), 4)
    assert np.isnan(history.ratings[:, 3]).all()  # dee has not played
    assert history.n_candidates[-1] == len(overview.top.candidates)


def test_a_new_leader_has_its_interval_from_the_start():
    tournament = Tournament(["anna", "bo"], seed=1)
    tournament.add_results([("anna", "bo", 1.0)] * 8)
    timeline = Timeline(tournament, Stop(confidence=0.9, tolerance=50.0))
    for _ in range(12):
        tournament.add_results([("bo", "anna", 1.0)] * 2)
        timeline.add(tournament.overview())
    overview = tournament.overview()
    history = timeline.history(overview)
    assert overview.top.players == ("bo",)
    known = np.isfinite(history.ratings[:, 1])
    assert known[1:].all()
    assert np.isfinite(history.margin[known]).all()
    chart = Page(ratings_chart(history, ["bo", "anna"]))
    [band] = [attrs["d"] for _, attrs in chart.elements if attrs.get("class") == "band"]
    assert band.startswith("M0 ")  # from the left end of the chart
    assert band.count("L") == 2 * known.sum() - 1


def test_the_candidates_of_earlier_matches_are_those_of_the_same_stop():
    tournament = Tournament(["anna", "bo", "cy"], seed=1)
    play(tournament, 9)
    stop = Stop(confidence=0.8, tolerance=100.0)
    overview = tournament.overview(stop)
    history = Timeline(tournament, stop).history(overview)
    assert history.n_candidates[-1] == len(overview.top.candidates)
    assert len(overview.top.candidates) < len(tournament.overview().top.candidates)


def test_a_timeline_is_thinned_and_follows_retractions(monkeypatch):
    monkeypatch.setattr(timeline_module, "MOST_POINTS", 24)
    tournament = Tournament(["anna", "bo"], seed=1)
    timeline = Timeline(tournament)
    for _ in range(24 + 20):
        play(tournament)
        timeline.add(tournament.overview())
    after = timeline.history(tournament.overview()).after
    assert len(after) <= 24 + 1
    assert after == sorted(set(after))
    tournament.retract(1, "a slip")
    timeline.add(tournament.overview())
    assert timeline.history(tournament.overview()).after[-1] == 24 + 19


def test_the_board_leaves_most_of_the_core_to_others(monkeypatch):
    tournament = Tournament(["anna", "bo"], seed=1)
    looks, cost = [], 0.02

    def costly(board):
        began = time.thread_time()
        while time.thread_time() - began < cost:
            pass
        looks.append(time.monotonic())
        return before

    async def act(board):
        began = time.monotonic()
        while len(looks) < 4:  # the first is made with the board
            board.nudge()
            await asyncio.sleep(0.01)
        return time.monotonic() - began

    before = LiveBoard(tournament).state
    play(tournament)  # the record stays ahead of what the board sees, so it looks again and again
    monkeypatch.setattr(LiveBoard, "_look", costly)
    assert beside_board(tournament, act) > 2 * cost / SHARE


def test_a_timeline_is_rated_again_when_a_third_player_ends_the_scale_of_two():
    tournament = Tournament(["anna", "bo"], seed=1)
    timeline = Timeline(tournament)
    for _ in range(4):
        tournament.tell(tournament.ask(), 1.0)
        timeline.add(tournament.overview())
    assert timeline.history(tournament.overview()).ratings[-1, 1] == 0.0
    tournament.add("cy")
    overview = tournament.overview()
    timeline.add(overview)
    history = timeline.history(overview)
    assert overview.leaderboard.anchor is None
    assert history.after[-1] == 4
    assert len(history.after) > 2
    assert (history.margins[:, 1] > 0.0).all()
