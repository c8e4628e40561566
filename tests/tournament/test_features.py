import csv

import numpy as np
import pytest

from maxin import Entrant, Features, InvalidInput, Tournament
from maxin.tournament.features import check_feature_names, read_table
from maxin.tournament.settings import SettingsDiffer
from maxin.tournament.state import state

N = 12
PLAYERS = [Entrant(f"p{k}", {"step": 100 * k, "family": "ab"[k % 2]}) for k in range(N)]


def play(tournament, n_matches):
    for _ in range(n_matches):
        ticket = tournament.ask()
        numbers = [int(name[1:]) for name in (ticket.first, ticket.second)]
        tournament.tell(ticket, float(numbers[0] > numbers[1]))


def test_a_stored_tournament_continues_with_its_features(tmp_path, monkeypatch):
    url = f"sqlite:///{tmp_path / 'a.db'}"
    with Tournament(PLAYERS, url, features=["step", "family"]) as tournament:
        play(tournament, 30)
        ratings = tournament.belief().ratings
        prior = tournament.belief().fit.posterior.prior
        assert prior.explained > 0.3
        assert prior.features.names == ["step", "family"]
        assert tournament.verify().problems == []
        expected = tournament.ask()
    for every in (10_000, 10):
        monkeypatch.setattr(state, "RESTART_EVERY", every)
        with Tournament(None, url) as again:
            assert again.settings.features == ("step", "family")
            assert again.belief().ratings == pytest.approx(ratings, abs=1e-9)
            assert [one.first for one in again.pending()] == [expected.first]
            assert again.verify().problems == []
    with pytest.raises(SettingsDiffer, match=r"features is \('step', 'family'\) in the store"):
        Tournament(PLAYERS, url, features=["step"])


def test_a_player_that_joins_is_predicted_from_its_features():
    tournament = Tournament(PLAYERS, features=["step"])
    play(tournament, 60)
    tournament.add(Entrant("p99", {"step": 100 * N, "family": "a"}))
    belief = tournament.belief()
    assert belief.ratings[N] > belief.ratings[:N].mean() + 0.5
    assert tournament.ask() is not None
    with pytest.raises(InvalidInput, match=r"'cy' needs the option 'step'.* got None"):
        tournament.add("cy")
    with pytest.raises(InvalidInput, match="differs for 'p0' and 'cy'"):
        tournament.add(Entrant("cy", {"step": "late"}))


def test_features_stay_as_they_are():
    tournament = Tournament(PLAYERS, features=["step"])
    tournament.edit(Entrant("p1", {"step": 100, "family": "c"}))
    with pytest.raises(InvalidInput, match=r"'step' of 'p1' cannot change .* is 100, got 7"):
        tournament.edit(Entrant("p1", {"step": 7}))


def test_with_a_lag_and_paused_players_the_stop_has_features():
    tournament = Tournament(PLAYERS, features=["step"], lag=2)
    tournament.pause("p3")
    report = tournament.run(lambda a, b, seed: float(int(a[1:]) > int(b[1:])), budget=15)
    assert report.n_matches > 5
    assert tournament.belief().fit.posterior.prior.features.names == ["step"]


def test_an_array_becomes_options_that_are_stored(tmp_path):
    url = f"sqlite:///{tmp_path / 'a.db'}"
    names = [player.name for player in PLAYERS]
    table = np.stack([np.arange(N), np.arange(N) ** 2], axis=1)
    with Tournament(names, url, features=table) as tournament:
        play(tournament, 30)
        assert tournament.settings.features == ("1", "2")
        assert tournament.entrants()[3].options == {"1": 3.0, "2": 9.0}
        ratings = tournament.belief().ratings
    with Tournament(names, url, features=table.tolist()) as again:
        assert again.belief().ratings == pytest.approx(ratings, abs=1e-9)
        again.add(Entrant("p99", {"1": 20, "2": 400}))
        assert again.verify().problems == []
    with pytest.raises(SettingsDiffer, match="options of 'p1' are"):
        Tournament(names, url, features=table + 1.0)


