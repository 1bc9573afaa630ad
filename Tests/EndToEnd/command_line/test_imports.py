"""`lanyard import` and `export`: plans, approval, undo, what scripts read, and who else can read the files."""

import shlex
from pathlib import Path

import pytest
from command_line.conftest import District
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
        "outcome", "digest", "planID", "importID", "counts", "held", "defects", "errorCount", "warningCount"}
    assert report["outcome"] == "applied" and report["importID"] == 1 and report["held"] == report["defects"] == []
    assert list(report["counts"]) == ["classes", "courses", "locations", "memberships", "staff", "students"]
    assert report["counts"]["students"] == UNCHANGED | {
        "inFile": PUPILS, "existing": 0, "added": PUPILS, "unchanged": 0}
    again = maple.tool.json("import", files)
    assert again["outcome"] == "nothing_to_do" and "importID" not in again
    assert again["counts"]["students"] == UNCHANGED | {"inFile": PUPILS, "existing": PUPILS, "unchanged": PUPILS}


def test_defects_are_exit_code_2(maple: District, tmp_path: Path) -> None:
    files = write(tmp_path / "defective", courses=[*FILES["courses"], "C 2,102,Writing,south"])
    report = maple.tool.json("import", files, exit_code=2)
    assert report["outcome"] == "defective" and report["errorCount"] == 2
    first = report["defects"][0]
    assert set(first) == {"severity", "code", "file", "line", "column", "value", "message", "remedy"}
    assert (first["file"], first["line"], first["column"], first["value"]) == ("courses.csv", 3, "course_id", "C 2")
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

    held = tool.json("import", without_many, exit_code=3)
    assert held["outcome"] == "held" and held["planID"] == plan["planID"]
    assert len(tool.json("person", "list", "--limit", "50")["people"]) == PUPILS + 1
    assert tool.json("import", without_many, "--approve", "0123", exit_code=3)["held"][-1]["rule"] == "stale_approval"
    assert tool.json("import", without_many, "--approve", plan["planID"])["outcome"] == "applied"
    assert tool.json("import", files)["counts"]["students"]["reactivated"] == left

    undone = tool.json("import", "--undo")
    assert set(undone) == {"importID", "locations", "people", "courses", "classes", "memberships"}
    assert tool.json("import", without_many)["outcome"] == "nothing_to_do"


def test_what_is_proposed_can_be_typed(maple: District, files: Path, without_many: Path) -> None:
    tool = maple.tool
    arguments = ["--org", "Maple District"]
    taken_back = tool.text("import", files, *arguments).strip().splitlines()[-1]
    held = tool.run("import", without_many, *arguments).stdout.strip().splitlines()[-1]
    for line in (held, taken_back):
        program, *words = shlex.split(line)
        assert program == "lanyard" and "Maple District" in words and str(tool.data) in words
        assert run(LANYARD, *words).returncode == 0
    # Undone once.
    assert run(LANYARD, *shlex.split(taken_back)[1:]).returncode == 1


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


def test_a_business_takes_no_roster(tool: Tool, files: Path) -> None:
    tool.json("init", "--name", "Acme", "--kind", "business")
    assert "Acme is a business" in tool.failure("import", files)


def test_an_account_made_by_hand_follows_the_files_that_name_it(maple: District, files: Path) -> None:
    tool = maple.tool
    made = tool.json("person", "add", "--first-name", "By", "--last-name", "Hand", "--person-id", "S-0")
    report = tool.json("import", files)
    assert [defect["code"] for defect in report["defects"]] == ["record_taken_over"]
    shown = tool.json("person", "show", made["userName"])
    assert (shown["number"], shown["lastName"], shown["source"]) == (made["number"], "Number0", "csv")
