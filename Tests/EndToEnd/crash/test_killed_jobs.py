"""A job of a killed server is done by the next one, once and as a whole, at whatever moment the first one is killed."""

import csv
import random
import time
from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest
from administration import export, sample
from crash.job_server import JobServer
from crash.test_killed_id_map import write_map
from crash.test_killed_import import changed
from lanyard_tool import Tool
from processes import wait_until

# For each kind of job: as often as it takes to interrupt it twice, and once more while there is time.
ROUNDS = 2
ROUNDS_MAX = 10
SECONDS = 10
# The fifth attempt of a job is its last one.
KILLS = 3

NEWCOMERS = 2_000


@dataclass(frozen=True)
class Bench:
    """An organization whose server is killed again and again."""

    tool: Tool
    organization_id: str
    server: JobServer
    folder: Path
    district: Path
    other_district: Path

    def count(self, sql: str, *values: str | int) -> int:
        [(number,)] = self.tool.query(sql, *values)
        return number

    def wait_until_begun(self, job: str, times: int) -> None:
        """Until a server has taken the job for the `times`-th time."""
        self.server.program.wait_until(
            lambda: self.count("SELECT attempts FROM administration_job WHERE public_id = ?", job) >= times, 30,
            "the job is begun")

    def entries(self, action: str) -> int:
        """How many entries of the audit trail tell of this."""
        return self.count("SELECT COUNT(*) FROM audit_entry WHERE action = ?", action)

    def export(self) -> frozenset[tuple[str, bytes]]:
        target = self.folder / "export"
        return frozenset(export(self.tool, self.organization_id, target).items())


