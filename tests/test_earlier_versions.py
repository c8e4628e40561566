"""Stores and configs of an earlier version open, say what they said, and continue.

`tests/fixtures/make_expected.py` made them, and the files that list what they said. The record is
compared exactly. The prior of the pair effects has changed since: a field may have none. So
ratings agree as far as such a change explains, and schedulers that use the posterior may choose
other pairs.
"""

import hashlib
import json
import lzma
import shutil
import sqlite3
from contextlib import chdir, closing
from dataclasses import asdict
from pathlib import Path

import pytest

from maxin.core.units import ELO_PER_NAT
from maxin.service.service import Service
from maxin.tournament import Tournament
from maxin.tournament.settings import Settings
from tests.helpers.command import right
from tests.helpers.serving import serving

FIXTURES = Path(__file__).with_name("fixtures")
FAKE_ENGINE = Path(__file__).with_name("helpers") / "fake_engine.py"
CONFIGS = sorted((FIXTURES / "configs").glob("*.toml"))
STORES = sorted((FIXTURES / "stores").glob("*.sql*"))
N_MORE = 12  # matches that are played to see that a tournament continues
MOST_ROWS = 1000  # that are compared one by one
USE_POSTERIOR = ("double-thompson", "ranking", "swiss-information", "top-two")
MOVED = 0.2  # of the half-width of its interval: how far another prior may move a rating
WIDTHS = (0.8, 1.05)  # of what they were: without effects of pairs, intervals are narrower
CHANCE = 0.12  # how far it may move a probability
BIAS = 0.03  # how far it may move the bias of a judge
FINGERPRINTS = {  # of the settings, as reports of that version show them
    "best": "951b43c6f9a6",
    "features": "74a2c8c242b7",
    "half-life-in-time": "12b118a87b0b",
    "half-life": "f86d784981b4",
    "judges": "5f25b7b0a845",
    "knockout": "aab10b6f265b",
    "lag": "584858668168",
    "maxin": "f962a4d477b2",
    "maxinp": "3d234210ae61",
    "random": "ca9487c02e40",
    "ranking": "9562c06d447a",
    "ratings": "4e050222549a",
    "regret": "2293a114fa8a",
    "round-robin": "942aa9032575",
    "snapshot": "e65949759026",
    "swiss": "bdd2a8e46416",
    "top-3": "a62aeb3fe446",
    "votes": "31ade8f00a61",
}


def judged(first, second, seed):
    """A score that follows from the seed; the earlier name wins more often."""
    wins = (0.0, 0.5, 1.0, 1.0) if first < second else (0.0, 0.0, 0.5, 1.0)
    return wins[seed % 4]


def opened(kept, path):
    """The store that is kept as SQL, as a file at `path`; all of them have one schema."""
    raw = kept.read_bytes()
    rows = lzma.decompress(raw) if kept.suffix == ".xz" else raw
    with closing(sqlite3.connect(path)) as database:
        database.executescript(kept.parents[1].joinpath("schema.sql").read_text())
        database.executescript(f"BEGIN; {rows.decode()} COMMIT;")
    return path


def observed(path):
    """What a store says, which matches come next, and how it continues."""
    with Tournament(store=path) as tournament:
        found = described(tournament)
    found["next"] = on_a_copy(path, next_matches)
    found["continued"] = on_a_copy(path, continuation)
    return json.loads(json.dumps(found))


def described(tournament):
    """Settings, players, results, events and standings."""
    verified = tournament.verify()
    rules, top = asdict(tournament.settings), tournament.top()
    return {
        "settings": {**rules, "features": list(rules["features"])},
        "players": [[one.name, dict(one.options)] for one in tournament.entrants()],
        "states": tournament.states,
        "matches": short([described_match(row) for row in tournament.matches(retracted=True)]),
        "pending": [list(ticket[:4]) for ticket in tournament.pending()],
        "failures": [[one.kind, one.match] for one in tournament.failures()],
        "events": [[event.kind, event.match] for event in tournament.store.events()],
        "stop": asdict(tournament.last_stop()),
        "standings": [standing(row) for row in tournament.leaderboard()],
        "top": [list(top.players), top.confidence, list(top.candidates)],
        "judges": [[row.judge, row.n_votes, row.bias] for row in tournament.judges()],
        "cost": None if (cost := tournament.cost()) is None else cost.total,
        "verified": [verified.problems, verified.n_matches, verified.n_pending, verified.digest],
    }


