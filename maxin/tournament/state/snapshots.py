"""Snapshots of the state, so that resuming does not read the whole record again.

A snapshot is a shortcut, never the truth: one of another version or with other settings is
ignored, and `Tournament.verify` compares the state with the record. Only a short list of classes
is loaded, because anyone who can write to the store could otherwise run code here.
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
from maxin.tournament.state.state import TournamentState

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
    """What a snapshot must have been made with to be usable: these settings, these versions."""
    return f"{settings.fingerprint}/{__version__}/{np.__version__}"


def save(store: Store, state: TournamentState) -> None:
    """Keep the state as it is now."""
    packed = zlib.compress(pickle.dumps(state, protocol=5), level=1)
    store.save_snapshot(state.seq, fingerprint(state.settings), packed)


def load(store: Store, settings: Settings) -> TournamentState | None:
    """The state as of the latest snapshot; None if no usable one exists."""
    found = store.snapshot(fingerprint(settings))
    if found is None:
        return None
    try:
        state = _Reader(io.BytesIO(zlib.decompress(found[1]))).load()
    except (pickle.UnpicklingError, zlib.error, AttributeError, ImportError, EOFError, TypeError):
        return None
    return state if isinstance(state, TournamentState) else None


class _Reader(pickle.Unpickler):
    """Loads only the classes that a state is made of."""

    def find_class(self, module: str, name: str) -> Any:
        is_ours = module.startswith(OURS) and "." not in name
        if not is_ours and (module, name) not in OTHERS:
            raise pickle.UnpicklingError(f"a snapshot must not hold {module}.{name}")
        found = super().find_class(module, name)
        if is_ours and not isinstance(found, type):
            raise pickle.UnpicklingError(f"a snapshot must not hold functions; got {module}.{name}")
        return found
