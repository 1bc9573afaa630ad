"""`lanyard pick-up`: folders whose files the server imports once a day."""

import os
import time
from pathlib import Path

import pytest
from command_line.conftest import District
from command_line.test_imports import FILES, PUPILS, write
from lanyard_tool import Tool
from processes import wait_until

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE1MOl3VTQn9nvJxZq3mQz1lq8g5c7Yd0mXK2sEoG0vB"


@pytest.fixture
def drop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder below which the server reads."""
    folder = tmp_path / "drop"
    monkeypatch.setenv("LANYARD_PICK_UP_FOLDER", str(folder))
    return folder


def let_be(folder: Path) -> None:
    """As if the files had been sent a while ago."""
    for file in folder.iterdir():
        os.utime(file, (time.time() - 600,) * 2)


def read(tool: Tool) -> str:
    """Has the folder read by a server, and returns what came of it. A server reads what is due when it starts."""
    before = tool.json("pick-up", "show", "1")["pickUp"].get("readAt")
    assert "lanyard pick-up show 1" in tool.text("pick-up", "read", "1")
    with tool.serving():
        record = wait_until(
            lambda: (found := tool.json("pick-up", "show", "1")["pickUp"]).get("readAt") != before and found, 60,
            "the folder is read", pause=0.3)
    return record["outcome"]


def test_a_folder_is_set_up_read_and_told(maple: District, drop: Path) -> None:
    tool = maple.tool
    assert tool.text("pick-up", "list") == "No folder is read.\n"
    made = tool.json("pick-up", "set", "--hour", "2", "--key", f"{KEY} system@school")
    folder = drop / "lanyard-drop-1" / "files"
    assert (made["pickUp"], made["hour"], made["key"], made["folder"]) == (1, 2, KEY, str(folder))
    folder.parent.mkdir(parents=True)
    assert read(tool) == "unreadable"
    assert "The folder files is not there" in tool.text("pick-up", "show", "1")
    [finding] = tool.json("findings")["findings"]
    assert (finding["kind"], finding["pickUp"]) == ("pick-up-failed", 1)
    assert "lanyard pick-up show 1" in tool.text("findings")

    write(folder)
    let_be(folder)
    assert read(tool) == "applied"
    shown = tool.json("pick-up", "show", "1")
    assert shown["last"]["report"]["counts"]["students"]["added"] == PUPILS
    assert "Applied as import 1" in tool.text("pick-up", "show", "1")
    assert tool.json("import", "--history")["imports"][0]["number"] == 1
    assert tool.text("findings") == "Nothing is wrong.\n"

    (folder / "rosters.csv").write_text("roster_id,class_id,student_id\nR-1,K-9,S-0\n")
    let_be(folder)
    assert read(tool) == "defective"
    assert "rosters.csv:2 class_id" in tool.text("pick-up", "show", "1")
    assert "defective" in tool.text("pick-up", "list")

    left = PUPILS // 3
    for name in ("students", "rosters"):
        (folder / f"{name}.csv").write_text("".join(f"{line}\n" for line in [FILES[name][0], *FILES[name][1 + left:]]))
    let_be(folder)
    assert read(tool) == "held"
    plan = tool.json("pick-up", "show", "1")["last"]["report"]["planID"]
    text = tool.text("pick-up", "show", "1")
    assert f"lanyard import --files-of {plan} --approve {plan}" in text
    assert tool.json("import", "--files-of", plan, "--approve", plan)["outcome"] == "applied"

    assert "is read no more" in tool.text("pick-up", "remove", "1")
    assert tool.json("pick-up", "list")["pickUps"] == []
    assert (folder / "students.csv").exists()


def test_what_cannot_be_set_up_is_refused(maple: District, drop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = maple.tool
    assert tool.json("pick-up", "set", "--hour", "2", "--school", "high")["school"] == "Maple High"
    before = tool.json("pick-up", "list")
    assert "hour" in tool.failure("pick-up", "set", "--hour", "24")
    assert "public key" in tool.failure("pick-up", "set", "--hour", "3", "--key", "ssh-ed25519 '; reboot; '")
    assert "has no location “low”" in tool.failure("pick-up", "set", "--hour", "3", "--school", "low")
    assert "at that hour" in tool.failure("pick-up", "set", "--hour", "2", "--school", "high")
    for command in ("show", "read", "remove"):
        assert "`lanyard pick-up list` shows those that there are" in tool.failure("pick-up", command, "9")
    assert tool.json("pick-up", "list") == before
    monkeypatch.delenv("LANYARD_PICK_UP_FOLDER")
    assert "pickUpFolder" in tool.text("pick-up", "list")
    assert "pickUpFolder" in tool.failure("pick-up", "read", "1")
