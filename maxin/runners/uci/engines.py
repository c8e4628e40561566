"""Start engine processes, ask them for moves, keep them for later games, and end them.

python-chess speaks UCI and xboard on an event loop. One loop, in its own thread, serves all
engines; a game is a coroutine on that loop, so that a move needs no thread switch.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import threading
from collections.abc import Callable, Coroutine, Iterable, Mapping
from concurrent.futures import CancelledError
from typing import Any, NamedTuple, TypeVar

import chess
import chess.engine

from maxin.runners.base import STOPPED, MatchFailed
from maxin.runners.programs import reaper, strays
from maxin.runners.programs.environment import passed
from maxin.runners.programs.groups import Tail, kill_group
from maxin.runners.uci.engine_settings import Program

LOG = 1 << 14  # bytes kept of an engine's standard error
LONGEST_LINE = 1 << 20  # bytes of a line; an engine that writes more is killed
MOST_IDLE = 16  # idle processes kept for later games at most
PATIENCE = 2.0  # seconds an engine may take to quit before it is killed
HOPELESS = (errno.ENOENT, errno.EACCES, errno.ENOEXEC)  # a retry may get past any other error
INFO = chess.engine.INFO_BASIC | chess.engine.INFO_SCORE  # what is read of an engine's reports
Answer = TypeVar("Answer")

# Unexpected engine output is not shown by default; a program that wants it can add a handler.
logging.getLogger(chess.engine.__name__).addHandler(logging.NullHandler())


class EngineProtocol(chess.engine.Protocol):
    """A protocol of python-chess, with limits: on the log it keeps, and on lines."""

    def __init__(self) -> None:
        super().__init__()
        self.log = Tail(LOG)
        self.is_flooded = False

    def pipe_data_received(self, fd: int, data: bytes | str) -> None:
        """Read lines; kill an engine that writes one without an end."""
        if self.is_flooded:
            return
        super().pipe_data_received(fd, data)
        if len(self.buffer[fd]) > LONGEST_LINE:
            self.is_flooded = True
            self.buffer[fd].clear()
            assert self.transport is not None
            kill_group(self.transport.get_pid())

    def error_line_received(self, line: str) -> None:
        """Keep a line of standard error."""
        self.log.add(f"{line}\n".encode())


class UciEngine(EngineProtocol, chess.engine.UciProtocol):
    """Speaks UCI."""


class XBoardEngine(EngineProtocol, chess.engine.XBoardProtocol):
    """Speaks the protocol of xboard, also called CECP, in its version 2."""


PROTOCOLS: Mapping[str, Callable[[], UciEngine | XBoardEngine]] = {
    "uci": UciEngine,
    "xboard": XBoardEngine,
}


class EngineFailed(MatchFailed):
    """An engine gave no legal move; `end` says how the game ends if that is a loss."""

    def __init__(self, reason: str, *, end: str = "crash", **details: Any) -> None:
        super().__init__(reason, **details)
        self.end = end


class EngineMove(NamedTuple):
    """A move, with the engine's last evaluation and its depth, if it gave them.

    An engine that speaks xboard may resign instead; then there is no move.
    """

    move: chess.Move | None
    score: chess.engine.Score | None
    depth: int | None


class Engine:
    """A running engine, the leader of its process group. Use it in the loop's thread only."""

    def __init__(
        self,
        transport: asyncio.SubprocessTransport,
        protocol: UciEngine | XBoardEngine,
        program: Program,
        environment: Mapping[str, str],
    ) -> None:
        self.transport, self.protocol, self.program = transport, protocol, program
        self._environment = environment
        self.pid = transport.get_pid()

    @property
    def is_alive(self) -> bool:
        """Whether the engine is still running."""
        return not self.protocol.returncode.done()

    async def prepare(self, patience: float) -> None:
        """Initialize the engine and set its options; an unknown option is hopeless."""
        await self._answer(self._prepared(), "get ready", patience, is_hopeless=True)

    async def move(
        self, board: chess.Board, limit: chess.engine.Limit, game: object, patience: float
    ) -> EngineMove:
        """A legal move. A new `game` makes the engine forget earlier ones."""
        search = self.protocol.play(board, limit, game=game, info=INFO)
        played = await self._answer(search, "move", patience)
        if played.move is None and not played.resigned:
            raise EngineFailed(
                "the engine returned no move", end="illegal move", log=self.protocol.log.text()
            )
        score = played.info.get("score")
        return EngineMove(
            None if played.resigned else played.move,
            None if score is None else score.relative,
            played.info.get("depth"),
        )

    async def options(self, patience: float) -> tuple[str, Mapping[str, chess.engine.Option]]:
        """Initialize the engine; returns its name, and the options that it declares."""
        await self._answer(self.protocol.initialize(), "get ready", patience)
        name = str(self.protocol.id.get("name", self.program.command[0]))
        return name, self.protocol.options

    async def _prepared(self) -> None:
        await self.protocol.initialize()
        await self.protocol.configure(dict(self.program.options))
        await self.protocol.ping()

    async def _answer(
        self,
        answer: Coroutine[object, object, Answer],
        action: str,
        patience: float,
        *,
        is_hopeless: bool = False,
    ) -> Answer:
        """The engine's answer; raise `EngineFailed` with the end of its log if there is none."""
        try:
            return await asyncio.wait_for(answer, patience)
        except TimeoutError:
            reason = f"the engine hangs: it did not {action} within {patience:.3g} s"
            end, is_hopeless = "time", False
        except chess.engine.EngineTerminatedError as error:
            reason, end, is_hopeless = str(error), "crash", False
            if self.protocol.is_flooded:
                reason = f"the engine wrote a line of more than {LONGEST_LINE:,} bytes"
        except chess.engine.EngineError as error:
            reason, end = str(error), "illegal move"
        log = self.protocol.log.text()
        raise EngineFailed(reason, end=end, log=log, is_hopeless=is_hopeless)

    async def quit(self) -> None:
        """Ask the engine to quit."""
        with contextlib.suppress(TimeoutError, chess.engine.EngineError):
            await asyncio.wait_for(self.protocol.quit(), PATIENCE)

    async def end(self) -> None:
        """Kill the engine and all that it started."""
        kill_group(self.pid)
        self.transport.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(self.protocol.returncode), PATIENCE)
            await asyncio.to_thread(strays.end, self._environment, self.pid)
        reaper.forget(self.pid)


