"""docs/school-year.md, step by step as printed, and what apps' records look like after each part."""

import csv
import functools
import json
import re
import shlex
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from administration import sample as small_sample
from command_line.conftest import District, Quizzler
from command_line.test_audit_export import Authority
from command_line.test_id_maps import DIALECT, other_system, people
from command_line.test_imports import PUPILS, of_school
from lanyard_tool import Tool
from processes import LANYARD, run

DOCUMENT = Path(__file__).parents[3] / "docs" / "school-year.md"
BLOCK = re.compile(r"^```\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# What commands name that is on the disk.
FILE = re.compile(r"[\w-]+\.(csv|jsonl|pdf|tsq|tsr)|stamps|maple-district")

# The parts of the document that tests play, by the beginnings of their headings.
PLAYED: set[str] = set()
# How many commands of each part the test that runs has played.
position: Counter[str] = Counter()


def sections() -> dict[str, str]:
    """By heading."""
    parts = DOCUMENT.read_text().split("\n## ")[1:]
    return {heading: text for heading, _, text in (part.partition("\n") for part in parts)}


def commands(part: str) -> list[list[str]]:
    """The commands of the section whose heading begins with `part`."""
    [section] = [text for heading, text in sections().items() if heading.startswith(part)]
    lines = [line for block in BLOCK.findall(section) for line in block.replace("\\\n", " ").splitlines()]
    return [shlex.split(line) for line in lines]


def plays(*parts: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Says which parts of the document a test plays, and sees to it that it plays them from end to end."""
    PLAYED.update(parts)

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def whole(*arguments: Any, **named: Any) -> None:
            position.clear()
            test(*arguments, **named)
            assert dict(position) == {part: len(commands(part)) for part in parts}

        return whole

    return decorate


def play(
    tool: Tool, folder: Path, part: str, count: int | None = None, instead: dict[str, str] | None = None
) -> list[str]:
    """Runs the next `count` commands of a part, or all that are left of it; returns what each has printed.

    `instead` has what stands for an example, such as a number that is another one each time."""
    begin = position[part]
    following = commands(part)[begin:]
    following = following if count is None else following[:count]
    position[part] += len(following)
    return [run_in(tool, folder, [(instead or {}).get(word, word) for word in command]) for command in following]


def run_in(tool: Tool, folder: Path, command: list[str]) -> str:
    program, *words = command
    words = [
        str(folder / word.removesuffix(".zip")) if word.endswith(".zip") or FILE.fullmatch(word) else word
        for word in words]
    if program == "mkdir":
        Path(words[0]).mkdir()
        return ""
    if program == "curl":
        assert words[3:5] == ["@request.tsq", "https://timestamps.example"] and words[5] == ">", words
        Authority(folder).stamp(folder / "request.tsq", Path(words[6]))
        return ""
    assert program == "lanyard", command
    return tool.text(*words)


def next_year(folder: Path, to: Path) -> None:
    """The same people in other classes."""
    to.mkdir()
    for file in folder.iterdir():
        text = file.read_text()
        if file.name == "classes.csv":
            text = re.sub(r"(?m)^(?!class_id)", "2026-", text.rstrip("\n")) + "\n"
        if file.name == "rosters.csv":
            text = re.sub(r"(?m)^(?!roster_id)([^,]*),", r"\1,2026-", text.rstrip("\n")) + "\n"
        (to / file.name).write_text(text)


def sample(folder: Path) -> None:
    result = run(LANYARD, "sample", "--out", folder)
    assert result.returncode == 0, result.stderr


def names(tool: Tool, *options: str) -> list[str]:
    return [found["name"] for found in tool.json("class", "list", "--limit", "1000", *options)["classes"]]


def test_every_part_with_commands_is_played() -> None:
    with_commands = {heading for heading, text in sections().items() if BLOCK.search(text)}
    assert len(with_commands) > 8
    played = {heading for heading in with_commands if any(heading.startswith(part) for part in PLAYED)}
    assert with_commands - played == set()


def help_of(words: list[str]) -> str:
    """The help of the command that the words begin with."""
    path = ["lanyard"]
    for word in words:
        if not re.fullmatch(r"[a-z][a-z-]*", word):
            break
        shown = run(LANYARD, *path[1:], word, "--help").stdout
        if f"USAGE: {' '.join([*path, word])} " not in shown.replace("\n", " \n"):
            break
        path.append(word)
    return run(LANYARD, *path[1:], "--help").stdout


def test_commands_and_options_in_the_text_are_there() -> None:
    text = BLOCK.sub("", DOCUMENT.read_text())
    mentioned = [shlex.split(span) for span in re.findall(r"`([^`]+)`", text) if re.match(r"lanyard |--", span)]
    of_blocks = [
        command for heading in sections() for command in commands(heading) if command[0] == "lanyard"]
    one_of_each = {tuple(command[1:3]): command[1:] for command in of_blocks}
    everything = "".join(help_of(words) for words in one_of_each.values())
    assert any(span[0] == "lanyard" for span in mentioned) and any(span[0] != "lanyard" for span in mentioned)
    for span in mentioned:
        if span[0] != "lanyard":
            assert re.search(rf"{re.escape(span[0])}\b", everything), span
            continue
        named = [word for word in span[1:] if not word.startswith("-")]
        shown = run(LANYARD, *named, "--help").stdout
        assert f"USAGE: {' '.join(['lanyard', *named])} " in shown.replace("\n", " \n"), span
        assert all(word in shown for word in span[1:] if word.startswith("-")), span


@plays("Once", "July", "August", "First day")
def test_the_year_goes_from_july_to_the_first_day_as_the_document_says(maple: District, tmp_path: Path) -> None:
    tool = maple.tool
    sample(tmp_path / "roster-2025")
    next_year(tmp_path / "roster-2025", tmp_path / "roster-2026")

    play(tool, tmp_path, "Once")
    first = names(tool, "--term", "2025/26")
    assert "Chess club" in first and len(first) > 20

    # The end of the document, and with it of the year before.
    july = play(tool, tmp_path, "July")
    assert "2025/26 ends, with" in july[0] and "lanyard term close 2025/26" in july[0]
    assert "classes archived" in july[1]
    assert "archived since" in july[4]
    assert names(tool) == ["Chess club"]

    august = play(tool, tmp_path, "August")
    assert "Nothing was changed, as you asked" in august[1]
    assert "Applied as import" in august[2]
    classes = tool.json("class", "list", "--limit", "1000")["classes"]
    assert len(classes) == len(first) - 1
    assert all(found["classID"].startswith("2026-") and found["term"] == "2026/27" for found in classes)
    assert "Chess club" not in names(tool, "--archived")

    preview, given, school, added, joined, password = play(tool, tmp_path, "First day")
    pupils = tool.json("class", "show", "Spanish 1 A")["students"]
    # The last of them came by hand.
    assert f"{len(pupils) - 1} people would get a password" in preview
    assert f"{len(pupils) - 1} people have a temporary password" in given
    with (tmp_path / "spanish-1-a.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    ana = "ana.nunez@maple.example"
    assert {row["User name"] for row in rows} == {pupil["userName"] for pupil in pupils} - {ana}
    assert (tmp_path / "spanish-1-a.pdf").read_bytes().startswith(b"%PDF")
    assert "people would get a password" in school
    assert ana in added and "Ana Núñez" in joined and "Ana Núñez" in password
    assert tool.json("person", "show", "S-9001")["userName"] == ana
    tool.assert_whole()


@plays("September")
def test_what_apps_get_is_narrowed_looked_at_and_asked_for_as_the_document_says(
    maple: District, quizzler: Quizzler, tmp_path: Path
) -> None:
    tool = maple.tool
    tool.json(
        "person", "add", "--first-name", "Ana", "--last-name", "Nunez", "--role", "student", "--at", "high",
        "--user-name", "ana.nunez@maple.example", "--email", "ana.nunez@maple.example")
    tool.json("person", "add", "--first-name", "Ida", "--last-name", "Berg", "--role", "instructor", "--at", "high")
    september = play(tool, tmp_path, "September")
    assert "Ida Berg: not shown to app:" in september[1]
    assert "until the next 07-31: today that is" in september[3]
    assert [(user["givenName"], "email" in user) for user in json.loads(september[4])["users"]] == [("Ana", False)]
    # Nobody has connected it yet.
    assert "Nobody has allowed Quizzler to read" in september[5]
    assert tool.json("why", "ana.nunez@maple.example", "Quizzler")["roster"]["reason"] == "not-connected"
    assert json.loads(tool.text("sharing", "view-as", "Quizzler", "users"))["users"] == []
    assert "nobody who has read it" in september[7]


@plays("During the year")
def test_names_are_corrected_and_records_merged_and_separated_as_the_document_says(
    maple: District, tmp_path: Path
) -> None:
    tool = maple.tool
    ana = ("--first-name", "Ana", "--last-name", "Nunez", "--role", "student", "--at", "high")
    tool.json("person", "add", *ana, "--user-name", "ana.nunez@maple.example")
    tool.json("person", "add", *ana, "--user-name", "ana.nunez2@maple.example", "--person-id", "S-1001")
    corrected, renamed, found, preview, merged, changes = play(tool, tmp_path, "During the year", 6)
    assert "Corrected: last name" in corrected and "Núñez Vega" in corrected
    assert "Ana Núñez Vega signs in as ana.vega@maple.example from now on." in renamed
    assert "ana.vega@maple.example" in found and "ana.nunez2@maple.example" in found
    assert "Nothing is changed. This would be:" in preview
    assert "ana.nunez2@maple.example is merged into ana.vega@maple.example" in merged
    assert tool.json("person", "show", "ana.nunez2@maple.example")["state"] == "deactivated"
    assert tool.json("person", "show", "ana.nunez@maple.example")["personID"] == "S-1001"

    newest = str(tool.json("change", "list")["changes"][0]["change"])
    assert changes.splitlines()[1].split()[0] == newest
    [undone] = play(tool, tmp_path, "During the year", 1, {"12": newest})
    assert f"Change {newest} is taken back:" in undone
    assert tool.json("person", "show", "S-1001")["userName"] == "ana.nunez2@maple.example"
    assert tool.json("person", "show", "S-1001")["state"] != "deactivated"

    held, holds = play(tool, tmp_path, "During the year")
    assert "Ana Núñez Vega is not erased up to 2028-12-31" in held and "Accident of 12 May" in holds
    assert "legal hold" in tool.failure("person", "erase", "ana.vega@maple.example", "--yes")
    tool.assert_whole()


@plays("A new information system")
def test_a_new_system_is_mapped_looked_at_and_taken_back_as_the_document_says(tool: Tool, tmp_path: Path) -> None:
    tool.json("init", "--name", "Sample District", "--domain", "district.example")
    district = small_sample(tmp_path / "district", people=120, classes=12, members=10)
    tool.text("import", district)
    before = people(tool)
    other_system(district, tmp_path / "roster-new")

    part = "A new information system"
    [guess] = play(tool, tmp_path, part, 1)
    assert "beyond doubt" in guess and "map.csv is written" in guess
    # Somebody writes the right candidates into the map: here the ids tell who is who.
    map_file = tmp_path / "map.csv"
    rows = list(csv.DictReader(map_file.open(newline=""), **DIALECT))
    for row in rows:
        candidates = [row["new_id"]] if row["new_id"] else row["candidates"].split(" | ")
        row["new_id"] = next((one for one in candidates if one.partition("-")[2] == row["old_id"]), "")
    with map_file.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0], **DIALECT)
        writer.writeheader()
        writer.writerows(rows)

    preview, applied, plan = play(tool, tmp_path, part, 3)
    assert "Nothing is changed. This would get new ids:" in preview
    assert "Id map 1 is applied:" in applied and "Nothing to do" in plan
    undone, again, imported = play(tool, tmp_path, part)
    assert "Id map 1 is taken back:" in undone and "Id map 2 is applied:" in again and "Nothing to do" in imported
    assert people(tool) == before
    tool.assert_whole()


@plays("Schools with files of their own")
def test_a_school_imports_its_own_files_as_the_document_says(tool: Tool, tmp_path: Path) -> None:
    tool.json("init", "--name", "Maple District", "--domain", "maple.example")
    tool.text("term", "add", "2026/27", "--first-day", "2026-08-17", "--last-day", "2027-07-02")
    of_school(tmp_path / "high", "high")
    added, plan, imported = play(tool, tmp_path, "Schools with files of their own")
    assert "Maple High" in added and "This is plan" in plan and "Applied as import 1" in imported
    assert len(tool.json("person", "list", "--role", "student", "--at", "high")["people"]) == PUPILS
    assert len(names(tool, "--term", "2026/27")) == 3


@plays("Proof")
def test_the_trail_is_stamped_taken_along_and_verified_as_the_document_says(maple: District, tmp_path: Path) -> None:
    tool = maple.tool
    asked, _, kept, _, exported, verified, chains = play(tool, tmp_path, "Proof")
    digest = re.search(r"whose hash is ([0-9a-f]{64})", asked)[1]
    assert "Kept: the authority has stamped entry" in kept and "Wrote entries 1 to" in exported
    assert "of Maple District are whole" in verified and f"openssl ts -verify -digest {digest}" in verified
    assert len(list((tmp_path / "stamps").iterdir())) == 1
    assert "whole" in chains and "broken" not in chains


@plays("When a school ends")
def test_a_school_that_ends_takes_everything_along_as_the_document_says(maple: District, tmp_path: Path) -> None:
    tool = maple.tool
    tool.json("person", "add", "--first-name", "Ana", "--last-name", "Nunez", "--role", "student", "--at", "high")
    written, preview, closed = play(tool, tmp_path, "When a school ends", 3)
    assert "people 1, classes 0" in written and (tmp_path / "maple-district" / "README.txt").exists()
    assert "people 1, classes 0, apps that read 0" in preview
    assert "Closed Maple District" in closed
    assert "the closed organization is erased, with 1 person" in tool.text("calendar")
    reopened, erasures = play(tool, tmp_path, "When a school ends")
    assert "Maple District is open again" in reopened
    listed = json.loads(erasures)
    assert listed["erasures"] == []
    assert [closing["action"] for closing in listed["closings"]] == ["organization.closed", "organization.reopened"]


@plays("When an import waits")
def test_an_import_that_ends_an_open_year_waits_and_is_approved_or_given_up_as_the_document_says(
    maple: District, tmp_path: Path
) -> None:
    tool = maple.tool
    sample(tmp_path / "roster-2025")
    next_year(tmp_path / "roster-2025", tmp_path / "roster-2026")
    tool.text("term", "add", "2025/26", "--first-day", "2025-08-18", "--last-day", "2026-07-03")
    tool.text("import", str(tmp_path / "roster-2025"), "--term", "2025/26")
    before = tool.json("class", "list", "--limit", "1000")
    held = tool.run("import", str(tmp_path / "roster-2026"))
    assert held.returncode == 3
    count = len(before["classes"])
    assert f"The term 2025/26 would end: apps would see none of its {count} classes" in held.stdout
    assert re.search(rf"^classes .* {count} archived ", held.stdout, re.MULTILINE)
    assert tool.json("class", "list", "--limit", "1000") == before
    assert "There is no term “2026/27”" in tool.failure("import", str(tmp_path / "roster-2026"), "--term", "2026/27")

    [waiting] = tool.json("import", "--history")["held"]
    due, history, plan = play(tool, tmp_path, "When an import waits", 3)
    assert "an import waits for approval" in due
    assert waiting["planID"] in history and waiting["planID"] in plan
    [approved] = play(tool, tmp_path, "When an import waits", 1, {"6f1c…": waiting["planID"]})
    assert "Applied as import 2" in approved
    assert names(tool, "--term", "2025/26") == [] and len(names(tool)) == count

    tool.text("import", "--undo")
    assert len(names(tool, "--term", "2025/26")) == count
    assert tool.run("import", str(tmp_path / "roster-2026")).returncode == 3
    [given_up] = play(tool, tmp_path, "When an import waits")
    assert "waits no more, and its files are deleted" in given_up
    assert tool.json("import", "--history")["held"] == []
