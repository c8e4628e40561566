"""Logs of results as files: read from elsewhere, written for elsewhere.

`read_log` reads CSV, JSON, JSON lines and PGN; `written` and `write_log` write them, and Markdown.
"""

from maxin.tournament.results.columns import Played, Row
from maxin.tournament.results.reading import Log, read_log
from maxin.tournament.results.writing import write_log, written

__all__ = ["Log", "Played", "Row", "read_log", "write_log", "written"]