def short(rows):
    """The rows, or a digest of very many."""
    if len(rows) < MOST_ROWS:
        return rows
    return [len(rows), hashlib.sha256(json.dumps(rows).encode()).hexdigest()]


def described_match(row):
    games = None if row.games is None else list(row.games)
    data = None if row.data is None else dict(row.data)
    about = [row.number, row.first, row.second, row.score, games, list(row.errors), data]
    return [*about, row.source, row.line, row.seed, row.time, row.worker, row.retracted]


def standing(row):
    numbers = [row.rating, row.low, row.high, row.p_best, row.matches, row.score]
    return [row.rank, row.player, *numbers, row.wins, row.draws, row.losses, row.state]


def next_matches(tournament):
    """The tickets that are asked next."""
    return [list(ticket[:4]) for _ in range(3) if (ticket := tournament.ask()) is not None]


def continuation(tournament):
    """What a run plays to its end; nothing where results fade with time, as it passes."""
    n_before = len(list(tournament.matches()))
    budget = tournament.n_matches + N_MORE
    report = tournament.run(judged, budget=budget, confidence=None, progress=False)
    assert tournament.verify().problems == []
    if isinstance(tournament.settings.half_life, str):
        return None
    played = list(tournament.matches())[n_before:]
    return {
        "reason": report.reason,
        "played": [[row.number, row.first, row.second, row.score, row.seed] for row in played],
        "standings": [standing(row) for row in report.leaderboard],
    }


def on_a_copy(path, act):
    copy = path.with_name(f"{act.__name__}-{path.name}")
    shutil.copy(path, copy)
    with Tournament(store=copy) as tournament:
        return act(tournament)


def played(config, folder):
    """What `maxin run` with a config plays, in a folder where everything is that it names."""
    for path in (config, *map(config.with_name, ("play.py", "table.csv")), FAKE_ENGINE):
        shutil.copy(path, folder)
    with chdir(folder):
        right("run", config.name)
        (store,) = folder.glob("*.db")
        with Tournament(store=store) as tournament:
            found = described(tournament)
    found["matches"] = sorted([*row[:6], row[9]] for row in found["matches"])  # not when
    del found["verified"][-1]  # the digest covers the times
    return json.loads(json.dumps(found))


def name_of(kept):
    return kept.name.partition(".")[0]


def expected(name, story):
    return json.loads((FIXTURES / name).read_text())[story]


@pytest.mark.parametrize("kept", STORES, ids=name_of)
def test_a_store_says_what_it_said_and_continues(kept, tmp_path):
    found = observed(opened(kept, tmp_path / "league.db"))
    wanted, place = expected("stores.json", name_of(kept)), name_of(kept)
    recorded = found.keys() - {"standings", "top", "judges", "next", "continued"}
    assert_same(found, {key: wanted[key] for key in sorted(recorded)}, place)
    assert_near_standings(found, wanted, place)
    assert_near_top(found["top"], wanted["top"])
    for one, other in zip(found["judges"], wanted["judges"], strict=True):
        bias = ELO_PER_NAT * other[2]  # these files have it in nats
        assert one == [*other[:2], pytest.approx(bias, abs=ELO_PER_NAT * BIAS)]
    chosen = choices(wanted)
    assert_same(chosen(found["next"]), chosen(wanted["next"]), f"{place}, next")
    if (later := wanted["continued"]) is None:
        assert found["continued"] is None
        return
    assert found["continued"]["reason"] == later["reason"]
    played = found["continued"]["played"]
    assert_same(chosen(played), chosen(later["played"]), f"{place}, continued")
    if played == later["played"]:
        assert_near_standings(found["continued"], later, f"{place}, continued")


@pytest.mark.parametrize("story", FINGERPRINTS)
def test_settings_keep_their_fingerprint(story):
    rules = expected("stores.json", story)["settings"]
    assert Settings(**rules, is_stored=True).fingerprint == FINGERPRINTS[story]


@pytest.mark.parametrize("config", CONFIGS, ids=name_of)
def test_a_config_plays_the_same_tournament(config, tmp_path):
    if name_of(config) == "open_spiel":
        pytest.importorskip("pyspiel")
    found, wanted = played(config, tmp_path), expected("configs.json", name_of(config))
    recorded = wanted.keys() - {"standings", "top", "matches"}
    assert_same(found, {key: wanted[key] for key in sorted(recorded)}, config.name)
    chosen = choices(wanted)
    assert_same(chosen(found["matches"]), chosen(wanted["matches"]), config.name)
    if found["matches"] == wanted["matches"]:
        assert_near_standings(found, wanted, config.name)
        assert_near_top(found["top"], wanted["top"])


