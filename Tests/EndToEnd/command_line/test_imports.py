"""`lanyard import` and `export`: plans, approval, undo, what scripts read, and who else can read the files."""

import json
import shlex
from pathlib import Path

import pytest
from command_line.conftest import District
from database import query
from lanyard_tool import Tool
from processes import LANYARD, run

# Enough pupils that a third of them is not few.
PUPILS = 12

FILES = {
    "locations": ["location_id,location_name", "north,North School"],
    "students": [
        "person_id,location_id,first_name,last_name,middle_name,person_number,grade_level,email_address,sis_username,"
        "password_policy",
        *(f"S-{n},north,Pupil,Number{n},,,1,,p{n},4" for n in range(PUPILS)),
    ],
    "staff": [
        "person_id,person_number,first_name,middle_name,last_name,email_address,sis_username,location_id",
        "T-1,,Ines,,Okafor,,iokafor,north",
    ],
    "courses": ["course_id,course_number,course_name,location_id", "C-1,101,Reading,north"],
    "classes": [
        "class_id,class_number,course_id,instructor_id,location_id", *(f"K-{n},{n},C-1,T-1,north" for n in (1, 2, 3))],
    "rosters": ["roster_id,class_id,student_id", *(f"R-{n},K-1,S-{n}" for n in range(PUPILS))],
}

UNCHANGED = {"added": 0, "changed": 0, "deactivated": 0, "reactivated": 0}


def write(folder: Path, **changed: list[str]) -> Path:
    folder.mkdir()
    for name, lines in (FILES | changed).items():
        (folder / f"{name}.csv").write_text("".join(f"{line}\n" for line in lines))
    return folder


@pytest.fixture
def files(tmp_path: Path) -> Path:
    # A shell has to be told that the name is one word.
    return write(tmp_path / "the roster's files")


@pytest.fixture
def without_many(tmp_path: Path) -> Path:
    """A third of the pupils have left."""
    left = PUPILS // 3
    return write(
        tmp_path / "fewer", students=[FILES["students"][0], *FILES["students"][1 + left:]],
        rosters=[FILES["rosters"][0], *FILES["rosters"][1 + left:]])


@pytest.mark.on_each_database
def test_the_report_for_scripts(maple: District, files: Path) -> None:
    report = maple.tool.json("import", files)
    assert set(report) == {
        "outcome", "digest", "planID", "importID", "counts", "identities", "held", "defects", "warnings", "errorCount",
        "warningCount"}
    assert report["identities"] == {
        "anotherPerson": 0, "renamed": 0, "passedOn": 0, "erased": 0, "listed": []}
    assert report["outcome"] == "applied" and report["importID"] == 1 and report["held"] == report["defects"] == []
    assert list(report["counts"]) == ["classes", "courses", "locations", "memberships", "staff", "students"]
    assert report["counts"]["students"] == UNCHANGED | {
        "inFile": PUPILS, "existing": 0, "added": PUPILS, "unchanged": 0}
    again = maple.tool.json("import", files)
    assert again["outcome"] == "nothing_to_do" and "importID" not in again
    assert again["counts"]["students"] == UNCHANGED | {"inFile": PUPILS, "existing": PUPILS, "unchanged": PUPILS}


def test_defects_are_exit_code_2(maple: District, tmp_path: Path) -> None:
    files = write(tmp_path / "defective", courses=[*FILES["courses"], "C:2,102,Writing,south"])
    report = maple.tool.json("import", files, exit_code=2)
    assert report["outcome"] == "defective" and report["errorCount"] == 2
    first = report["defects"][0]
    assert set(first) == {"severity", "code", "file", "line", "column", "value", "message", "remedy"}
    assert (first["file"], first["line"], first["column"], first["value"]) == ("courses.csv", 3, "course_id", "C:2")
    assert maple.tool.run("import", files).returncode == 2


