"""`lanyard backup` and `lanyard restore`: a copy while the server serves, and how an installation goes back to one."""

import json
import os
import secrets
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from command_line.conftest import District, Quizzler
from command_line.test_access import connecting
from database import assert_sound, query
from lanyard_tool import PostgresDatabase, Tool
from plain_browser import PlainBrowser
from processes import LANYARD, Program, run
from scene import Account

ANA = "ana.nunez@maple.example"
BEN = "ben.ito@maple.example"

NOTHING_TO_REPEAT = {
    "erased": [], "unneeded": 0, "unrecognized": [], "closed": [], "reopened": [], "postponed": [], "ahead": [], "unknown": []}


def add(tool: Tool, first: str, last: str) -> str:
    """Adds somebody with a password; returns it."""
    tool.json("person", "add", "--first-name", first, "--last-name", last, "--role", "staff", "--at", "Maple High")
    return tool.json("person", "password", f"{first}.{last}@maple.example".lower())["password"]


def signs_in(tool: Tool, user: str, password: str) -> bool:
    with tool.serving() as url:
        browser = PlainBrowser()
        page = browser.open(f"{url}/account")
        response = browser.press("Sign in", page, username=user, password=password)
        return response.status_code == 303


@pytest.fixture
def elsewhere(tool: Tool, tmp_path: Path) -> Iterator[Callable[[], Tool]]:
    """Makes other machines: folders with the master key, and with PostgreSQL an empty database."""
    databases = []

    def make(with_key: bool = True) -> Tool:
        folder = tmp_path / f"elsewhere-{len(databases)}"
        folder.mkdir(mode=0o700)
        if with_key:
            shutil.copy(tool.data / "master.key", folder)
        database = None
        if tool.database:
            database = PostgresDatabase(os.environ["LANYARD_TEST_POSTGRES"], f"test_{secrets.token_hex(16)}")
            database.create()
        databases.append(database)
        return Tool(folder, database.location if database else None)

    yield make
    for database in databases:
        if database:
            database.drop()


def snapshot(folder: Path) -> dict[str, tuple[bytes, int]]:
    """What is in a folder, and when it was written."""
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*")) if path.is_file()}


def copy_of(tool: Tool, folder: Path, *options: str) -> Path:
    """Makes a copy; returns its file."""
    return folder / tool.json("backup", folder, *options)["copy"]["copy"]["file"]


def copied_and_erased(tool: Tool, folder: Path) -> tuple[str, int, Path]:
    """A copy with Ana and Ben, who is erased afterwards: her password, his number, and the copy's file."""
    password = add(tool, "Ana", "Nunez")
    add(tool, "Ben", "Ito")
    number = tool.json("person", "show", BEN)["number"]
    copy = copy_of(tool, folder)
    tool.json("person", "erase", BEN, "--yes")
    return password, number, copy


@pytest.mark.on_each_database
def test_a_copy_that_was_made_while_people_work_is_used_on_another_machine(
    maple: District, elsewhere: Callable[[], Tool], tmp_path: Path
) -> None:
    tool = maple.tool
    password = add(tool, "Ana", "Nunez")
    folder = tmp_path / "copies"
    added: list[str] = []
    is_over = threading.Event()

    def work() -> None:
        while not is_over.is_set():
            name = f"P{len(added)}"
            tool.json("person", "add", "--first-name", name, "--last-name", "Work", "--role", "staff", "--at", "Maple High")
            added.append(name)

    with tool.serving() as url:
        worker = threading.Thread(target=work)
        worker.start()
        try:
            browser = PlainBrowser()
            # Somebody signs in beside it, who writes too.
            browser.press("Sign in", browser.open(f"{url}/account"), username=ANA, password=password)
            results = [tool.json("backup", folder) for _ in range(3)]
        finally:
            is_over.set()
            worker.join()
    people = [result["copy"]["rows"]["person"] for result in results]
    assert people == sorted(people) and added
    last = results[-1]["copy"]
    names = {last["copy"]["file"], last["erasures"]["file"], results[-1]["manifest"]}
    assert names <= set(os.listdir(folder)) and len(os.listdir(folder)) == 9
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in folder.iterdir())
    assert folder.stat().st_mode & 0o777 == 0o700
    # The key is not in it, and it is said where it is.
    key = (tool.data / "master.key").read_text().strip()
    assert results[-1]["masterKeyFile"] == str(tool.data / "master.key")
    assert not any(key.encode() in path.read_bytes() for path in folder.iterdir())

    other = elsewhere()
    report = other.json("restore", folder / last["copy"]["file"])
    assert "aside" not in report and report["erasures"] == NOTHING_TO_REPEAT
    if not other.database:
        assert_sound(other.file)
        assert sorted(os.listdir(other.data)) == ["lanyard.sqlite", "master.key"]
        assert other.file.stat().st_mode & 0o777 == 0o600
    rows = other.json("backup", tmp_path / "again")["copy"]["rows"]
    assert {table: count for table, count in rows.items() if table != "audit_entry"} == {
        table: count for table, count in last["rows"].items() if table != "audit_entry"}
    assert other.json("audit", "verify")["isWhole"] is True
    assert signs_in(other, ANA, password)
    other.assert_whole()


