"""The page of one match, as data: what was compared or played, by whom, and what became of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from maxin.core.text import duration, moment, shortened, visible
from maxin.service.arena.answered import AnsweredPair, answered_pair, output_url
from maxin.service.arena.markdown import markdown_html
from maxin.service.arena.pairs import LONGEST_MS, WAITING
from maxin.service.pages.game_page import (
    SHORT,
    Compared,
    Facts,
    ShownGame,
    facts_of,
    score_line,
    shown_games,
)
from maxin.service.pages.outputs import CHOICES, ShownSide, output_html
from maxin.storage import PlayedMatch, Store
from maxin.storage.one_match import read_elsewhere
from maxin.storage.records import vote_of
from maxin.storage.tokens import read_tokens
from maxin.storage.votes.items import read_output
from maxin.views.formats import worker_name
from maxin.views.recorded.costs import cost_of
from maxin.views.recorded.matches import RecordedMatch, RecordedResult
from maxin.worker.source import UnknownMatch

MOST_HAND_OUTS = 5  # the latest
OF_MATCH = ("judge", "cost")  # keys of the data of a match, which are facts in any case
WORDS = {choice: words for choice, _, words in CHOICES}


class MatchPage(NamedTuple):
    """Everything on the page of a match.

    Args:
        match: as it is recorded.
        score: the points of both players; empty if there is no result.
        note: why there is no result that stands; empty if there is one.
        facts: who judged it and how, and what it cost.
        record: who had it and when.
        compared: what a voter compared; None if nobody has.
        games: one for each game; none without a result.
        errors: what the game complained about.
        earlier: the other results, which were taken back.
    """

    match: RecordedMatch
    score: str
    note: str
    facts: Facts
    record: Facts
    compared: Compared | None
    games: list[ShownGame]
    errors: tuple[str, ...]
    earlier: list[RecordedResult]

    @classmethod
    def of(
        cls,
        store: Store,
        match: RecordedMatch,
        step: tuple[int | None, int | None],
        *,
        names_voters: bool,
    ) -> MatchPage:
        """The page of a match.

        Args:
            store: where the outputs are.
            match: whose page it is.
            step: which game is shown after how many moves.
            names_voters: whether readers may see the names of invitations.
        """
        number, latest = match.number, match.latest
        found = None if number is None else answered_pair(store, number)
        compared = None
        if number is not None and found is not None:
            compared = _voted(store, number, found, (match.first, match.second))
        note, record = _note(match), list(_record(match))
        if latest is None:
            items = [] if found is None else [("item", shortened(found.pair.name, SHORT))]
            return cls(match, "", note, items, record, compared, [], (), [])
        played, earlier = latest.played, [one for one in match.results if one != latest]
        facts = list(_facts(store, played, names_voters))
        score = score_line(played.score, len(played.games or (1,)))
        shown = compared, shown_games(played, step)
        return cls(match, score, note, facts, record, *shown, played.errors, earlier)


def recorded_elsewhere(store: Store, entry: int) -> RecordedMatch:
    """The match without a number whose result is this entry of the record."""
    stored = read_elsewhere(store, entry)
    if stored is None:
        raise UnknownMatch(f"entry {entry} of the record is not a result without a number")
    return RecordedMatch.of(stored, [row.name for row in store.players()])


def _voted(store: Store, number: int, found: AnsweredPair, names: tuple[str, str]) -> Compared:
    """What a voter saw, with the names of the players."""
    left, right = (
        ShownSide(
            letter,
            output_html(
                read_output(store, found.pair.item, found.players[seat]),
                letter,
                output_url(number, seat),
            ),
            names[seat],
        )
        for seat, letter in zip(found.seats, "AB", strict=True)
    )
    return Compared(markdown_html(found.pair.prompt), left, right)


def _note(match: RecordedMatch) -> str:
    if match.latest is not None:
        return _retracted(match.latest)
    voids = [failure for failure in match.failures if failure.kind == "void"]
    if voids:
        return f"Given up at {moment(voids[-1].time)} UTC: {visible(voids[-1].reason)}."
    if _is_vote(match.handed_out[-1].worker):
        return "There is no result yet. What a voter compares is shown here after the vote."
    return "There is no result yet."


def _is_vote(worker: str | None) -> bool:
    return worker is not None and worker.startswith(WAITING)


def _retracted(result: RecordedResult) -> str:
    back = result.retraction
    if back is None:
        return ""
    who = "" if _is_vote(back.worker) else f" by {worker_name(back.worker)}"
    return f"Retracted at {moment(back.time)} UTC{who}: {visible(back.reason)}."


def _facts(store: Store, played: PlayedMatch[str], names_voters: bool) -> Iterator[tuple[str, str]]:
    data = played.data or {}
    if (vote := vote_of(data)) is not None:
        names = {row.id: row.name for row in read_tokens(store)} if names_voters else {}
        choice = str(vote.choice)  # of an imported result, it may be anything
        yield "vote", WORDS.get(choice, shortened(choice, SHORT))
        yield "voter", names.get(vote.judge.name, vote.judge.name)
        if isinstance(vote.ms, int | float) and 0 <= vote.ms <= LONGEST_MS:
            yield "time taken", duration(vote.ms / 1000)
        yield "item", shortened(str(vote.item), SHORT)
    elif played.judge is not None:
        yield "judge", played.judge.name
    if (cost := cost_of(data)) is not None:
        yield "cost", f"{cost:,.6g}"
    if played.games is not None:
        yield from facts_of({key: value for key, value in data.items() if key not in OF_MATCH})


def _record(match: RecordedMatch) -> Iterator[tuple[str, str]]:
    for one in match.handed_out[-MOST_HAND_OUTS:]:
        if not _is_vote(one.worker):
            yield "handed out", f"{moment(one.time)} UTC to {worker_name(one.worker)}"
    if match.latest is not None:
        played = match.latest.played
        by = "" if _is_vote(played.worker) else f" by {worker_name(played.worker or '')}"
        yield "recorded", f"{moment(played.time)} UTC{by}"
        if played.source is not None:
            line = "" if played.line is None else f", line {played.line}"
            yield "from", f"{visible(played.source)}{line}"
    if match.seed is not None:
        yield "seed", str(match.seed)
