"""Imported once by the process that others are forked from: it loads what a tournament needs."""

import pytest  # noqa: F401 - tests import it

from maxin.tournament import Tournament

with Tournament(["anna", "bo", "cy"], seed=1) as tournament:
    for _ in range(12):
        ticket = tournament.ask()
        tournament.tell(ticket, float(ticket.first < ticket.second))