@pytest.mark.on_each_database
def test_who_was_erased_since_stays_erased(
    maple: District, elsewhere: Callable[[], Tool], tmp_path: Path
) -> None:
    tool = maple.tool
    folder = tmp_path / "copies"
    password, number, copy = copied_and_erased(tool, folder)
    # The next night's list names him, and counts for the older copy.
    copy_of(tool, folder)
    other = elsewhere()
    assert other.json("restore", copy)["erasures"]["erased"] == [number]
    other.failure("person", "show", BEN)
    assert signs_in(other, ANA, password)
    assert [erasure["number"] for erasure in other.json("erasure", "list")["erasures"]] == [number]

    # A list alone does it too: what is left of a folder whose newer copies were lost.
    newer = next(path for path in folder.glob("*.erasures.json") if path.stem.split(".")[0] != copy.stem)
    alone = tmp_path / "alone"
    alone.mkdir()
    for path in folder.glob(f"{copy.stem}.*"):
        shutil.copy(path, alone)
    third = elsewhere()
    assert third.json("restore", alone / copy.name, "--erasures", newer)["erasures"]["erased"] == [number]


def test_going_back_erases_whom_no_list_names_yet_and_tells_what_counts_again(
    maple: District, quizzler: Quizzler, tmp_path: Path
) -> None:
    tool = maple.tool
    folder = tmp_path / "copies"
    password, number, copy = copied_and_erased(tool, folder)
    later = add(tool, "Cleo", "Late")
    assert "Add --yes" in tool.failure("restore", copy)
    assert tool.json("restore", copy, "--dry-run")["wouldEnd"]
    assert signs_in(tool, "cleo.late@maple.example", later)
    before = query(tool.file, "SELECT COUNT(*) FROM person")
    report = tool.json("restore", copy, "--yes")
    assert report["erasures"]["erased"] == [number] and report["revokedSince"] == [] and report["notes"] == []
    tool.failure("person", "show", BEN)
    tool.failure("person", "show", "cleo.late@maple.example")
    assert signs_in(tool, ANA, password)
    # What was there is kept, whole.
    aside = Path(report["aside"])
    assert_sound(aside)
    assert query(aside, "SELECT COUNT(*) FROM person") == before
    assert aside.stat().st_mode & 0o777 == 0o600
    assert query(tool.file, "SELECT action FROM audit_entry WHERE subject = 'database' ORDER BY sequence") == [
        ("backup.restored",)]
    assert query(aside, "SELECT action FROM audit_entry WHERE subject = 'database'") == [("backup.made",)]


def named(organizations: list[dict[str, str]]) -> list[str]:
    return [organization["id"] for organization in organizations]


