"""The unit of systemd that runs the server."""

import configparser
import re
import subprocess
from pathlib import Path

import pytest
from processes import LANYARD, ROOT, Program, free_port

UNIT = ROOT / "packaging" / "systemd" / "lanyard.service"


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """The unit with this tree's program, which is not installed here."""
    unit = tmp_path / "lanyard.service"
    unit.write_text(UNIT.read_text().replace("/usr/local/bin/lanyard", str(LANYARD)))
    return unit


def analyze(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["systemd-analyze", *map(str, arguments)], capture_output=True, text=True)


def test_systemd_finds_nothing_wrong_with_the_unit(unit: Path) -> None:
    done = analyze("verify", "--man=no", unit)
    assert done.returncode == 0 and done.stderr == "", done.stderr


def test_the_service_reaches_little_of_the_machine(unit: Path) -> None:
    # From 0, nothing, to 10, everything; what is left is the network, and files that everybody can read.
    done = analyze("security", "--offline=true", "--threshold=20", "--no-pager", unit)
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_the_unit_starts_serves_from_its_folder(tmp_path: Path) -> None:
    settings = configparser.RawConfigParser(strict=False, delimiters="=")
    settings.optionxform = str
    settings.read(UNIT)
    service = settings["Service"]
    data = tmp_path / "lanyard"
    data.mkdir(mode=int(service["StateDirectoryMode"], 8))
    assert service["WorkingDirectory"] == f"/var/lib/{service['StateDirectory']}"
    environment = service["Environment"].replace("/var/lib", str(tmp_path))
    program, *arguments = service["ExecStart"].split()
    assert program == "/usr/local/bin/lanyard"
    server = Program(
        "env", environment, f"LANYARD_PORT={free_port()}", LANYARD, *arguments, log=tmp_path / "serve.log")
    try:
        server.wait_until(
            lambda: re.search(r"^Lanyard is ready at ", server.log_text, re.MULTILINE), 30, "the server is ready")
        assert (data / "lanyard.sqlite").exists() and (data / "master.key").stat().st_mode & 0o777 == 0o600
    finally:
        server.stop()
