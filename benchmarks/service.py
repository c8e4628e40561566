"""What does a service take: asks and results per second, viewers, voters, and its own pages?

The server is a process of its own, and its CPU seconds are counted apart from those of the load.
`python benchmarks/service.py` prints the table; `--write` also puts it into
docs/reference/speed.md.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Awaitable, Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from common import markdown, show, write_measured

from maxin.service.arena.item_files import Item, Output
from maxin.service.arena.items import add_items
from maxin.service.arena.voters import Invite
from maxin.tournament import Tournament
from maxin.tournament.tournament import session_of

SECONDS = 10.0
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "speed.md"
HEADER = ["what", "measured", "aim"]


class Http:
    """One connection that is kept: requests go out as bytes, since a client must cost little."""

    def __init__(self, port: int, token: str = "") -> None:
        self._port = port
        self._head = f"Host: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        self._head += f"Authorization: Bearer {token}\r\n" if token else ""

    async def open(self) -> Http:
        """Connect."""
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        return self

    async def ask(self, method: str, path: str, body: Any = None) -> tuple[int, bytes]:
        """Send a request; the status and the body of its answer."""
        data = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\n{self._head}Content-Length: {len(data)}\r\n\r\n"
        self._writer.write(head.encode() + data)
        answer = (await self._reader.readuntil(b"\r\n\r\n")).decode().lower()
        status = int(answer[9:12])
        length = int(answer.partition("content-length: ")[2].partition("\r\n")[0] or 0)
        return status, await self._reader.readexactly(length)

    async def listen(self) -> asyncio.StreamReader:
        """Subscribe to the events."""
        self._writer.write(f"GET /api/v1/events HTTP/1.1\r\n{self._head}\r\n".encode())
        await self._reader.readuntil(b"\r\n\r\n")
        return self._reader

    def close(self) -> None:
        """Disconnect."""
        self._writer.close()


class Process:
    """A service in a process of its own."""

    def __init__(self, store: str) -> None:
        began = time.perf_counter()
        command = [sys.executable, "-m", "maxin", "serve", store, "--port", "0"]
        command += ["--confidence", "none"]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline().rpartition(":")[2])
        self.start_seconds = time.perf_counter() - began

    def cpu(self) -> float:
        """CPU seconds so far."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def end(self) -> None:
        """Stop it."""
        self._process.terminate()
        self._process.wait()


@contextmanager
def service(n_players: int, prepare: Callable[[Tournament], Any] = lambda _: None) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        store = f"sqlite:///{folder}/league.db"
        with Tournament([f"player {number}" for number in range(n_players)], store, seed=1) as made:
            prepared = prepare(made)
        process = Process(store)
        try:
            yield process, prepared
        finally:
            process.end()


async def played(port: int, seconds: float, pause: float = 0.0) -> tuple[int, list[float]]:
    """Ask for a match and report its result, over and over, on one connection."""
    http, count, waits = await Http(port).open(), 0, []
    end = time.perf_counter() + seconds
    while not count or time.perf_counter() < end:
        began = time.perf_counter()
        status, body = await http.ask("POST", "/api/v1/matches", {"n": 1, "lease": 60, "wait": 5})
        waits.append(time.perf_counter() - began)
        if status != 201:
            continue
        ticket = json.loads(body)["tickets"][0]
        path = f"/api/v1/matches/{ticket['match']}/result"
        await http.ask("POST", path, {"score": ticket["seed"] % 2})
        count += 2
        await asyncio.sleep(pause)
    http.close()
    return count, waits


async def load(
    process: Process, n_connections: int = 64, pause: float = 0.0, seconds: float = SECONDS
) -> tuple[float, float, list[float]]:
    """Asks and results per second and per CPU second of the server, and the waits for an ask."""
    await played(process.port, 1.0)  # warm
    began, cpu = time.perf_counter(), process.cpu()
    found = await asyncio.gather(
        *(played(process.port, seconds, pause) for _ in range(n_connections))
    )
    count, waits = sum(one for one, _ in found), [wait for _, some in found for wait in some]
    return count / (time.perf_counter() - began), count / (process.cpu() - cpu), waits


