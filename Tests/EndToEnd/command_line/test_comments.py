"""Comments are sentences: scripts/check-comments finds those that begin with a fragment."""

import subprocess
from pathlib import Path

import pytest
from processes import ROOT


def check(*folder: Path) -> subprocess.CompletedProcess:
    return subprocess.run([ROOT / "scripts/check-comments", *folder], capture_output=True, text=True, check=False)


def check_text(folder: Path, text: str, name: str = "Room.swift") -> subprocess.CompletedProcess:
    (folder / "Sources").mkdir()
    (folder / "Sources" / name).write_text(text)
    return check(folder)


def test_no_comment_of_the_package_begins_with_a_fragment() -> None:
    checked = check()
    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.parametrize(("name", "text", "line"), [
    ("Room.swift", "/// Of HTTP.\nlet status = 200\n", 1),
    ("Room.swift", "/// The status.\n/// - Parameter host: As many as there are.\n", 2),
    ("Room.swift", "/// The status.\n///\n/// Nil if none is there.\n", 3),
    ("Room.swift", "let pauses = 3  // so many in an hour\n", 1),
    ("Room.swift", "/// Those that are open.\nlet doors: [Door]\n", 1),
    ("Room.swift", "func close() {\n    // So that nobody waits.\n    doors.removeAll()\n}\n", 2),
    ("Room.swift", "/// As it was before.\nlet former: Door\n", 1),
    ("room.js", "\n// Of the button's height.\nconst share = 0.5;\n", 2),
])
def test_a_fragment_is_told(tmp_path: Path, name: str, text: str, line: int) -> None:
    checked = check_text(tmp_path, text, name)
    assert checked.returncode == 1
    assert checked.stderr.startswith(f"Sources/{name}:{line} begins with a fragment: ")
    assert checked.stderr.count("\n") == 1


@pytest.mark.parametrize("text", [
    "/// The number of sessions\n/// of a person.\n",
    "/// The address; nil if none is known.\n",
    "/// Closes the doors that are open,\n/// so that nobody waits.\n",
    "/// - Parameter doors: those that are open.\n",
    "/// Offers what there is.\n",
    'let text = "https://example.org/// Of"\n',
])
def test_sentences_are_not_told(tmp_path: Path, text: str) -> None:
    checked = check_text(tmp_path, text)
    assert (checked.returncode, checked.stderr) == (0, "")
