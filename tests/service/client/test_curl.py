"""The requests of `docs/how-to/workers.md`, for workers in another language, work as printed."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[3] / "docs" / "how-to" / "workers.md"
TOOLS = ("bash", "curl", "openssl")


@pytest.mark.skipif(not all(map(shutil.which, TOOLS)), reason=f"needs {', '.join(TOOLS)}")
def test_a_match_is_asked_for_and_reported_with_curl(serve):
    client = serve()
    text = PAGE.read_text()
    (ask, tell) = re.findall(r"```sh\n(curl .*?)```", text, re.DOTALL)
    (printed,) = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    environment = {"SERVICE_URL": client.url, "MAXIN_TOKEN": "", "PATH": "/usr/bin:/bin"}

    def run(command):
        done = subprocess.run(
            ["bash", "-c", command.replace('-H "Authorization: Bearer $MAXIN_TOKEN" ', "")],
            env=environment,
            capture_output=True,
            check=True,
        )
        return json.loads(done.stdout)

    (ticket,) = run(ask)["tickets"]
    (example,) = json.loads(printed)["tickets"]
    assert ticket["fence"].partition("-")[0] == example["fence"].partition("-")[0]
    assert {**ticket, "fence": "", "lease_until": 0} == {**example, "fence": "", "lease_until": 0}
    assert run(tell.replace(example["fence"], ticket["fence"])) == {"match": 1, "is_new": True}
    (played,) = client.tournament.matches()
    assert (played.score, played.data) == (1.0, {"moves": 40})
