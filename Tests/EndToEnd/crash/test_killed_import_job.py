"""An import that came over the API is taken up again by the next server, at whatever moment the first one is killed."""

import base64
import io
import random
import time
import zipfile
from pathlib import Path

import pytest
from administration import export, sample
from crash.job_server import JobServer
from crash.test_killed_import import changed
from lanyard_tool import Tool
from processes import wait_until

# For each of the two databases: as many as it takes to interrupt two jobs, and more of them while there is time.
ROUNDS = 6
ROUNDS_MAX = 20
SECONDS = 60
# The fifth attempt of a job is its last one.
KILLS = 3


def begin(server: JobServer, district: Path) -> str:
    """Sends the files of a district to be imported. Returns the id of the job."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for part in sorted(district.glob("*.csv")):
            file.write(part, part.name)
    body = {"archive": base64.b64encode(archive.getvalue()).decode()}
    return server.send("POST", "imports", 202, json=body)["job"]


@pytest.mark.on_each_database
def test_an_import_of_a_killed_server_is_done_by_the_next_one_and_once(
    tool: Tool, tmp_path: Path, chance: random.Random
) -> None:
    organization = tool.json("init", "--name", "Sample District", "--domain", "district.example")["organization"]
    first, other = (
        sample(tmp_path / f"seed-{seed}", people=4000, classes=200, members=25, seed=seed) for seed in (1, 2))
    # These pupils are others by design.
    tool.text("org", "set", "--replaced-max", "100000", "--renamed-percent", "100")
    districts = [first, changed(first, other, tmp_path / "changed")]
    exports = []
    server = JobServer(tool, "roster.import")
    server.start()
    try:
        for district in districts:
            started = time.monotonic()
            record = wait_until(server.ended(begin(server, district)), 60, "the import is done")
            seconds = time.monotonic() - started  # of the second one, which is like those to come
            assert record["state"] == "done" and record["answer"]["result"]["outcome"] == "applied", record
            exports.append(export(tool, organization, tmp_path / f"export-{district.name}"))
        assert exports[0] != exports[1]

        taken_up = 0
        deadline = time.monotonic() + SECONDS
        for attempt in range(ROUNDS_MAX):
            if taken_up >= 2 and (attempt >= ROUNDS or time.monotonic() > deadline):
                break
            target = attempt % 2
            job = begin(server, districts[target])
            interrupted = 0
            for kill in range(KILLS):
                # At any moment, but rather near the end, where everything is written.
                time.sleep(chance.triangular(0, 1.1 * seconds, 0.8 * seconds))
                server.program.kill()
                state = export(tool, organization, tmp_path / f"after-{attempt}-{kill}")
                assert state in exports, f"half an import after kill {kill} of attempt {attempt}"
                server.let_leases_end()
                server.start()
                if state == exports[target]:
                    # The machine is quicker than it was: an import that is done cannot be interrupted.
                    if kill == 0:
                        seconds *= 0.5
                    break
                interrupted += 1
            record = wait_until(server.ended(job), 60, "the job was taken up again")
            assert record["state"] == "done" and record["answer"]["result"]["outcome"] == "applied", record
            assert export(tool, organization, tmp_path / f"end-{attempt}") == exports[target]
            # The two from the beginning, and one for each job.
            assert len(tool.json("import", "--history")["imports"]) == 3 + attempt
            taken_up += interrupted > 0
    finally:
        server.stop()
    tool.text("doctor")
    # Otherwise the test has shown nothing.
    assert taken_up >= 2
