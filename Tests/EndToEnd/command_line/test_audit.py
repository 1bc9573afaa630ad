"""`lanyard audit`: what commands leave behind, and whether somebody touched it."""

import pytest
from command_line.conftest import District, Quizzler
from database import execute
from lanyard_tool import Tool


def test_each_change_leaves_an_entry_of_its_organization_or_of_the_server(
    maple: District, quizzler: Quizzler
) -> None:
    tool = maple.tool
    tool.json("person", "add", "--first-name", "Ana", "--last-name", "Lee", "--role", "staff")
    tool.json("person", "deactivate", "ana.lee@maple.example")
    tool.json("access", "allow", "Quizzler")
    entries = tool.json("audit", "list")["entries"][::-1]
    assert [entry["action"] for entry in entries] == [
        "organization.created", "invitation.issued", "location.created", "person.created", "person.changed",
        "person.changed", "access-rule.changed"]
    assert {(entry["actor"], entry["origin"], entry["outcome"]) for entry in entries} == {
        ("operator", "command line", "done")}
    assert [entry["number"] for entry in entries] == list(range(1, 8))
    of_server = tool.json("audit", "list", "--of-server")["entries"][::-1]
    assert [entry["action"] for entry in of_server] == ["team.created", "app.created"]


def test_what_fails_leaves_no_entry(maple: District) -> None:
    before = maple.tool.json("audit", "list")
    maple.tool.failure("person", "add", "--first-name", "X", "--last-name", "Y", "--role", "student", "--at", "Elm")
    assert maple.tool.json("audit", "list") == before


@pytest.mark.on_each_database
def test_entries_come_in_pages(maple: District) -> None:
    first = maple.tool.json("audit", "list", "--limit", "2")
    assert [entry["number"] for entry in first["entries"]] == [3, 2] and first["next"] == 2
    last = maple.tool.json("audit", "list", "--before", "2")
    assert [entry["number"] for entry in last["entries"]] == [1] and "next" not in last
    assert "--before 2" in maple.tool.text("audit", "list", "--limit", "2")
    maple.tool.usage_error("audit", "list", "--of-server", "--org", maple.id)


@pytest.mark.on_each_database
def test_entries_are_asked_for_by_the_app_that_they_are_about(maple: District, quizzler: Quizzler) -> None:
    tool = maple.tool
    tool.json("person", "add", "--first-name", "Ana", "--last-name", "Lee", "--role", "staff")
    (listed,) = tool.json("access", "allow", "Quizzler")["apps"]
    app = f"app:{listed['number']}"
    for name in ("Quizzler", quizzler.client_id, app):
        answer = tool.json("audit", "list", "--app", name)
        assert [(entry["action"], entry["detail"]) for entry in answer["entries"]] == [
            ("access-rule.changed", f"listed {app}")]
        assert answer["names"][app] == "Quizzler"
        of_server = tool.json("audit", "list", "--of-server", "--app", name)["entries"]
        assert [(entry["action"], entry["subject"]) for entry in of_server] == [("app.created", app)]
    assert tool.json("audit", "list", "--app", "Quizzler", "--action", "person")["entries"] == []
    text = tool.text("audit", "list", "--app", "Quizzler")
    assert "access-rule.changed" in text and "person.created" not in text
    assert "There is no app “Elm”." in tool.failure("audit", "list", "--app", "Elm")


@pytest.mark.on_each_database
def test_whole_chains_are_called_whole(maple: District, quizzler: Quizzler) -> None:
    assert maple.tool.json("audit", "verify") == {
        "isWhole": True, "chains": [{"name": "the server"}, {"organization": maple.id, "name": "Maple District"}]}


@pytest.mark.damages
@pytest.mark.parametrize(
    ("deed", "broken"),
    [
        ("UPDATE audit_entry SET actor = 'person:1' WHERE sequence = 2 AND organization_id > 0", 2),
        ("DELETE FROM audit_entry WHERE sequence = 1 AND organization_id > 0", 1),
        ("UPDATE audit_entry SET at = at - 1 WHERE sequence = 3 AND organization_id > 0", 3),
    ])
def test_a_touched_chain_is_told_with_the_number_of_its_first_broken_entry(
    tool: Tool, deed: str, broken: int
) -> None:
    organization = tool.json("init", "--name", "Maple District")["organization"]
    tool.json("org", "domain", "add", "maple.example")
    execute(tool.file, deed)
    assert tool.json("audit", "verify", exit_code=1) == {
        "isWhole": False,
        "chains": [
            {"name": "the server"},
            {"organization": organization, "name": "Maple District", "firstBroken": broken},
        ]}
    assert f"broken at entry {broken}" in tool.run("audit", "verify").stdout
