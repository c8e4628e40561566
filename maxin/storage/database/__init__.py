"""SQLite and PostgreSQL: connections, locks, waiting for them, and errors in plain English."""
