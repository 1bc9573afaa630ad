"""The unit of systemd that runs the server."""

import configparser
import json
import re
import socket
import subprocess
from pathlib import Path

import pytest
from holding_manager import HoldingManager
from lanyard_tool import Tool
from processes import LANYARD, ROOT, Program, free_port, run

UNITS = ROOT / "packaging" / "systemd"
UNIT = UNITS / "lanyard.service"


@pytest.fixture(params=["lanyard.service", "lanyard-backup.service", "lanyard-doctor.service"])
def unit(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The unit with this tree's program, which is not installed here."""
    unit = tmp_path / request.param
    unit.write_text((UNITS / request.param).read_text().replace("/usr/bin/lanyard", str(LANYARD)))
    return unit


def analyze(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["systemd-analyze", *map(str, arguments)], capture_output=True, text=True)


def test_systemd_finds_nothing_wrong_with_the_unit(unit: Path) -> None:
    done = analyze("verify", "--man=no", unit)
    assert done.returncode == 0 and done.stderr == "", done.stderr


def test_the_service_reaches_little_of_the_machine(unit: Path) -> None:
    # From 0, nothing, to 10, everything; what is left is the network, and files that everybody can read.
    done = analyze("security", "--offline=true", "--threshold=13", "--no-pager", unit)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", ["lanyard-backup", "lanyard-doctor"])
def test_what_happens_each_day_is_made_up_for_after_a_night_without_power(name: str, tmp_path: Path) -> None:
    timer = (UNITS / f"{name}.timer").read_text()
    assert "Persistent=yes" in timer and "RandomizedDelaySec=" in timer
    # systemd looks for the service that a timer starts.
    for unit in (f"{name}.timer", f"{name}.service"):
        (tmp_path / unit).write_text((UNITS / unit).read_text().replace("/usr/bin/lanyard", str(LANYARD)))
    done = analyze("verify", "--man=no", tmp_path / f"{name}.timer")
    assert done.returncode == 0 and done.stderr == "", done.stderr


def test_what_the_nightly_unit_runs_makes_a_copy_that_the_doctor_finds(tmp_path: Path) -> None:
    data, copies = tmp_path / "lanyard", tmp_path / "lanyard-backup"
    Tool(data).json("init", "--name", "Maple District")
    (data / "lanyard.json").write_text("{}")
    ran = {}
    for name in ["lanyard-backup", "lanyard-doctor"]:
        text = (UNITS / f"{name}.service").read_text()
        environment = " ".join(re.findall(r"^Environment=(.*)$", text, re.MULTILINE))
        environment = environment.replace("/var/lib", str(tmp_path)).replace("/etc/lanyard", str(data))
        program, *arguments = re.findall(r"^ExecStart=(.*)$", text, re.MULTILINE)[0].split()
        assert program == "/usr/bin/lanyard"
        ran[name] = run("env", *environment.split(), LANYARD, *arguments, "--json")
    assert ran["lanyard-backup"].returncode == 0, ran["lanyard-backup"].stderr
    assert len(list(copies.glob("*.sqlite"))) == 1
    findings = json.loads(ran["lanyard-doctor"].stdout)["findings"]
    assert [finding["status"] for finding in findings if finding["check"] == "backup"] == ["ok"]


def test_the_unit_lets_threads_that_hash_passwords_step_back() -> None:
    hashing = (ROOT / "Sources/Server/Directory/Credentials/FairQueue.swift").read_text()
    assert "setpriority(" in hashing
    filters = re.findall(r"^SystemCallFilter=(.*)$", UNIT.read_text(), re.MULTILINE)
    # systemd goes through them in their order.
    assert filters.index("setpriority") > filters.index("~@privileged @resources")


def test_what_the_unit_starts_serves_from_its_folder(tmp_path: Path) -> None:
    settings = configparser.RawConfigParser(strict=False, delimiters="=")
    settings.optionxform = str
    settings.read(UNIT)
    service = settings["Service"]
    data = tmp_path / "lanyard"
    data.mkdir(mode=int(service["StateDirectoryMode"], 8))
    assert service["WorkingDirectory"] == f"/var/lib/{service['StateDirectory']}"
    environment = service["Environment"].replace("/var/lib", str(tmp_path)).replace("/etc/lanyard", str(data)).split()
    (data / "lanyard.json").write_text((ROOT / "packaging" / "lanyard.json").read_text())
    program, *arguments = service["ExecStart"].split()
    assert program == "/usr/bin/lanyard"
    server = Program(
        "env", *environment, f"LANYARD_PORT={free_port()}", LANYARD, *arguments, log=tmp_path / "serve.log")
    try:
        server.wait_until(
            lambda: re.search(r"^Lanyard is ready at ", server.log_text, re.MULTILINE), 30, "the server is ready")
        assert (data / "lanyard.sqlite").exists() and (data / "master.key").stat().st_mode & 0o777 == 0o600
    finally:
        server.stop()


def test_systemd_is_told_when_the_server_is_ready_and_that_it_still_runs(tmp_path: Path) -> None:
    assert "Type=notify" in UNIT.read_text() and "WatchdogSec=" in UNIT.read_text()
    port = free_port()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(60)
        server = Program(
            "env", f"NOTIFY_SOCKET={tmp_path / 'notify'}", "WATCHDOG_USEC=400000", f"LANYARD_DATA={tmp_path / 'data'}",
            f"LANYARD_PORT={port}", LANYARD, "serve", log=tmp_path / "serve.log")
        try:
            told = []
            while "READY=1" not in told:
                told.append(manager.recv(4096).decode().strip())
            # Beside the socket, for which there is a test of its own.
            told = [line for line in told if not line.startswith("FDSTORE=1")]
            with socket.create_connection(("127.0.0.1", port), 10):
                pass
            # Each in its time, from the first second on.
            told += [manager.recv(4096).decode().strip() for _ in range(5)]
            assert set(told) == {"READY=1", "WATCHDOG=1"} and told.count("READY=1") == 1
            server.terminate()
            assert server.wait(30) == 0, server.log_text
        finally:
            server.stop()


def test_connections_wait_while_the_server_is_started_anew(tmp_path: Path) -> None:
    assert "FileDescriptorStoreMax=1" in UNIT.read_text()
    port, other = free_port(), free_port()
    manager = HoldingManager(tmp_path)
    server = manager.start(port)
    try:
        for end in (Program.kill, Program.stop):
            end(server)
            with socket.create_connection(("127.0.0.1", port), 10) as client:
                client.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
                server = manager.start(port)
                client.settimeout(30)
                assert client.recv(4096).startswith(b"HTTP/1.1 200 "), server.log_text
            assert list(manager.held) == ["clients"]
        # With another port in the settings, the former one is given back.
        server.stop()
        server = manager.start(other)
        with socket.create_connection(("127.0.0.1", other), 10):
            pass
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port), 10)
        assert list(manager.held) == ["clients"]
    finally:
        server.stop()
        manager.close()


@pytest.mark.parametrize("form", ["text", "json"])
def test_the_journal_gets_the_level_of_each_line(form: str, tmp_path: Path) -> None:
    log = tmp_path / "serve.log"
    log.touch()
    for is_journal in (True, False):
        stream = f"{log.stat().st_dev}:{log.stat().st_ino}" if is_journal else "1:1"
        server = Program(
            "env", f"JOURNAL_STREAM={stream}", f"LANYARD_DATA={tmp_path / 'data'}", f"LANYARD_PORT={free_port()}", f"LANYARD_LOG_FORMAT={form}",
            LANYARD, "serve", log=log)
        try:
            server.wait_until(lambda: "Lanyard is ready at " in server.log_text, 30, "the server is ready")
        finally:
            server.stop()
        # Beside what the server says to whoever has started it.
        logged = [line for line in server.log_text.splitlines() if " lanyard: " in line or '"message"' in line]
        assert logged, server.log_text
        # sd-daemon(3). Elsewhere nobody would know what the numbers mean.
        begins = re.compile("<6>" if is_journal else r"\d{4}-|\{")
        assert all(begins.match(line) for line in logged), logged
