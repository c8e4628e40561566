"""The tournament: matches chosen, played, kept and counted.

`Tournament` joins a scheduler, a runner and a store. The record in the store is the truth; the
league, the leaderboard and the schedule are derived from it.
"""

from maxin.tournament.events import (
    Asked,
    Event,
    Failed,
    Interrupted,
    Paused,
    Refused,
    Report,
    Told,
    Voided,
    Waiting,
)
from maxin.tournament.settings import Settings, SettingsDiffer
from maxin.tournament.state.verification import Verification
from maxin.tournament.tickets.tickets import ScoreConflict, Ticket
from maxin.tournament.tournament import Tournament
from maxin.views.best_by import Meanings
from maxin.views.standings import Leaderboard, Standing, Top

__all__ = [
    "Asked",
    "Event",
    "Failed",
    "Interrupted",
    "Leaderboard",
    "Meanings",
    "Paused",
    "Refused",
    "Report",
    "ScoreConflict",
    "Settings",
    "SettingsDiffer",
    "Standing",
    "Ticket",
    "Told",
    "Top",
    "Tournament",
    "Verification",
    "Voided",
    "Waiting",
]
