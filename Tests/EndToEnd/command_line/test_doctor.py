"""`lanyard doctor`: what it finds, and that it changes nothing."""

import json
import os
import sqlite3
import time
from contextlib import closing
from email import message_from_bytes
from email.message import Message
from pathlib import Path

import pytest
from command_line.conftest import District, Quizzler
from database import execute
from lanyard_tool import Tool


def findings(tool: Tool, exit_code: int = 0) -> dict[str, list[tuple[str, str]]]:
    """Status and message of each finding, by check."""
    result = tool.json("doctor", exit_code=exit_code)
    assert result["isWell"] == (exit_code == 0)
    found: dict[str, list[tuple[str, str]]] = {}
    for finding in result["findings"]:
        assert ("remedy" in finding) == (finding["status"] != "ok")
        found.setdefault(finding["check"], []).append((finding["status"], finding["message"]))
    return found


@pytest.mark.on_each_database
def test_a_server_that_is_set_up_is_well(maple: District, quizzler: Quizzler, tmp_path: Path) -> None:
    tool = maple.tool
    tool.json("person", "add", "--first-name", "Nadia", "--last-name", "Berg", "--role", "administrator")
    tool.json("person", "password", "nadia.berg@maple.example")
    tool.json("key", "create", "first", "--out", tmp_path / "key.p8")
    with tool.serving():
        pass
    (tool.data / "lanyard.json").write_text('{"baseURL": "https://id.maple.example"}')
    found = findings(tool)
    assert {status for entries in found.values() for status, _ in entries} == {"ok"}
    assert sorted(found) == [
        "administrators", "apps", "audit trail", "base URL", "clock", "consents", "data folder", "database", "disk space",
        "hidden addresses", "mail", "mail queue", "master key", "notifications", "test school"]
    assert "All is well." in tool.text("doctor")


def test_what_is_missing_is_a_warning_with_a_remedy(maple: District) -> None:
    tool = maple.tool
    tool.json("app", "team", "create", "Quizzler Inc.")
    tool.json("app", "create", "Quizzler", "--client-id", "com.example.quizzler", "--scope", "edu.users.read")
    found = findings(tool)
    apps = " ".join(message for status, message in found["apps"] if status == "warning")
    assert "has no key" in apps and "no return URL" in apps and "no notification URL" in apps
    assert found["administrators"] == [("warning", "Maple District: no administrator can sign in.")]
    assert found["test school"][0][0] == "warning"
    assert "lanyard init --name 'Maple District'" in tool.text("doctor")


def test_revoked_keys_and_development_addresses_are_noticed(
    maple: District, quizzler: Quizzler, tmp_path: Path
) -> None:
    tool = maple.tool
    key = tool.json("key", "create", "first", "--out", tmp_path / "key.p8")["key"]
    tool.json("key", "revoke", key["keyID"])
    tool.json("app", "set", "Quizzler", "--add-return-url", "http://127.0.0.1/callback", "--development")
    (tool.data / "lanyard.json").write_text('{"baseURL": "https://id.maple.example", "development": true}')
    found = findings(tool)
    messages = " ".join(message for _, message in found["apps"])
    assert "Every key" in messages and "http://127.0.0.1/callback" in messages
    assert found["base URL"][0][0] == "warning"


def test_an_empty_place_is_a_problem_and_stays_empty(tool: Tool) -> None:
    found = findings(tool, exit_code=1)
    assert found["database"][0][0] == "problem"
    assert not tool.data.exists()


def test_others_may_not_look_into_the_data(tool: Tool) -> None:
    tool.json("init", "--name", "Maple District")
    tool.data.chmod(0o755)
    assert findings(tool, exit_code=1)["data folder"][0][0] == "problem"
    tool.data.chmod(0o700)
    (tool.data / "master.key").chmod(0o644)
    assert "other users" in findings(tool, exit_code=1)["master key"][0][1]


def test_a_master_key_that_is_gone_or_does_not_fit_is_told_and_not_replaced(tool: Tool) -> None:
    tool.json("init", "--name", "Maple District")
    with tool.serving():
        pass
    key = tool.data / "master.key"
    own = key.read_text()
    key.unlink()
    assert "no master key" in findings(tool, exit_code=1)["master key"][0][1]
    assert not key.exists()
    key.write_text("A" * 43 + "=\n")
    key.chmod(0o600)
    assert "does not fit" in findings(tool, exit_code=1)["master key"][0][1]
    key.write_text(own)
    findings(tool)


