"""Judges: votes counted by judge, and what each judge's votes are worth."""
