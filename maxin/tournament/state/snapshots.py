"""Snapshots of the state, so that resuming does not read the whole record again.

A snapshot is a shortcut, never the truth, and it is data: a small JSON header and arrays in the
.npy format, compressed together. A state is built from the settings and the players as usual, and
the arrays only fill in its numbers. So whoever can write to the store can run no code here.

Everything is checked: names, shapes, types, sizes and ranges, a digest against damage, and all that
the record can tell without being replayed, see `maxin.tournament.state.agreement`. A snapshot with
anything unexpected in it is ignored, and the record is read instead. What cannot be checked without
that is what the scheduler learnt; a forged snapshot can change which matches are chosen, and
nothing that is shown: commands that only read use no snapshot.
"""

from __future__ import annotations

import hashlib
import io
import json
import zlib
from typing import Any

import numpy as np

from maxin._version import __version__
from maxin.core.stored import Arrays, StoredArrays, Unusable
from maxin.ratings.tally import MOST_IN_TABLE
from maxin.storage import Entry, Store
from maxin.tournament.settings import Settings
from maxin.tournament.state.agreement import check_against_record
from maxin.tournament.state.state import TournamentState

FORMAT = 2
TYPES = (np.dtype("<f8"), np.dtype("<i8"))
LENGTH = 4  # bytes that hold the length of the header


def fingerprint(settings: Settings) -> str:
    """What a snapshot must have been made with to be usable: these settings, these versions."""
    return f"{settings.fingerprint}/{__version__}/{np.__version__}"


def most_bytes(n_players: int, n_entries: int) -> int:
    """The largest snapshot of so many players and entries, before it is compressed.

    No scheduler has more than 13 tables of pairs, in a field that is not too large for tables, and
    2,100 numbers per player. The state has up to 19 numbers per pair that met, and 100 per result
    with a judge.

    >>> most_bytes(100, 1000)
    4720576
    """
    n_pairs = n_players**2
    n_met, n_in_tables = min(n_pairs, n_entries), min(n_pairs, MOST_IN_TABLE**2)
    return 2**20 + 152 * n_met + 800 * n_entries + 104 * n_in_tables + 16_800 * n_players


def save(store: Store, state: TournamentState) -> None:
    """Keep the state as it is now, if it can be stored."""
    try:
        arrays = state.stored()
    except Unusable:  # a learner of someone's own
        return
    if arrays is None:
        return
    plain = written(arrays)
    if len(plain) <= most_bytes(len(state.names), state.seq):
        packed = zlib.compress(plain, level=1)
        store.save_snapshot(state.seq, fingerprint(state.settings), packed)


def load(store: Store, settings: Settings) -> TournamentState | None:
    """The state as of the latest snapshot; None if no usable one exists."""
    limit = most_bytes(store.n_players(), store.seq())
    found = store.snapshot(fingerprint(settings), limit)
    if found is None:
        return None
    try:
        return _restored(store, settings, *found, limit)
    except Exception:  # whatever is wrong with it: the record has everything
        return None


def written(arrays: Arrays) -> bytes:
    """Arrays as bytes: the header's length, the header, and the arrays in the .npy format.

    >>> [*read(written({"ratings": np.zeros(2)}))]
    ['ratings']
    """
    body = io.BytesIO()
    for array in arrays.values():
        np.lib.format.write_array(body, array, version=(1, 0), allow_pickle=False)
    digest = hashlib.sha256(body.getvalue()).hexdigest()
    header = json.dumps({"format": FORMAT, "names": list(arrays), "sha256": digest}).encode()
    return len(header).to_bytes(LENGTH, "little") + header + body.getvalue()


def read(plain: bytes) -> Arrays:
    """The arrays that `written` made bytes of; raises an error for anything else."""
    start = LENGTH + int.from_bytes(plain[:LENGTH], "little")
    header = json.loads(plain[LENGTH:start])
    if set(header) != {"format", "names", "sha256"} or header["format"] != FORMAT:
        raise Unusable("this is the header of something else")
    if hashlib.sha256(plain[start:]).hexdigest() != header["sha256"]:
        raise Unusable("the arrays are damaged")
    body = io.BytesIO(plain[start:])
    arrays = {name: _array(body, len(plain) - start) for name in header["names"]}
    if len(arrays) != len(header["names"]) or body.read(1):
        raise Unusable("the names are not those of the arrays")
    return arrays


def _array(body: io.BytesIO, size: int) -> np.ndarray[Any, Any]:
    """The next array; its size is checked before any memory is taken for it."""
    if np.lib.format.read_magic(body) != (1, 0):
        raise Unusable("an array is in another version of the format")
    shape, is_fortran, dtype = np.lib.format.read_array_header_1_0(body)
    n_bytes = 8
    for length in shape:
        n_bytes *= length
    if dtype not in TYPES or is_fortran or len(shape) > 3 or not 0 <= n_bytes <= size:
        raise Unusable("an array has another type, order or size")
    return np.frombuffer(body.read(n_bytes), dtype=dtype).reshape(shape)


def _restored(
    store: Store, settings: Settings, seq: int, packed: bytes, limit: int
) -> TournamentState:
    """The state that a snapshot holds, or an error if it does not agree with the record."""
    unpacker = zlib.decompressobj()
    plain = unpacker.decompress(packed, limit)
    if not unpacker.eof or unpacker.unused_data:
        raise Unusable("it is too large, or cut off")
    stored = StoredArrays(read(plain))
    state = TournamentState(settings)
    for entry in store.field(seq):
        state.take(entry)
    waiting = _waiting(store, seq, stored)
    state.restore(seq, stored, waiting, store)
    stored.check_all_used()
    check_against_record(store, state, stored, waiting)
    state.weigh_in(store)
    return state


def _waiting(store: Store, seq: int, stored: StoredArrays) -> dict[int, Entry]:
    """The results that wait for their turn in the scheduler, by their numbers in the record."""
    pairing = stored.part("pairing")
    lists = [pairing.wholes(name, (None,), 1, seq) for name in ("ended", "unordered")]
    wanted = set(np.concatenate(lists).tolist())
    found: dict[int, Entry] = {}
    for entry in store.standing(min(wanted, default=seq) - 1, seq):
        if entry.seq in wanted and entry.kind in ("tell", "void"):
            found[entry.seq] = entry
        if len(found) == len(wanted):
            break
    return found
