"""A real PostgreSQL server for the tests that need one."""

import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

import psycopg

from tests.helpers.ports import HOST, reserved_port

INSTALL_SECONDS = 240
WAIT = ("-w", "-t", "600")  # only spent when a test fails: a server that ends is noticed at once


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


class Server:
    """A server with its data in a temporary folder, on a local port that is its own."""

    def __init__(self) -> None:
        self.bin = programs()
        self._shared: str | None = None
        self.folder = Path(tempfile.mkdtemp(prefix="maxin-pg-", dir="/tmp"))
        self.user = None
        if os.geteuid() == 0:  # the server refuses to run as root
            try:
                self.user = pwd.getpwnam("postgres").pw_name
            except KeyError:
                self.user = "nobody"
            shutil.chown(self.folder, self.user)
        self._keeper = reserved_port()
        self.port = self._keeper.getsockname()[1]
        owner = ("-U", "maxin", "-A", "trust", "-E", "UTF8")
        self._run("initdb", "-D", self.data, "--no-sync", *owner)
        self.start()

    @property
    def data(self) -> str:
        return str(self.folder / "data")

    def start(self) -> None:
        # Nothing here outlasts a crash of the machine, so nothing waits for the disk.
        options = f"-F -p {self.port} -c listen_addresses={HOST} -k {self.folder}"
        log = f"{self.folder}/log"
        self._run("pg_ctl", "-D", self.data, *WAIT, "-l", log, "-o", options, "start")

    def stop(self) -> None:
        self._run("pg_ctl", "-D", self.data, *WAIT, "-m", "immediate", "stop")

    def remove(self) -> None:
        self.stop()
        self._keeper.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def empty_database(self) -> str:
        """The URL of the database that tests use one after another, since a new one takes long."""
        if self._shared is None:
            self._shared = self.new_database("shared")
        others = (
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid != pg_backend_pid()"
        )
        with psycopg.connect(self._shared, autocommit=True) as connection:
            for statement in (others, "DROP SCHEMA public CASCADE", "CREATE SCHEMA public"):
                connection.execute(statement)
        return self._shared

    def new_database(self, name: str) -> str:
        """The URL of a new, empty database."""
        place = ("-h", HOST, "-p", str(self.port), "-U", "maxin")
        self._run("createdb", *place, "-T", "template0", name)
        return f"postgresql://maxin@{HOST}:{self.port}/{name}"

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
        )
        if done.returncode:
            reason = done.stderr or "".join(self._log()[-5:])
            raise NoServer(f"{program} failed: {reason}".strip())

    def _log(self) -> list[str]:
        """The lines that the server wrote."""
        path = self.folder / "log"
        return path.read_text().splitlines(keepends=True) if path.exists() else []
