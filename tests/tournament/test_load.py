"""Long records: nobody is stopped for long by somebody else's import, pause or first look."""

import multiprocessing
import resource
import time

import pytest

from maxin.tournament import Tournament
from tests.helpers.processes import forked

NAMES = [f"player {number}" for number in range(20)]
MANY, MOST_MEGABYTES = 1_000_000, 500


def write_rows(path, n_rows):
    with path.open("w") as file:
        file.write("first,second,score\n")
        for row in range(n_rows):
            first = row % len(NAMES)
            second = (first + 1 + row // len(NAMES) % (len(NAMES) - 1)) % len(NAMES)
            file.write(f"{NAMES[first]},{NAMES[second]},{(row * 7 % 3) / 2:g}\n")


def import_and_ask(url, path, out):
    start = time.monotonic()
    with Tournament(store=url) as tournament:
        n_new = tournament.add_results(path)
        imported = time.monotonic()
        ticket = tournament.ask()
        asked = time.monotonic()
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        out.put((n_new, imported - start, asked - imported, memory, ticket.id))


def in_a_process(work, *arguments):
    """What `work` puts into its queue."""
    context = multiprocessing.get_context("spawn")
    out = context.Queue()
    process = context.Process(target=work, args=(*arguments, out))
    process.start()
    found = out.get(timeout=1800)
    process.join()
    assert process.exitcode == 0
    return found


def add(url, path, record_property):
    Tournament(NAMES, url).close()
    write_rows(path, MANY)
    n_new, took, asking, memory, number = in_a_process(import_and_ask, url, path)
    assert (n_new, number) == (MANY, 1)
    assert memory < MOST_MEGABYTES
    note = f"{MANY:,} rows in {took:.0f} s, {memory:.0f} MB; the first ask {asking:.1f} s"
    record_property("note", note)


@pytest.mark.slow
def test_a_million_rows_are_imported_into_a_file(tmp_path, record_property):
    add(f"sqlite:///{tmp_path / 'league.db'}", tmp_path / "rows.csv", record_property)


@pytest.mark.slow
def test_a_million_rows_are_imported_into_a_server(tmp_path, postgres_url, record_property):
    add(postgres_url, tmp_path / "rows.csv", record_property)


def play_on(url, n_matches, is_ready, out):
    """Ask and tell; put the longest time that one match took into `out`."""
    longest = 0.0
    with Tournament(store=url) as tournament:
        for number in range(n_matches):
            start = time.monotonic()
            ticket = tournament.ask()
            tournament.tell(ticket, ticket.seed % 3 / 2)
            if number == 3:
                is_ready.wait()
            elif number > 3:
                longest = max(longest, time.monotonic() - start)
    out.put(longest)


def pause_among_four(url, path, n_rows, n_matches):
    """Four processes play on a long record while a player is paused, and resumed, by a fifth."""
    write_rows(path, n_rows)
    with Tournament(NAMES, url) as tournament:
        tournament.add_results(path)
        context = forked()
        out, is_ready = context.Queue(), context.Barrier(5)
        players = [
            context.Process(target=play_on, args=(url, n_matches, is_ready, out)) for _ in range(4)
        ]
        for player in players:
            player.start()
        is_ready.wait()
        tournament.pause("player 3")
        tournament.resume("player 3")
        longest = max(out.get(timeout=1800) for _ in players)
        for player in players:
            player.join()
        assert [player.exitcode for player in players] == [0] * 4
        assert sum(row.number is not None for row in tournament.matches()) == 4 * n_matches
        assert tournament.verify().problems == []
    return longest


def test_a_pause_stops_nobody_who_shares_a_file(tmp_path, record_property):
    longest = pause_among_four(
        f"sqlite:///{tmp_path / 'league.db'}", tmp_path / "rows.csv", 2_000, 10
    )
    record_property("note", f"the longest match took {longest:.2f} s")


@pytest.mark.slow
def test_a_pause_stops_nobody_on_106_000_results(tmp_path, record_property):
    url = f"sqlite:///{tmp_path / 'league.db'}"
    longest = pause_among_four(url, tmp_path / "rows.csv", 106_000, 200)
    record_property("note", f"the longest match took {longest:.2f} s")
