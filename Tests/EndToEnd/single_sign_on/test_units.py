"""The units of systemd, and a broker that starts when somebody asks first."""

import os
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
