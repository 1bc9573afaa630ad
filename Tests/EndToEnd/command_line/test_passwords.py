"""`lanyard person passwords`."""

import csv
import json
import re
import stat
import subprocess
import time
from pathlib import Path

import pytest
from command_line.conftest import District
from database import query
from lanyard_tool import Tool
from processes import LANYARD, run


def add(tool: Tool, first: str, last: str, *options: str) -> dict:
    return tool.json("person", "add", "--first-name", first, "--last-name", last, *options)


def without_password(tool: Tool) -> int:
    return sum(tool.json("person", "passwords", "--preview")["counts"].values())


def test_each_gets_a_password_once_in_a_file_for_a_spreadsheet(maple: District, tmp_path: Path) -> None:
    tool, sheet = maple.tool, tmp_path / "passwords.csv"
    add(tool, "Nadia", "Berg", "--role", "administrator")
    add(tool, "Ana", 'Núñez, "Nunu"', "--user-name", "ana@maple.example", "--role", "student", "--at", "high")
    add(tool, "=HYPERLINK(1)", "김", "--user-name", "kim@maple.example", "--role", "student", "--at", "high")
    assert without_password(tool) == 3

    report = tool.json("person", "passwords", "--role", "student", "--csv", str(sheet))
    assert (report["passwords"], report["files"], report["leftOut"]) == (2, [str(sheet)], [])
    assert stat.S_IMODE(sheet.stat().st_mode) == 0o600
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["User name", "First name", "Middle name", "Last name", "Temporary password"]
    assert {tuple(row[:4]) for row in rows[1:]} == {
        ("ana@maple.example", "Ana", "", 'Núñez, "Nunu"'), ("kim@maple.example", "'=HYPERLINK(1)", "", "김")}
    assert all(len(row) == 5 and row[4] for row in rows)
    assert without_password(tool) == 1

    # A file that is there may hold what somebody still needs.
    before = sheet.read_bytes()
    assert "is there already" in tool.failure("person", "passwords", "--csv", str(sheet))
    assert sheet.read_bytes() == before and without_password(tool) == 1
    assert "cannot be written" in tool.failure("person", "passwords", "--csv", str(tmp_path / "no" / "x.csv"))
    # Nothing to write: no file.
    empty = tmp_path / "empty.csv"
    assert "2 people have a password already" in tool.text(
        "person", "passwords", "--role", "student", "--csv", str(empty))
    assert not empty.exists()


def test_staff_get_theirs_by_mail_and_everybody_else_in_the_file(maple: District, tmp_path: Path) -> None:
    tool, sheet = maple.tool, tmp_path / "passwords.csv"
    nadia = add(tool, "Nadia", "Berg", "--role", "staff", "--at", "high", "--email", "nadia@maple.example")
    add(tool, "Max", "Lee", "--role", "staff", "--at", "high", "--email", "max@home.example")
    add(tool, "Ana", "Lee", "--role", "student", "--at", "high", "--email", "ana@maple.example")

    def waiting() -> list[tuple[str, str]]:
        return query(tool.file, "SELECT recipient, body FROM mail_message")

    assert "sends no mail" in tool.failure("person", "passwords", "--letters", "--csv", str(sheet))
    assert "sends no mail" in tool.failure("person", "passwords", "--letters", "--preview")
    assert not sheet.exists() and without_password(tool) == 3

    (tool.data / "lanyard.json").write_text(json.dumps(
        {"mail": {"from": "Lanyard <id@maple.example>", "maildir": str(tmp_path / "mail")}}))
    preview = tool.text("person", "passwords", "--letters", "--preview")
    assert "Nadia Berg, by mail" in preview and preview.count("by mail") == 1
    assert waiting() == [] and without_password(tool) == 3

    report = tool.json("person", "passwords", "--letters", "--csv", str(sheet))
    assert report["written"] == [
        {"name": "Nadia Berg", "userName": nadia["userName"], "address": "nadia@maple.example"}]
    assert {(one["name"], one["reason"]) for one in report["notWritten"]} == {
        ("Max Lee", "notVerified"), ("Ana Lee", "pupil")}
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["First name"] for row in rows} == {"Max", "Ana"} and report["passwords"] == 2
    [(recipient, body)] = waiting()
    assert recipient == "nadia@maple.example" and nadia["userName"] in body
    password = re.search(r"Temporary password: (\S+)", body)[1]
    assert password not in json.dumps(report) and password not in {row["Temporary password"] for row in rows}

    # Nothing for a file, and nobody who has a password is written to again.
    again = tmp_path / "again.csv"
    assert "3 people have a password already" in tool.text("person", "passwords", "--letters", "--csv", str(again))
    said = tool.text("person", "passwords", "--role", "staff", "--all", "--letters")
    assert "1 person gets the password by mail" in said and "nadia@maple.example" in said
    assert "No letter to Max Lee" in said and "in no domain that the organization has verified" in said
    assert not again.exists() and [recipient for recipient, _ in waiting()] == ["nadia@maple.example"] * 2


