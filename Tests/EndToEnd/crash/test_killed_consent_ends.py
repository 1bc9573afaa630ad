"""Consents end, and those who decide are asked before, each once, at whatever moment the server is killed."""

import json
import random
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from database import assert_sound, execute, query
from foreign_client import ForeignClient
from lanyard_tool import Tool
from plain_browser import PlainBrowser
from processes import LANYARD, Program, wait_until
from receiver import Receiver
from scene import Scene, Server

APPS = 60
KILLS = 15
SECONDS = 60


def in_days(days: int) -> str:
    return (datetime.now(UTC) + timedelta(days=days)).date().isoformat()


@pytest.fixture
def connected(scene: Scene, server: Server, monkeypatch: pytest.MonkeyPatch) -> ForeignClient:
    """An app that reads, and many copies of it, which have a consent each and nobody who runs them."""
    monkeypatch.setenv("AUTHLIB_INSECURE_TRANSPORT", "1")
    client = ForeignClient(server.base_url, scene.app)
    client.exchange(PlainBrowser().consent(client.authorize_url(), scene.account("administrator")))
    assert client.get("users").status_code == 200
    [(app, consent)] = query(scene.database, "SELECT app_id, id FROM consent WHERE revoked_at IS NULL")
    for number in range(APPS):
        copy(scene, "app", app, name=f"'Copy {number}'", notification_url="NULL")
        copy(scene, "consent", consent, app_id="(SELECT MAX(id) FROM app)")
    return client


def copy(scene: Scene, table: str, row: int, **changes: str) -> None:
    """Copies a row with other values, which are SQL."""
    columns = [name for _, name, *_ in query(scene.database, f"PRAGMA table_info({table})") if name != "id"]
    values = [changes.get(column, column) for column in columns]
    execute(
        scene.database,
        f"INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join(values)} FROM {table} WHERE id = ?", row)


def kill_until(count: str, scene: Scene, server: Server, chance: random.Random) -> int:
    """Starts the server and kills it again until its work is done; returns how often that was in the middle.

    `count` is SQL for how much of it is left.
    """
    interrupted = 0
    deadline = time.monotonic() + SECONDS

    def left() -> int:
        [(number,)] = query(scene.database, count)
        return number

    for _ in range(KILLS):
        if not left() or time.monotonic() > deadline:
            break
        program = Program(
            LANYARD, "serve", "--data", scene.folder, "--port", server.port, "--development", "--log-level", "warning",
            log=scene.folder / "killed.log")
        try:
            before = left()
            wait_until(lambda: left() < before, 30, "the work has begun", pause=0.001)
            time.sleep(chance.uniform(0, 0.02))
            program.kill()
        finally:
            program.stop()
        interrupted += left() > 0
    assert_sound(scene.database)
    server.start()
    wait_until(lambda: not left(), 60, "the rest is done")
    return interrupted


def test_nobody_is_asked_twice_and_nothing_ends_twice(
    scene: Scene, server: Server, connected: ForeignClient, chance: random.Random
) -> None:
    tool, mails = Tool(scene.folder), scene.folder / "mail"
    server.stop()
    (scene.folder / "lanyard.json").write_text(json.dumps(
        {"mail": {"from": "Lanyard <id@maple.example>", "maildir": str(mails)}}))
    deciders = {
        email for (email,) in query(
            scene.database,
            """
            SELECT DISTINCT person.email FROM person JOIN role_assignment AS held ON held.person_id = person.id
            WHERE held.role IN ('administrator', 'site_manager') AND held.location_id = 0 AND person.email IS NOT NULL
              AND person.organization_id = (SELECT id FROM organization WHERE public_id = ?)
            """, scene.organization_id)}
    if not deciders:
        execute(
            scene.database, "UPDATE person SET email = 'head@maple.example' WHERE user_name = ?",
            scene.account("administrator").username)
        deciders = {"head@maple.example"}

    execute(scene.database, "UPDATE consent SET last_day = ? WHERE revoked_at IS NULL", in_days(20))
    interrupted = kill_until("SELECT COUNT(*) FROM consent WHERE reminders = 0", scene, server, chance)
    assert interrupted >= 1
    wait_until(
        lambda: query(scene.database, "SELECT COUNT(*) FROM mail_message") == [(0,)] or let_leases_end(scene), 60,
        "the mails are delivered")
    letters = read(mails)
    # Whoever is killed between the delivery and its record delivers again: the same mail, with the same id.
    asked = Counter((letter["To"].strip("<>"), letter["Subject"]) for letter in letters.values())
    assert {recipient for recipient, _ in asked} == deciders
    assert len(asked) == len(deciders) * (APPS + 1)
    assert set(asked.values()) == {1}
    assert "lanyard consent renew" in tool.text("calendar", "--org", scene.organization_id)

    server.stop()
    execute(scene.database, "UPDATE consent SET last_day = ? WHERE revoked_at IS NULL", in_days(-3))
    with Receiver(urlsplit(scene.app.return_url).port) as receiver:
        interrupted = kill_until("SELECT COUNT(*) FROM consent WHERE revoked_at IS NULL", scene, server, chance)
        assert interrupted >= 1
        assert connected.get("users").status_code == 401
        assert receiver.arrived.wait(60)
    ended = query(
        scene.database, "SELECT subject, COUNT(*) FROM audit_entry WHERE action = 'consent.ended' GROUP BY subject")
    assert len(ended) == APPS + 1 and {count for _, count in ended} == {1}
    assert "ended" in tool.text("consent", "list", "--org", scene.organization_id)
    tool.assert_whole()


def let_leases_end(scene: Scene) -> bool:
    """Whoever had taken a mail is not at it any more."""
    execute(scene.database, "UPDATE mail_message SET next_attempt_at = next_attempt_at - 60")
    return False


def read(folder: Path) -> dict[str, object]:
    """The letters by their ids."""
    letters = (message_from_bytes(file.read_bytes(), policy=policy.default) for file in (folder / "new").iterdir())
    return {letter["Message-ID"]: letter for letter in letters}
