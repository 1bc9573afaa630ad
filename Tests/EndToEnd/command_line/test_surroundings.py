"""Time and randomness are passed in, and who reads them by itself is told."""

import subprocess
from pathlib import Path

import pytest
from processes import ROOT


def check(folder: Path, source: str, room: str = "Device/Broker") -> subprocess.CompletedProcess:
    (folder / "Sources" / room).mkdir(parents=True)
    (folder / "Sources" / room / "Room.swift").write_text(source)
    return subprocess.run([ROOT / "scripts/check-surroundings", folder], capture_output=True, text=True, check=False)


def test_nothing_in_the_package_reads_them_by_itself() -> None:
    checked = subprocess.run([ROOT / "scripts/check-surroundings"], capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.parametrize("source", [
    "let now = surroundings.now()\n", "let end = NIODeadline.now() + .seconds(1)\n", "let waiting = Stopwatch()\n",
    "var end: NIODeadline = .now()\n", "let byte = UInt8.random(in: 0...9, using: &generator)\n", "// Date()\n",
    "let attempt = AuthorizationAttempt.random()\n", "let id = UUID(uuidString: text)\n", "let now: Date = self.now\n",
    "public init(now: @escaping @Sendable () -> Date = { Date() }) {}\n",
])
def test_what_is_passed_in_and_event_loops_clock_may_be_read(tmp_path: Path, source: str) -> None:
    checked = check(tmp_path, source)
    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.parametrize("source", [
    "let now = Date()\n", "let now = Date.now\n", "let now: Date = .now\n", "let end = Date(timeIntervalSinceNow: 1)\n",
    "let wait = date.timeIntervalSinceNow\n", "let id = UUID().uuidString\n", "let clock = ContinuousClock()\n",
    "let end = SuspendingClock.now\n", "queue.asyncAfter(deadline: DispatchTime.now() + 1) {}\n",
    "var generator = SystemRandomNumberGenerator()\n", "let byte = UInt8.random(in: 0...9)\n",
    "let isHead = Bool.random()\n", "let one = list.randomElement()\n", "let mixed = list.shuffled()\n",
    "let seconds = time(nil)\n", "getrandom(&bytes, 16, 0)\n",
])
@pytest.mark.parametrize("room", [
    "Server/Mail", "Device/Broker", "Client/LanyardClient", "Programs/DeviceCommands", "Programs/ServerCommands/Remote",
])
def test_who_reads_them_by_itself_is_told(tmp_path: Path, source: str, room: str) -> None:
    checked = check(tmp_path, f"import Foundation\n{source}", room)
    assert checked.returncode == 1
    assert checked.stderr.startswith(f"Sources/{room}/Room.swift:2 reads ") and checked.stderr.count("\n") == 1


def test_the_ground_may(tmp_path: Path) -> None:
    assert check(tmp_path, "let now = Date()\n", "Ground").returncode == 0
