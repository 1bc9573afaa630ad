"""A closed organization is erased person by person, at whatever moment the server is killed."""

import random

from crash.test_killed_consent_ends import kill_until
from database import execute, query
from lanyard_tool import Tool
from scene import Scene, Server


def test_nobody_is_left_and_nobody_is_erased_twice(scene: Scene, server: Server, chance: random.Random) -> None:
    tool = Tool(scene.folder)
    server.stop()
    [(organization,)] = query(
        scene.database, "SELECT id FROM organization WHERE public_id = ?", scene.organization_id)
    [(people,)] = query(
        scene.database, "SELECT COUNT(*) FROM person WHERE organization_id = ? AND deleted_at IS NULL", organization)
    tool.json("org", "close", "--org", scene.organization_id, "--yes")
    execute(scene.database, "UPDATE organization SET erases_on = '2026-01-01' WHERE id = ?", organization)
    interrupted = kill_until(
        f"SELECT COUNT(*) FROM person WHERE organization_id = {organization} AND deleted_at IS NULL", scene, server,
        chance)
    assert interrupted >= 1
    entries = query(
        scene.database,
        """
        SELECT subject, COUNT(*) FROM audit_entry
        WHERE action = 'person.erased' AND detail LIKE 'erased:%' AND organization_id = ? GROUP BY subject
        """, organization)
    assert len(entries) == people and {count for _, count in entries} == {1}
    tool.assert_whole()
