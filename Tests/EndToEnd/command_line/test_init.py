"""`lanyard init`, for a new organization and for one that exists."""

import pytest
from lanyard_tool import Tool


@pytest.mark.parametrize("domain", ["maple example", "maple{x}.example", "maple"])
def test_what_is_no_domain_is_refused(tool: Tool, domain: str) -> None:
    assert "is no domain name" in tool.failure("init", "--name", "Maple District", "--domain", domain)


@pytest.mark.on_each_database
def test_an_organization_is_found_again_whatever_spaces_are_around_its_name(tool: Tool) -> None:
    made = tool.json("init", "--name", " Maple District ")
    again = tool.json("init", "--name", "Maple District")
    assert again["organization"] == made["organization"] and not again["isNew"]
    tool.json("init", "--name", "Oak District")
    assert "Another organization" in tool.failure("org", "set", "--org", "Maple District", "--name", "Oak District ")
    tool.json("app", "team", "create", "Quizzler Inc.")
    assert "already" in tool.failure("app", "team", "create", "Quizzler Inc. ")


def test_what_changes_nothing_is_said(tool: Tool) -> None:
    made = tool.json("init", "--name", "Maple District", "--kind", "school")
    assert made["ignored"] == []
    arguments = ["--name", "Maple District", "--kind", "business", "--user-name-format", "{person_id}@maple.example"]
    assert tool.json("init", *arguments)["ignored"] == ["--kind", "--user-name-format"]
    assert "--kind and --user-name-format changed nothing" in tool.text("init", *arguments)
    assert tool.json("org", "show")["kind"] == "school"


def test_a_domain_that_is_added_later_is_on_the_audit_trail(tool: Tool) -> None:
    tool.json("init", "--name", "Maple District", "--domain", "maple.example")
    tool.json("init", "--name", "Maple District", "--domain", "maple.example", "--domain", "Oak.example")
    details = [entry["detail"] for entry in tool.json("audit", "list")["entries"]]
    assert [detail for detail in details if "domain" in detail] == ["domain oak.example verified"]
