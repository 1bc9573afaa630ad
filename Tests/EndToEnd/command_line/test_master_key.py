"""The master key: who makes it, when, and what is said when it is not there."""

import pytest
from lanyard_tool import Tool
from processes import LANYARD, ROOT, run

READING_AND_WRITING = [
    ("org", "list"), ("app", "team", "create", "Other Inc."), ("audit", "verify"), ("person", "list"),
]


@pytest.mark.on_each_database
def test_only_commands_that_begin_make_a_key(tool: Tool) -> None:
    tool.json("init", "--name", "Maple District")
    key = tool.data / "master.key"
    assert key.stat().st_mode & 0o777 == 0o600
    key.unlink()
    # The database holds nothing that is sealed, and yet only `init` and `serve` may begin anew.
    for command in READING_AND_WRITING:
        message = tool.failure(*command)
        assert f"There is no master key {key}" in message and "backup" in message
        assert not key.exists()
    tool.json("init", "--name", "Maple District")
    assert key.exists()


@pytest.mark.on_each_database
def test_a_database_with_keys_gets_no_second_one(tool: Tool) -> None:
    tool.json("init", "--name", "Maple District")
    tool.json("app", "team", "create", "Quizzler Inc.")
    key = tool.data / "master.key"
    own = key.read_text()
    key.unlink()
    for command in [*READING_AND_WRITING, ("init", "--name", "Birch District"), ("serve", "--port", "0")]:
        assert f"There is no master key {key}" in tool.failure(*command)
        assert not key.exists()

    key.write_text("A" * 43 + "=\n")
    key.chmod(0o600)
    for command in [*READING_AND_WRITING, ("init", "--name", "Birch District"), ("serve", "--port", "0")]:
        assert f"The master key {key} does not fit this database" in tool.failure(*command)
    key.write_text(own)
    assert [team["name"] for team in tool.json("app", "team", "list")["teams"]] == ["Quizzler Inc."]


def test_settings_that_would_refuse_everyone_are_refused(tool: Tool) -> None:
    tool.json("init", "--name", "Maple District")
    for name, value in [("requestsPerSecond", 0), ("burst", 0.5)]:
        (tool.data / "lanyard.json").write_text(f'{{"rateLimit": {{"{name}": {value}}}}}')
        assert f"rateLimit.{name} cannot be" in tool.failure("serve", "--port", "0")


def test_the_key_may_be_a_credential_of_systemd(tool: Tool) -> None:
    tool.json("init", "--name", "Maple District")
    tool.json("app", "team", "create", "Quizzler Inc.")
    credentials = tool.data.parent / "credentials"
    credentials.mkdir(mode=0o700)
    key = credentials / "master-key"
    (tool.data / "master.key").rename(key)

    def teams(*settings: str) -> tuple[int, str]:
        done = run("env", f"CREDENTIALS_DIRECTORY={credentials}", *settings, LANYARD, "app", "team", "list", "--data", tool.data)
        return done.returncode, done.stdout + done.stderr

    # systemd gives it to the service by an access list, whose mask is where the group's rights are shown.
    for mode in (0o400, 0o440):
        key.chmod(mode)
        status, text = teams()
        assert status == 0 and "Quizzler Inc." in text, text
    for mode in (0o444, 0o460):
        key.chmod(mode)
        assert "other users" in teams()[1]
    key.chmod(0o440)
    # What is set counts more, and elsewhere a group may not read a key.
    assert "There is no master key /nowhere" in teams("LANYARD_MASTER_KEY=/nowhere")[1]
    elsewhere = tool.data.parent / "elsewhere.key"
    elsewhere.write_text(key.read_text())
    elsewhere.chmod(0o440)
    assert "other users" in teams(f"LANYARD_MASTER_KEY={elsewhere}")[1]
    assert "There is no master key" in tool.failure("app", "team", "list")
    key.rename(tool.data / "master.key")
    (tool.data / "master.key").chmod(0o600)
    drop_in = (ROOT / "packaging" / "systemd" / "master-key.conf").read_text()
    assert "\nLoadCredential=master-key:" in drop_in
