"""What is said when something cannot be done: what was wrong, where, and what to do."""

import os
from pathlib import Path

import pytest
from lanyard_tool import Tool
from processes import LANYARD, run


def told(*arguments: str | Path) -> str:
    result = run(LANYARD, *arguments)
    assert result.returncode != 0 and result.stdout == ""
    assert "Error Domain" not in result.stderr and "could not be completed" not in result.stderr
    return result.stderr


def test_a_folder_for_samples_that_cannot_be_made(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    assert "The folder has no name." in told("sample", "--out", "")
    assert f"{file} is a file, and no folder" in told("sample", "--out", file)
    assert f"The folder {file}/below cannot be made: Not a directory." in told("sample", "--out", file / "below")
    assert "The folder /proc/x cannot be made: " in told("sample", "--out", "/proc/x")


def test_files_without_a_name(tool: Tool) -> None:
    tool.json("init", "--name", "Maple District")
    assert "The name of the files is empty" in tool.usage_error("import", "")
    assert "The name of the folder or file is empty" in tool.usage_error("export", "")


def test_numbers_below_nought(tool: Tool) -> None:
    tool.json("init", "--name", "Maple District")
    assert "--limit must be between 1 and 1000" in tool.usage_error("audit", "list", "--limit", "-1")
    assert "before is the number of no entry" in tool.failure("audit", "list", "--before", "-1")


def test_a_master_key_that_is_a_folder(tool: Tool) -> None:
    tool.json("init", "--name", "Maple District")
    key = tool.data / "master.key"
    key.unlink()
    key.mkdir()
    assert "it is no file" in tool.failure("org", "list")


@pytest.mark.parametrize(
    ("option", "words"),
    [("--port=70000", "The setting port cannot be 70000"), ("--port=65536", "from 1 to 65535"),
     ("--port=-5", "The setting port cannot be -5"), ("--host=999.1.1.1", "The setting host cannot be “999.1.1.1”"),
     ("--host=nowhere.invalid", "No address is known for the host “nowhere.invalid”"),
     ("--host=192.0.2.1", "This machine has no address 192.0.2.1")])
def test_a_place_that_cannot_be_listened_at(tool: Tool, option: str, words: str) -> None:
    tool.json("init", "--name", "Maple District")
    assert words in tool.failure("serve", option)


@pytest.mark.damages
def test_a_database_that_was_emptied_is_not_begun_anew(tool: Tool) -> None:
    tool.json("init", "--name", "Maple District")
    with tool.serving():
        pass
    tool.file.write_bytes(b"")
    for arguments in [("serve", "--port", "0"), ("init", "--name", "Maple District")]:
        message = tool.failure(*arguments)
        assert f"nothing is in the database that it should belong to, {tool.file}" in message
        assert "restore your backup" in message.replace("\n", " ")
        assert tool.file.read_bytes() == b""


def test_nor_is_a_mistyped_one_made(tool: Tool) -> None:
    tool.json("init", "--name", "Maple District")
    mistyped = tool.data / "lanyard.sqlit"
    message = run(LANYARD, "serve", "--port", "0", "--data", tool.data, "--database", mistyped).stderr
    assert f"nothing is in the database that it should belong to, {mistyped}" in message
    assert not mistyped.exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write everything")
def test_a_database_that_may_not_be_written_says_why(tool: Tool) -> None:
    tool.json("init", "--name", "Maple District")
    tool.file.chmod(0o400)
    try:
        assert "Permission denied" in tool.failure("org", "list")
    finally:
        tool.file.chmod(0o600)
