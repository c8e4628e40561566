"""Tickets: matches handed out, leased, and taken back with a result."""
