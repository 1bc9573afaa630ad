"""The sandbox of a team, from the command line."""

import pytest
from command_line.conftest import District

SANDBOX = ("app", "team", "sandbox")


@pytest.mark.on_each_database
def test_a_sandbox_is_made_shown_and_removed(maple: District) -> None:
    tool = maple.tool
    tool.run("app", "team", "create", "Quill Inc.")
    assert tool.json(*SANDBOX, "show") == {}
    assert "has no sandbox" in tool.text(*SANDBOX, "show")
    opened = tool.json(*SANDBOX, "create", "--team", "Quill Inc.")
    sandbox = opened["sandbox"]
    assert (sandbox["name"], sandbox["people"]) == ("Quill Inc. (sandbox)", 146)
    assert opened["userName"].endswith(f"@{sandbox['domain']}")
    assert sandbox["domain"] in tool.text(*SANDBOX, "show")

    # The district is still what commands mean that name none, and lists say which is a sandbox.
    assert tool.json("org", "show")["name"] == "Maple District"
    assert "sandbox" in next(line for line in tool.text("org", "list").splitlines() if sandbox["id"] in line)
    assert "sandbox of a team" in tool.text("org", "show", "--org", sandbox["id"])
    assert "Quill Inc. (sandbox)" not in tool.run("doctor").stdout

    again = tool.json(*SANDBOX, "password")
    assert again["userName"] == opened["userName"] and again["password"] != opened["password"]
    assert again["password"] not in tool.text(*SANDBOX, "show")
    assert "has a sandbox already" in tool.failure(*SANDBOX, "create")
    assert "has a sandbox" in tool.failure("app", "team", "remove", "Quill Inc.", "--yes")
    assert "erased" in tool.text(*SANDBOX, "remove", "Quill Inc.", "--dry-run")
    assert "Quill Inc. (sandbox)" in tool.text(*SANDBOX, "remove", "Quill Inc.", "--yes")
    assert "has no sandbox" in tool.failure(*SANDBOX, "password")
    tool.run("app", "team", "remove", "Quill Inc.", "--yes")
