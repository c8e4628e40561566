"""The results of a record by slice, counted in its database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from maxin.core import InvalidInput
from maxin.core.half_life import AgeClock, HalfLife
from maxin.ratings.fading import fade
from maxin.ratings.judging.judged_tally import JudgedTally
from maxin.storage import Counted, PlayedMatch, Store
from maxin.storage.slices import counted_slices, latest_data, slice_name, slices_of_results
from maxin.tournament.state.pairing import add_weighed, count_entry, counted_tally
from maxin.views.slices import SlicedResults


def check_field(field: str) -> None:
    """Raise unless a field of data can have this name.

    >>> check_field("  ")
    Traceback (most recent call last):
    maxin.core.errors.InvalidInput: by must be the name of a field of the results; got '  '
    """
    if not isinstance(field, str) or not field.strip() or "\0" in field:
        raise InvalidInput(f"by must be the name of a field of the results; got {field!r:.80}")


def stored_slices(
    store: Store, field: str, until: int, n_players: int, half_life: HalfLife | None = None
) -> SlicedResults:
    """The results of a store that stand after entry `until`, by slice.

    Args:
        store: the record.
        field: of the data of its results.
        until: the number of the last entry.
        n_players: how many players there are by then.
        half_life: of the results, if they fade.
    """
    check_field(field)
    results = SlicedResults(field, n_players)
    if half_life is not None:
        _weigh(results, store, until, half_life)
    else:
        rows: dict[str | None, list[Any]] = {}
        for name, *row in counted_slices(store, field, until):
            rows.setdefault(name, []).append(tuple(row))
        _add(results, rows)
    results.check_any(set() if results.slices else set().union(*latest_data(store)))
    return results


def _weigh(results: SlicedResults, store: Store, until: int, half_life: HalfLife) -> None:
    """Count all results one by one, and weigh each by its age among all of them."""
    names, clock = slices_of_results(store, results.field, until), AgeClock(half_life)
    n_players, weighed = results.missing.n_players, dict[str | None, JudgedTally]()
    for entry in store.standing(0, until):
        if entry.kind != "tell":
            continue
        name, ageing = names.get(entry.seq), clock.tick(entry.time)
        count_entry(results.of(name), entry)
        for tally in weighed.values():
            fade(tally, ageing.fade)
        add_weighed(weighed.setdefault(name, JudgedTally(n_players)), entry, ageing.weight)
    results.weighed = weighed


def read_slices(
    matches: Iterable[PlayedMatch[str]], names: Sequence[str], field: str
) -> SlicedResults:
    """The results of a file by slice; `names` are all its players. Retracted ones are left out."""
    check_field(field)
    numbers = {name: number for number, name in enumerate(names)}
    results, known = SlicedResults(field, len(names)), set[str]()
    counts: dict[str | None, Counter[tuple[Any, ...]]] = {}
    for match in matches:
        if match.retracted is not None:
            continue
        known.update(match.data or ())
        try:
            name = slice_name(match.data, field)
        except InvalidInput as error:
            raise InvalidInput(f"line {match.line}: {error}") from None
        players = numbers[match.first], numbers[match.second]
        counts.setdefault(name, Counter())[*players, match.score, match.games, match.judge] += 1
    _add(results, {name: [(*key, n) for key, n in own.items()] for name, own in counts.items()})
    results.check_any(known)
    return results


def _add(results: SlicedResults, rows: Mapping[str | None, list[Any]]) -> None:
    """Count results by slice, as the rows of a `Counted`."""
    for name, own in rows.items():
        tally = results.of(name)
        tally.add_tally(counted_tally(Counted(0, 0, own), tally.n_players))