def test_features_become_options_beside_those_of_a_player():
    table = Features({"step": [1, 2, 3], "family": ["a", "b", "b"]})
    players = ["anna", Entrant("bo", {"depth": 3, "step": 2}), "cy"]
    tournament = Tournament(players, features=table)
    assert tournament.entrants()[1].options == {"depth": 3, "step": 2.0, "family": "b"}
    assert tournament.settings.features == ("step", "family")
    labels = Features({"step": [1, 2, 3]}, kinds={"step": "category"})
    assert Tournament(["anna", "bo", "cy"], features=labels).entrants()[0].options == {"step": "1"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([[1.0], [2.0]], "3 players need as many rows of features; got 2"),
        (np.zeros((3, 2, 2)), r"a row per player; got the shape \(3, 2, 2\)"),
        ([1.0, 2.0, np.nan], "feature '1' must be a finite number; got nan"),
        (Features({"step": [1, 9, 3]}), "the option 'step' of 'bo' is 2, but 9.0 in the table"),
        (Features({"x": [1, 2, 3]}, kinds={"x": "linear"}), "'x' cannot be 'linear'"),
    ],
)
def test_invalid_tables_of_features_are_refused(given, message):
    with pytest.raises(InvalidInput, match=message):
        Tournament(["anna", Entrant("bo", {"step": 2}), "cy"], features=given)


def test_a_table_of_features_needs_players(tmp_path):
    url = f"sqlite:///{tmp_path / 'a.db'}"
    Tournament(["anna", "bo"], url, features=[1, 2]).close()
    with pytest.raises(InvalidInput, match="a table of features needs its players"):
        Tournament(None, url, features=[1, 2])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("step", "features must be a list of names of options, an array or Features; got 'step'"),
        ({"step": [1]}, "features must be a list of names of options, an array or Features; got"),
        (["step", "step"], "every feature may be named only once"),
        ([f"f{k}" for k in range(1_001)], "at most 1,000 features; got 1,001"),
    ],
)
def test_invalid_names_are_refused(given, message):
    with pytest.raises(InvalidInput, match=message):
        check_feature_names(given)


def test_a_scheduler_must_take_features():
    with pytest.raises(InvalidInput, match="features need one of the schedulers"):
        Tournament(PLAYERS, features=["step"], scheduler="random")
    with pytest.raises(InvalidInput, match="at most 2,000 players; got 2,001"):
        Tournament([Entrant(f"p{k}", {"x": k}) for k in range(2_001)], features=["x"])


def written(tmp_path, rows):
    path = tmp_path / "table.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


def test_a_table_has_numbers_and_texts(tmp_path):
    rows = [["name", "step", "family"], ["anna", "1e3", "7"], ["bo", "2", "b"]]
    names, table = read_table(written(tmp_path, rows))
    assert names == ("step", "family")
    assert table == {"anna": {"step": 1000.0, "family": "7"}, "bo": {"step": 2, "family": "b"}}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([["name"], ["anna"]], "must have a header and a line per player"),
        ([["name", "step"], ["anna", "1", "2"]], "line 2: .* of 2 values; got 3 values"),
        ([["name", "step"], ["bo", "1"], ["bo", "2"]], "line 3: .*'bo' occurs twice"),
        ([["name", "step", " "], ["bo", "1", "2"]], "line 1: column 3 needs a name"),
        ([["name", "step"], ["bo", " "]], "table.csv, line 2: 'step' is empty; every player"),
        ([["name", "step"], [" ", "1"]], "table.csv, line 2: 'name' is empty"),
        ([["name;step"], ["anna;1"]], "separated by commas; it has ';'"),
        ([["name\tstep"], ["anna\t1"]], r"separated by commas; it has '\\\\t'"),
        *(
            (
                [["name", "step"], ["anna", "1"], [], ["bo", "2"], ["cy", value]],
                rf"table.csv, line 5: 'step' must be a finite number .* got '{value}' for 'cy'",
            )
            for value in ("1o", "1,5", "nan", "inf", "-1e300", "9" * 200)
        ),
        ([["name", "step"], ["bo", "nan"]], "line 2: 'step' must be a finite number"),
    ],
)
def test_invalid_tables_are_refused(tmp_path, rows, message):
    with pytest.raises(InvalidInput, match=message):
        read_table(written(tmp_path, rows))
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_table(tmp_path / "none.csv")


def test_a_feature_that_is_the_same_for_everyone_says_nothing():
    tournament = Tournament(
        [Entrant(f"p{number}", {"step": 7}) for number in range(4)], features=["step"]
    )
    report = tournament.run(lambda a, b, seed: float(a > b), budget=20)
    assert report.top.players == ("p3",)
