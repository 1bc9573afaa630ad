"""The daily pick-up: set up in the console, filled by the real server of OpenSSH's SFTP where it is installed, read, and told."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from console import enter, shoot
from chromium import Chromium
from scene import Scene, Server
from visit import Visit

SFTP_SERVER = Path("/usr/lib/openssh/sftp-server")
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE1MOl3VTQn9nvJxZq3mQz1lq8g5c7Yd0mXK2sEoG0vB"


@pytest.fixture
def visit(browser: Chromium, new_scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Visit]:
    """A visit to a server that reads folders below `drop`."""
    new_scene.stop()
    monkeypatch.setenv("LANYARD_PICK_UP_FOLDER", str(tmp_path / "drop"))
    server = Server(new_scene.folder).start()
    new_scene.base_url = server.base_url
    yield Visit(browser, new_scene)
    server.stop()


def test_files_of_a_folder_are_read_and_what_came_of_it_is_told(visit: Visit, tmp_path: Path) -> None:
    drop = tmp_path / "drop"
    browser = enter(visit, "administrator", "/manager/imports/pick-ups")
    shoot(browser, "pick-ups")
    browser.fill("key", "ssh-ed25519 '; reboot; '")
    browser.press("Set up")
    assert "is no public key" in browser.text
    browser.fill("key", f"{KEY} system@school")
    browser.press("Set up")
    assert browser.heading == "The whole organization"
    commands = browser.texts("main pre")[0]
    assert f"restrict {KEY}'" in commands and f"{drop}/lanyard-drop-1/files" in commands
    assert "Not read yet" in browser.text
    shoot(browser, "pick-up")
    browser.driver.find_element("css selector", "#hour option[value='5']").click()
    browser.press("Save")
    # The key stays, whatever the hour.
    assert "05:00 UTC" in browser.text and f"restrict {KEY}'" in browser.texts("main pre")[0]

    files = drop / "lanyard-drop-1" / "files"
    files.mkdir(parents=True)
    if SFTP_SERVER.exists():
        batch = "\n".join(f"put {file} {files}/{file.name}" for file in (visit.scene.folder / "district").glob("*.csv"))
        subprocess.run(["sftp", "-q", "-b", "-", "-D", SFTP_SERVER], input=batch, text=True, check=True, timeout=60)
    else:
        for file in (visit.scene.folder / "district").glob("*.csv"):
            shutil.copy(file, files)
    # As if they had been sent a while ago.
    for file in files.iterdir():
        subprocess.run(["touch", "-d", "10 minutes ago", file], check=True)
    browser.press("Read now")

    def is_read(_) -> bool:
        browser.reload()
        return "Nothing had changed" in browser.text

    browser.wait(is_read, "the folder is read", timeout=90)
    # A link leads to what the one who sends files must not have read.
    (files / "students.csv").unlink()
    (files / "students.csv").symlink_to(visit.scene.folder / "lanyard.sqlite")
    browser.press("Read now")

    def is_refused(_) -> bool:
        browser.reload()
        return "Could not be read" in browser.text

    browser.wait(is_refused, "the link is refused", timeout=90)
    assert "students.csv" in browser.text
    shoot(browser, "pick-up-refused")
    browser.press("Read it no more")
    assert "Folders that are read once a day stand here." in browser.text
    browser.press("Undo")
    assert browser.heading == "Taken back"
