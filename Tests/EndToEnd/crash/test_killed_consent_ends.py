"""Consents end, and those who decide are asked before, each once, at whatever moment the server is killed."""

import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from pathlib import Path

import pytest
from crash.killed_server import kill_until
from foreign_client import ForeignClient
from lanyard_tool import Tool
from plain_browser import PlainBrowser
from processes import free_port, wait_until
from receiver import Receiver
from scene import RegisteredApp
from school import School

APPS = 300
SCOPES = ("edu.users.read", "edu.classes.read")


def in_days(days: int) -> str:
    return (datetime.now(UTC) + timedelta(days=days)).date().isoformat()


@dataclass(frozen=True)
class Connection:
    """An app that reads, and the port at which the server has been, and is again."""

    client: ForeignClient
    receiver_port: int
    port: int


@pytest.fixture
def connected(tool: Tool, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connection]:
    """An app that reads, and many copies of it, which have a consent each and nobody who runs them."""
    monkeypatch.setenv("AUTHLIB_INSECURE_TRANSPORT", "1")
    school, port, receiver_port = School(tool), free_port(), free_port()
    with tool.serving(port=port) as base_url:
        heads = [
            school.add(base_url, "managed", name, email, "--role", role).account
            for name, email, role in [
                ("Chen Wei", "chen.wei@maple.example", "administrator"),
                ("Lee Song", "lee.song@maple.example", "site-manager")]]
        return_url, notification_url = (f"http://127.0.0.1:{receiver_port}/{path}" for path in ("callback", "told"))
        app = school.register(
            "Atlas", "com.example.atlas", "--return-url", return_url, "--notification-url", notification_url,
            scopes=SCOPES)
        tool.json("access", "allow", app.client_id)
        client = ForeignClient(
            base_url,
            RegisteredApp(app.name, app.client_id, app.team_id, app.key_id, app.key_pem, return_url, SCOPES))
        client.exchange(PlainBrowser().consent(client.authorize_url(), heads[0]))
        assert client.get("users").status_code == 200
    [(row, consent)] = tool.query("SELECT app_id, id FROM consent WHERE revoked_at IS NULL")
    for number in range(APPS):
        copy(tool, "app", row, name=f"'Copy {number}'", notification_url="NULL")
        copy(tool, "consent", consent, app_id="(SELECT MAX(id) FROM app)")
    yield Connection(client, receiver_port, port)


def copy(tool: Tool, table: str, row: int, **changes: str) -> None:
    """Copies a row with other values, which are SQL."""
    names = (
        f"SELECT column_name FROM information_schema.columns WHERE table_name = '{table}'" if tool.database
        else f"SELECT name FROM pragma_table_info('{table}')")
    columns = [name for (name,) in tool.query(names) if name != "id"]
    values = [changes.get(column, column) for column in columns]
    tool.execute(
        f"INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join(values)} FROM {table} WHERE id = ?", row)


@pytest.mark.on_each_database
def test_nobody_is_asked_twice_and_nothing_ends_twice(
    tool: Tool, connected: Connection, chance: random.Random
) -> None:
    mails = tool.data / "mail"
    (tool.data / "lanyard.json").write_text(json.dumps(
        {"mail": {"from": "Lanyard <id@maple.example>", "maildir": str(mails)}}))
    deciders = {"chen.wei@maple.example", "lee.song@maple.example"}

    tool.execute("UPDATE consent SET last_day = ? WHERE revoked_at IS NULL", in_days(20))
    assert kill_until("SELECT COUNT(*) FROM consent WHERE reminders = 0", tool, connected.port, chance) >= 1
    with tool.serving(port=connected.port):
        wait_until(
            lambda: tool.query("SELECT COUNT(*) FROM mail_message") == [(0,)] or let_leases_end(tool, "mail_message"), 60,
            "the mails are delivered")
    letters = read(mails)
    # Whoever is killed between the delivery and its record delivers again: the same mail, with the same id.
    asked = Counter((letter["To"].strip("<>"), letter["Subject"]) for letter in letters.values())
    assert {recipient for recipient, _ in asked} == deciders
    assert len(asked) == len(deciders) * (APPS + 1)
    assert set(asked.values()) == {1}
    assert "lanyard consent renew" in tool.text("calendar")

    tool.execute("UPDATE consent SET last_day = ? WHERE revoked_at IS NULL", in_days(-3))
    with Receiver(connected.receiver_port) as receiver:
        left = "SELECT COUNT(*) FROM consent WHERE revoked_at IS NULL"
        assert kill_until(left, tool, connected.port, chance) >= 1
        with tool.serving(port=connected.port):
            assert connected.client.get("users").status_code == 401
            wait_until(
                lambda: receiver.arrived.is_set() or let_leases_end(tool, "notification"), 60, "the app is told")
    ended = tool.query(
        "SELECT subject, COUNT(*) FROM audit_entry WHERE action = 'consent.ended' GROUP BY subject")
    assert len(ended) == APPS + 1 and {count for _, count in ended} == {1}
    assert "ended" in tool.text("consent", "list")


def let_leases_end(tool: Tool, table: str) -> bool:
    """Whoever had taken a mail or a notification and was killed is not at it any more."""
    tool.execute(f"UPDATE {table} SET next_attempt_at = next_attempt_at - 60 WHERE next_attempt_at IS NOT NULL")
    return False


def read(folder: Path) -> dict[str, object]:
    """The letters by their ids."""
    letters = (message_from_bytes(file.read_bytes(), policy=policy.default) for file in (folder / "new").iterdir())
    return {letter["Message-ID"]: letter for letter in letters}
