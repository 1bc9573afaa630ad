"""A closed organization is erased person by person, at whatever moment the server is killed."""

import random
from pathlib import Path

import pytest
from administration import sample
from crash.killed_server import kill_until
from lanyard_tool import Tool
from processes import free_port

PEOPLE = 300


@pytest.mark.on_each_database
def test_nobody_is_left_and_nobody_is_erased_twice(tool: Tool, tmp_path: Path, chance: random.Random) -> None:
    organization = tool.json("init", "--name", "Sample District", "--domain", "district.example")["organization"]
    tool.text("import", sample(tmp_path / "district", people=PEOPLE, classes=20, members=20))
    [(number,)] = tool.query("SELECT id FROM organization WHERE public_id = ?", organization)
    left = f"SELECT COUNT(*) FROM person WHERE organization_id = {number} AND deleted_at IS NULL"
    [(people,)] = tool.query(left)
    assert people >= PEOPLE
    tool.json("org", "close", "--yes")
    tool.execute("UPDATE organization SET erases_on = '2026-01-01' WHERE id = ?", number)
    assert kill_until(left, tool, free_port(), chance) >= 1
    entries = tool.query(
        """
        SELECT subject, COUNT(*) FROM audit_entry
        WHERE action = 'person.erased' AND detail LIKE 'erased:%' AND organization_id = ? GROUP BY subject
        """, number)
    assert len(entries) == people and {count for _, count in entries} == {1}
