"""The rooms of `lanyard-sso` import nothing that makes it large, and who does is told."""

import subprocess
from functools import partial
from pathlib import Path

from processes import ROOT
from source_checks import check_sources

check = partial(check_sources, "check-foundation")

BOTH = "#if canImport(FoundationEssentials)\n    import FoundationEssentials\n#else\n    import Foundation\n#endif\n"


def test_no_room_of_it_imports_the_rest() -> None:
    checked = subprocess.run([ROOT / "scripts/check-foundation"], capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")


ALLOWED = [BOTH, "import FoundationEssentials\n", "// import Foundation\n", "import Ground\n\n" + BOTH]
FORBIDDEN = [
    "import Foundation\n", "import Ground\nimport Foundation\n", "public import Foundation\n",
    "@preconcurrency import Foundation\n", "import class Foundation.Process\n", BOTH + "import Foundation\n",
    "#if os(Linux)\n    import Foundation\n#endif\n", "import NIOFoundationCompat\n",
    "import AsyncHTTPClient\n", "internal import NIOSSL\n",
]
ROOMS = ["Device/SingleSignOn", "Programs/CommandOutput", "Programs/DeviceCommands"]


def test_essentials_may_be_imported(tmp_path: Path) -> None:
    checked = check(
        tmp_path, {f"Device/SingleSignOn/Inner/Room{number}.swift": source for number, source in enumerate(ALLOWED)})
    assert (checked.returncode, checked.stderr) == (0, "")


def test_who_imports_all_of_it_is_told(tmp_path: Path) -> None:
    sources = {
        f"{room}/Inner/Room{number}.swift": source for room in ROOMS for number, source in enumerate(FORBIDDEN)}
    checked = check(tmp_path, sources)
    assert checked.returncode == 1
    # Each once, and nothing else.
    told = [line.partition(" imports ")[0] for line in checked.stderr.splitlines()]
    assert sorted(told) == sorted(f"Sources/{place}" for place in sources)


def test_one_that_imports_it_is_enough(tmp_path: Path) -> None:
    assert check(tmp_path, {"Device/SingleSignOn/Inner/Room.swift": FORBIDDEN[0]}).returncode == 1


def test_servers_may(tmp_path: Path) -> None:
    assert check(tmp_path, {"Server/Mail/Room.swift": "import Foundation\n"}).returncode == 0
