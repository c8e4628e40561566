"""Matches as Python functions in worker processes."""