@pytest.fixture(scope="module")
def bench(tool_of_module: Tool, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    tool, folder = tool_of_module, tmp_path_factory.mktemp("killed-jobs")
    organization = tool.json("init", "--name", "Sample District", "--domain", "district.example")["organization"]
    # The pupils of the second district are others by design.
    tool.text("org", "set", "--replaced-max", "100000", "--renamed-percent", "100")
    first, second = (
        sample(folder / f"seed-{seed}", people=1500, classes=40, members=40, seed=seed) for seed in (1, 2))
    tool.text("import", first)
    server = JobServer(tool, "people.manage", "passwords.issue", "roster.import")
    server.start()
    try:
        yield Bench(tool, organization, server, folder, first, changed(first, second, folder / "changed"))
    finally:
        server.stop()
    tool.text("doctor")


class Work(Protocol):
    """A job that can be given again and again."""

    # The entries that it leaves in the audit trail.
    action: str

    def prepare(self, bench: Bench, number: int) -> None:
        """Makes what the job needs that is given for the `number`-th time, counted from 0."""

    def begin(self, bench: Bench, number: int) -> str:
        """Gives the job. Returns its id."""

    def state(self, bench: Bench, number: int) -> Hashable:
        """What the job changes, as a whole."""

    def entries(self, before: Hashable, after: Hashable) -> int:
        """How many entries tell of this change."""


class Adding:
    """Many people are added."""

    action = "person.created"

    def prepare(self, bench: Bench, number: int) -> None:
        assert self.state(bench, number) == 0

    def begin(self, bench: Bench, number: int) -> str:
        items = [
            {"firstName": f"Newcomer{number}", "lastName": f"Lee{index}",
             "userName": f"newcomer{number}.{index}@district.example"}
            for index in range(NEWCOMERS)]
        return bench.server.send("POST", "bulk/person.add", 202, json={"items": items})["job"]

    def state(self, bench: Bench, number: int) -> int:
        return bench.count("SELECT COUNT(*) FROM person WHERE given_name = ?", f"Newcomer{number}")

    def entries(self, before: int, after: int) -> int:
        assert (before, after) == (0, NEWCOMERS)
        return NEWCOMERS


class GivingPasswords:
    """Everybody of the largest class gets a new password."""

    action = "password.issued"

    def prepare(self, bench: Bench, number: int) -> None:
        with (bench.district / "rosters.csv").open() as file:
            [(self.class_id, self.pupils)] = Counter(row["class_id"] for row in csv.DictReader(file)).most_common(1)

    def begin(self, bench: Bench, number: int) -> str:
        return bench.server.send("POST", "passwords", 202, json={"class": self.class_id, "all": True})["job"]

    def state(self, bench: Bench, number: int) -> frozenset[tuple[int, str]]:
        return frozenset(bench.tool.query("SELECT person_id, password_hash FROM credential"))

    def entries(self, before: frozenset, after: frozenset) -> int:
        # The pupils, and whoever teaches them.
        new = after - before
        assert len(new) >= self.pupils and {person for person, _ in before} <= {person for person, _ in new}
        return len(new)


class UndoingAnImport:
    """An import is taken back. Before each job it is made again."""

    action = "roster.import-undone"

    def prepare(self, bench: Bench, number: int) -> None:
        assert bench.tool.json("import", bench.other_district)["outcome"] == "applied"

    def begin(self, bench: Bench, number: int) -> str:
        return bench.server.send("POST", "imports/last/undo", 202)["job"]

    def state(self, bench: Bench, number: int) -> frozenset[tuple[str, bytes]]:
        return bench.export()

    def entries(self, before: Hashable, after: Hashable) -> int:
        return 1


class MovingIDs:
    """Everybody and every class gets a new id, and the former one back by the next job."""

    action = "roster.ids-mapped"

    def prepare(self, bench: Bench, number: int) -> None:
        self.maps = []
        for name, prefix, former in (("there", "new-", ""), ("back", "", "new-")):
            with write_map(bench.district, bench.folder / f"{name}.csv", prefix, former).open() as file:
                self.maps.append([
                    {"kind": row["type"], "old": row["old_id"], "new": row["new_id"]} for row in csv.DictReader(file)])

    def begin(self, bench: Bench, number: int) -> str:
        return bench.server.send("POST", "id-maps", 202, json={"moves": self.maps[number % 2]})["job"]

    def state(self, bench: Bench, number: int) -> frozenset[tuple[str, bytes]]:
        return bench.export()

    def entries(self, before: Hashable, after: Hashable) -> int:
        return 1


@pytest.mark.parametrize(
    "work", [Adding(), GivingPasswords(), UndoingAnImport(), MovingIDs()], ids=lambda work: work.action)
def test_a_job_is_done_by_the_next_server_once_and_as_a_whole(
    bench: Bench, chance: random.Random, work: Work
) -> None:
    server = bench.server
    seconds = 0.0
    interrupted = 0
    deadline = time.monotonic() + SECONDS
    for number in range(ROUNDS_MAX):
        if interrupted >= 2 and (number > ROUNDS or time.monotonic() > deadline):
            break
        work.prepare(bench, number)
        before, entries = work.state(bench, number), bench.entries(work.action)
        job = work.begin(bench, number)
        bench.wait_until_begun(job, times=1)
        started = time.monotonic()
        found = []
        # The first one is not disturbed: it says how long the others take.
        for kill in range(KILLS if number > 0 else 0):
            # At any moment, but rather near the end, where everything is written.
            time.sleep(chance.triangular(0, 1.1 * seconds, 0.8 * seconds))
            server.program.kill()
            found.append(work.state(bench, number))
            server.let_leases_end()
            server.start()
            if found[-1] != before:
                # The machine is quicker than it was: a job that is done cannot be interrupted.
                if kill == 0:
                    seconds *= 0.5
                break
            interrupted += 1
            bench.wait_until_begun(job, times=kill + 2)
        record = wait_until(server.ended(job), 60, "the job has ended")
        seconds = seconds or time.monotonic() - started
        assert record["state"] == "done", record
        after = work.state(bench, number)
        assert after != before
        assert all(state in (before, after) for state in found), f"half a job after one of {len(found)} kills"
        assert bench.entries(work.action) - entries == work.entries(before, after)
    # Otherwise the test has shown nothing.
    assert interrupted >= 2
