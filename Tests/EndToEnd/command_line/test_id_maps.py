"""`lanyard id-map`: another information system."""

import csv
import re
from pathlib import Path

from administration import sample
from lanyard_tool import Tool

# As the six files are written: a backslash makes a quote literal.
DIALECT = {"escapechar": "\\", "doublequote": False, "lineterminator": "\n"}
COLUMNS = {
    "location_id": "l", "course_id": "c", "class_id": "k", "person_id": "p", "instructor_id": "p", "student_id": "p"}


def other_system(district: Path, target: Path) -> Path:
    """The same district with other ids for everything."""
    target.mkdir()
    for file in district.glob("*.csv"):
        rows = list(csv.reader(file.open(newline=""), **DIALECT))
        for row in rows[1:]:
            for index, column in enumerate(rows[0]):
                prefix = COLUMNS.get(re.sub(r"_\d+$", "", column))
                if prefix and row[index]:
                    row[index] = f"{prefix}-{row[index]}"
        with (target / file.name).open("w", newline="") as written:
            csv.writer(written, **DIALECT).writerows(rows)
    return target


def people(tool: Tool) -> list[tuple]:
    """Who is there, and which password they have: all but the ids of the files."""
    found = tool.json("person", "list", "--limit", "1000")["people"]
    return sorted((p["number"], p["userName"], p["state"], p["firstName"], p["lastName"]) for p in found)


def test_a_new_system_is_guessed_mapped_and_imported_without_new_accounts(tool: Tool, tmp_path: Path) -> None:
    tool.json("init", "--name", "Sample District", "--domain", "district.example")
    district = sample(tmp_path / "district", people=120, classes=12, members=10)
    tool.text("import", district)
    before = people(tool)
    name = before[5][1]
    password = tool.json("person", "password", name)["password"]
    assert password
    new = other_system(district, tmp_path / "new")
    # Without a map everybody would leave.
    assert tool.run("import", new).returncode in (2, 3)

    map_file = tmp_path / "map.csv"
    guess = tool.json("id-map", "guess", new, map_file)
    assert guess["sure"] > 100 and guess["defects"] == []
    assert "is there already" in tool.failure("id-map", "guess", new, map_file)
    rows = list(csv.DictReader(map_file.open(newline=""), **DIALECT))
    # Somebody fills in the rest: here the ids tell who is who.
    for row in rows:
        if not row["new_id"]:
            candidates = row["candidates"].split(" | ")
            row["new_id"] = next((c for c in candidates if c.partition("-")[2] == row["old_id"]), "")
        assert row["new_id"].partition("-")[2] in ("", row["old_id"]), row
    with map_file.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0], **DIALECT)
        writer.writeheader()
        writer.writerows(rows)

    assert "Nothing is changed" in tool.text("id-map", "apply", map_file, "--dry-run")
    done = tool.json("id-map", "apply", map_file)
    plan = tool.json("import", new, "--plan")
    assert plan["outcome"] == "nothing_to_do", plan["counts"]
    assert people(tool) == before

    tool.text("change", "undo", str(done["change"]))
    assert tool.json("import", district, "--plan")["outcome"] == "nothing_to_do"
    assert "Id map 1 cannot be taken back: it is taken back already." in tool.failure("id-map", "undo", "1")


def test_a_map_with_errors_names_each_line_and_changes_nothing(tool: Tool, tmp_path: Path) -> None:
    tool.json("init", "--name", "Sample District", "--domain", "district.example")
    tool.text("import", sample(tmp_path / "district", people=100, classes=4, members=5))
    ids = [p["personID"] for p in tool.json("person", "list")["people"] if p.get("personID")]
    file = tmp_path / "map.csv"
    file.write_text(
        "type,old_id,new_id\n"
        f"person,{ids[0]},same\nperson,{ids[1]},same\nperson,nobody,x\nperson,{ids[2]},a;b\nperson,{ids[3]},fine\n")
    result = tool.run("id-map", "apply", file)
    assert result.returncode == 2
    assert re.findall(r"map\.csv:(\d+):", result.stdout) == ["2", "3", "4", "5"]
    found = tool.json("id-map", "apply", file, exit_code=2)["problems"]
    assert [problem["line"] for problem in found] == [2, 3, 4, 5]
    assert sorted(ids) == sorted(p["personID"] for p in tool.json("person", "list")["people"] if p.get("personID"))
    file.write_text("type,old,new\n")
    assert tool.json("id-map", "apply", file, exit_code=2)["problems"][0]["line"] == 1
    assert "There is no" in tool.failure("id-map", "apply", tmp_path / "missing.csv")


def test_the_history_has_each_import_and_what_was_taken_back(tool: Tool, tmp_path: Path) -> None:
    tool.json("init", "--name", "Sample District", "--domain", "district.example")
    assert "No import" in tool.text("import", "--history")
    district = sample(tmp_path / "district", people=100, classes=4, members=5)
    tool.text("import", district)
    [first] = tool.json("import", "--history")["imports"]
    assert first["effects"]["students"]["added"] > 50 and "undoneAt" not in first
    tool.text("import", "--undo")
    assert "undoneAt" in tool.json("import", "--history")["imports"][0]
    assert first["digest"][:8] in tool.text("import", "--history")
    assert "stands alone" in tool.usage_error("import", "--history", "--plan")
    tool.usage_error("import", "--history", "--undo")
