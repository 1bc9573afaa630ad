"""Folders that are imported once a day: what those who may import are told by mail, through a mail server, of whatever lies
there, and that nothing is changed by what is no whole roster."""

import json
import os
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

import pytest
from command_line.test_imports import FILES, PUPILS, write
from database import execute
from lanyard_tool import Tool
from processes import free_port, wait_until
from relay.post_office import PostOffice

ADMINISTRATOR = "ada@maple.example"
LEFT = PUPILS // 3


@dataclass
class Night:
    """A school whose files are picked up, and the mail server of those whom it tells."""

    tool: Tool
    office: PostOffice
    folder: Path
    told: int = 0

    def read(self, age: float = 600) -> str:
        """Has a server read what lies there, as if it had been sent `age` seconds ago; returns what came of it."""
        for file in self.folder.iterdir():
            os.utime(file, (time.time() - age,) * 2)
        before = self.show().get("readAt")
        self.tool.text("pick-up", "read", "1")
        return self.serve_until(lambda: self.show().get("readAt") != before)

    def serve_until(self, is_over) -> str:
        with self.tool.serving():
            wait_until(is_over, 60, "the folder is read", pause=0.3)
            # A mail that is to be sent goes out while the server runs.
            wait_until(lambda: self.tool.json("mail", "show")["waiting"] == 0, 60, "no mail waits", pause=0.3)
        return self.show()["outcome"]

    def show(self) -> dict:
        return self.tool.json("pick-up", "show", "1")["pickUp"]

    def letter(self) -> tuple[str, str]:
        """The subject and the words of the one letter that has come since the last time."""
        self.told += 1
        letter = self.office.wait_for(self.told)
        assert len(self.office.letters) == self.told and letter.recipients == [ADMINISTRATOR]
        message = message_from_bytes(letter.content, policy=policy.default)
        assert isinstance(message, EmailMessage) and message.defects == []
        return str(message["Subject"]), " ".join(message.get_body(("plain",)).get_content().split())

    def assert_no_letter(self) -> None:
        assert len(self.office.letters) == self.told

    def people(self) -> list[str]:
        return [one["userName"] for one in self.tool.json("person", "list", "--limit", "100")["people"]]

    def empty(self) -> None:
        for file in self.folder.iterdir():
            file.unlink()

    def put(self, files: Path) -> None:
        self.empty()
        for file in files.iterdir():
            (self.folder / file.name).write_bytes(file.read_bytes())


@pytest.fixture
def night(tool: Tool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Night]:
    tool.json("init", "--name", "Maple District", "--domain", "maple.example")
    for name, role in (("ada", "administrator"), ("ines", "instructor")):
        arguments = [] if role == "administrator" else ["--at", "high"]
        if arguments:
            tool.json("org", "location", "add", "Maple High", "--location-id", "high")
        tool.json(
            "person", "add", "--first-name", name, "--last-name", "Hall", "--user-name", f"{name}@maple.example",
            "--email", f"{name}@maple.example", "--role", role, *arguments)
    monkeypatch.setenv("LANYARD_PICK_UP_FOLDER", str(tmp_path / "drop"))
    tool.json("pick-up", "set", "--hour", str((time.gmtime().tm_hour + 12) % 24))
    folder = tmp_path / "drop" / "lanyard-drop-1" / "files"
    folder.mkdir(parents=True)
    with PostOffice("127.0.0.1", free_port()) as office:
        (tool.data / "lanyard.json").write_text(json.dumps({
            "mail": {"from": "id@maple.example", "smtp": {"url": f"smtp://127.0.0.1:{office.port}"}}}))
        yield Night(tool, office, folder)


def pack(files: Path, archive: Path) -> Path:
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as opened:
        for file in sorted(files.iterdir()):
            opened.write(file, file.name)
    return archive


def test_the_letters_say_what_came_what_is_held_and_what_failed(night: Night, tmp_path: Path) -> None:
    before = night.people()
    assert night.read() == "missing"
    subject, words = night.letter()
    assert subject.startswith("No files of Maple District were there")
    assert "Everything is as it was" in words

    night.put(write(tmp_path / "whole"))
    assert night.read() == "applied"
    subject, words = night.letter()
    assert subject.startswith("The files of Maple District were imported")
    assert f"Of the people {PUPILS + 1} came, 0 changed, and 0 left." in words and "open Imports" in words
    assert len(night.people()) == len(before) + PUPILS + 1

    # The same files again, and the same as an archive: nothing is new, and nobody is written to.
    assert night.read() == "nothing-to-do"
    archive = pack(tmp_path / "whole", tmp_path / "whole.zip")
    night.empty()
    (night.folder / "whole.zip").write_bytes(archive.read_bytes())
    assert night.read() == "nothing-to-do"
    night.assert_no_letter()

    fewer = write(
        tmp_path / "fewer", students=[FILES["students"][0], *FILES["students"][1 + LEFT:]],
        rosters=[FILES["rosters"][0], *FILES["rosters"][1 + LEFT:]])
    night.put(fewer)
    whole = night.people()
    assert night.read() == "held"
    subject, words = night.letter()
    assert subject.startswith("An import of Maple District waits for approval")
    assert f"Of the people 0 would come, 0 would change, and {LEFT} would leave." in words
    # The same plan the next night is told once.
    assert night.read() == "held"
    night.assert_no_letter()
    assert night.people() == whole

    night.put(write(tmp_path / "wrong", rosters=[FILES["rosters"][0], "R-1,K-9,S-0", "R-2,K-8,S-0"]))
    assert night.read() == "defective"
    subject, words = night.letter()
    assert subject.startswith("The files of Maple District have errors: nothing was imported")
    assert "have errors (2)" in words
    assert night.people() == whole


