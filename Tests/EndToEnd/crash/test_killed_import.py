"""An import that is killed in its middle leaves the roster as it was, or is complete."""

import random
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from administration import export, sample
from database import assert_sound
from lanyard_tool import Tool
from processes import LANYARD, Program

# At most, for each of the two databases.
KILLS = 15
SECONDS = 40


@dataclass
class ImportBench:
    """An organization whose roster goes back and forth between two districts."""

    tool: Tool
    organization_id: str
    districts: list[Path]
    exports: list[dict[str, bytes]]
    seconds: float

    def start_import(self, district: Path) -> Program:
        return Program(
            LANYARD, "import", district, "--org", self.organization_id, *self.tool.place(),
            log=self.tool.data / "import.log")

    def run_import(self, district: Path) -> None:
        program = self.start_import(district)
        try:
            assert program.wait(timeout=60) == 0, program.log_text
        finally:
            program.stop()


@pytest.fixture
def bench(tool: Tool, tmp_path: Path) -> ImportBench:
    made = tool.json("init", "--name", "Sample District", "--domain", "district.example")
    first, other = (
        sample(tmp_path / f"seed-{seed}", people=4000, classes=200, members=25, seed=seed) for seed in (1, 2))
    # These pupils are others by design.
    tool.text("org", "set", "--replaced-max", "100000", "--renamed-percent", "100")
    districts = [first, changed(first, other, tmp_path / "changed")]
    bench = ImportBench(tool, made["organization"], districts, [], 0)
    for district in districts:
        started = time.monotonic()
        bench.run_import(district)
        bench.seconds = time.monotonic() - started  # of the second one, which is like those to come
        bench.exports.append(export(tool, bench.organization_id, tmp_path / f"export-{district.name}"))
    assert bench.exports[0] != bench.exports[1]
    return bench


def changed(district: Path, other: Path, target: Path) -> Path:
    """The district with every second pupil's names from another one, and some classes without pupils: much, but not so
    much that an import is held for approval."""
    shutil.copytree(district, target)
    pupils, others = ((folder / "students.csv").read_text().splitlines() for folder in (district, other))
    (target / "students.csv").write_text(
        "".join(f"{others[i] if i % 2 else pupils[i]}\n" for i in range(len(pupils))))
    header, *members = (district / "rosters.csv").read_text().splitlines()
    (target / "rosters.csv").write_text(
        "".join(f"{line}\n" for line in [header] + members[len(members) // 20:]))
    return target


@pytest.mark.on_each_database
def test_an_import_killed_at_any_moment_is_undone_or_complete(
    bench: ImportBench, tmp_path: Path, chance: random.Random
) -> None:
    current = 1
    struck = unfinished = 0
    deadline = time.monotonic() + SECONDS
    for attempt in range(KILLS):
        # On a slow machine it goes on until it has shown something.
        if time.monotonic() > deadline and struck >= 5 and unfinished >= 3:
            break
        other = 1 - current
        program = bench.start_import(bench.districts[other])
        try:
            # At any moment, but rather near the end, where everything is written.
            time.sleep(chance.triangular(0, 1.1 * bench.seconds, 0.9 * bench.seconds))
            if program.is_running:
                struck += 1
            else:
                # The machine is quicker than it was.
                bench.seconds *= 0.5
            program.kill()
        finally:
            program.stop()

        if not bench.tool.database:
            assert_sound(bench.tool.file)
        state = export(bench.tool, bench.organization_id, tmp_path / f"after-{attempt}")
        assert state in bench.exports, f"half an import after attempt {attempt}"
        unfinished += state == bench.exports[current]
        current = bench.exports.index(state)
    bench.tool.text("doctor")

    # Otherwise the test has shown nothing.
    assert struck >= 5
    assert unfinished >= 3
