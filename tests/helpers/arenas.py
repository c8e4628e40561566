"""Arenas for the tests: items with a text per player, and voters who answer at once."""

import random

from maxin.service.arena.item_files import Item
from maxin.service.arena.items import add_items
from maxin.service.arena.pairs import CastVote, NextPair, UndoVote, VoteArena, content
from maxin.storage.votes.items import Output
from maxin.tournament.tournament import session_of


def text_items(names, n_items):
    """Items whose outputs name their player, so that a test can tell who was shown."""
    return [
        Item(
            f"item {number}",
            f"prompt {number}",
            {name: Output("text/plain", f"{name} {number}".encode()) for name in names},
        )
        for number in range(n_items)
    ]


class Booth:
    """An arena without a server: each call is a transaction of its own."""

    def __init__(self, tournament, n_items=3, seed=1, **options):
        self.tournament = tournament
        if n_items:
            add_items(tournament, text_items(tournament.names, n_items))
        self.arena = VoteArena(random.Random(seed), **options)

    def answer(self, command):
        return session_of(self.tournament, serves=True).answer(command)

    def pair(self, voter="v"):
        return self.answer(NextPair(self.arena, voter))

    def vote(self, pair, choice="a", voter="v", **details):
        return self.answer(CastVote(voter, pair.key, choice, **details))

    def undo(self, pair, voter="v"):
        return self.answer(UndoVote(voter, pair.key))


def shown(tournament, pair, voter="v"):
    """The two players of a pair, left first: the texts name them."""
    sides = [content(tournament.store, voter, pair.key, side) for side in ("left", "right")]
    return [output.body.decode().split()[0] for output in sides]


def choose(players):
    """The vote of somebody for whom an earlier name is better."""
    left, right = players
    return "a" if left < right else "b"


def votes_file(tournament, folder):
    """The results of a tournament as a file, with who voted and what was on which side."""
    lines = ["first,second,score,voter,side"]
    for match in tournament.matches():
        seen = match.data["voter"], match.data["side"]
        lines.append(",".join(map(str, (match.first, match.second, match.score, *seen))))
    path = folder / "votes.csv"
    path.write_text("\n".join(lines) + "\n")
    return path