@pytest.mark.on_each_database
def test_an_organization_that_was_closed_since_stays_closed_and_one_that_was_opened_is_open(
    maple: District, elsewhere: Callable[[], Tool], tmp_path: Path
) -> None:
    tool = maple.tool
    folder = tmp_path / "copies"
    password = add(tool, "Ana", "Nunez")
    before = copy_of(tool, folder)
    closed = tool.json("org", "close", "--erase-after-days", "60", "--yes")
    while_closed = copy_of(tool, folder)

    # The list of the second copy counts for the first one.
    other = elsewhere()
    report = other.json("restore", before)
    assert named(report["erasures"]["closed"]) == [maple.id]
    assert report["erasures"]["closed"][0]["erasesOn"] == closed["erasesOn"]
    if other.database:
        assert "The newest list beside the copy is of" in report["notes"][0] and "erasure replay" in report["notes"][0]
    else:
        assert report["notes"] == []
    shown = other.json("org", "show")
    assert (shown["closedAt"], shown["erasesOn"]) == (closed["closedAt"], closed["erasesOn"])
    assert not signs_in(other, ANA, password)
    assert other.json("audit", "verify")["isWhole"] is True

    # Without that list it is open, until somebody brings one.
    listed = json.loads(tool.text("erasure", "list", "--json"))
    assert [closing["action"] for closing in listed["closings"]] == ["organization.closed"]
    alone = tmp_path / "alone"
    alone.mkdir()
    for path in folder.glob(f"{before.stem}.*"):
        shutil.copy(path, alone)
    third = elsewhere()
    assert third.json("restore", alone / before.name)["erasures"] == NOTHING_TO_REPEAT
    assert signs_in(third, ANA, password)
    stranger = listed["closings"][0] | {"organization": "00000000-0000-4000-8000-000000000000"}
    to_come = listed["closings"][0] | {"action": "organization.reopened", "at": "2999-01-01T00:00:00Z"}
    file = tmp_path / "erasures.json"
    file.write_text(json.dumps(listed | {"closings": [*listed["closings"], stranger, to_come]}))
    replayed = third.json("erasure", "replay", file)
    assert named(replayed["closed"]) == [maple.id]
    assert replayed["unknown"] == [stranger["organization"]]
    assert [closing["at"] for closing in replayed["ahead"]] == [to_come["at"]]
    assert not signs_in(third, ANA, password)
    told = third.text("erasure", "replay", file)
    assert "is still to come" in told and "passed over" in told and "closed again" not in told

    # Opened again since, in a later second, in which a closing would count: a copy of while it was closed would be erased.
    time.sleep(1.1)
    tool.json("org", "reopen")
    copy_of(tool, folder)
    fourth = elsewhere()
    report = fourth.json("restore", while_closed)
    assert named(report["erasures"]["reopened"]) == [maple.id] and report["erasures"]["closed"] == []
    assert "closedAt" not in fourth.json("org", "show")
    assert signs_in(fourth, ANA, password)
    # What is closed elsewhere by the older list is opened by the newer one.
    third.json("erasure", "replay", max(folder.glob("*.erasures.json"), key=lambda path: path.stat().st_mtime_ns))
    assert signs_in(third, ANA, password)


def test_going_back_closes_again_what_no_list_names_yet_with_all_that_apps_read(
    maple: District, quizzler: Quizzler, tmp_path: Path
) -> None:
    tool = maple.tool
    with connecting(maple, quizzler, tmp_path):
        pass
    folder = tmp_path / "copies"
    copy = copy_of(tool, folder)
    assert tool.json("consent", "list", "--alive")["consents"]
    tool.json("org", "close", "--yes")
    report = tool.json("restore", copy, "--yes")
    assert len(report["erasures"]["closed"]) == 1 and report["notes"] == []
    # The closing has revoked them, and they are not valid again.
    assert report["revokedSince"] == []
    assert tool.json("consent", "list", "--alive")["consents"] == []
    assert tool.json("org", "show")["closedAt"]
    assert tool.json("audit", "verify")["isWhole"] is True


@pytest.mark.parametrize("day", ["2026-01-01", "2999-12-31"])
def test_nothing_that_is_closed_is_erased_soon_after_a_restore(maple: District, tmp_path: Path, day: str) -> None:
    tool = maple.tool
    tool.json("org", "close", "--yes")
    # Its day passes while the copy lies there, or is far away.
    tool.execute("UPDATE organization SET erases_on = ? WHERE closed_at IS NOT NULL", day)
    copy = copy_of(tool, tmp_path / "copies")
    report = tool.json("restore", copy, "--yes")
    is_over = day < "2027"
    assert named(report["erasures"]["postponed"]) == ([maple.id] if is_over else [])
    assert report["erasures"]["closed"] == []
    erases_on = date.fromisoformat(tool.json("org", "show")["erasesOn"])
    assert (erases_on - datetime.now(UTC).date()).days in (6, 7) if is_over else erases_on.isoformat() == day
    tool.json("org", "reopen")


