"""Pages about a tournament: `report` writes one HTML page that needs nothing else."""

from maxin.web.report import report

__all__ = ["report"]
