"""What is known of a person, and how it ends: `person data`, `person erase`, `erasure`, `hold`, `retention`."""

import csv
import json
import re
import shutil
from pathlib import Path

import pytest
from command_line.conftest import District, Quizzler

USER = "nadia.fox@maple.example"


@pytest.fixture
def nadia(maple: District) -> int:
    """A pupil, by the number of her record."""
    added = maple.tool.json(
        "person", "add", "--first-name", "Nadia", "--last-name", "Fox", "--role", "student", "--at", "Maple High")
    maple.tool.json("person", "set", USER, "--email", "=cmd|' /C calc'!A0@maple.example".replace(" ", ""))
    return int(added["person"]["number"] if "person" in added else added["number"])


@pytest.mark.on_each_database
def test_all_that_there_is_becomes_a_page_a_table_and_json(maple: District, nadia: int, tmp_path: Path) -> None:
    tool = maple.tool
    for language, word in [("en", "What is held"), ("ja", "保存している情報"), ("ko", "보관하는 정보")]:
        page = tmp_path / f"{language}.html"
        tool.text("person", "data", USER, "--out", page, "--language", language)
        text = page.read_text("utf-8")
        assert word in text and "Nadia" in text and f'lang="{language}"' in text
        # The page is one file, and runs nothing.
        assert not re.search(r"<script|<link|src=|@import|url\(", text)
        assert "prefers-color-scheme: dark" in text and "@media print" in text
        assert page.stat().st_mode & 0o077 == 0
    table = tmp_path / "data.csv"
    tool.text("person", "data", USER, "--out", table)
    rows = list(csv.DictReader(table.open(encoding="utf-8", newline="")))
    assert {"section": "account", "row": "1", "column": "firstName", "value": "Nadia"} in rows
    assert all(not row["value"].startswith(("=", "+", "-", "@")) for row in rows)
    document = tmp_path / "data.json"
    tool.text("person", "data", USER, "--out", document)
    sections = {section["name"] for section in json.loads(document.read_text())["sections"]}
    assert {"account", "roles", "history"} <= sections
    tool.failure("person", "data", USER, "--out", document)
    tool.usage_error("person", "data", USER, "--out", "data.pdf")
    # Each of these is an export, also of the operator.
    assert len(tool.json("audit", "list", "--action", "person.exported")["entries"]) == 5


@pytest.mark.on_each_database
def test_an_erased_person_is_gone_and_the_app_is_waited_for(maple: District, quizzler: Quizzler, nadia: int) -> None:
    tool = maple.tool
    preview = tool.json("person", "erase", USER, "--dry-run")
    assert any("erased: names" in effect["detail"] for effect in preview["effects"])
    assert "Nadia" in tool.json("person", "show", USER)["firstName"]
    # Without a terminal nobody can be asked.
    assert "--yes" in tool.failure("person", "erase", USER)
    done = tool.json("person", "erase", USER, "--yes")
    assert done["number"] == nadia and done["stays"] and "roles: 1" in done["gone"]
    tool.failure("person", "show", USER)
    tool.failure("person", "show", f"PE-{nadia}")
    assert "Nadia" not in tool.text("person", "list") and "Fox" not in tool.text("person", "list")
    assert [erasure["number"] for erasure in tool.json("erasure", "list")["erasures"]] == [nadia]
    assert tool.json("erasure", "list", "--unacknowledged") == {"erasures": []}
    assert tool.json("audit", "verify")["isWhole"] is True
    # The name is nobody else's, and the number neither.
    tool.failure(
        "person", "add", "--first-name", "Nadia", "--last-name", "Fox", "--role", "student", "--user-name", USER,
        "--at", "Maple High")
    assert "Nadia" not in json.dumps(tool.json("audit", "list"))


def test_after_an_old_copy_was_put_in_place_the_list_erases_again(
    maple: District, nadia: int, tmp_path: Path
) -> None:
    tool = maple.tool
    database = tool.file
    copy = tmp_path / "copy.sqlite"
    shutil.copy(database, copy)
    tool.json("person", "erase", USER, "--yes")
    erasures = tmp_path / "erasures.json"
    erasures.write_text(tool.text("erasure", "list", "--json"))
    for name in ["-wal", "-shm"]:
        Path(f"{database}{name}").unlink(missing_ok=True)
    shutil.copy(copy, database)
    assert tool.json("person", "show", USER)["number"] == nadia
    assert tool.json("erasure", "replay", erasures) == {
        "erased": [nadia], "unneeded": 0, "unrecognized": [], "closed": [], "reopened": [], "postponed": [], "ahead": [],
        "unknown": []}
    tool.failure("person", "show", USER)
    assert tool.json("erasure", "replay", erasures)["unneeded"] == 1
    wrong = tmp_path / "wrong.json"
    wrong.write_text("[]")
    tool.failure("erasure", "replay", wrong)


@pytest.mark.on_each_database
def test_a_hold_keeps_and_a_rule_shows_whom_it_would_reach(maple: District, nadia: int) -> None:
    tool = maple.tool
    hold = tool.json("hold", "add", "--person", USER, "--reason", "An insurance asks", "--until", "2990-12-31")["hold"]
    assert f"legal hold {hold}" in tool.failure("person", "erase", USER, "--yes")
    assert "An insurance asks" in tool.text("hold", "list")
    assert "2990-12-31" in tool.text("calendar")
    tool.json("hold", "end", str(hold))
    tool.failure("hold", "end", str(hold))
    assert [rule["kind"] for rule in tool.json("retention", "list")["rules"]] == [
        "left-people", "unused-accounts", "sessions", "imports"]
    assert tool.json("retention", "due", "left-people", "--days", "730")["people"] == []
    tool.json("retention", "set", "left-people", "--days", "730")
    assert "730" in tool.text("retention", "list")
    tool.usage_error("retention", "set", "left-people")
    tool.json("retention", "set", "left-people", "--never")
    assert "730" not in tool.text("retention", "list")