def test_a_file_that_stops_in_the_middle_changes_nothing(night: Night, tmp_path: Path) -> None:
    files = write(tmp_path / "whole")
    night.put(files)
    assert night.read() == "applied"
    night.letter()
    whole = night.people()

    # By its name a program still sends it: it is waited for, and some hours later it was left behind.
    (night.folder / "students.csv").rename(night.folder / "students.csv.part")
    night.tool.text("pick-up", "read", "1")
    # As if a server had looked first four hours ago, and put it off since.
    execute(
        night.tool.file, "UPDATE roster_pick_up SET due_at = due_at - ?1, leased_until = due_at - ?1", 4 * 3_600)
    assert night.serve_until(lambda: night.show()["outcome"] == "unfinished") == "unfinished"
    subject, words = night.letter()
    assert subject.startswith("The files of Maple District were still being sent")
    assert "left behind" in words

    # A row stops in the middle.
    night.put(files)
    text = (files / "students.csv").read_bytes()
    (night.folder / "students.csv").write_bytes(text[:text.index(b"S-7,") + 9])
    assert night.read() == "defective"
    subject, words = night.letter()
    assert "have errors" in subject
    shown = night.tool.json("pick-up", "show", "1")["last"]["report"]
    assert ("students.csv", 9) in {(defect["file"], defect.get("line")) for defect in shown["defects"]}

    # Between two rows, so that the file itself is whole: those whom other files name are missing.
    (night.folder / "students.csv").write_bytes(text[:text.index(b"S-7,")])
    assert night.read() == "defective"
    assert "have errors" in night.letter()[0]

    # An archive that stops has no list of its files.
    archive = pack(files, tmp_path / "whole.zip").read_bytes()
    for count in (len(archive) // 2, 30, 3, 0):
        night.empty()
        (night.folder / "roster.zip").write_bytes(archive[:count])
        assert night.read() in ("defective", "unreadable"), count
        subject, words = night.letter()
        assert ("have errors" in subject or "could not be read" in subject) and "as it was" in words
    assert night.people() == whole


def test_an_archive_that_lies_about_its_sizes_and_files_that_are_there_twice_change_nothing(
    night: Night, tmp_path: Path
) -> None:
    files = write(tmp_path / "whole")
    night.put(files)
    assert night.read() == "applied"
    night.letter()
    whole = night.people()

    # By both headers each file has 100 bytes; one of them has more than 300 MB.
    large = write(tmp_path / "large")
    with (large / "students.csv").open("a") as file:
        file.write("\n" * (300 << 20))
    archive = pack(large, tmp_path / "lies.zip")
    data = bytearray(archive.read_bytes())
    with zipfile.ZipFile(archive) as opened:
        for info in opened.infolist():
            data[info.header_offset + 22:info.header_offset + 26] = (100).to_bytes(4, "little")
    central = data.find(b"PK\x01\x02")
    while central >= 0:
        data[central + 24:central + 28] = (100).to_bytes(4, "little")
        central = data.find(b"PK\x01\x02", central + 4)
    night.empty()
    (night.folder / "roster.zip").write_bytes(data)
    assert night.read() == "defective"
    assert "have errors" in night.letter()[0]

    # The same file twice in an archive, and twice in the folder.
    twice = tmp_path / "twice.zip"
    with zipfile.ZipFile(twice, "w") as opened, pytest.warns(UserWarning, match="Duplicate name"):
        for file in sorted(files.iterdir()):
            opened.write(file, file.name)
        opened.write(files / "students.csv", "students.csv")
    (night.folder / "roster.zip").write_bytes(twice.read_bytes())
    assert night.read() == "defective"
    assert "have errors" in night.letter()[0]
    night.put(files)
    (night.folder / "STUDENTS.CSV").write_bytes((files / "students.csv").read_bytes())
    assert night.read() == "unreadable"
    assert "could not be read" in night.letter()[0]
    assert "is there twice" in night.tool.json("pick-up", "show", "1")["last"]["problem"]
    assert night.people() == whole
    # As soon as it is whole again, all is well.
    (night.folder / "STUDENTS.CSV").unlink()
    assert night.read() == "nothing-to-do"
    night.assert_no_letter()
