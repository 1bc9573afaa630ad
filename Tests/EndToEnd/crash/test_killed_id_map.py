"""An id map that is killed in its middle leaves all ids as they were, or has moved all."""

import csv
import random
import time
from pathlib import Path

import pytest
from administration import export, sample
from database import assert_sound
from lanyard_tool import Tool
from processes import LANYARD, Program

# At most, for each of the two databases.
KILLS = 12
SECONDS = 40


def write_map(district: Path, target: Path, prefix: str, former: str) -> Path:
    """A map of everybody and every class from the ids with the one prefix to those with the other."""
    with target.open("w") as file:
        file.write("type,old_id,new_id\n")
        for name, column, kind in [
                ("students.csv", "person_id", "person"), ("staff.csv", "person_id", "person"),
                ("classes.csv", "class_id", "class"), ("courses.csv", "course_id", "course"),
                ("locations.csv", "location_id", "location")]:
            for row in csv.DictReader((district / name).open()):
                file.write(f"{kind},{former}{row[column]},{prefix}{row[column]}\n")
    return target


@pytest.mark.on_each_database
def test_an_id_map_killed_at_any_moment_is_undone_or_complete(
    tool: Tool, tmp_path: Path, chance: random.Random
) -> None:
    organization = tool.json("init", "--name", "Sample District", "--domain", "district.example")["organization"]
    district = sample(tmp_path / "district", people=4000, classes=200, members=25)
    tool.text("import", district)
    maps = [
        write_map(district, tmp_path / "there.csv", "new-", ""),
        write_map(district, tmp_path / "back.csv", "", "new-"),
    ]
    exports = [export(tool, organization, tmp_path / "export-0")]
    started = time.monotonic()
    tool.text("id-map", "apply", maps[0])
    seconds = time.monotonic() - started
    exports.append(export(tool, organization, tmp_path / "export-1"))
    assert exports[0] != exports[1]

    current = 1
    struck = unfinished = 0
    deadline = time.monotonic() + SECONDS
    for attempt in range(KILLS):
        # On a slow machine it goes on until it has shown something.
        if time.monotonic() > deadline and struck >= 4 and unfinished >= 2:
            break
        program = Program(LANYARD, "id-map", "apply", maps[current], *tool.place(), log=tool.data / "map.log")
        try:
            time.sleep(chance.triangular(0, 1.1 * seconds, 0.9 * seconds))
            if program.is_running:
                struck += 1
            else:
                # The machine is quicker than it was.
                seconds *= 0.5
            program.kill()
        finally:
            program.stop()

        if not tool.database:
            assert_sound(tool.file)
        state = export(tool, organization, tmp_path / f"after-{attempt}")
        assert state in exports, f"half a map after attempt {attempt}"
        unfinished += state == exports[current]
        current = exports.index(state)
    tool.text("doctor")

    # Otherwise the test has shown nothing.
    assert struck >= 4
    assert unfinished >= 2