@pytest.mark.on_each_database
def test_a_plan_is_shown_held_approved_and_taken_back(maple: District, files: Path, without_many: Path) -> None:
    tool = maple.tool
    assert "This is plan" in tool.text("import", files, "--plan")
    tool.json("import", files)
    left = PUPILS // 3

    plan = tool.json("import", without_many, "--plan")
    assert plan["outcome"] == "planned"
    assert [(reason["rule"], reason["type"], reason["count"]) for reason in plan["held"]] == [
        ("removed", "students", left)]
    text = tool.text("import", without_many, "--plan")
    assert f"{left} of {PUPILS} students would go away" in text and f"--approve {plan['planID']}" in text
    assert f" {left} deactivated " in text and f" {left} ended " in text

    held = tool.json("import", without_many, exit_code=3)
    assert held["outcome"] == "held" and held["planID"] == plan["planID"]
    assert len(tool.json("person", "list", "--limit", "50")["people"]) == PUPILS + 1
    assert tool.json("import", without_many, "--approve", "0123", exit_code=3)["held"][-1]["rule"] == "stale_approval"
    assert tool.json("import", without_many, "--approve", plan["planID"])["outcome"] == "applied"
    assert tool.json("import", files)["counts"]["students"]["reactivated"] == left

    undone = tool.json("import", "--undo")
    assert set(undone) == {"importID", "locations", "people", "courses", "classes", "memberships"}
    assert tool.json("import", without_many)["outcome"] == "nothing_to_do"


@pytest.mark.on_each_database
def test_an_id_that_goes_to_another_child_waits_for_an_approval_of_its_own(
    maple: District, files: Path, tmp_path: Path
) -> None:
    tool = maple.tool
    tool.json("import", files)
    former = tool.json("person", "show", "S-0")
    students = [line.replace("S-0,north,Pupil,Number0", "S-0,north,Emil,Weber").replace(",p0,", ",eweber,")
                for line in FILES["students"]]
    reused = write(tmp_path / "reused", students=students)

    held = tool.json("import", reused, exit_code=3)
    assert [reason["rule"] for reason in held["held"]] == ["replaced"]
    (listed,) = held["identities"]["listed"]
    assert (listed["personID"], listed["formerName"], listed["name"]) == ("S-0", "Pupil Number0", "Emil Weber")
    assert listed["isAnothersName"] is False
    text = tool.run("import", reused).stdout
    assert "Pupil Number0" in text and "Emil Weber" in text and "--new-person S-0" in text
    assert "another account's" not in text
    assert f"--approve-identities {held['planID']}" in text and "--approve " not in text
    assert tool.json("import", reused, "--approve", held["planID"], exit_code=3)["outcome"] == "held"
    assert "waits for approval" in tool.text("doctor")

    applied = tool.json("import", reused, "--new-person", "S-0")
    assert applied["outcome"] == "applied" and applied["identities"]["passedOn"] == 1
    assert "waits for approval" not in tool.text("doctor")
    new = tool.json("person", "show", "S-0")
    assert new["number"] != former["number"] and new["state"] == "new"
    left = tool.json("person", "show", former["userName"])
    assert left["number"] == former["number"] and left["state"] == "deactivated" and "personID" not in left
    # The same ids from a file, a second time, change nothing.
    (tmp_path / "ids").write_text("S-0\n")
    assert tool.json("import", reused, "--new-people", tmp_path / "ids")["outcome"] == "nothing_to_do"
    tool.json("import", "--undo")
    assert tool.json("person", "show", "S-0")["number"] == former["number"]
    assert tool.json("import", reused, "--approve-identities", tool.json("import", reused, exit_code=3)["planID"])[
        "outcome"] == "applied"


def test_the_report_says_that_names_were_exchanged(maple: District, files: Path, tmp_path: Path) -> None:
    tool = maple.tool
    tool.json("import", files)
    students = [line.replace("S-0,north,Pupil,Number0", "S-0,north,Pupil,Number1") if line.startswith("S-0,")
                else line.replace("S-1,north,Pupil,Number1", "S-1,north,Pupil,Number0") for line in FILES["students"]]
    exchanged = write(tmp_path / "exchanged", students=students)

    held = tool.json("import", exchanged, exit_code=3)
    assert [reason["rule"] for reason in held["held"]] == ["replaced"]
    # The other columns speak for the same people, so the list has to say why they are held.
    assert [(listed["personID"], listed["name"], listed["agreeing"], listed["isAnothersName"])
            for listed in held["identities"]["listed"]] == [
        ("S-0", "Pupil Number1", ["sis_username"], True), ("S-1", "Pupil Number0", ["sis_username"], True)]
    text = tool.run("import", exchanged).stdout
    assert "Pupil Number1 (so far another account's)" in text and "Pupil Number0 (so far another account's)" in text