def test_what_is_refused_writes_no_file(maple: District, tmp_path: Path) -> None:
    sheet = tmp_path / "passwords.csv"
    assert "Alchemy" in maple.tool.failure("person", "passwords", "--class", "Alchemy", "--csv", str(sheet))
    assert not sheet.exists()
    assert "--class, --at or --role" in maple.tool.usage_error("person", "passwords", "--all")
    maple.tool.usage_error("person", "passwords", "--preview", "--csv", str(sheet))
    assert not sheet.exists()


@pytest.mark.parametrize("seconds", [1.0, 2.0])
def test_a_command_that_is_killed_has_given_nobody_a_password(tmp_path: Path, seconds: float) -> None:
    tool = Tool(tmp_path / "data")
    tool.json("init", "--name", "Maple District", "--domain", "maple.example")
    assert run(LANYARD, "sample", "--out", tmp_path / "files").returncode == 0
    tool.text("import", str(tmp_path / "files"))
    before = without_password(tool)
    assert before > 1_000, "hashing has to take longer than the test waits"
    command = subprocess.Popen(
        [LANYARD, "person", "passwords", "--data", str(tmp_path / "data")], stdout=subprocess.PIPE)
    time.sleep(seconds)
    command.kill()
    assert command.communicate()[0] == b"" and command.returncode == -9
    assert without_password(tool) == before


def pages_of(pdf: Path) -> list[str]:
    """What each page says, without spaces and line breaks, because long names go over several lines; and without the
    marks by which pdftotext says that letters run from right to left."""
    result = run("pdftotext", "-raw", pdf, "-")
    assert result.returncode == 0, result.stderr
    pages = re.sub("[\u202a-\u202e]", "", result.stdout).split("\f")
    return [text for page in pages if (text := "".join(page.split()))]


def test_slips_have_everybody_once_and_a_class_on_its_own_pages(tmp_path: Path) -> None:
    tool, slips = Tool(tmp_path / "data"), tmp_path / "slips.pdf"
    tool.json("init", "--name", "Maple District", "--domain", "maple.example")
    (tmp_path / "data" / "lanyard.json").write_text(json.dumps({"baseURL": "https://id.maple.example"}))
    files = tmp_path / "files"
    sample = run(LANYARD, "sample", "--people", "400", "--classes", "40", "--members", "12", "--out", files)
    assert sample.returncode == 0, sample.stderr
    tool.text("import", str(files))
    sheet = tmp_path / "passwords.csv"
    report = tool.json(
        "person", "passwords", "--role", "student", "--slips", str(slips), "--csv", str(sheet), "--language", "ja")
    assert stat.S_IMODE(slips.stat().st_mode) == 0o600
    # Few fonts have this rare character. Whoever prints the slips is told whose they are.
    rare = "𠮷"
    assert all(rare in remark for remark in report["remarks"])
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == report["passwords"] > 50
    pages = pages_of(slips)
    text = "".join(pages)
    # Codes of four digits can be those of two pupils, but no user name stands beside another's.
    accounts = [f"ユーザ名{row['User name']}一時パスワード{row['Temporary password']}" for row in rows]
    for row, account in zip(rows, accounts, strict=True):
        assert text.count(account) == 1 and text.count(f"ユーザ名{row['User name']}") == 1, row
        assert rare in row["Last name"] or "".join(row["Last name"].split()) in text, row
    assert text.count("一時パスワード") == len(rows) == text.count("id.maple.example")
    # One after the other in the order of the list, which is that of classes.
    assert sorted(accounts, key=text.index) == accounts
    assert all(1 <= page.count("一時パスワード") <= 8 for page in pages)


def test_each_slip_can_have_a_page_of_its_own(maple: District, tmp_path: Path) -> None:
    for name in ("Ana", "Bo", "Cy"):
        add(maple.tool, name, "Lee", "--role", "student", "--at", "high")
    slips = tmp_path / "slips.pdf"
    said = maple.tool.text(
        "person", "passwords", "--at", "high", "--slips", str(slips), "--one-a-page", "--paper", "letter")
    assert "3 people have a temporary password" in said and str(slips) in said
    pages = pages_of(slips)
    assert [name in page for page, name in zip(pages, ("AnaLee", "BoLee", "CyLee"), strict=True)] == [True] * 3
    assert all(page.count("Temporarypassword") == 1 for page in pages)
    assert "name their file with --slips" in maple.tool.usage_error("person", "passwords", "--one-a-page")
