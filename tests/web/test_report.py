"""The report: a whole page, nothing from outside, names as text, and true numbers."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from maxin.core import InvalidInput
from maxin.tournament import Tournament
from maxin.views.history import checkpoints, read_log
from maxin.web import report
from maxin.web.charts import Axis, spread
from maxin.web.heatmaps import IN_WORDS, WITH_TITLES, coverage, crosstable
from maxin.web.report_data import read_story

VOID = {"meta", "link", "br"}
SECTIONS = [
    "Leaderboard",
    "Ratings over time",
    "Candidates over time",
    "Crosstable",
    "Match counts",
    "Seats",
    "Settings",
]
NASTY = [
    "<script>alert(1)</script>",
    "\" onload='x' & &amp;",
    "x" * 200,
    "-- 日本語 مرحبا",
    "a</title></style></svg>",
]


class Page(HTMLParser):
    """A page taken apart; raises where an element is not closed in its turn."""

    def __init__(self, page):
        super().__init__()
        self.open, self.elements, self.words = [], [], {}
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
            self.words.setdefault(tag, []).append("")

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        for tag in set(self.open):
            self.words[tag][-1] += data

    def count(self, tag, **attrs):
        wanted = {name.rstrip("_"): value for name, value in attrs.items()}
        return sum(name == tag and wanted.items() <= found.items() for name, found in self.elements)


def league(names, n_matches, **settings):
    """A tournament told `n_matches` results, its first player the strongest."""
    tournament = Tournament(names, "sqlite://", **settings)
    rng = np.random.default_rng(0)
    strengths = dict(zip(names, np.linspace(1.5, -1.5, len(names)), strict=True))
    for _ in range(n_matches):
        match = tournament.ask()
        chance = 1.0 / (1.0 + np.exp(strengths[match.second] - strengths[match.first]))
        tournament.tell(match, float(rng.choice([rng.random() < chance, 0.5], p=[0.9, 0.1])))
    return tournament


@pytest.fixture(scope="module")
def played():
    return league([f"player {n}" for n in range(6)], 60)


@pytest.fixture(scope="module")
def page(played):
    return Page(report(played))


def test_the_page_is_well_formed_and_has_every_section(page):
    assert page.words["h2"] == SECTIONS
    assert page.count("table", class_="board") == 1
    assert page.count("table", class_="cross") == 1
    assert page.count("html", lang="en") == 1


def test_the_title_is_the_verdict(page, played):
    [title, *_] = page.words["title"]
    assert page.words["h1"] == [title]
    assert played.top().players[0] in title
    assert "60 matches" in title


def test_nothing_comes_from_outside_and_nothing_runs(played):
    text = report(played)
    page = Page(text)
    assert not re.search(r"https?://|url\(|@import", text)
    assert page.count("script") == page.count("img") == page.count("iframe") == 0
    for tag, attrs in page.elements:
        assert not any(name.startswith("on") or name == "src" for name in attrs), tag
        assert attrs.get("href", "data:,") == "data:,"
    [policy] = [attrs["content"] for _, attrs in page.elements if "http-equiv" in attrs]
    assert policy.startswith("default-src 'none'")


def test_every_drawing_says_what_it_is(page):
    drawings = [attrs for tag, attrs in page.elements if tag == "svg"]
    assert len(drawings) == 6 + 4  # an interval a player; curves, candidates, bars, coverage
    assert all(attrs["role"] == "img" for attrs in drawings)
    assert all(words.strip() for words in page.words["title"])


def test_names_are_text_whatever_they_hold():
    text = report(league(NASTY, 25))
    assert not re.search(r"<[^a-z/!]|&(?!\w+;|#)", text)
    page = Page(text)
    assert page.count("script") == 0
    shown = page.words["bdi"]
    assert set(NASTY) <= set(shown)
    assert page.words["h2"] == SECTIONS


def test_the_board_shows_the_leaderboard(page, played):
    rows = [words for words in page.words["tr"] if "player" in words]
    first = played.leaderboard()[0]
    assert first.player in rows[0]
    assert f"{round(first.rating):+d}" in rows[0]
    assert str(first.matches) in rows[0]


def test_the_crosstable_adds_up_to_the_points(played):
    story = read_story(played)
    points, n_matches = story.crosstable()
    assert points.sum() == pytest.approx(60.0)
    assert n_matches.sum() == 2 * 60
    for row, total, met in zip(played.leaderboard(), points, n_matches, strict=True):
        assert total.sum() / met.sum() == pytest.approx(row.score)


def test_the_history_ends_where_the_tournament_is(played):
    story = read_story(played)
    assert story.history.after[-1] == 60
    ratings = [row.rating for row in played.leaderboard()]
    np.testing.assert_allclose(story.history.ratings[-1][story.order], ratings, atol=1e-6)
    assert story.history.margin[-1] == pytest.approx(played.leaderboard()[0].margin)
    assert story.history.n_candidates[-1] == len(played.top().candidates)


def test_a_player_has_no_rating_before_its_first_match(played):
    story = read_story(played)
    unknown = np.isnan(story.history.ratings)
    assert unknown[0].all()
    assert not unknown[-1].any()
    assert (np.diff(unknown.astype(int), axis=0) <= 0).all()


def test_matches_of_two_games_are_replayed_as_the_tournament_counts_them():
    tournament = Tournament(["anna", "bo", "cy"], "sqlite://", games_per_match=2)
    for games in ([1.0, 0.0], [0.5, 1.0], [0.0, 0.0], [1.0, 1.0]):
        tournament.tell(tournament.ask(), sum(games) / 2, games=games)
    numbers = {name: number for number, name in enumerate(tournament.names)}
    tally = read_log(tournament.matches(), numbers).tally(3)
    np.testing.assert_allclose(tally.games, tournament.tally().games)
    np.testing.assert_allclose(tally.points, tournament.tally().points)
    assert Page(report(tournament)).words["h2"] == SECTIONS


def test_an_empty_tournament_says_that_nothing_is_known():
    page = Page(report(Tournament(["anna", "bo"], "sqlite://")))
    assert page.words["h2"] == ["Leaderboard", "Settings"]
    assert page.words["h1"] == ["2 players and no match yet: nothing is known."]


def test_one_match_makes_a_page():
    page = Page(report(league(["anna", "bo", "cy"], 1)))
    assert page.words["h2"] == SECTIONS
    assert "after 1 match," in page.words["h1"][0]


def test_a_decided_tournament_says_so():
    tournament = Tournament(["anna", "bo"], "sqlite://")
    tournament.add_results([("anna", "bo", 1.0)] * 20)
    assert "anna is the best of 2 players" in Page(report(tournament)).words["h1"][0]


def test_a_retired_player_is_listed_but_not_the_best():
    tournament = league(["anna", "bo", "cy"], 30)
    tournament.retire("anna")
    page = Page(report(tournament))
    assert "anna" not in page.words["h1"][0]
    assert "retired" in page.words["tr"][3]


def test_nobody_in_play_is_an_error():
    tournament = league(["anna", "bo"], 3)
    tournament.retire("anna", "bo")
    with pytest.raises(InvalidInput, match="a player who is not retired; there are 2"):
        report(tournament)


def test_failures_are_listed_with_their_last_words():
    tournament = Tournament(["anna", "bo"], "sqlite://")

    def play(first, second, seed):
        raise RuntimeError("no <board>")

    tournament.run(play, budget=5, retries=1)
    page = Page(report(tournament))
    assert "Failures" in page.words["h2"]
    assert "no <board>" in page.words["table"][-1]


def test_the_first_seats_advantage_is_shown_where_it_is_fitted():
    tournament = league(["anna", "bo", "cy"], 40, first_advantage=True)
    assert "Sitting first is worth" in " ".join(Page(report(tournament)).words["p"])
    assert "was not fitted" in " ".join(Page(report(league(["anna", "bo"], 4))).words["p"])


def test_the_same_record_gives_the_same_page(played):
    assert report(played) == report(played)


@pytest.mark.parametrize("n_players", [41, 120])
def test_many_players_make_a_page_of_bounded_size(n_players):
    text = report(league([f"player {n}" for n in range(n_players)], 2 * n_players))
    assert Page(text).count("table", class_="cross") == 0
    assert len(text) < 1_000_000


def test_a_long_log_is_read_quickly_and_drawn_by_equal_factors():
    tournament = Tournament([f"p{n}" for n in range(5)], "sqlite://")
    rng = np.random.default_rng(0)
    pairs = rng.integers(5, size=(20_000, 2))
    names = [(f"p{i}", f"p{(i + 1 + j % 4) % 5}", 0.5) for i, j in pairs.tolist()]
    tournament.add_results(names)
    story = read_story(tournament)
    assert story.history.is_log
    assert story.history.after[0] == 5
    assert story.history.after[-1] == 20_000
    assert Page(report(tournament)).words["h2"] == SECTIONS


def test_cells_have_words_where_they_fit_and_tooltips_where_they_are_few():
    def drawn(n_players):
        met = np.ones((n_players, n_players)) - np.eye(n_players)
        names = [f"p{n}" for n in range(n_players)]
        return Page(crosstable(names, met / 2.0, met)), Page(coverage(names, met))

    table, cover = drawn(IN_WORDS)
    assert table.count("svg") == 0
    assert sum("title" in attrs for tag, attrs in table.elements if tag == "td") == 40 * 39
    assert len(cover.words["title"]) == 1 + 40 * 39
    large, _ = drawn(IN_WORDS + 1)
    assert large.count("svg") == 1
    assert len(large.words["title"]) == 1 + 41 * 40
    huge, _ = drawn(WITH_TITLES + 1)
    assert huge.count("path") == 2  # the ground, and one for all even scores


@pytest.mark.parametrize("n_matches", [0, 1, 7, 1000])
def test_checkpoints_end_with_the_log_and_never_repeat(n_matches):
    after = checkpoints(n_matches, 61)
    assert after[0] == 0
    assert after[-1] == n_matches
    assert len(set(after)) == len(after) == min(61, n_matches + 1)


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-3.0, 5000.0), (0.1, 0.11), (-1e-3, 7.0)])
def test_ticks_are_few_and_within_the_axis(low, high):
    ticks = Axis(low, high).ticks()
    assert 2 <= len(ticks) <= 7
    assert all(-1e-9 <= Axis(low, high).place(tick) <= 1.0 + 1e-9 for tick in ticks)


def test_labels_never_overlap():
    wanted = np.random.default_rng(0).uniform(0.0, 300.0, 12).tolist()
    found = spread(wanted, 17.0, 300.0)
    assert (np.diff(np.sort(found)) >= 17.0 - 1e-9).all()
    assert max(found) <= 300.0
    assert np.argsort(found).tolist() == np.argsort(wanted).tolist()
