"""A disk that fills up in the middle of an import."""

import shutil
from pathlib import Path

from administration import export, sample
from database import assert_sound
from lanyard_tool import Tool


def test_an_import_that_fills_the_disk_changes_nothing_and_says_why(small_disk: Path, tmp_path: Path) -> None:
    tool = Tool(small_disk / "data")
    organization = tool.json("init", "--name", "Sample District", "--domain", "district.example")["organization"]
    little = sample(tmp_path / "little", people=300, classes=15, members=20)
    much = sample(tmp_path / "much", people=8000, classes=400, members=20)
    # These pupils are others by design.
    tool.text("org", "set", "--org", organization, "--replaced-max", "100000", "--renamed-percent", "100")
    tool.text("import", little, "--org", organization)
    before = export(tool, organization, tmp_path / "before")

    # The plan has to be approved, because it changes nearly everybody; it is made where there is room.
    shutil.copytree(tool.data, tmp_path / "roomy")
    plan = Tool(tmp_path / "roomy").json("import", much, "--org", organization, exit_code=3)["planID"]
    message = tool.failure("import", much, "--org", organization, "--approve", plan)
    assert "The disk of the database is full" in message
    assert "nothing was changed" in message

    # Read from a copy: the full disk has no room for what a reader needs.
    shutil.copytree(tool.data, tmp_path / "copy")
    copy = Tool(tmp_path / "copy")
    assert_sound(copy.file)
    assert export(copy, organization, tmp_path / "after") == before

    # And on the disk itself the work goes on.
    tool.text("import", little, "--org", organization)
