"""What an organization's rules want gone goes as a whole or not yet, at whatever moment the server is killed."""

import csv
import random
import re
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from administration import sample
from crash.job_server import JobServer
from crash.killed_server import kill_until
from lanyard_tool import Tool
from processes import free_port

LEAVERS = 150
UNUSED = 400
# A transaction forgets a thousand.
BROWSERS = 20_000
DAYS = 30


@pytest.fixture
def long_ago() -> int:
    """In seconds since 1970, before what the rules keep."""
    return int(time.time()) - 2 * DAYS * 86_400


def leave(tool: Tool, district: Path, long_ago: int) -> set[int]:
    """The last pupils of the files are in them no more, and left long ago; returns their numbers."""
    pupils = (district / "students.csv").read_text().splitlines()
    gone = {row["person_id"] for row in csv.DictReader([pupils[0], *pupils[-LEAVERS:]])}
    (district / "students.csv").write_text("".join(f"{line}\n" for line in pupils[:-LEAVERS]))
    with (district / "rosters.csv").open(newline="") as file:
        members = list(csv.DictReader(file))
    with (district / "rosters.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, members[0].keys())
        writer.writeheader()
        writer.writerows(row for row in members if row["student_id"] not in gone)
    tool.text("org", "set", "--removed-percent", "100")
    assert tool.json("import", district)["outcome"] == "applied"
    tool.execute("UPDATE person SET deactivated_at = ? WHERE state = 'deactivated'", long_ago)
    return {number for (number,) in tool.query("SELECT id FROM person WHERE state = 'deactivated'")}


def add_unused(tool: Tool, long_ago: int) -> set[int]:
    """People whose accounts were made by hand long ago, and with which nobody has signed in; returns their numbers."""
    server = JobServer(tool, "people.manage")
    server.start()
    try:
        items = [{"firstName": f"Unused{index}", "lastName": "Lee", "role": "student"} for index in range(UNUSED)]
        added = server.send("POST", "bulk/person.add", 200, json={"items": items})["result"]["items"]
    finally:
        server.stop()
    tool.execute("UPDATE person SET created_at = ? WHERE given_name LIKE 'Unused%'", long_ago)
    return {item["result"]["number"] for item in added}


def add_browsers(tool: Tool, long_ago: int) -> None:
    """Browsers in which somebody signed in long ago."""
    binary = "BYTEA" if tool.database else "BLOB"
    tool.execute(
        f"""
        INSERT INTO known_browser (browser_hash, person_id, failures, used_at)
        WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < {BROWSERS})
        SELECT CAST(CAST(number AS TEXT) AS {binary}), (SELECT MIN(id) FROM person WHERE state <> 'deactivated'), 0, ?
        FROM numbers
        """, long_ago)


def numbers(tool: Tool, sql: str) -> list[int]:
    """The people whom entries of the trail are about, or other numbers."""
    return sorted(int(str(value).removeprefix("person:")) for (value,) in tool.query(sql))


@pytest.mark.on_each_database
def test_each_goes_as_a_whole_and_once_and_the_next_server_does_the_rest(
    tool: Tool, tmp_path: Path, chance: random.Random, long_ago: int
) -> None:
    begun = datetime.now(UTC).date().isoformat()
    tool.json("init", "--name", "Sample District", "--domain", "district.example")
    district = sample(tmp_path / "district", people=600, classes=30, members=20)
    tool.text("import", district)
    leavers = leave(tool, district, long_ago)
    assert len(leavers) >= LEAVERS
    kept = min(leavers)
    tool.json("hold", "add", "--person", f"PE-{kept}", "--reason", "An insurance asks", "--until", "2990-12-31")
    port = free_port()

    def strike(kind: str, left: str, *checks) -> None:
        """Sets a rule, and kills servers while they apply it. There is more to do until it is noted that all is done."""
        tool.json("retention", "set", kind, "--days", str(DAYS))

        def check() -> None:
            for one in checks:
                one()
            # Records and trail are whole after each.
            tool.assert_whole()

        noted = f"(SELECT COUNT(*) FROM retention_rule WHERE kind = '{kind}' AND applied_on IS NULL)"
        assert kill_until(f"SELECT ({left}) + {noted}", tool, port, chance, check) >= 1, kind

    def check_erased() -> None:
        erased = numbers(tool, "SELECT person_id FROM erasure")
        assert erased == numbers(tool, "SELECT id FROM person WHERE deleted_at IS NOT NULL")
        assert erased == numbers(
            tool, "SELECT subject FROM audit_entry WHERE action = 'person.erased' AND detail LIKE 'erased:%'")
        assert len(erased) == len(numbers(tool, "SELECT 1 FROM erased_name"))
        assert set(erased) <= leavers - {kept}
        # All of the others have their names and roles, and nobody who is erased.
        for sql in ("SELECT id FROM person WHERE family_name <> ''", "SELECT DISTINCT person_id FROM role_assignment"):
            assert leavers & set(numbers(tool, sql)) == leavers - set(erased)

    leavers_left = "SELECT COUNT(*) FROM person WHERE state = 'deactivated' AND deleted_at IS NULL"
    strike("left-people", f"{leavers_left} AND id <> {kept}", check_erased)
    assert set(numbers(tool, "SELECT person_id FROM erasure")) == leavers - {kept}

    add_browsers(tool, long_ago)

    def check_forgotten() -> None:
        [(there,)] = tool.query("SELECT COUNT(*) FROM known_browser")
        told = tool.query("SELECT detail FROM audit_entry WHERE action = 'retention.applied'")
        counts = [int(re.match(r"(\d+) of sessions older than", detail)[1]) for (detail,) in told]
        assert sum(counts) == BROWSERS - there

    strike("sessions", "SELECT COUNT(*) FROM known_browser", check_forgotten)

    unused = add_unused(tool, long_ago)
    inactive = "SELECT id FROM person WHERE given_name LIKE 'Unused%' AND state = 'deactivated'"

    def check_deactivated() -> None:
        assert numbers(tool, inactive) == numbers(
            tool, "SELECT subject FROM audit_entry WHERE detail LIKE 'deactivated, because nobody has used%'")

    strike(
        "unused-accounts", "SELECT COUNT(*) FROM person WHERE given_name LIKE 'Unused%' AND state <> 'deactivated'",
        check_deactivated)
    assert set(numbers(tool, inactive)) == unused

    rules = {rule["kind"]: rule["appliedOn"] for rule in tool.json("retention", "list")["rules"] if "days" in rule}
    assert set(rules) == {"left-people", "sessions", "unused-accounts"} and set(rules.values()) <= {begun, datetime.now(UTC).date().isoformat()}, rules