def test_a_process_that_stays_makes_a_copy_at_once_and_then_each_night(maple: District, tmp_path: Path) -> None:
    tool = maple.tool
    folder, log = tmp_path / "copies", tmp_path / "log"
    for wrong in ["2:00", "24:00", "02:60", "night", "02:00:00"]:
        tool.usage_error("backup", folder, "--daily", wrong)
    for told in ("Made ", ""):
        program = Program(LANYARD, "backup", folder, "--keep", "14", "--daily", "02:00", "--data", tool.data, log=log)
        try:
            program.wait_until(lambda: "The next copy is made at " in program.log_text, 60, "it waits for the night")
            assert program.log_text.startswith(told or "The next copy")
            program.terminate()
            assert program.wait(20) == 0
        finally:
            program.stop()
    assert len(list(folder.glob("*.sqlite"))) == 1
    # One that cannot be made is told, and ends nothing.
    shutil.move(tool.file, tmp_path / "away")
    shutil.rmtree(folder)
    program = Program(LANYARD, "backup", folder, "--daily", "02:00", "--data", tool.data, log=log)
    try:
        program.wait_until(lambda: "The next copy is made at " in program.log_text, 60, "it tries again later")
        assert "No copy could be made: There is no database" in program.log_text and program.is_running
    finally:
        program.stop()
    shutil.move(tmp_path / "away", tool.file)


def test_a_destroyed_database_is_replaced_and_what_cannot_be_known_is_said(
    maple: District, tmp_path: Path
) -> None:
    tool = maple.tool
    password = add(tool, "Ana", "Nunez")
    copy = copy_of(tool, tmp_path / "copies")
    tool.file.write_bytes(os.urandom(200_000))
    assert "problem" in tool.run("doctor").stdout
    report = tool.json("restore", copy, "--yes")
    assert "could not be read" in report["notes"][0] and "revokedSince" not in report
    assert Path(report["aside"]).stat().st_size == 200_000
    assert signs_in(tool, ANA, password)


def test_nothing_is_put_in_place_while_a_server_runs_or_a_command(maple: District, tmp_path: Path) -> None:
    tool = maple.tool
    copy = copy_of(tool, tmp_path / "copies")
    with tool.serving() as url:
        before = sorted(os.listdir(tool.data))
        # Idle, without a transaction.
        assert f"has {tool.file} open" in tool.failure("restore", copy, "--yes")
        assert sorted(os.listdir(tool.data)) == before
        assert PlainBrowser().session.get(f"{url}/readyz", timeout=10).status_code == 200
    tool.json("restore", copy, "--yes")


@pytest.mark.on_each_database
@pytest.mark.damages
def test_what_does_not_fit_changes_nothing(
    maple: District, elsewhere: Callable[..., Tool], tmp_path: Path
) -> None:
    tool = maple.tool
    folder = tmp_path / "copies"
    copy = copy_of(tool, folder)
    manifest = copy.with_suffix(".json")
    good, text = copy.read_bytes(), manifest.read_text()
    other = elsewhere()
    if not tool.database:
        # There is something that could be lost.
        shutil.copy(tool.file, other.file)

    def refused(*arguments: str | Path, by: Tool = other) -> str:
        before = snapshot(by.data)
        message = by.failure("restore", *arguments, "--yes")
        assert snapshot(by.data) == before
        return message

    assert "Name one of the copies" in refused(folder) and "There is no" in refused(folder / "other.sqlite")
    stray = tmp_path / "stray.sqlite"
    stray.write_bytes(good)
    assert "no manifest" in refused(stray)

    middle = len(good) // 2
    for damaged in [good[:-1], good[:middle] + bytes([good[middle] ^ 1]) + good[middle + 1:], b""]:
        copy.write_bytes(damaged)
        assert "damaged" in refused(copy)
    copy.write_bytes(good)

    changed = json.loads(text)
    manifest.write_text(json.dumps(changed | {"schemaStep": 9_999, "version": "9.9.9"}))
    assert "9.9.9" in (message := refused(copy)) and "9999" in message
    manifest.write_text(json.dumps(changed | {"rows": changed["rows"] | {"person": 99}}))
    if not tool.database:
        assert "manifest" in refused(copy)
    manifest.write_text(text)

    lists = copy.with_suffix(".erasures.json")
    right = lists.read_text()
    lists.write_text("[]")
    assert "damaged" in refused(copy)
    lists.write_text(right)
    wrong = tmp_path / "wrong.json"
    wrong.write_text("[]")
    assert "erasure list" in refused(copy, "--erasures", wrong)

    key = other.data / "master.key"
    own = key.read_text()
    key.write_text("A" * 43 + "=\n")
    assert "is not the one of this copy" in refused(copy)
    key.unlink()
    assert "There is no master key" in refused(copy)
    key.write_text(own)
    key.chmod(0o600)
    other_kind = replace(other, database=None if tool.database else "postgres://nobody@127.0.0.1:1/none")
    assert "PostgreSQL" in refused(copy, by=other_kind)
    other.json("restore", copy, "--yes")


