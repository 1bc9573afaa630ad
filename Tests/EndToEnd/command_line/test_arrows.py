"""The arrows between rooms hold, and a room that breaks one is told."""

import subprocess
from pathlib import Path

import pytest
from processes import ROOT

MANIFEST = """\
// swift-tools-version: 6.2
import PackageDescription
let package = Package(name: "house", targets: [
    .target(name: "LanyardAPI", path: "Sources/Client/LanyardAPI"),
    .target(name: "Storage", path: "Sources/Server/Storage"),
    .target(name: "Server", dependencies: [DEPENDENCIES], path: "Sources/Server/Server"),
    .target(name: "Broker", path: "Sources/Device/Broker"),
])
"""


def check(folder: Path, dependencies: str, source: str) -> subprocess.CompletedProcess:
    (folder / "Package.swift").write_text(MANIFEST.replace("DEPENDENCIES", dependencies))
    for room in ("Client/LanyardAPI", "Server/Storage", "Server/Server", "Device/Broker"):
        (folder / "Sources" / room).mkdir(parents=True)
        (folder / "Sources" / room / "Room.swift").write_text("import Foundation\n")
    (folder / "Sources/Server/Server/Room.swift").write_text(source)
    return subprocess.run([ROOT / "scripts/check-arrows", folder], capture_output=True, text=True, check=False)


def test_every_arrow_of_the_package_holds() -> None:
    checked = subprocess.run([ROOT / "scripts/check-arrows"], capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")


def test_wire_types_and_rooms_of_the_same_wing_may_be_imported(tmp_path: Path) -> None:
    checked = check(tmp_path, '"LanyardAPI", "Storage"', "import LanyardAPI\n@testable import Storage\n")
    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.parametrize(("dependencies", "source", "problem"), [
    ("", "import Storage\n", "Server imports Storage without declaring it"),
    ("", "package import struct Storage.Row\n", "Server imports Storage without declaring it"),
    ('"Storage"', "// import Storage\n", "Server declares Storage and does not import it"),
    ('"Broker"', "import Broker\n", "Server is in the wing Server and imports Broker from Device"),
])
def test_a_broken_arrow_is_told(tmp_path: Path, dependencies: str, source: str, problem: str) -> None:
    checked = check(tmp_path, dependencies, source)
    assert checked.returncode == 1
    assert checked.stderr.startswith(problem) and checked.stderr.count("\n") == 1
