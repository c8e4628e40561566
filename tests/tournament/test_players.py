"""Players: their names, and how they join, pause, retire and resume."""

import pytest

from maxin.core import Entrant, InvalidInput, UnknownName
from maxin.runners import Threads
from maxin.tournament import SettingsDiffer, Tournament
from maxin.worker import Told
from tests.helpers.leagues import NAMES, alphabet, play_some


@pytest.mark.parametrize(
    ("players", "message"),
    [
        (["anna", "anna"], "'anna' occurs twice"),
        (["anna", " "], "not blank"),
        (["anna", "b\no"], "no control characters"),
        (["anna", "x" * 301], "at most 300 characters; .* has 301"),
        ("anna", "a list of names"),
        (["anna", 3], "a text"),
    ],
)
def test_a_name_that_cannot_be_shown_is_refused(players, message):
    with pytest.raises(InvalidInput, match=message):
        Tournament(players)


def test_any_other_name_is_allowed(url):
    names = ["--seed 1; rm -rf", "'quoted' \"twice\"", "naïve ✓ 棋", "a | b", "[red]x[/red]"]
    tournament = Tournament(names, url)
    play_some(tournament, 5)
    assert Tournament(store=url).names == names


def test_players_join_pause_retire_and_resume(url):
    tournament = Tournament(NAMES, url)
    play_some(tournament, 12)
    tournament.add("eve", Entrant("fay", {"depth": 2}))
    assert tournament.names == [*NAMES, "eve", "fay"]
    assert tournament.entrants()[-1] == Entrant("fay", {"depth": 2})
    tournament.pause("anna")
    tournament.retire("bo")
    for _ in range(30):
        ticket = tournament.ask()
        assert {ticket.first, ticket.second} <= {"cy", "dee", "eve", "fay"}
        tournament.tell(ticket, 0.5)
    again = Tournament(store=url)
    assert again.states == tournament.states
    assert again.states["anna"] == "paused"
    assert [row.player for row in again.leaderboard() if row.rank is None] == ["bo"]
    again.resume("anna")
    assert again.states["anna"] == "active"
    assert again.verify().problems == []
    with pytest.raises(InvalidInput, match="'cy' is already a player, and active"):
        tournament.add("cy")


@pytest.mark.parametrize("scheduler", ["swiss", "swiss-information", "halving", "gauntlet"])
def test_rounds_continue_when_players_join_and_leave(url, scheduler):
    with Tournament([*NAMES, "eve"], url, seed=3, scheduler=scheduler) as tournament:
        play_some(tournament, 13)
        tournament.add("fay")
        play_some(tournament, 9)
        tournament.retire("bo")
        late = tournament.ask()
        play_some(tournament, 1)
        tournament.void(late, "it was boring")
        play_some(tournament, 12)
        met = {name for row in list(tournament.matches())[13:] for name in (row.first, row.second)}
        assert met == {*NAMES, "eve", "fay"}
        assert tournament.verify().problems == []


def test_a_player_that_was_changed_keeps_its_options():
    tournament = Tournament([Entrant("anna", {"depth": 2}), "bo"])
    tournament.pause("anna")
    tournament.resume("anna")
    assert tournament.entrants() == [Entrant("anna", {"depth": 2}), Entrant("bo")]


def test_a_run_plays_with_the_options_of_now():
    """A player is edited after the first match, and its next match has the new options."""
    tournament = Tournament([Entrant("anna", {"depth": 1}), "bo"])
    seen = []

    class Judge(Threads):
        def play(self, job):
            (anna,) = (player for player in (job.first, job.second) if player.name == "anna")
            seen.append(dict(anna.options))
            return super().play(job)

    def watch(event):
        if isinstance(event, Told) and event.ticket.id == 1:
            tournament.edit(Entrant("anna", {"depth": 2}))

    tournament.run(Judge(alphabet), budget=4, confidence=None, watch=watch)
    assert (seen[0], seen[-1]) == ({"depth": 1}, {"depth": 2})
    assert tournament.verify().problems == []


