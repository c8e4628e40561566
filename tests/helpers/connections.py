"""Connections to SQLite that count who closed them, on every version of Python.

Only Python 3.13 and newer warn when a connection is dropped without being closed.
"""

import sqlite3


def watched(closed):
    """A function like `sqlite3.connect`; `closed` has whether each of its connections is closed."""

    class Watched(sqlite3.Connection):
        def __init__(self, *args, **options):
            super().__init__(*args, **options)
            self.number = len(closed)
            closed.append(False)

        def close(self):
            super().close()
            closed[self.number] = True

    return Watched
