"""Snapshots with something wrong in them."""

import zlib

import numpy as np

from maxin.tournament.state import snapshots

BYTES = ("packed", "plain", "resealed", "cut")
ARRAYS = (
    "swapped",
    "lost",
    "named",
    "filled",
    "number",
    "scaled",
    "fewer",
    "more",
    "order",
    "older",
)


def resealed(plain):
    """The same bytes with the digest of what they hold now."""
    start = plain.find(b"\x93NUMPY")
    place = plain.find(b'"sha256": "') + len(b'"sha256": "')
    if start < 0 or place > start:
        return plain
    digest = snapshots.hashlib.sha256(plain[start:]).hexdigest().encode()
    return plain[:place] + digest + plain[place + 64 :]


def arrays_of(packed):
    """The arrays of a snapshot, to be changed."""
    return {name: array.copy() for name, array in snapshots.read(zlib.decompress(packed)).items()}


def packed_of(arrays):
    """A snapshot of these arrays, with the right digest."""
    return zlib.compress(snapshots.written(arrays))


def mutated(packed, older, rng):
    """What kind of mutation was made of a snapshot, and the snapshot that results.

    Args:
        packed: the snapshot.
        older: an earlier snapshot of the same tournament, whose parts are exchanged with its own.
        rng: a `random.Random`.
    """
    kind = rng.choice(BYTES + 2 * ARRAYS)
    if kind in BYTES:
        return kind, changed_bytes(kind, packed, rng)
    arrays = arrays_of(packed)
    change_arrays(kind, arrays, arrays_of(older), rng)
    return kind, packed_of(arrays)


def changed_bytes(kind, packed, rng):
    """A snapshot whose bytes were changed, before or after it was compressed."""
    plain = zlib.decompress(packed)
    if kind == "packed":
        return flipped(packed, rng)
    if kind == "plain":
        return zlib.compress(flipped(plain, rng))
    if kind == "resealed":
        return zlib.compress(resealed(flipped(plain, rng)))
    return zlib.compress(resealed(plain[: rng.randrange(len(plain))]))


def flipped(data, rng):
    """The bytes with one to four of them changed."""
    changed = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        changed[rng.randrange(len(changed))] ^= rng.randint(1, 255)
    return bytes(changed)


def change_arrays(kind, arrays, older, rng):
    """Change one or two of the arrays in place."""
    one, two = rng.sample(sorted(arrays), 2)
    lists = [name for name, array in arrays.items() if array.ndim and len(array)]
    some = rng.choice(lists)
    if kind == "swapped":
        arrays[one], arrays[two] = arrays[two], arrays[one]
    elif kind == "lost":
        del arrays[one]
    elif kind == "named":
        arrays["__class__"] = arrays.pop(one)
    elif kind == "filled":
        odd = rng.choice([np.nan, np.inf, -1.0, 2.0**60, 0.0])
        with np.errstate(invalid="ignore"):
            arrays[one] = np.full_like(arrays[one], odd)
    elif kind == "number":
        array = arrays[one].reshape(-1)  # of a contiguous array: a view
        if len(array):
            array[rng.randrange(len(array))] += rng.choice([-2, -1, 1, 2, 1000])
    elif kind == "scaled":
        factor = rng.choice([-1.0, 0.0, 1e-9, 0.5, 100.0, 1e9])
        arrays[one] = np.asarray(arrays[one] * factor).astype(arrays[one].dtype)
    elif kind == "fewer":
        arrays[some] = np.delete(arrays[some], rng.randrange(len(arrays[some])), axis=0)
    elif kind == "more":
        row = arrays[some][rng.randrange(len(arrays[some]))]
        arrays[some] = np.concatenate([arrays[some], row[None]])
    elif kind == "order":
        arrays[some] = np.ascontiguousarray(arrays[some][::-1])
    else:
        arrays[one] = older[one]