def test_a_player_who_has_not_played_can_be_removed(url):
    tournament = Tournament(NAMES, url)
    tournament.add("oops")
    tournament.remove("oops")
    play_some(tournament, 12)
    again = Tournament(store=url)
    assert again.states["oops"] == "removed"
    assert {row.player for row in again.leaderboard()} == set(NAMES)
    assert again.overview().counts == "4 players; 12 matches"
    assert again.verify().problems == []
    Tournament(NAMES, url).close()  # those it has now
    with pytest.raises(InvalidInput, match="no player named 'oops'"):
        again.pause("oops")
    with pytest.raises(InvalidInput, match=r"'anna' has played .* cannot be removed; retire it"):
        again.remove("anna")
    again.add(Entrant("oops", {"depth": 2}))
    assert again.entrants()[-1] == Entrant("oops", {"depth": 2})


def test_a_retired_player_cannot_be_paused():
    tournament = Tournament(NAMES)
    tournament.retire("anna")
    with pytest.raises(InvalidInput, match="'anna' is retired; resume it first"):
        tournament.pause("anna")


def test_no_player_changes_if_one_of_the_names_is_unknown():
    tournament = Tournament(NAMES)
    with pytest.raises(UnknownName, match="no player named 'boo'; did you mean 'bo'"):
        tournament.retire("anna", "boo")
    with pytest.raises(InvalidInput, match="'cy' is already a player"):
        tournament.add("eve", "cy")
    assert tournament.states == dict.fromkeys(NAMES, "active")


def test_different_players_are_refused_by_name(url):
    tournament = Tournament([Entrant("anna", {"depth": 1}), "bo", "cy"], url)
    with pytest.raises(SettingsDiffer, match=r"new here: eve .*; missing here: cy"):
        Tournament(["anna", "bo", "eve"], url)
    with pytest.raises(SettingsDiffer, match=r"options of 'anna' are .*1.* and .*2"):
        Tournament([Entrant("anna", {"depth": 2}), "bo", "cy"], url)
    tournament.add("eve")
    Tournament(["anna", "bo", "cy"], url).close()  # those it began with
    Tournament(["anna", "bo", "cy", "eve"], url).close()  # those it has now
    tournament.retire("anna")
    Tournament(["bo", "cy", "eve"], url).close()  # those who are not retired


def test_limits_name_the_value_and_the_limit():
    names = [f"p{number}" for number in range(10_001)]
    with pytest.raises(InvalidInput, match="at most 10,000 players; got 10,001"):
        Tournament(names, scheduler="maxin")
    with Tournament(["anna", "bo"], scheduler="maxin") as tournament:
        with pytest.raises(InvalidInput, match="at most 10,000 players; got 10,002"):
            tournament.add(*names[:10_000])
        with pytest.raises(InvalidInput, match="at most 1,000,000 players; got 1,000,001"):
            tournament.add(*map(str, range(1_000_001)))
        with pytest.raises(InvalidInput, match="times must be at most 10,000; got 1,000,000"):
            tournament.request("anna", "bo", times=1_000_000)
        ticket = tournament.ask()
        with pytest.raises(InvalidInput, match="data must have at most 1,048,576 bytes"):
            tournament.tell(ticket, 1.0, data={"log": "x" * 2_000_000})
        assert tournament.tell(ticket, 1.0)


def test_players_who_join_elsewhere_are_in_no_view_or_in_all(url):
    with Tournament(["anna", "bo"], url, seed=1) as one, Tournament(store=url) as other:
        assert list(one.states) == ["anna", "bo"]
        other.add("cy")
        assert [entrant.name for entrant in one.entrants()] == list(one.states)
        assert len(one.tally().n_matches) == len(one.states)
        one.pause("bo")  # which reads the rest
        assert [entrant.name for entrant in one.entrants()] == ["anna", "bo", "cy"]