async def with_viewers(process: Process, n_viewers: int) -> tuple[float, float, float]:
    """Per second and CPU second with viewers, and the time from a result to the last event."""
    heard: list[list[tuple[float, int]]] = [[] for _ in range(n_viewers)]

    async def view(own: list[tuple[float, int]]) -> None:
        http = await Http(process.port).open()
        reader = await http.listen()
        while line := await reader.readline():
            if line.startswith(b"data: "):
                own.append((time.perf_counter(), json.loads(line[6:])["matches"]))

    views = [asyncio.create_task(view(own)) for own in heard]
    await asyncio.sleep(1.0)
    wall, cpu, _ = await load(process)
    await asyncio.sleep(2.0)
    # Now one more result, on a quiet service: when has everybody heard of it?
    before, began = heard[0][-1][1], time.perf_counter()
    await played(process.port, 0.0)
    while not all(own[-1][1] > before for own in heard):
        await asyncio.sleep(0.01)
    latest = max(own[-1][0] for own in heard) - began
    for task in views:
        task.cancel()
    return wall, cpu, latest


async def voted(port: int, token: str, seconds: float) -> list[float]:
    """Compare pairs for a while; the waits for the next pair."""
    http, waits = await Http(port, token).open(), []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        began = time.perf_counter()
        status, body = await http.ask("POST", "/api/v1/pairs", {})
        waits.append(time.perf_counter() - began)
        if status == 200:
            key = json.loads(body)["pair"]
            await http.ask("PUT", f"/api/v1/pairs/{key}/vote", {"choice": "a", "ms": 900})
        await asyncio.sleep(1.0)  # nobody is faster
    http.close()
    return waits


def with_items(tournament: Tournament) -> list[str]:
    outputs = {name: Output("text/plain", name.encode()) for name in tournament.names}
    items = [Item(f"item {number}", f"Question {number}?", outputs) for number in range(20)]
    add_items(tournament, items)
    made = session_of(tournament).answer(Invite(200))
    return [token for _, _, token in made]


def weight(port: int) -> int:
    """Bytes of the live page and all that it loads, packed by gzip."""
    total = 0
    for path in ("/", "/static/style.css", "/static/service.css", "/static/live.js"):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}") as answer:
            total += len(gzip.compress(answer.read()))
    return total


def percentile(waits: list[float], share: float = 99.0) -> float:
    return 1e3 * float(np.percentile(waits, share))


def run(work: Awaitable[Any]) -> Any:
    async def outer() -> Any:
        return await work

    return asyncio.run(outer())


def main() -> None:
    rows: list[list[str]] = []
    with service(100) as (process, _):
        start, light = process.start_seconds, weight(process.port)
        wall, cpu, _ = run(load(process))
        rows.append(
            ["asks and results, 100 players, 64 connections", f"{wall:,.0f} a second", "1,000"]
        )
        rows.append(["the same, per CPU second of the server", f"{cpu:,.0f}", "2,500"])
        pause = 2 * 64 / (wall / 2)
        _, _, waits = run(load(process, pause=pause))
        rows.append(["p99 of an ask at half that load", f"{percentile(waits):,.0f} ms", "100 ms"])
        with_wall, with_cpu, latest = run(with_viewers(process, 200))
        lost = 100.0 * (1.0 - with_cpu / cpu)
        rows.append(["200 viewers cost, per CPU second", f"{lost:.0f} %", "20 %"])
        rows.append(["the same, per second", f"{100.0 * (1.0 - with_wall / wall):.0f} %", ""])
        rows.append(["from a result to all 200 pages", f"{latest:.2f} s", "2 s"])
    with service(300) as (process, _):
        _, cpu, _ = run(load(process))
        rows.append(["asks and results per CPU second, 300 players", f"{cpu:,.0f}", "1,000"])
    with service(100, with_items) as (process, tokens):

        async def vote_all() -> list[float]:
            found = await asyncio.gather(*(voted(process.port, token, SECONDS) for token in tokens))
            return [wait for waits in found for wait in waits]

        waits = run(vote_all())
        rows.append(["p99 of the next pair, 200 voters", f"{percentile(waits):,.0f} ms", "300 ms"])
    rows.append(["cold start", f"{start:.1f} s", "3 s"])
    rows.append(["weight of the live page, by gzip", f"{light / 1000:.0f} kB", "50 kB"])
    show("A service on SQLite", HEADER, rows)
    if "--write" in sys.argv[1:]:
        write_measured(PAGE, "service.py", markdown(HEADER, rows))


if __name__ == "__main__":
    main()
