"""An organization is handed over, closed, opened again and erased: `org hand-over`, `org close`, `org reopen`."""

import json
from pathlib import Path

import pytest
from command_line.conftest import District
from command_line.test_access import Connected, connected  # noqa: F401 (a fixture)
from lanyard_tool import Tool
from processes import LANYARD, run

SECRETS = ("password_hash", "argon2", "token_hash", "secret_hash", "code_hash", "sealed_", "PRIVATE KEY")


@pytest.mark.on_each_database
def test_an_organization_is_handed_over_whole_and_without_secrets(
    maple: District, tmp_path: Path
) -> None:
    tool = maple.tool
    files = tmp_path / "maple"
    assert run(LANYARD, "sample", "--out", files).returncode == 0
    tool.json("import", files)
    added = tool.json("person", "add", "--first-name", "Nadia", "--last-name", "Fox", "--role", "administrator")
    password = tool.json("person", "password", added["userName"])["password"]
    code = tool.json("device", "code", "--user", added["userName"])["code"]
    tool.json("class", "add", "Chess club", "--student", added["userName"])

    folder = tmp_path / "handed-over"
    report = tool.json("org", "hand-over", folder)
    assert sorted(path.name for path in folder.iterdir()) == [
        "README.txt", "audit.jsonl", "classes.jsonl", "people.jsonl", "roster", "settings.json"]
    assert not list(tmp_path.glob("*.partial"))
    assert all(path.stat().st_mode & 0o077 == 0 for path in folder.rglob("*"))

    people = [json.loads(line) for line in (folder / "people.jsonl").read_text("utf-8").splitlines()]
    listed = tool.json("person", "list", "--limit", "10000")["people"]
    assert [person["number"] for person in people] == [person["number"] for person in listed]
    assert report["people"] == len(people) > 100
    assert {section["name"] for section in people[-1]["sections"]} >= {"account", "roles", "classes", "history"}
    classes = [json.loads(line) for line in (folder / "classes.jsonl").read_text("utf-8").splitlines()]
    assert report["classes"] == len(classes) and "Chess club" in {one["name"] for one in classes}
    settings = json.loads((folder / "settings.json").read_text("utf-8"))
    assert settings["organization"]["name"] == "Maple District"
    assert [domain["name"] for domain in settings["organization"]["domains"]] == ["maple.example"]
    assert [rule["purpose"] for rule in settings["access"]] == ["sign-in", "data-sharing"]

    # The files go into another server as they are.
    elsewhere = Tool(tmp_path / "elsewhere")
    elsewhere.json("init", "--name", "Maple District", "--domain", "maple.example")
    assert elsewhere.json("import", folder / "roster")["outcome"] == "applied"
    verified = run(LANYARD, "audit", "verify", folder / "audit.jsonl")
    assert verified.returncode == 0, verified.stdout + verified.stderr
    trail = (folder / "audit.jsonl").read_text("utf-8")
    assert "organization.handed-over" in trail
    assert len(tool.json("audit", "list", "--action", "organization.handed-over")["entries"]) == 1
    everything = "".join(path.read_text("utf-8") for path in folder.rglob("*") if path.is_file())
    for secret in (password, code, code.replace("-", ""), *SECRETS):
        assert secret not in everything, secret
    readme = (folder / "README.txt").read_text("utf-8")
    assert all(path.name in readme for path in folder.iterdir() if path.name != "README.txt")
    assert "is there already" in tool.failure("org", "hand-over", folder)


@pytest.mark.on_each_database
def test_a_closed_organization_is_read_and_not_changed_until_it_is_opened_again(
    maple: District, tmp_path: Path
) -> None:
    tool = maple.tool
    tool.json("person", "add", "--first-name", "Nadia", "--last-name", "Fox", "--role", "student")
    assert "--yes" in tool.failure("org", "close")
    preview = tool.json("org", "close", "--dry-run")
    assert preview["counts"] == {"organization.closed": 1} and "people 1" in preview["effects"][0]["detail"]
    assert "closedAt" not in tool.json("org", "show")
    tool.usage_error("org", "close", "--erase-after-days", "6")
    closed = tool.json("org", "close", "--yes", "--erase-after-days", "60")
    assert closed["closedAt"] and closed["erasesOn"]
    files = tmp_path / "maple"
    assert run(LANYARD, "sample", "--out", files).returncode == 0
    since = closed["closedAt"][:10]
    for command in (
        ("import", files), ("import", "--undo"), ("init", "--name", "Maple District"), ("org", "set", "--colour", "plum"),
        ("person", "add", "--first-name", "A", "--last-name", "B"), ("org", "domain", "add", "oak.example"),
        ("device", "code", "--user", "nadia.fox@maple.example"),
    ):
        assert f"is closed since {since}" in tool.failure(*command), command
    assert "Nadia Fox" in tool.text("person", "list")
    assert tool.json("hold", "add", "--person", "nadia.fox@maple.example", "--reason", "A court", "--until", "2099-12-31")
    dates = tool.json("calendar")["dates"]
    assert closed["erasesOn"] in {date["on"] for date in dates if date["kind"] == "organization-is-erased"}
    assert "the closed organization is erased" in tool.text("calendar")
    assert "it is erased on" in tool.text("org", "show")
    tool.json("org", "hand-over", tmp_path / "handed-over")
    assert "closedAt" not in tool.json("org", "reopen")
    assert "is not closed" in tool.failure("org", "reopen")
    tool.json("org", "set", "--colour", "plum")
    tool.assert_whole()


def test_the_app_of_a_closed_organization_reads_nothing_and_is_told(connected: Connected) -> None:  # noqa: F811
    assert connected.client.get("users").status_code == 200
    connected.tool.json("org", "close", "--yes")
    assert connected.client.get("users").status_code == 401
    assert connected.notifications.arrived.wait(20)
    connected.tool.json("org", "reopen")
    assert connected.client.get("users").status_code == 401
    assert connected.tool.json("consent", "list", "--alive")["consents"] == []
