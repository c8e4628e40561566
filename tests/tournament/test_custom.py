"""Schedulers of a program's own: classes, functions and objects."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from maxin.core import InvalidInput, Match
from maxin.core.plugins import PluginFailed
from maxin.ratings import BradleyTerry
from maxin.runners import Outcome
from maxin.schedulers import DoubleThompson, Random, Ranking, RoundRobin
from maxin.tournament import Tournament
from maxin.tournament.settings import SettingsDiffer
from maxin.tournament.tournament import session_of
from maxin.worker.source import Tell
from tests.helpers.leagues import NAMES, play_some, results_of

ROOT = Path(__file__).parents[2]
CALL = r"Class\(n_players, rng=rng\) and a function as function\(n_players, rng\)"
RANKING = f"custom.Ranking@{Ranking.__module__}"
LEAGUE = """
import os, signal, sys

from maxin import BradleyTerry, Match, Tournament
from maxin.schedulers.base import LearningScheduler
from maxin.tournament.tournament import session_of


class Champion(LearningScheduler):
    def __init__(self, n_players, *, rng):
        super().__init__(BradleyTerry(n_players))

    def _choose(self):
        best, *others = self.ratings().argsort(kind="stable")[::-1].tolist()
        return Match(best, others[self.position % len(others)])


def play(first, second, seed):
    if deadly and tournament.n_matches == 12:
        os.kill(os.getpid(), signal.SIGKILL)
    return float(seed % 3 > 0) if first < second else float(seed % 3 == 0)


