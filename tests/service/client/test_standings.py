"""The standings of a newer service are read without what this version does not know."""

import json

from maxin import Tournament
from maxin.service.client.standings import leaderboard_of, top_of


def test_fields_of_a_newer_service_are_left_out():
    tournament = Tournament(["anna", "bo", "cy"], seed=1, first_advantage=True)
    for ticket in tournament.ask_many(3):
        tournament.tell(ticket, 1.0)
    overview = tournament.overview()
    document = json.loads(json.dumps(overview.document()))
    for table in (document, document["top"], document["advantage"], *document["standings"]):
        table["mood"] = "good"
    board = leaderboard_of(document)
    assert list(board) == list(overview.leaderboard)
    assert board.advantage == overview.leaderboard.advantage is not None
    assert top_of(document) == overview.top
