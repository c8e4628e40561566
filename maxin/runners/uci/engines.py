"""Engine processes: started, asked for moves, kept for later games, and ended.

python-chess speaks UCI on an event loop. One loop, in a thread of its own, serves all engines; a
game is a coroutine there, so a move costs no change of threads.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
import signal
import threading
from collections.abc import Coroutine
from concurrent.futures import CancelledError
from typing import TypeVar

import chess
import chess.engine

from maxin.runners.base import MatchFailed
from maxin.runners.programs import reaper
from maxin.runners.programs.tail import Tail
from maxin.runners.threads import STOPPED
from maxin.runners.uci.settings import Program

LOG = 1 << 14  # bytes of an engine's standard error that are kept
MOST_IDLE = 16  # processes kept for later games
PATIENCE = 2.0  # seconds an engine has to quit before it is killed
HOPELESS = (errno.ENOENT, errno.EACCES, errno.ENOEXEC)  # other errors of a start may pass
Answer = TypeVar("Answer")

# What engines say out of turn is no news to the user; a program that wants it can still listen.
logging.getLogger(chess.engine.__name__).addHandler(logging.NullHandler())


class Protocol(chess.engine.UciProtocol):
    """python-chess's, which also keeps the engine's last words."""

    def __init__(self) -> None:
        super().__init__()
        self.words = Tail(LOG)

    def error_line_received(self, line: str) -> None:
        """Keep a line of standard error."""
        self.words.add(f"{line}\n".encode())


class Engine:
    """A running engine, the leader of its process group; only the loop's thread touches it."""

    def __init__(
        self, transport: asyncio.SubprocessTransport, protocol: Protocol, program: Program
    ) -> None:
        self.transport, self.protocol, self.program = transport, protocol, program
        self.pid = transport.get_pid()

    @property
    def is_alive(self) -> bool:
        """Whether it can be asked for a move."""
        return not self.protocol.returncode.done()

    async def prepare(self, patience: float) -> None:
        """Introduce ourselves and set its options; an option it does not have is hopeless."""
        await self._answer(self._prepared(), "readiness", patience, is_hopeless=True)

    async def move(
        self, board: chess.Board, limit: chess.engine.Limit, game: object, patience: float
    ) -> chess.Move:
        """Its move, a legal one; a `game` it has not seen makes it forget all others."""
        search = self.protocol.play(board, limit, game=game)
        move = (await self._answer(search, "move", patience)).move
        if move is None:
            raise MatchFailed("the engine answered without a move", log=self.protocol.words.text())
        return move

    async def _prepared(self) -> None:
        await self.protocol.initialize()
        await self.protocol.configure(dict(self.program.options))
        await self.protocol.ping()

    async def _answer(
        self,
        answer: Coroutine[object, object, Answer],
        what: str,
        patience: float,
        *,
        is_hopeless: bool = False,
    ) -> Answer:
        """What it answers, or `MatchFailed` with its last words."""
        try:
            return await asyncio.wait_for(answer, patience)
        except TimeoutError:
            reason, is_hopeless = f"the engine hangs: no {what} in {patience:.3g} seconds", False
        except chess.engine.EngineTerminatedError as error:
            reason, is_hopeless = str(error), False
        except chess.engine.EngineError as error:
            reason = str(error)
        raise MatchFailed(reason, log=self.protocol.words.text(), is_hopeless=is_hopeless)

    async def quit(self) -> None:
        """Ask it to leave."""
        with contextlib.suppress(TimeoutError, chess.engine.EngineError):
            await asyncio.wait_for(self.protocol.quit(), PATIENCE)

    async def end(self) -> None:
        """Kill what is left of its group."""
        kill_group(self.pid)
        self.transport.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(self.protocol.returncode), PATIENCE)
        reaper.forget(self.pid)


def kill_group(pid: int) -> None:
    """Kill every process of the group now, if there is any left."""
    # Some systems say "not permitted" of a group whose members are all dead.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


class Engines:
    """All engines of a runner: lends them to games, keeps the idle ones, ends them.

    Args:
        timeout: seconds that an engine may take to start.
    """

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        self._idle: list[Engine] = []  # the one used last at the end
        self._lock = threading.Lock()  # guards the three below
        self._running: dict[int, Engine] = {}  # by process
        self._is_killed = self._is_closed = False
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="uci", daemon=True)
        self._thread.start()

    def run(self, game: Coroutine[object, object, Answer]) -> Answer:
        """Run `game` on the loop, from another thread; `MatchFailed` if we are ended before it."""
        with self._lock:
            if self._is_closed:
                game.close()
                raise MatchFailed(STOPPED)
            running = asyncio.run_coroutine_threadsafe(game, self._loop)
        try:
            return running.result()
        except (MatchFailed, CancelledError):
            if self._is_killed or self._is_closed:
                raise MatchFailed(STOPPED) from None
            raise

    async def borrow(self, program: Program) -> Engine:
        """An idle engine of the program, the one used last, or a new one."""
        while (engine := self._take_idle(program)) is not None:
            if engine.is_alive:
                return engine
            await self.end(engine)
        return await self._start(program)

    async def give_back(self, engine: Engine) -> None:
        """Keep it for a later game; of too many, the one idle longest goes."""
        self._idle.append(engine)
        if len(self._idle) > MOST_IDLE:
            await self._quit(self._idle.pop(0))

    async def end(self, engine: Engine) -> None:
        """Kill it."""
        await engine.end()
        with self._lock:
            self._running.pop(engine.pid, None)

    def kill(self) -> None:
        """Kill every engine, and every one that starts from here on."""
        with self._lock:
            self._is_killed = True
            for pid in self._running:
                kill_group(pid)

    def close(self) -> None:
        """End running games, let idle engines quit, and stop the loop."""
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            rest = asyncio.run_coroutine_threadsafe(self._close(), self._loop)
        rest.result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _close(self) -> None:
        games = asyncio.all_tasks() - {asyncio.current_task()}
        for game in games:
            game.cancel()
        await asyncio.gather(*games, return_exceptions=True)
        await asyncio.gather(*(self._quit(engine) for engine in self._idle))
        for engine in list(self._running.values()):  # whose game was stopped as it gave them back
            await self.end(engine)

    def _take_idle(self, program: Program) -> Engine | None:
        found = [engine for engine in self._idle if engine.program == program]
        if found:
            self._idle.remove(found[-1])
        return found[-1] if found else None

    async def _quit(self, engine: Engine) -> None:
        """Let it go in peace, if it does so soon."""
        await engine.quit()
        await self.end(engine)

    async def _start(self, program: Program) -> Engine:
        engine = await self._spawn(program)
        try:
            await engine.prepare(self._timeout)
        except BaseException:  # a cancelled game, too, leaves no engine behind
            await self.end(engine)
            raise
        return engine

    async def _spawn(self, program: Program) -> Engine:
        try:
            transport, protocol = await self._loop.subprocess_exec(
                Protocol, *program.command, env=reaper.marked(os.environ), start_new_session=True
            )
        except OSError as error:
            raise MatchFailed(
                f"the engine does not start: {error}", is_hopeless=error.errno in HOPELESS
            ) from None
        engine = Engine(transport, protocol, program)
        with self._lock:
            self._running[engine.pid] = engine
            reaper.watch(engine.pid)
            if self._is_killed:
                kill_group(engine.pid)
        return engine