deadly = sys.argv[1] == "deadly"
tournament = Tournament(["anna", "bo", "cy", "dee"], sys.argv[2], scheduler=Champion, seed=1)
tournament.run(play, budget=30, confidence=None)
print([(match.first, match.second, match.score) for match in tournament.matches()])
"""


def random_pairs(n_players, rng):
    return Random(BradleyTerry(n_players), rng=rng)


def fresh(n_players=4):
    return Ranking(n_players, rng=np.random.default_rng(1))


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: Ranking, RANKING),
        (lambda: random_pairs, f"custom.random_pairs@{__name__}"),
        (fresh, RANKING),
    ],
)
def test_a_stored_tournament_continues_with_the_same_scheduler(make, name, url):
    whole = Tournament(NAMES, seed=3, scheduler=make())
    play_some(whole, 24)
    with Tournament(NAMES, url, seed=3, scheduler=make()) as first:
        assert first.settings.scheduler == name
        play_some(first, 11)
    with Tournament(store=url, scheduler=make()) as second:
        play_some(second, 13)
        assert results_of(second) == results_of(whole)
        assert second.verify().problems == []


def test_a_class_asks_what_its_name_asks():
    one, two = Tournament(NAMES, scheduler=Ranking), Tournament(NAMES, scheduler="ranking")
    for tournament in (one, two):
        play_some(tournament, 20)
    assert results_of(one) == results_of(two)
    assert one.goal.kind == "best"
    assert Tournament(NAMES, scheduler=Ranking, goal="ranking").goal.kind == "ranking"


def test_players_join_and_leave_with_a_class(url):
    with Tournament(NAMES, url, scheduler=Ranking) as tournament:
        play_some(tournament, 6)
        tournament.add("eve")
        tournament.pause(NAMES[0])
        play_some(tournament, 6)
        assert tournament.n_matches == 12


def test_an_object_is_for_its_own_number_of_players():
    tournament = Tournament(NAMES, scheduler=fresh())
    play_some(tournament, 6)
    tournament.add("eve")
    with pytest.raises(
        InvalidInput, match=r"was made for 4 players, and 5 are active: .*the class"
    ):
        tournament.ask()
    with pytest.raises(InvalidInput, match="was made for 9 players, and 4 are active"):
        Tournament(NAMES, scheduler=fresh(9))


def test_the_object_itself_is_left_alone():
    scheduler = fresh()
    play_some(Tournament(NAMES, scheduler=scheduler), 5)
    assert (scheduler.n_told, len(scheduler.in_flight)) == (0, 0)
    scheduler.ask()
    with pytest.raises(InvalidInput, match=r"an object that has asked nothing yet; got .*Ranking"):
        Tournament(NAMES, scheduler=scheduler)


def test_a_missing_scheduler_is_named_when_it_is_needed(url):
    with Tournament(NAMES, url, scheduler=Ranking) as tournament:
        play_some(tournament, 5)
    with Tournament(store=url) as reader:
        assert len(reader.leaderboard()) == len(NAMES)
        assert reader.verify().problems == []
        with pytest.raises(InvalidInput, match=r"its own, Ranking, .*store=\.\.\., scheduler=Rank"):
            reader.ask()
        with pytest.raises(InvalidInput, match="its own, Ranking, "):
            reader.settings.check_can_choose()
    with pytest.raises(
        SettingsDiffer, match=r"scheduler is .custom.Ranking@.* in the store and .ran"
    ):
        Tournament(store=url, scheduler="random")


def test_results_need_no_scheduler(url):
    with Tournament(NAMES, url, scheduler=Ranking) as tournament:
        one, two, three = tournament.ask_many(3)
    with Tournament(store=url) as elsewhere:
        served = session_of(elsewhere, serves=True)
        told, refused = served.apply([Tell(one.id, Outcome(1.0)), Tell(99, Outcome(1.0))])
        assert told is True
        assert isinstance(refused, InvalidInput)
        assert elsewhere.tell_many([(two, 1.0), (three, 0.5)]) == [True, True]
        assert elsewhere.n_matches == 3


@pytest.mark.parametrize(
    ("scheduler", "rules", "words"),
    [
        (3, {}, "scheduler must be a name, a class, a function .*; got 3"),
        (lambda n_players, rng: None, {}, "has no method 'choose'; got None"),
        (Ranking, {"half_life": 10}, "a half_life needs a scheduler of maxin; got 'custom.Rank"),
        (
            lambda n_players, rng: DoubleThompson(n_players, rng=rng, alone="self"),
            {},
            "cannot play itself",
        ),
        (Random, {}, "scheduler Random cannot be made for 4 players: AttributeError: .*" + CALL),
        (RoundRobin, {}, "RoundRobin cannot be made for 4 players: AttributeError: .*" + CALL),
        (lambda n_players: None, {}, "cannot be made for 4 players: TypeError: .*" + CALL),
    ],
)
def test_what_cannot_schedule_is_refused_before_a_store_is_made(scheduler, rules, words, tmp_path):
    path = tmp_path / "league.db"
    with pytest.raises(InvalidInput, match=words):
        Tournament(NAMES, path, scheduler=scheduler, **rules)
    assert not path.exists()


def test_a_wrong_scheduler_of_a_stored_tournament_is_refused_when_it_is_opened(url):
    with Tournament(NAMES, url, scheduler=Ranking) as tournament:
        tournament.add("eve")
    with pytest.raises(InvalidInput, match="Random cannot be made for 5 players"):
        Tournament(store=url, scheduler=Random)
    with pytest.raises(InvalidInput, match="was made for 4 players, and 5 are active"):
        Tournament(store=url, scheduler=fresh())
    with Tournament(NAMES, url, scheduler=fresh(5)) as tournament:  # with the first field, too
        play_some(tournament, 3)


def test_a_class_of_the_same_name_in_another_module_is_refused(url):
    other = type("Ranking", (Ranking,), {"__module__": "elsewhere"})
    with Tournament(NAMES, url, scheduler=Ranking) as tournament:
        play_some(tournament, 3)
    with pytest.raises(SettingsDiffer, match=r"custom.Ranking@maxin.*custom.Ranking@elsewhere"):
        Tournament(store=url, scheduler=other)
    script = type("Ranking", (Ranking,), {"__module__": "__main__"})
    with Tournament(store=url, scheduler=script) as tournament:
        play_some(tournament, 3)


def test_a_store_that_has_no_module_is_opened(url):
    with Tournament(NAMES, url, scheduler=Ranking) as tournament:
        play_some(tournament, 3)
        tournament.store.transact(lambda writer: writer.set({"scheduler": "custom.Ranking"}))
    with Tournament(store=url, scheduler=Ranking) as tournament:
        play_some(tournament, 3)
    with pytest.raises(SettingsDiffer, match=r"custom.Ranking' in the store and 'custom.random_"):
        Tournament(store=url, scheduler=random_pairs)


def test_a_killed_process_is_resumed(tmp_path):
    script = tmp_path / "league.py"
    script.write_text(LEAGUE)

    def run(how, store):
        return subprocess.run(
            [sys.executable, script, how, tmp_path / store],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )

    assert run("deadly", "killed.db").returncode == -signal.SIGKILL
    resumed, whole = run("calm", "killed.db"), run("calm", "whole.db")
    assert (resumed.returncode, resumed.stderr) == (0, "")
    assert resumed.stdout == whole.stdout
    assert resumed.stdout.count("(") == 30


@pytest.mark.parametrize(
    "match", [Match(0, 0), Match(0, -1), Match(0, 99), (0, 1, 2), ("a", "b"), (0.0, 1.0), 5, ()]
)
@pytest.mark.parametrize("is_shared", [False, True])
def test_an_invalid_match_of_a_scheduler_is_named_and_not_recorded(match, is_shared, tmp_path):
    class Wrong(Ranking):
        def choose(self):
            return Match(0, 1) if len(self.in_flight) == 0 else match

    url = tmp_path / "league.db" if is_shared else "sqlite://"
    tournament = Tournament(NAMES, url, scheduler=Wrong)
    assert len(tournament.ask_many(2)) == 1  # the valid one is handed out
    for ask in (tournament.ask, lambda: tournament.run(lambda *seats: 0.5, budget=9)):
        with pytest.raises(InvalidInput, match=r"scheduler .*Wrong chose an invalid match, "):
            ask()
    assert tournament.n_pending == 1
    assert list(tournament.matches()) == []
    if is_shared:
        assert Tournament(store=url, scheduler=Wrong).n_pending == 1


def test_a_scheduler_that_fails_while_choosing_is_named_with_its_line():
    class Fails(Random):
        def choose(self):
            return [][self.n_players]

    def fails(n_players, rng):
        return Fails(BradleyTerry(n_players), rng=rng)

    tournament = Tournament(["anna", "bo"], scheduler=fails)
    with pytest.raises(
        InvalidInput, match=r"fails failed to choose a match: IndexError: list "
    ) as e:
        tournament.ask()
    assert f", in {__file__}, line " in str(e.value)
    assert isinstance(e.value.__cause__, IndexError)


def test_a_scheduler_that_fails_while_learning_is_named_with_its_line_and_loses_no_result():
    class Forgets(Random):
        def tell(self, result):
            raise ZeroDivisionError("no room")

    def forgets(n_players, rng):
        return Forgets(BradleyTerry(n_players), rng=rng)

    tournament = Tournament(["anna", "bo"], scheduler=forgets)
    failed = rf"forgets failed to learn a result: ZeroDivisionError: no room, in {__file__}, line "
    with pytest.raises(PluginFailed, match=failed):
        tournament.run(lambda *seats: 0.5, budget=9)
    assert [match.score for match in tournament.matches()] == [0.5]


def test_a_scheduler_that_fails_while_it_is_made_is_named():
    class Greedy(Random):
        def __init__(self, n_players, *, rng):
            raise MemoryError("too large")

    with pytest.raises(InvalidInput, match=r"Greedy cannot be made for 2 .*: MemoryError: too lar"):
        Tournament(["anna", "bo"], scheduler=Greedy)