def choices(wanted):
    """What must be equal of matches: number and seed alone, if the posterior chose the pairs."""
    scheduler, _, _ = wanted["settings"]["scheduler"].partition(":")
    if scheduler in USE_POSTERIOR:
        return lambda rows: [[row[0], row[-1]] for row in rows]
    return lambda rows: rows


def assert_near_standings(found, wanted, place):
    """The same counts, and ratings as far apart as another prior explains; players may swap."""
    rows = {row[1]: row for row in found["standings"]}
    assert rows.keys() == {row[1] for row in wanted["standings"]}, place
    standings = wanted["standings"]
    if len(standings) == 2:  # they were measured against their mean, and are against the second now
        scales = [2.0 if rows[row[1]][3] < rows[row[1]][4] else 0.0 for row in standings]
        standings = [
            [*row[:2], *(scale * value for value in row[2:5]), *row[5:]]
            for scale, row in zip(scales, standings, strict=True)
        ]
    for _, player, rating, low, high, p_best, *counts in standings:
        _, _, *numbers, chance = rows[player][:6]
        where, width = f"{place}, {player}", high - low
        assert_same(rows[player][6:], counts, where)
        assert numbers[0] == pytest.approx(rating, abs=MOVED * width / 2.0 + 1e-9), where
        least, most = (ratio * width for ratio in WIDTHS)
        assert least - 1e-9 <= numbers[2] - numbers[1] <= most + 1e-9, where
        assert chance == (p_best if p_best is None else pytest.approx(p_best, abs=CHANCE)), where


def assert_near_top(found, wanted):
    """As probable as it was; candidates need not be as certain to include the top as they were."""
    assert found[1] == pytest.approx(wanted[1], abs=CHANCE)
    assert len(found[0]) == len(wanted[0])
    assert set(found[0]) <= set(found[2]) <= set(wanted[2])


def assert_same(found, wanted, place):
    """Numbers agree to 1e-9, and everything else is equal; an error says where it is not."""
    if isinstance(wanted, dict):
        assert wanted.keys() <= found.keys(), place  # a later version may say more
        pairs = [(key, found[key], wanted[key]) for key in wanted]
    elif isinstance(wanted, list):
        assert len(found) == len(wanted), place
        pairs = list(zip(range(len(wanted)), found, wanted, strict=True))
    else:
        is_number = isinstance(wanted, float)
        assert found == (pytest.approx(wanted, rel=1e-9, abs=1e-9) if is_number else wanted), place
        return
    for key, one, other in pairs:
        assert_same(one, other, f"{place}[{key!r}]")


def test_results_that_a_run_had_to_keep_are_recorded(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    unsaved = shutil.copytree(FIXTURES / "unsaved", tmp_path / "maxin" / "unsaved")
    path = opened(FIXTURES / "stores" / "top-3.sql", tmp_path / "league.db")
    with Tournament(store=path) as tournament:
        tournament.run(judged, budget=tournament.n_matches + 2, confidence=None, progress=False)
        one, two = list(tournament.matches())[-2:]
        assert (one.number, one.score, one.errors, one.data) == (19, 1.0, ("slow",), {"ms": 3})
        assert (two.number, two.score, two.games) == (20, 0.75, (1.0, 0.5))
        assert tournament.verify().problems == []
    assert list(unsaved.iterdir()) == []


def test_people_continue_to_vote(tmp_path):
    path = opened(FIXTURES / "stores" / "votes.sql", tmp_path / "league.db")
    tokens = expected("stores.json", "votes")["tokens"]
    with Tournament(store=path) as tournament, serving(Service.of(tournament)) as served:
        before = tournament.n_matches
        undone = served.api("POST", "/pairs", token=tokens["voter"]).body
        assert undone["prompt"]
        for _ in range(2):
            pair = served.api("POST", "/pairs", token=tokens["voter"]).body
            for side in ("left", "right"):
                assert served.ask("GET", pair[side]["url"], token=tokens["voter"]).raw
            path = f"/pairs/{pair['pair']}/vote"
            assert served.api("PUT", path, {"choice": "a"}, tokens["voter"]).status == 201
        assert tournament.n_matches == before + 2
        voters = served.api("GET", "/voters", token=tokens["admin"]).body["voters"]
        assert sum(row["votes"] for row in voters) == tournament.n_matches
        assert tournament.verify().problems == []
