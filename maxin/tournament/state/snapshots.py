"""Snapshots of a league, so that resuming need not read the whole record again.

A snapshot is a shortcut, never the truth: one of another version or other settings is ignored,
and `Tournament.verify` compares it with the record. It is read with a short list of what may be
in it, since whoever can write to the store could otherwise run code here.
"""

from __future__ import annotations

import io
import pickle
import zlib
from typing import Any

import numpy as np

from maxin._version import __version__
from maxin.storage import Store
from maxin.tournament.settings import Settings
from maxin.tournament.state.state import League

OURS = ("maxin.schedulers.", "maxin.ratings.", "maxin.tournament.", "maxin.core")
OTHERS = {
    ("collections", "deque"),
    ("numpy", "dtype"),
    ("numpy", "ndarray"),
    ("numpy._core.multiarray", "_reconstruct"),
    ("numpy._core.multiarray", "scalar"),
    ("numpy._core.numeric", "_frombuffer"),
}


def fingerprint(settings: Settings) -> str:
    """What a snapshot must have been made with to be of use: these settings, these versions."""
    return f"{settings.fingerprint}/{__version__}/{np.__version__}"


def save(store: Store, league: League) -> None:
    """Keep the league as it is now; a scheduler that cannot be kept is replayed instead."""
    state = zlib.compress(pickle.dumps(league, protocol=5), level=1)
    store.save_snapshot(league.seq, fingerprint(league.settings), state)


def load(store: Store, settings: Settings) -> League | None:
    """The league as of the latest snapshot; None if there is none that can be used."""
    found = store.snapshot(fingerprint(settings))
    if found is None:
        return None
    try:
        league = _Reader(io.BytesIO(zlib.decompress(found[1]))).load()
    except (pickle.UnpicklingError, zlib.error, AttributeError, ImportError, EOFError, TypeError):
        return None
    return league if isinstance(league, League) else None


class _Reader(pickle.Unpickler):
    """Makes only what a league is made of."""

    def find_class(self, module: str, name: str) -> Any:
        is_ours = module.startswith(OURS) and "." not in name
        if not is_ours and (module, name) not in OTHERS:
            raise pickle.UnpicklingError(f"a snapshot does not hold {module}.{name}")
        found = super().find_class(module, name)
        if is_ours and not isinstance(found, type):
            raise pickle.UnpicklingError(f"a snapshot holds no functions; got {module}.{name}")
        return found
