"""What `lanyard doctor` does to a database that is not Lanyard's: nothing."""

from database import execute
from lanyard_tool import Tool


def test_a_foreign_database_stays_as_it_is(tool: Tool) -> None:
    tool.data.mkdir(mode=0o700)
    execute(tool.file, "CREATE TABLE other (id INTEGER)")
    before = tool.file.read_bytes()
    result = tool.json("doctor", exit_code=1)
    assert "This is no database of Lanyard's." in [finding["message"] for finding in result["findings"]]
    assert tool.file.read_bytes() == before
    assert [path.name for path in tool.data.iterdir()] == [tool.file.name]