@pytest.mark.on_each_database
def test_a_database_with_people_in_it_is_not_overwritten_unasked(maple: District, tmp_path: Path) -> None:
    tool = maple.tool
    copy = copy_of(tool, tmp_path / "copies")
    assert ("not empty" if tool.database else "Add --yes") in tool.failure("restore", copy)
    assert tool.json("person", "list")["people"] == []


@pytest.mark.on_each_database
def test_old_copies_go_after_the_new_one_was_verified(maple: District, tmp_path: Path) -> None:
    tool = maple.tool
    folder = tmp_path / "copies"
    first = copy_of(tool, folder)
    (folder / "holiday.sqlite").write_text("of somebody else")
    second = copy_of(tool, folder)
    result = tool.json("backup", folder, "--keep", "2")
    assert result["removed"] == [first.stem] and second.exists()
    manifest = second.with_suffix(".json")
    manifest.write_text(manifest.read_text().replace(json.loads(manifest.read_text())["madeAt"], "2020-01-01T00:00:00Z"))
    assert tool.json("backup", folder, "--keep-days", "30")["removed"] == [second.stem]
    assert (folder / "holiday.sqlite").exists() and len(os.listdir(folder)) == 7
    for wrong in ["0", "-1", "x"]:
        tool.usage_error("backup", folder, "--keep", wrong)
        tool.usage_error("backup", folder, "--keep-days", wrong)


def test_a_damaged_database_makes_no_copy_and_costs_none(maple: District, tmp_path: Path) -> None:
    tool = maple.tool
    folder = tmp_path / "copies"
    good = copy_of(tool, folder)
    before = snapshot(folder)
    whole = tool.file.read_bytes()
    tool.file.write_bytes(whole[:20_000] + os.urandom(40_000) + whole[60_000:])
    assert tool.run("backup", folder, "--keep", "1").returncode == 1
    assert snapshot(folder) == before and good.exists()
    tool.file.write_bytes(whole)


def test_places_that_cannot_be_used_are_named(maple: District, tmp_path: Path) -> None:
    tool = maple.tool
    assert "backupFolder" in tool.failure("backup")
    file = tmp_path / "file"
    file.write_text("")
    assert "is a file" in tool.failure("backup", file)
    assert "There is no database" in Tool(tmp_path / "nothing").failure("backup", tmp_path / "copies")
    assert "leave out --server" in tool.failure("backup", tmp_path / "copies", "--server", "https://id.maple.example")
    (tool.data / "lanyard.json").write_text(json.dumps({"backupFolder": str(tmp_path / "set")}))
    tool.json("backup")
    assert len(os.listdir(tmp_path / "set")) == 3


@pytest.mark.on_each_database
def test_no_password_is_on_a_command_line_and_a_missing_program_is_named(
    maple: District, tmp_path: Path
) -> None:
    tool = maple.tool
    if not tool.database:
        return
    # A program in pg_dump's place, that notes how it was called.
    programs = tmp_path / "programs"
    programs.mkdir()
    noted = tmp_path / "noted"
    dump = programs / "pg_dump"
    dump.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" "password=$PGPASSWORD" >> {noted}\nexec /usr/bin/pg_dump "$@"\n')
    dump.chmod(0o755)
    address = urlsplit(tool.database)
    named = address._replace(netloc=f"{address.username}:se%20cret@{address.hostname}:{address.port}").geturl()

    def backup(path: str) -> tuple[int, str]:
        done = run("env", f"PATH={path}", LANYARD, "backup", tmp_path / "copies", "--data", tool.data, "--database", named)
        return done.returncode, done.stdout + done.stderr

    status, words = backup(f"{programs}:/usr/bin:/bin")
    assert status == 0, words
    calls = noted.read_text().splitlines()
    assert "password=se cret" in calls
    assert not any("cret" in word for word in calls if not word.startswith("password="))
    # An older one, and none.
    dump.write_text('#!/bin/sh\necho "pg_dump (PostgreSQL) 9.6.1"\n')
    status, words = backup(f"{programs}:/usr/bin:/bin")
    assert status == 1 and "9" in words and "Install postgresql-client-" in words
    empty = tmp_path / "empty"
    empty.mkdir()
    status, words = backup(str(empty))
    assert status == 1 and "There is no pg_dump here" in words
    assert len(os.listdir(tmp_path / "copies")) == 3
