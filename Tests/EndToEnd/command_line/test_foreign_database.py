"""What `lanyard doctor` does to a database that is not Lanyard's: nothing."""

import pytest
from database import execute
from lanyard_tool import Tool


@pytest.mark.damages
def test_a_foreign_database_stays_as_it_is(tool: Tool) -> None:
    tool.data.mkdir(mode=0o700)
    execute(tool.file, "CREATE TABLE other (id INTEGER)")
    before = tool.file.read_bytes()
    result = tool.json("doctor", exit_code=1)
    assert "This is no database of Lanyard's." in [finding["message"] for finding in result["findings"]]
    assert tool.file.read_bytes() == before
    assert [path.name for path in tool.data.iterdir()] == [tool.file.name]


@pytest.mark.damages
def test_commands_leave_it_alone_too(tool: Tool) -> None:
    tool.data.mkdir(mode=0o700)
    execute(tool.file, "CREATE TABLE other (id INTEGER)")
    before = tool.file.read_bytes()
    for command in [("org", "list"), ("import", tool.data), ("audit", "verify")]:
        assert "This is no database of Lanyard's." in tool.failure(*command)
    assert tool.file.read_bytes() == before
    assert [path.name for path in tool.data.iterdir()] == [tool.file.name]


@pytest.mark.on_each_database
@pytest.mark.damages
def test_an_empty_database_stays_empty(tool: Tool) -> None:
    if tool.database is None:
        tool.data.mkdir(mode=0o700)
        tool.file.touch()
    assert "begin with `lanyard init`" in tool.failure("org", "list")
    # `init` reports a new installation: the command before has created nothing.
    assert tool.json("init", "--name", "Maple District")["isNew"]
