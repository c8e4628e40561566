"""Results as files: read from elsewhere, imported, and written for other tools.

`read_results` reads CSV, TSV, JSON, JSON lines and PGN; `written` writes them, and Markdown.
"""

from maxin.tournament.results.reading import ResultsFile, read_results
from maxin.tournament.results.writing import written

__all__ = ["ResultsFile", "read_results", "written"]