@pytest.mark.damages
def test_a_damaged_or_foreign_file_is_a_problem(tool: Tool) -> None:
    tool.data.mkdir(mode=0o700)
    tool.file.write_text("This is no database. " * 100)
    assert findings(tool, exit_code=1)["database"][0][0] == "problem"
    tool.file.unlink()
    execute(tool.file, "CREATE TABLE other (id INTEGER)")
    assert "no database of Lanyard's" in findings(tool, exit_code=1)["database"][0][1]


@pytest.mark.damages
def test_damaged_pages_are_found(tool: Tool) -> None:
    tool.json("init", "--name", "Maple District")
    execute(tool.file, "PRAGMA wal_checkpoint(TRUNCATE)")
    size = tool.file.stat().st_size
    with tool.file.open("r+b") as file:
        for page in range(2, size // 4096):
            file.seek(page * 4096)
            file.write(os.urandom(64))
    found = findings(tool, exit_code=1)["database"][0]
    assert found[0] == "problem"


def test_an_older_schema_is_a_warning_and_stays_as_it_is(tool: Tool) -> None:
    tool.json("init", "--name", "Maple District")
    execute(tool.file, "DELETE FROM schema_step WHERE number = (SELECT MAX(number) FROM schema_step)")
    for _ in range(2):
        assert findings(tool)["database"][0][0] == "warning"


@pytest.mark.damages
def test_a_newer_schema_is_a_problem(tool: Tool) -> None:
    tool.json("init", "--name", "Maple District")
    execute(tool.file, "INSERT INTO schema_step (number, purpose) VALUES (999, 'from the future')")
    assert "newer Lanyard" in findings(tool, exit_code=1)["database"][0][1]
    for refused in (tool.failure("org", "list"), tool.failure("serve")):
        assert "newer Lanyard" in refused and "Run that version, or restore a backup" in refused


@pytest.mark.damages
def test_a_clock_that_was_put_back_and_a_touched_chain_are_problems(tool: Tool) -> None:
    tool.json("init", "--name", "Maple District")
    execute(tool.file, "UPDATE audit_entry SET at = at + 86400 WHERE sequence = 2")
    found = findings(tool, exit_code=1)
    assert found["clock"][0][0] == "problem"
    assert found["audit trail"] == [("problem", "The chain of Maple District is broken at entry 2.")]


def test_a_notification_that_was_given_up_is_told(tool: Tool) -> None:
    tool.json("init", "--name", "Maple District")
    tool.json("app", "team", "create", "Quizzler Inc.")
    tool.json("app", "create", "Quizzler", "--client-id", "com.example.quizzler", "--scope", "edu.users.read")
    execute(
        tool.file,
        "INSERT INTO notification (app_id, jti, claims, created_at, attempts, last_error) "
        "VALUES (1, 'j', '{}', 0, 13, 'HTTP status 500')")
    assert findings(tool)["notifications"] == [
        ("warning", "Given up for Quizzler: 1 (HTTP status 500).")]


def test_a_configuration_that_cannot_be_is_a_problem(tool: Tool) -> None:
    tool.json("init", "--name", "Maple District")
    configuration = tool.data / "lanyard.json"
    configuration.write_text('{"baseURL": "http://id.maple.example"}')
    assert findings(tool, exit_code=1)["base URL"][0][0] == "problem"
    configuration.write_text("{")
    assert findings(tool, exit_code=1)["configuration"][0][0] == "problem"


@pytest.mark.on_each_database
def test_after_a_transfer_of_an_app_all_is_whole_and_every_check_is_made(
    maple: District, quizzler: Quizzler
) -> None:
    tool = maple.tool
    tool.json("app", "team", "create", "Rival Inc.")
    tool.json("app", "transfer", "Quizzler", "--team", "Rival Inc.")
    found = findings(tool)
    assert [status for status, _ in found["database"]] == ["ok"]
    assert found["audit trail"] == [("ok", "All 2 chains are whole.")]


@pytest.mark.damages
def test_one_problem_does_not_hide_the_others(tool: Tool) -> None:
    tool.json("init", "--name", "Maple District")
    execute(tool.file, "UPDATE audit_entry SET detail = 'x' WHERE sequence = 2")
    with closing(sqlite3.connect(tool.file)) as connection, connection:
        # A rule that the schema does not allow: SQLite calls that damage.
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute(
            "INSERT INTO access_rule (organization_id, purpose, mode, version) "
            "SELECT id, 'nothing', 'nobody', 1 FROM organization")
    found = findings(tool, exit_code=1)
    assert found["audit trail"] == [("problem", "The chain of Maple District is broken at entry 2.")]
    assert found["database"][0] == ("problem", "The file is damaged: CHECK constraint failed in access_rule.")
    assert "administrators" in found and "notifications" in found


def test_a_copy_that_is_too_old_or_missing_is_a_problem(tool: Tool, tmp_path: Path) -> None:
    tool.json("init", "--name", "Maple District")
    folder = tmp_path / "copies"
    (tool.data / "lanyard.json").write_text(json.dumps({"backupFolder": str(folder)}))
    assert findings(tool)["backup"][0][0] == "ok"  # the first night is still to come
    long_ago = time.time() - 3 * 86_400
    os.utime(tool.data / "master.key", (long_ago, long_ago))
    assert findings(tool, exit_code=1)["backup"][0] == ("problem", f"There is no copy in {folder}.")
    made = tool.json("backup")
    assert findings(tool)["backup"][0][0] == "ok"
    manifest = folder / made["manifest"]
    text = manifest.read_text()
    manifest.write_text(text.replace(made["copy"]["madeAt"], "2026-01-02T03:04:05Z"))
    assert "2026-01-02 03:04" in findings(tool, exit_code=1)["backup"][0][1]
    # One under another key is not ours, and one without its file is none.
    manifest.write_text(text.replace(made["copy"]["masterKey"], "0" * 32))
    assert findings(tool, exit_code=1)["backup"][0][0] == "problem"
    manifest.write_text(text)
    (folder / made["copy"]["copy"]["file"]).unlink()
    assert findings(tool, exit_code=1)["backup"][0][0] == "problem"


def test_a_key_that_systemd_brings_does_not_make_an_installation_look_old_or_new(
    tool: Tool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool.json("init", "--name", "Maple District")
    credentials = tmp_path / "credentials"
    credentials.mkdir(mode=0o700)
    key = credentials / "master-key"
    (tool.data / "master.key").rename(key)
    (tool.data / "lanyard.json").write_text(json.dumps({"backupFolder": str(tmp_path / "copies")}))
    long_ago = time.time() - 3 * 86_400
    os.utime(key, (long_ago, long_ago))
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(credentials))
    # The folder of the data was made a moment ago, whatever the file of the key says.
    found = findings(tool)
    assert found["backup"][0][0] == "ok" and found["data folder"][0][0] == "ok", found


def test_what_is_wrong_is_mailed_to_whoever_runs_the_server(tool: Tool, tmp_path: Path) -> None:
    tool.json("init", "--name", "Maple District")
    maildir = tmp_path / "mail"

    def settings(**mail: str) -> None:
        (tool.data / "lanyard.json").write_text(json.dumps({
            "baseURL": "https://id.maple.example",
            "mail": {"from": "id@maple.example", "maildir": str(maildir)} | mail}))

    def letters() -> list[Message]:
        return [message_from_bytes(path.read_bytes()) for path in maildir.glob("new/*")]

    settings(operator="root@maple.example")
    tool.text("doctor", "--mail")  # warnings alone are no reason to write
    assert letters() == []
    tool.data.chmod(0o755)
    assert tool.run("doctor").returncode == 1
    assert letters() == []
    assert tool.run("doctor", "--mail").returncode == 1
    letter, = letters()
    assert letter["To"] == "<root@maple.example>" and "id.maple.example" in letter["Subject"]
    text = letter.get_payload(decode=True).decode()
    assert "data folder" in text and "chmod 700" in text and "All chains" not in text
    settings()
    assert tool.run("doctor", "--mail").returncode == 1
    settings(operator="nobody")
    failed = tool.run("doctor", "--mail")
    assert failed.returncode == 1 and "nobody" in failed.stderr
    assert len(letters()) == 1
    tool.data.chmod(0o700)
