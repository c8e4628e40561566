"""A real PostgreSQL server for the tests that need one."""

import contextlib
import os
import pwd
import random
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

INSTALL_SECONDS = 240


class NoServer(Exception):
    """No server can be started; the message gives the reason."""


def programs() -> Path:
    """The folder of PostgreSQL's programs, which are installed if possible."""
    found = _installed()
    if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
        try:
            subprocess.run(
                ["apt-get", "install", "-y", "-qq", "postgresql"],
                capture_output=True,
                timeout=INSTALL_SECONDS,
                env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise NoServer("installing PostgreSQL took too long") from None
        found = _installed()
    if found is None:
        raise NoServer("PostgreSQL is not installed, and installing it failed")
    return found


def _installed() -> Path | None:
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    on_path = shutil.which("initdb")
    if on_path is not None:
        folders.append(Path(on_path).resolve().parent)
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


def free_port() -> int:
    """A free port that no program gets by chance while a server is down for a restart.

    The system hands out ports from 32768 on to whoever asks for any, connections included.
    """
    for port in random.SystemRandom().sample(range(10_000, 32_768), 100):
        with contextlib.suppress(OSError), socket.socket() as free:
            free.bind(("127.0.0.1", port))
            return port
    raise NoServer("no port from 10000 to 32767 is free")


class Server:
    """A server with its data in a temporary folder, on a free local port."""

    def __init__(self) -> None:
        self.bin = programs()
        self.folder = Path(tempfile.mkdtemp(prefix="maxin-pg-", dir="/tmp"))
        self.user = None
        if os.geteuid() == 0:  # the server refuses to run as root
            try:
                self.user = pwd.getpwnam("postgres").pw_name
            except KeyError:
                self.user = "nobody"
            shutil.chown(self.folder, self.user)
        self.port = free_port()
        self._run("initdb", "-D", self.data, "-U", "maxin", "-A", "trust", "-E", "UTF8")
        self.start()

    @property
    def data(self) -> str:
        return str(self.folder / "data")

    def start(self) -> None:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -k {self.folder}"
        self._run(
            "pg_ctl",
            "-D",
            self.data,
            "-w",
            "-t",
            "110",
            "-l",
            f"{self.folder}/log",
            "-o",
            options,
            "start",
        )

    def stop(self) -> None:
        self._run("pg_ctl", "-D", self.data, "-w", "-m", "immediate", "stop")

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def new_database(self, name: str) -> str:
        """The URL of a new, empty database."""
        self._run(
            "createdb",
            "-h",
            "127.0.0.1",
            "-p",
            str(self.port),
            "-U",
            "maxin",
            "-T",
            "template0",
            name,
        )
        return f"postgresql://maxin@127.0.0.1:{self.port}/{name}"

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [str(self.bin / program), *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE if program != "pg_ctl" else subprocess.DEVNULL,
            text=True,
            cwd=self.folder,
            user=self.user,
            env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C.UTF-8", "HOME": str(self.folder)},
            check=False,
            timeout=120,
        )
        if done.returncode:
            raise NoServer(f"{program} failed: {done.stderr or ''}".strip())
