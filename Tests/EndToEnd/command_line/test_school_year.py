"""docs/school-year.md, step by step as printed, and what apps' records look like after each part."""

import json
import re
import shlex
from pathlib import Path

from command_line.conftest import District, Quizzler
from lanyard_tool import Tool
from processes import LANYARD, run

DOCUMENT = Path(__file__).parents[3] / "docs" / "school-year.md"


def commands(part: str) -> list[list[str]]:
    """The commands of the section whose heading begins with `part`."""
    section = DOCUMENT.read_text().split(f"\n## {part}")[1].split("\n## ")[0]
    blocks = re.findall(r"```\n(.*?)```", section, re.DOTALL)
    return [shlex.split(line)[1:] for block in blocks for line in block.splitlines()]


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


def play(tool: Tool, folder: Path, part: str) -> list[str]:
    return [
        tool.text(*[str(folder / word.removesuffix(".zip")) if word.endswith(".zip") else word for word in command])
        for command in commands(part)
    ]


def names(tool: Tool, *options: str) -> list[str]:
    return [found["name"] for found in tool.json("class", "list", "--limit", "1000", *options)["classes"]]


def test_the_year_goes_from_july_to_august_as_the_document_says(maple: District, tmp_path: Path) -> None:
    tool = maple.tool
    sample(tmp_path / "roster-2025")
    next_year(tmp_path / "roster-2025", tmp_path / "roster-2026")

    play(tool, tmp_path, "Once")
    first = names(tool, "--term", "2025/26")
    assert "Chess club" in first and len(first) > 20

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
    tool.assert_whole()


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


def test_a_school_that_ends_takes_everything_along_as_the_document_says(maple: District, tmp_path: Path) -> None:
    tool = maple.tool
    tool.json("person", "add", "--first-name", "Ana", "--last-name", "Nunez", "--role", "student", "--at", "high")
    written, preview, closed = [
        tool.text(*[str(tmp_path / word) if word == "maple-district" else word for word in command])
        for command in commands("When a school ends")
    ]
    assert "people 1, classes 0" in written and (tmp_path / "maple-district" / "README.txt").exists()
    assert "people 1, classes 0, apps that read 0" in preview
    assert "Closed Maple District" in closed
    assert "the closed organization is erased, with 1 person" in tool.text("calendar")
    tool.text("org", "reopen")


def test_an_import_that_ends_an_open_year_is_held_and_says_which(maple: District, tmp_path: Path) -> None:
    tool = maple.tool
    sample(tmp_path / "roster-2025")
    next_year(tmp_path / "roster-2025", tmp_path / "roster-2026")
    tool.text("term", "add", "2025/26", "--first-day", "2025-08-18", "--last-day", "2026-07-03")
    tool.text("import", str(tmp_path / "roster-2025"), "--term", "2025/26")
    before = tool.json("class", "list", "--limit", "1000")
    held = tool.run("import", str(tmp_path / "roster-2026"))
    assert held.returncode == 3
    assert f"The term 2025/26 would end: apps would see none of its {len(before['classes'])} classes" in held.stdout
    assert tool.json("class", "list", "--limit", "1000") == before
    assert "an import waits for approval" in tool.text("calendar")
    assert "There is no term “2026/27”" in tool.failure("import", str(tmp_path / "roster-2026"), "--term", "2026/27")
