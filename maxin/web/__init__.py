"""Pages about a tournament: `report` makes one HTML file of it that needs nothing else."""

from maxin.web.report import report

__all__ = ["report"]
