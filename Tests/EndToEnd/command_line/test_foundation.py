"""The rooms of `lanyard-sso` import nothing that makes it large, and who does is told."""

import subprocess
from pathlib import Path

import pytest
from processes import ROOT

BOTH = "#if canImport(FoundationEssentials)\n    import FoundationEssentials\n#else\n    import Foundation\n#endif\n"


def check(folder: Path, source: str, room: str = "Device/SingleSignOn") -> subprocess.CompletedProcess:
    (folder / "Sources" / room / "Inner").mkdir(parents=True)
    (folder / "Sources" / room / "Inner/Room.swift").write_text(source)
    return subprocess.run([ROOT / "scripts/check-foundation", folder], capture_output=True, text=True, check=False)


def test_no_room_of_it_imports_the_rest() -> None:
    checked = subprocess.run([ROOT / "scripts/check-foundation"], capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.parametrize("source", [
    BOTH, "import FoundationEssentials\n", "// import Foundation\n", "import Ground\n\n" + BOTH,
])
def test_essentials_may_be_imported(tmp_path: Path, source: str) -> None:
    checked = check(tmp_path, source)
    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.parametrize("source", [
    "import Foundation\n", "import Ground\nimport Foundation\n", "public import Foundation\n",
    "@preconcurrency import Foundation\n", "import class Foundation.Process\n", BOTH + "import Foundation\n",
    "#if os(Linux)\n    import Foundation\n#endif\n", "import NIOFoundationCompat\n",
    "import AsyncHTTPClient\n", "internal import NIOSSL\n",
])
@pytest.mark.parametrize("room", ["Device/SingleSignOn", "Programs/CommandOutput", "Programs/DeviceCommands"])
def test_who_imports_all_of_it_is_told(tmp_path: Path, source: str, room: str) -> None:
    checked = check(tmp_path, source, room)
    assert checked.returncode == 1
    assert checked.stderr.startswith(f"Sources/{room}/Inner/Room.swift imports ") and checked.stderr.count("\n") == 1


def test_servers_may(tmp_path: Path) -> None:
    assert check(tmp_path, "import Foundation\n", "Server/Mail").returncode == 0
