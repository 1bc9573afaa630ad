"""What becomes of requests while the screen is locked, with a session manager on a bus of the test's own."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from broker import Device, payload, profile, strings
from processes import Program, wait_until

BASE = "https://id.acme.test/realms/staff"
SESSION = "/org/freedesktop/login1/session/auto"


class SessionManager:
    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch):
        address = f"unix:path={folder}/bus"
        self._address = address
        self._bus = Program(
            "dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address={address}", log=folder / "bus.log")
        self._bus.wait_until(lambda: (folder / "bus").exists(), 10, "the bus is there")
        monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", address)
        self._manager = Program(
            "/usr/bin/python3", "-m", "dbusmock", "--system", "org.freedesktop.login1", SESSION,
            "org.freedesktop.login1.Session", log=folder / "manager.log")
        self._manager.wait_until(lambda: self._call("AddProperty", False).returncode == 0, 20, "the manager is there")

    def _call(self, method: str, is_locked: bool) -> subprocess.CompletedProcess:
        value = f"variant:boolean:{str(is_locked).lower()}"
        if method == "AddProperty":
            call = ["org.freedesktop.DBus.Mock.AddProperty", "string:org.freedesktop.login1.Session",
                    "string:LockedHint", value]
        else:
            call = ["org.freedesktop.DBus.Properties.Set", "string:org.freedesktop.login1.Session",
                    "string:LockedHint", value]
        return subprocess.run(
            ["dbus-send", f"--bus={self._address}", "--print-reply", "--dest=org.freedesktop.login1", SESSION, *call],
            capture_output=True, text=True)

    def lock(self, is_locked: bool) -> None:
        answer = self._call("Set", is_locked)
        assert answer.returncode == 0, answer.stderr

    def hang(self) -> None:
        import os
        import signal

        os.kill(self._manager.process.pid, signal.SIGSTOP)

    def stop(self) -> None:
        import os
        import signal

        os.kill(self._manager.process.pid, signal.SIGCONT)
        self._manager.stop()
        self._bus.stop()


@pytest.fixture
def manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, device: Device) -> Iterator[SessionManager]:
    manager = SessionManager(tmp_path, monkeypatch)
    try:
        device.stop()
        device.start()
        device.wait_for_domains()
        yield manager
    finally:
        manager.stop()


def test_a_locked_screen_cancels_what_could_ask(device: Device, manager: SessionManager) -> None:
    assert device.ask(f"{BASE}/page", presentation="desktop")["outcome"] == "response"
    manager.lock(True)
    outcome = device.ask(f"{BASE}/page", presentation="desktop")
    assert outcome["outcome"] == "canceled" and outcome["reason"] == "screenLocked"
    # A request that can show nothing is not stopped.
    assert device.ask(f"{BASE}/page", presentation="none")["outcome"] == "response"
    manager.lock(False)
    assert device.ask(f"{BASE}/page", presentation="desktop")["outcome"] == "response"


def test_a_profile_can_leave_such_requests_alone(device: Device, manager: SessionManager) -> None:
    device.install_profile(profile([payload(
        "Redirect", strings("URLs", ["https://id.acme.test/realms/staff/"])
        + "<key>ScreenLockedBehavior</key><string>DoNotHandle</string>")]))
    manager.lock(True)
    wait_until(
        lambda: device.ask(f"{BASE}/page", presentation="desktop")["outcome"] == "notHandled", 10,
        "the profile is taken up")
    assert device.get("/v1/log")[-1]["reason"] == "screenLocked"


def test_a_session_manager_that_hangs_holds_nobody_up(device: Device, manager: SessionManager) -> None:
    manager.hang()
    assert device.ask(f"{BASE}/page", presentation="desktop", timeout=5)["outcome"] == "response"