def test_a_plan_names_people_in_pages(maple: District, files: Path, without_many: Path) -> None:
    tool = maple.tool
    tool.json("import", files)
    page = tool.json("import", without_many, "--plan", "--show", "leaving", "--limit", "3")["listing"]
    assert [person["personID"] for person in page["people"]] == ["S-0", "S-1", "S-2"]
    assert page["people"][0] == {
        "effect": "leaves", "personID": "S-0", "name": "Pupil Number0", "schools": ["North School"], "changes": []}
    assert page["schools"] == [
        {"locationID": "north", "name": "North School", "people": {"leaves": PUPILS // 3}}]
    rest = tool.json("import", without_many, "--plan", "--show", "leaving", "--after", str(page["next"]))["listing"]
    assert [person["personID"] for person in rest["people"]] == ["S-3"] and "next" not in rest
    text = tool.text("import", without_many, "--plan", "--show", "people", "--at", "north", "--limit", "2")
    assert "leaves" in text and "Pupil Number0" in text and "There is more: --after" in text
    assert "belongs to --plan" in tool.usage_error("import", without_many, "--show", "people")


def test_people_are_listed_by_place_and_class(maple: District, files: Path) -> None:
    tool = maple.tool
    tool.json("import", files)
    at_north = tool.json("person", "list", "--at", "north")["people"]
    assert len(at_north) == PUPILS + 1
    for naming in ("K-1", "Reading 1", "CL-1"):
        assert len(tool.json("person", "list", "--class", naming)["people"]) == PUPILS + 1
    assert [person["personID"] for person in tool.json("person", "list", "--class", "K-2")["people"]] == ["T-1"]
    assert "has no class “K-9”" in tool.failure("person", "list", "--class", "K-9")
    assert "has no location “south”" in tool.failure("person", "list", "--at", "south")


def test_files_of_another_format_are_named(maple: District, tmp_path: Path) -> None:
    folder = tmp_path / "oneroster"
    folder.mkdir()
    (folder / "manifest.csv").write_text("propertyName,value\noneroster.version,1.1\n")
    (folder / "users.csv").write_text("sourcedId,status,dateLastModified,enabledUser\n")
    result = maple.tool.run("import", folder)
    assert result.returncode == 2
    assert "OneRoster 1.1" in result.stdout and "missing" not in result.stdout
    assert result.stdout.count("error: ") == 1


def test_errors_come_first_and_warnings_once_for_each_kind(maple: District, tmp_path: Path) -> None:
    students = [line.replace("S-", "S_") for line in FILES["students"]]
    rosters = [line.replace("S-", "S_") for line in FILES["rosters"]]
    files = write(tmp_path / "many", students=students, rosters=[*rosters, "R-99,K-9,S_1"])
    lines = maple.tool.run("import", files).stdout.splitlines()
    assert lines[0].startswith("error: rosters.csv:14 class_id")
    warnings = [line for line in lines if line.startswith("warning: ")]
    assert [line.split(" ")[1] for line in warnings] == ["students.csv:2", "rosters.csv:2"]
    assert warnings[0].endswith(f"({PUPILS} such; this is the first.)")


def test_what_is_proposed_can_be_typed(maple: District, files: Path, without_many: Path) -> None:
    tool = maple.tool
    arguments = ["--org", "Maple District"]
    taken_back = tool.text("import", files, *arguments).strip().splitlines()[-1]
    held = tool.run("import", without_many, *arguments).stdout.strip().splitlines()[-1]
    for line in (held, taken_back):
        program, *words = shlex.split(line)
        assert program == "lanyard" and "Maple District" in words and str(tool.data) in words
        assert run(LANYARD, *words).returncode == 0
    # The import before it, and then there is none.
    assert [run(LANYARD, *shlex.split(taken_back)[1:]).returncode for _ in range(2)] == [0, 1]


def test_what_is_exported_is_for_its_owner_alone(maple: District, files: Path, tmp_path: Path) -> None:
    maple.tool.json("import", files)
    out = tmp_path / "out"
    counts = maple.tool.json("export", out)
    assert counts == {f"{name}.csv": len(lines) - 1 for name, lines in FILES.items()}
    assert out.stat().st_mode & 0o777 == 0o700
    assert {file.name: file.stat().st_mode & 0o777 for file in out.iterdir()} == dict.fromkeys(counts, 0o600)
    assert maple.tool.json("import", out)["outcome"] == "nothing_to_do"


def test_whatever_is_written_is_for_its_owner_alone(tool: Tool, tmp_path: Path) -> None:
    tool.json("init", "--name", "Maple District")
    assert run(LANYARD, "sample", "--people", 500, "--out", tmp_path / "sample").returncode == 0
    written = [tool.data, *tool.data.iterdir(), tmp_path / "sample", *(tmp_path / "sample").iterdir()]
    assert [path for path in written if path.stat().st_mode & 0o077] == []


def test_a_business_takes_its_staff_and_no_roster(tool: Tool, files: Path, tmp_path: Path) -> None:
    tool.json("init", "--name", "Acme", "--kind", "business")
    assert "Acme is a business" in tool.failure("import", files)
    header = FILES["staff"][0].removesuffix(",location_id")
    rows = [f"E-{number},{number},Ada,,Person{number},,p{number}" for number in range(1, 6)]
    people = tmp_path / "people.csv"
    people.write_text("\n".join([header, *rows]) + "\n")
    plan = tool.text("import", people, "--plan")
    assert "staff" in plan and "students" not in plan
    assert tool.json("import", people)["counts"]["staff"]["added"] == 5
    shown = tool.json("person", "show", "E-1")
    assert [(role["role"], role.get("locationID")) for role in shown["roles"]] == [("staff", None)]
    people.write_text("\n".join([header, *rows[:2]]) + "\n")
    held = tool.json("import", people, exit_code=3)
    assert [(reason["rule"], reason["count"]) for reason in held["held"]] == [("removed", 3)]
    assert tool.json("import", people, "--approve", held["planID"])["outcome"] == "applied"
    assert tool.json("import", "--undo")["people"]["restored"] == 3
    assert len(tool.json("import", "--history")["imports"]) == 2
    tool.json("org", "location", "add", "Office", "--location-id", "office")
    assert "has no schools" in tool.failure("import", people, "--school", "office")
    tool.assert_whole()


def test_an_account_made_by_hand_follows_the_files_that_name_it(maple: District, files: Path) -> None:
    tool = maple.tool
    made = tool.json("person", "add", "--first-name", "Pupil", "--last-name", "Hand", "--person-id", "S-0")
    report = tool.json("import", files)
    assert [defect["code"] for defect in report["defects"]] == ["record_taken_over"]
    shown = tool.json("person", "show", made["userName"])
    assert (shown["number"], shown["lastName"], shown["source"]) == (made["number"], "Number0", "csv")


def test_those_who_import_are_told_by_mail_of_what_waits(
    maple: District, files: Path, without_many: Path, tmp_path: Path
) -> None:
    tool = maple.tool
    tool.json("import", files)
    for name, role in (("Nadia", "administrator"), ("Paul", "people_manager"), ("Max", "manager")):
        tool.json(
            "person", "add", "--first-name", name, "--last-name", "Berg", "--role", role, "--email",
            f"{name.lower()}@maple.example")

    def waiting() -> list[tuple[str, str]]:
        return query(tool.file, "SELECT recipient, subject FROM mail_message ORDER BY recipient")

    tool.json("import", without_many, exit_code=3)
    assert waiting() == [], "mail is off"
    (tool.data / "lanyard.json").write_text(json.dumps(
        {"mail": {"from": "Lanyard <id@maple.example>", "maildir": str(tmp_path / "mail")}}))
    tool.json("import", without_many, exit_code=3)
    assert waiting() == [], "it was held before, and is no news"
    tool.json("import", files)
    tool.json("import", without_many, exit_code=3)
    letters = waiting()
    assert [recipient for recipient, _ in letters] == ["nadia@maple.example", "paul@maple.example"]
    assert all("Maple District waits for approval" in subject for _, subject in letters)
    tool.json("import", without_many, exit_code=3)
    assert waiting() == letters
    assert "an import waits for approval" in tool.text("doctor")


def test_imports_are_taken_back_one_after_the_other(maple: District, files: Path, without_many: Path) -> None:
    tool = maple.tool
    first = tool.json("import", files)["importID"]
    people = tool.json("org", "show")["people"]
    plan = tool.json("import", without_many, exit_code=3)["planID"]
    second = tool.json("import", without_many, "--approve", plan)["importID"]
    third = tool.json("import", files, exit_code=0)["importID"]
    assert [tool.json("import", "--undo")["importID"] for _ in range(3)] == [third, second, first]
    assert tool.json("org", "show")["people"] < people
    assert "are undone already" in tool.failure("import", "--undo")
    assert [one["undoneAt"] is not None for one in tool.json("import", "--history")["imports"]] == [True] * 3


def test_the_files_of_an_import_are_kept(maple: District, files: Path, without_many: Path) -> None:
    tool = maple.tool
    first = tool.json("import", files)["importID"]
    held = tool.json("import", without_many, exit_code=3)
    assert f"lanyard import --files-of {held['planID']} --approve {held['planID']}" in tool.text("import", "--history")
    left = PUPILS // 3
    difference = tool.json("import", "--compare", first, "held")
    assert difference["counts"]["students"] == {"added": 0, "removed": left, "changed": 0, "unchanged": PUPILS - left}
    lines = tool.text("import", "--compare", first, "held").splitlines()
    assert ["students.csv:2", "removed", "S-0"] in [line.split() for line in lines]

    approved = tool.json("import", "--files-of", "held", "--approve", held["planID"])
    assert approved["outcome"] == "applied" and approved["digest"] == held["digest"]
    assert tool.json("import", "--files-of", first)["counts"]["students"]["reactivated"] == left
    assert "No import is held" in tool.failure("import", "--files-of", "held")
    assert "no import “99”" in tool.failure("import", "--files-of", "99")


def test_an_import_is_shown_by_its_number_and_one_that_waits_by_its_plan(
    maple: District, files: Path, without_many: Path
) -> None:
    tool = maple.tool
    assert "has no import “held”" in tool.failure("import", "--report", "held")
    first = tool.json("import", files)["importID"]
    shown = tool.json("import", "--report", str(first))
    assert shown["applied"]["number"] == first and shown["report"]["counts"]["students"]["added"] == PUPILS
    text = tool.text("import", "--report", str(first))
    assert ["students", str(PUPILS), str(PUPILS)] in [line.split()[:3] for line in text.splitlines()]
    # It need not be the one that is taken back next.
    assert "--undo" not in text

    held = tool.json("import", without_many, exit_code=3)
    shown = tool.json("import", "--report", "held", "--limit", "2")
    assert shown["planID"] == held["planID"] and "applied" not in shown
    left = shown["report"]["listing"]["people"]
    assert [person["effect"] for person in left] == ["leaves"] * 2
    text = tool.text("import", "--report", held["planID"])
    assert f"lanyard import --files-of {held['planID']} --approve {held['planID']}" in text
    assert "Pupil Number0" in text
    assert "stands alone" in tool.usage_error("import", "--report", "held", "--plan")
    tool.usage_error("import", files, "--report", "held")
    assert "has no import “99”" in tool.failure("import", "--report", "99")


def of_school(folder: Path, school: str, **changed: list[str]) -> Path:
    """The files of another school: with its name in each place, and ids of its own."""
    lines = {
        name: [line if number == 0 else
               line.replace("north", school).replace("North", school.title()).replace("-", f"-{school}-")
               for number, line in enumerate(rows)]
        for name, rows in FILES.items()}
    return write(folder, **(lines | changed))


def test_a_held_import_is_discarded(maple: District, files: Path, without_many: Path) -> None:
    tool = maple.tool
    tool.json("import", files)
    assert "has no import “held”" in tool.failure("import", "--discard", "held")
    held = tool.json("import", without_many, exit_code=3)
    discard = f"lanyard import --discard {held['planID']}"
    assert discard in tool.text("import", "--history")
    assert "stands alone" in tool.usage_error("import", "--discard", "held", "--term", "2026/27")
    assert f"waits no more, and its files are deleted: plan {held['planID']}." in tool.text("import", *discard.split()[2:])
    answer = tool.json("import", "--history")
    assert answer["held"] == [] and len(answer["imports"]) == 1
    assert "No import is held" in tool.failure("import", "--files-of", "held")


@pytest.mark.on_each_database
def test_a_school_with_files_of_its_own_leaves_the_others_alone(
    maple: District, files: Path, without_many: Path, tmp_path: Path
) -> None:
    tool = maple.tool
    assert "has no location “north”" in tool.failure("import", files, "--school", "north")
    for school in ("north", "south"):
        tool.json("org", "location", "add", f"{school.title()} School", "--location-id", school)
    south = of_school(tmp_path / "south", "south")
    report = tool.json("import", south, "--school", "South School")
    assert report["outcome"] == "applied" and report["counts"]["students"]["added"] == PUPILS
    assert tool.json("import", files, "--school", "north")["counts"]["students"] == UNCHANGED | {
        "inFile": PUPILS, "existing": 0, "added": PUPILS, "unchanged": 0}
    assert len(tool.json("person", "list", "--limit", "100", "--role", "student")["people"]) == 2 * PUPILS

    wrong = tool.json("import", south, "--school", "north", exit_code=2)
    assert [defect["code"] for defect in wrong["defects"]] == ["school_missing", "other_school"]
    left = PUPILS // 3
    held = tool.json("import", without_many, "--school", "north", exit_code=3)
    assert [(reason["count"], reason["existing"], reason["school"]) for reason in held["held"]] == [
        (left, PUPILS, "North School")]
    text = tool.run("import", without_many, "--school", "north").stdout
    assert f"--approve {held['planID']} --school north" in text
    assert "an import for North School waits for approval" in tool.text("doctor")
    due = tool.text("calendar")
    assert "North School" in due and f"lanyard import --report {held['planID']}" in due
    # What the calendar proposes tells how to approve the import, and how to give it up.
    shown = tool.text("import", "--report", held["planID"])
    assert f"lanyard import --files-of {held['planID']} --approve {held['planID']}" in shown
    assert f"lanyard import --discard {held['planID']}" in shown
    # Another school's import does not void the approval.
    fewer = of_school(tmp_path / "fewer south", "south", rosters=FILES["rosters"][:1] + [
        f"R-south-{n},K-south-1,S-south-{n}" for n in range(1, PUPILS)])
    assert tool.json("import", fewer, "--school", "south")["outcome"] == "applied"
    applied = tool.json("import", without_many, "--school", "north", "--approve", held["planID"])
    assert applied["outcome"] == "applied"
    assert "waits for approval" not in tool.text("doctor")
    pupils = tool.json("person", "list", "--limit", "100", "--role", "student")["people"]
    assert sum(pupil["state"] != "deactivated" for pupil in pupils) == 2 * PUPILS - left

    history = tool.json("import", "--history")["imports"]
    assert [[school["locationID"] for school in one["schools"]] for one in history] == [
        ["north"], ["south"], ["north"], ["south"]]
    assert "North School" in tool.text("import", "--history")
    # The pupils of the north that were imported first are still those, so that only this one is in the way.
    numbers = [one["number"] for one in history]
    assert f"Undo import {numbers[0]} first" in tool.failure("import", "--undo-of", numbers[2])
    assert tool.json("import", "--undo-of", numbers[0])["importID"] == applied["importID"]
    assert tool.json("import", files, "--school", "north")["outcome"] == "nothing_to_do"
    assert tool.json("import", "--undo-of", numbers[2])["importID"] == numbers[2]
    assert "is undone already" in tool.failure("import", "--undo-of", numbers[2])
    assert f"Undo import {numbers[1]} first" in tool.failure("import", "--undo-of", numbers[3])
    for alone in (("--undo",), ("--undo-of", numbers[1])):
        assert "stands alone" in tool.failure("import", *alone, "--school", "north", exit_code=64)
    tool.assert_whole()


def test_a_school_that_was_removed_takes_no_files_of_its_own(maple: District, files: Path, tmp_path: Path) -> None:
    tool = maple.tool
    both = write(
        tmp_path / "both", locations=[*FILES["locations"], "annex,The Annex"])
    tool.json("import", both)
    plan = tool.json("import", files, exit_code=3)["planID"]
    tool.json("import", files, "--approve", plan)
    for name in ("annex", "The Annex"):
        assert "The Annex was removed" in tool.failure("import", files, "--school", name)
