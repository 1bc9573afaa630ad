"""An import that came over the API is taken up again by the next server, at whatever moment the first one is killed."""

import base64
import io
import random
import re
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import requests
from administration import export, sample
from crash.test_killed_import import changed
from database import execute
from lanyard_tool import Tool
from processes import LANYARD, Program, free_port, run, wait_until

# For each of the two databases: as many as it takes to interrupt two jobs, and more of them while there is time.
ROUNDS = 6
ROUNDS_MAX = 20
SECONDS = 60
# The fifth attempt of a job is its last one.
KILLS = 3


class ImportServer:
    """A server that is killed and started again, and a program that sends it files."""

    def __init__(self, tool: Tool):
        self.tool = tool
        self.port = free_port()
        self.program: Program | None = None
        made = tool.json("api-client", "add", "Importer", "--privilege", "roster.import")
        self.client = made["client"]["clientID"], made["secret"]
        self.token: dict[str, Any] = {}

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> Program:
        program = Program(
            LANYARD, "serve", "--port", self.port, "--development", "--log-level", "warning", *self.tool.place(),
            log=self.tool.data / "serve.log")
        self.program = program
        program.wait_until(
            lambda: re.search(r"^Lanyard is ready at ", program.log_text, re.MULTILINE), 30, "the server is ready")
        if not self.token:
            self.token = requests.post(
                f"{self.base_url}/api/v1/token", auth=self.client, timeout=10,
                data={"grant_type": "client_credentials"}).json()
        return program

    def stop(self) -> None:
        if self.program:
            self.program.stop()

    def send(self, method: str, path: str, status: int, **options: Any) -> Any:
        answer = requests.request(
            method, f"{self.base_url}/api/v1/organizations/{self.token['organization']}/{path}", timeout=30,
            headers={"Authorization": f"Bearer {self.token['access_token']}"}, **options)
        assert answer.status_code == status, answer.text
        return answer.json()

    def begin(self, district: Path) -> str:
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
            for part in sorted(district.glob("*.csv")):
                file.write(part, part.name)
        body = {"archive": base64.b64encode(archive.getvalue()).decode()}
        return self.send("POST", "imports", 202, json=body)["job"]

    def ended(self, job: str) -> Callable[[], dict[str, Any] | None]:
        def record() -> dict[str, Any] | None:
            found = self.send("GET", f"jobs/{job}", 200)
            return found if found["state"] in ("done", "failed") else None
        return record

    def let_leases_end(self) -> None:
        """As if the minute had passed in which the job still counts as the dead server's."""
        statement = "UPDATE administration_job SET leased_until = NULL WHERE ended_at IS NULL"
        if self.tool.database:
            result = run("psql", "--quiet", "--dbname", self.tool.database, "--command", statement)
            assert result.returncode == 0, result.stderr
        else:
            execute(self.tool.file, statement)


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
    server = ImportServer(tool)
    server.start()
    try:
        for district in districts:
            started = time.monotonic()
            record = wait_until(server.ended(server.begin(district)), 60, "the import is done")
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
            job = server.begin(districts[target])
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
                        seconds *= 0.8
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
