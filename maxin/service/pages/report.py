"""The report on a page: made once per state of the record, aside from all that others wait for."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from maxin.core import InvalidInput
from maxin.core.files import whole_file
from maxin.runners.programs.groups import Groups, deadline, exit_text
from maxin.service.access.refusal import Refusal
from maxin.service.lanes import Lane
from maxin.service.pages.site import packed, render
from maxin.service.shared_cache import Made
from maxin.storage import open_store
from maxin.storage.votes.items import has_items
from maxin.tournament import Tournament
from maxin.views.html.report_data import read_report

LONGEST = 120.0  # seconds that a report may take
PATIENCE = 25.0  # seconds that a viewer waits for it; proxies give up after 30 or 60
RETRY_AFTER = 5  # seconds, for viewers who have waited so long
NICE = 10  # how far its process stands back for all others
INVALID = 3  # the exit code if there is no report of such a tournament
STORE = "MAXIN_STORE"  # the environment variable that names the store, perhaps with a password
LOG = logging.getLogger("maxin.service")
IN_A_SHELL = "`maxin report`, in a shell where the store is, makes one without a limit"


class Reports:
    """Makes the report of a service: one at a time, and each state of the record once.

    It is made in a process of its own, which is killed if it takes too long. Only of a store in
    memory, which no other process can read, it is made in a thread.

    Args:
        tournament: what is reported.
    """

    def __init__(self, tournament: Tournament) -> None:
        self._tournament = tournament
        self._lane, self._groups = Lane("the report", 1), Groups()
        self._etag = ""  # of the state that the latest one is about
        self._latest: asyncio.Task[Made | Refusal] | None = None

    async def get(self, etag: str) -> tuple[str, Made]:
        """The report of this state with its etag, or the one that is being made already."""
        latest = self._latest
        if latest is None or (latest.done() and (self._etag != etag or latest.exception())):
            latest = self._latest = asyncio.create_task(self._lane.run(self._make))
            self._etag = etag
        found_etag = self._etag
        try:
            made = await asyncio.wait_for(asyncio.shield(latest), PATIENCE)
        except TimeoutError:
            detail = "the report is still being made; load this page again in a moment"
            raise Refusal(503, detail, retry_after=RETRY_AFTER) from None
        if isinstance(made, Refusal):
            raise Refusal(made.status, made.detail)
        return found_etag, made

    def close(self) -> None:
        """Kill the process, if there is one."""
        self._groups.kill()
        self._lane.close()

    # In the thread

    def _make(self) -> Made | Refusal:
        """The report; a refusal if this state has none, however often it is tried."""
        if self._tournament.store.is_in_memory:
            return packed(report_page(self._tournament))
        with TemporaryDirectory(prefix="maxin-report-") as folder:
            return self._from_process(Path(folder, "report.html"))

    def _from_process(self, page: Path) -> Made | Refusal:
        url = self._tournament.store.url.render_as_string(hide_password=False)
        words = [sys.executable, "-P", "-m", __name__, str(page)]
        group = self._groups.start(words, {**os.environ, STORE: url})
        try:
            is_over = group.wait(deadline(LONGEST))
        finally:
            code = self._groups.end(group)
        if self._groups.is_killed:
            raise Refusal(503, "the service is ending")
        if not is_over:
            return Refusal(503, f"the report takes more than {LONGEST:g} seconds; {IN_A_SHELL}")
        if code == INVALID:
            return Refusal(422, group.log_text().strip())
        if code:
            LOG.error("the process of the report %s: %s", exit_text(code), group.log_text())
            detail = f"the report failed, and the log of the service says why; {IN_A_SHELL}"
            raise Refusal(503, detail)
        return packed(page.read_text("utf-8"))


def report_page(tournament: Tournament) -> str:
    """The report with the navigation of the service."""
    data, with_votes = read_report(tournament), has_items(tournament.store)
    return render("report_page.html", data=data, matches="/matches", has_items=with_votes)


def main(page: str) -> int:
    """Write the report of the store that MAXIN_STORE names to a file; returns the exit code."""
    os.nice(NICE)
    try:
        with Tournament(store=open_store(os.environ[STORE], reads=True)) as tournament:
            text = report_page(tournament)
        with whole_file(Path(page)) as file:
            file.write(text)
    except InvalidInput as error:
        print(error, file=sys.stderr)
        return INVALID
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