class Engines:
    """All engines of a runner. They are lent to games and kept while idle.

    Args:
        timeout: seconds an engine may take to start.
        env: further variables of our environment that engines get.
    """

    def __init__(self, timeout: float, env: Iterable[str] = ()) -> None:
        self._timeout, self._env = timeout, env
        self._idle: list[Engine] = []  # the most recently used is last
        self._lock = threading.Lock()  # guards `_running`, `_is_killed` and `_is_closed`
        self._running: dict[int, Engine] = {}  # by process number
        self._is_killed = self._is_closed = False
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="uci", daemon=True)
        self._thread.start()

    def run(self, game: Coroutine[object, object, Answer]) -> Answer:
        """Run `game` on the loop from another thread; raise `MatchFailed` if it is stopped."""
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

    @property
    def is_killed(self) -> bool:
        """Whether `kill` was called: then an engine that died is not to blame."""
        return self._is_killed

    async def borrow(self, program: Program) -> Engine:
        """The most recently used idle engine of the program, or a new one."""
        while (engine := self._take_idle(program)) is not None:
            if engine.is_alive:
                return engine
            await self.end(engine)
        return await self._start(program)

    async def options(self, program: Program) -> tuple[str, Mapping[str, chess.engine.Option]]:
        """The name and the options that an engine declares when it is started."""
        engine = await self._spawn(program)
        try:
            return await engine.options(self._timeout)
        finally:
            await (self._quit(engine) if engine.is_alive else self.end(engine))

    async def give_back(self, engine: Engine) -> None:
        """Keep the engine for a later game. If there are too many, end the one idle longest."""
        self._idle.append(engine)
        if len(self._idle) > MOST_IDLE:
            await self._quit(self._idle.pop(0))

    async def end(self, engine: Engine) -> None:
        """Kill the engine."""
        await engine.end()
        with self._lock:
            self._running.pop(engine.pid, None)

    def kill(self) -> None:
        """Kill every engine, and every engine that starts later."""
        with self._lock:
            self._is_killed = True
            for pid in self._running:
                kill_group(pid)

    def close(self) -> None:
        """Stop running games, let idle engines quit, and stop the loop."""
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
        for engine in list(self._running.values()):  # stopped while being given back
            await self.end(engine)
        await self._loop.shutdown_default_executor()

    def _take_idle(self, program: Program) -> Engine | None:
        found = [engine for engine in self._idle if engine.program == program]
        if found:
            self._idle.remove(found[-1])
        return found[-1] if found else None

    async def _quit(self, engine: Engine) -> None:
        """Let the engine quit, and kill it if it does not."""
        await engine.quit()
        await self.end(engine)

    async def _start(self, program: Program) -> Engine:
        engine = await self._spawn(program)
        try:
            await engine.prepare(self._timeout)
        except BaseException:  # also when cancelled: no engine may be left behind
            await self.end(engine)
            raise
        return engine

    async def _spawn(self, program: Program) -> Engine:
        environment = strays.marked(passed(self._env))
        try:
            transport, protocol = await self._loop.subprocess_exec(
                PROTOCOLS[program.proto],
                *program.command,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            raise EngineFailed(
                f"cannot start the engine: {error}", is_hopeless=error.errno in HOPELESS
            ) from None
        engine = Engine(transport, protocol, program, environment)
        with self._lock:
            self._running[engine.pid] = engine
            reaper.watch(engine.pid)
            if self._is_killed:
                kill_group(engine.pid)
        return engine
