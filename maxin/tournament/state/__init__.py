"""The state of a tournament, derived from its record."""
