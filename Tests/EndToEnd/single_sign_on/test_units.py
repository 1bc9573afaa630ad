"""The units of systemd, and a broker that starts when somebody asks first."""

import os
import re
import shlex
import signal
import socket
import stat
import subprocess
from pathlib import Path

from broker import BROKER, SocketConnection
from processes import ROOT, wait_until

UNITS = ROOT / "packaging" / "systemd"


def test_systemd_finds_nothing_wrong_with_the_units(tmp_path: Path) -> None:
    for unit in UNITS.iterdir():
        # The program is not installed here.
        (tmp_path / unit.name).write_text(unit.read_text().replace("/usr/bin/lanyard-broker", str(BROKER)))
    runtime = tmp_path / "run"
    runtime.mkdir(mode=0o700)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", tmp_path / "lanyard-broker.socket", tmp_path / "lanyard-broker.service"],
        capture_output=True, text=True, env=os.environ | {"XDG_RUNTIME_DIR": str(runtime)})
    assert done.returncode == 0 and done.stderr == "", done.stderr


def options(folder: Path) -> list[str]:
    return [
        "--user-profiles", f"{folder}/profiles", "--device-profiles", f"{folder}/none", "--extensions",
        f"{folder}/extensions", "--state", f"{folder}/state", "--author"]


def status_of(path: Path) -> int:
    connection = SocketConnection(path, 20)
    connection.request("GET", "/v1/status")
    return connection.getresponse().status


def test_systemd_starts_the_broker_with_the_first_question(tmp_path: Path) -> None:
    path, log = tmp_path / "sso.sock", tmp_path / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            ["systemd-socket-activate", "--listen", path, BROKER, *options(tmp_path)], stdin=subprocess.DEVNULL, stdout=output,
            stderr=output, start_new_session=True)
    try:
        wait_until(path.exists, 10, "the socket is there")
        assert "ready" not in log.read_text()
        assert status_of(path) == 200
        # It may answer a moment before it says so.
        wait_until(lambda: "ready" in log.read_text(), 10, "the broker says that it is ready")
    finally:
        process.terminate()
        # systemd-socket-activate has become the broker, which ends in order.
        assert process.wait(timeout=15) == 0, log.read_text()


def test_a_desktop_starts_the_broker_where_no_systemd_runs_for_the_user(tmp_path: Path) -> None:
    runtime = tmp_path / "run"
    runtime.mkdir(mode=0o700)
    entry = tmp_path / "lanyard-broker.desktop"
    text = (ROOT / "packaging" / "autostart" / entry.name).read_text()
    # It is not installed here, and has files of its own.
    broker = tmp_path / "lanyard-broker"
    command = shlex.join([str(BROKER), *options(tmp_path)])
    broker.write_text(f"#!/bin/sh\nexec {command} >> {tmp_path}/log 2>&1\n")
    broker.chmod(0o755)
    entry.write_text(text.replace("/usr/bin/lanyard-broker", str(broker)))
    path = runtime / "lanyard" / "sso.sock"

    def log_in() -> None:
        # No pipe, because what the entry starts would hold it open.
        said = tmp_path / "gio.log"
        with said.open("wb") as output:
            done = subprocess.run(
                ["gio", "launch", entry], env=os.environ | {"XDG_RUNTIME_DIR": str(runtime)}, stdout=output, stderr=output)
        assert done.returncode == 0, said.read_text()

    (runtime / "systemd").mkdir()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as manager:
        manager.bind(str(runtime / "systemd" / "private"))
        log_in()
        wait_until(lambda: not processes_with(broker), 20, "the entry has been followed")
    # There systemd has the socket, and nothing else makes it.
    assert not path.exists() and not (tmp_path / "log").exists()
    (runtime / "systemd" / "private").unlink()
    try:
        log_in()
        wait_until(path.exists, 20, "the broker has made its socket")
        assert status_of(path) == 200
        # As an upgrade of the package does: another one takes its place.
        [before] = processes_with(tmp_path / "profiles")
        os.kill(before, signal.SIGHUP)
        wait_until(lambda: processes_with(tmp_path / "profiles") not in ([], [before]), 20, "another broker is there")
        wait_until(path.exists, 20, "it has made its socket")
        assert status_of(path) == 200
    finally:
        for process in processes_with(tmp_path / "profiles"):
            os.kill(process, signal.SIGTERM)
    wait_until(lambda: not processes_with(tmp_path / "profiles"), 20, "the broker has ended")


def processes_with(path: Path) -> list[int]:
    """Those that have the path in their command line."""
    found = subprocess.run(["pgrep", "--full", "--", re.escape(str(path))], capture_output=True, text=True)
    return [int(word) for word in found.stdout.split()]


def test_a_broker_takes_the_socket_that_it_inherits_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "sso.sock"
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    old = os.umask(0o177)
    listener.bind(str(path))
    os.umask(old)
    listener.listen()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    script = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
os.execv(sys.argv[2], sys.argv[2:])
"""
    process = subprocess.Popen(
        ["/usr/bin/python3", "-c", script, str(listener.fileno()), str(BROKER), *options(tmp_path), "--socket",
         str(tmp_path / "elsewhere" / "sso.sock")],
        pass_fds=[listener.fileno()], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    # A caller that asks before the broker is ready waits in the socket's queue.
    try:
        assert status_of(path) == 200
        assert not (tmp_path / "elsewhere" / "sso.sock").exists()
    finally:
        process.terminate()
        process.wait(timeout=15)
        listener.close()
    # systemd's own goes with systemd, not with the broker.
    assert path.exists()
