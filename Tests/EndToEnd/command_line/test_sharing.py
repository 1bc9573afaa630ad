"""`lanyard sharing`."""

import json

import pytest
from command_line.conftest import District, Quizzler


@pytest.mark.on_each_database
def test_rules_are_shown_before_they_count_and_taken_back(maple: District, quizzler: Quizzler) -> None:
    tool = maple.tool
    for name, role in (("Nadia", "student"), ("Ben", "student"), ("Ida", "instructor")):
        tool.json(
            "person", "add", "--first-name", name, "--last-name", "Berg", "--role", role, "--at", "high",
            "--user-name", f"{name.lower()}@maple.example")

    def seen() -> list[dict[str, object]]:
        users: list[dict[str, object]] = json.loads(tool.text("sharing", "view-as", "Quizzler", "users"))["users"]
        return users

    assert len(seen()) == 3
    rules = ("sharing", "set", "Quizzler", "--role", "student", "--location", "high", "--without", "family-name")
    assert tool.json(*rules, "--dry-run")["counts"] == {"sharing.changed": 1, "sharing.hidden": 1}
    assert "Ida Berg: not shown to app:" in tool.text(*rules, "--dry-run")
    assert "--yes" in tool.failure(*rules)
    assert len(seen()) == 3

    assert tool.json(*rules, "--yes")["people"] == 2
    assert [(user["givenName"], user["roles"]) for user in seen()] == [("Nadia", ["Student"]), ("Ben", ["Student"])]
    assert all("familyName" not in user for user in seen())
    tool.json("sharing", "leave-out", "Quizzler", "ben@maple.example", "--yes")
    assert [user["givenName"] for user in seen()] == ["Nadia"]
    text = tool.text("sharing", "show", "Quizzler")
    assert "without family-name" in text and "Ben Berg (ben@maple.example)" in text
    assert "left out already" in tool.failure("sharing", "leave-out", "Quizzler", "ben@maple.example", "--yes")

    tool.json("sharing", "put-back", "Quizzler", "ben@maple.example", "--yes")
    for change in tool.json("change", "list")["changes"]:
        if change["operation"] in ("sharing.put-back", "sharing.leave-out", "sharing.set"):
            tool.json("change", "undo", str(change["change"]))
    assert len(seen()) == 3
    assert tool.json("sharing", "show", "Quizzler")["withheld"] == []


def test_what_does_not_fit_says_why(maple: District, quizzler: Quizzler) -> None:
    tool = maple.tool
    assert "no location “low”" in tool.failure("sharing", "set", "Quizzler", "--location", "low", "--yes")
    assert "There is no app “Riddler”." in tool.failure("sharing", "show", "Riddler")
    assert "404" in tool.failure("sharing", "view-as", "Quizzler", "teachers")
    tool.usage_error("sharing", "set", "Quizzler", "--without", "shoe-size")
