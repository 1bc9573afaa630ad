"""Time and randomness are passed in, and who reads them by itself is told."""

import subprocess
from functools import partial
from pathlib import Path

from processes import ROOT
from source_checks import check_sources

check = partial(check_sources, "check-surroundings")


def test_nothing_in_the_package_reads_them_by_itself() -> None:
    checked = subprocess.run([ROOT / "scripts/check-surroundings"], capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")


ALLOWED = [
    "let now = surroundings.now()\n", "let end = NIODeadline.now() + .seconds(1)\n", "let waiting = Stopwatch()\n",
    "var end: NIODeadline = .now()\n", "let byte = UInt8.random(in: 0...9, using: &generator)\n", "// Date()\n",
    "let attempt = AuthorizationAttempt.random()\n", "let id = UUID(uuidString: text)\n", "let now: Date = self.now\n",
    "public init(now: @escaping @Sendable () -> Date = { Date() }) {}\n",
]
FORBIDDEN = [
    "let now = Date()\n", "let now = Date.now\n", "let now: Date = .now\n", "let end = Date(timeIntervalSinceNow: 1)\n",
    "let wait = date.timeIntervalSinceNow\n", "let id = UUID().uuidString\n", "let clock = ContinuousClock()\n",
    "let end = SuspendingClock.now\n", "queue.asyncAfter(deadline: DispatchTime.now() + 1) {}\n",
    "var generator = SystemRandomNumberGenerator()\n", "let byte = UInt8.random(in: 0...9)\n",
    "let isHead = Bool.random()\n", "let one = list.randomElement()\n", "let mixed = list.shuffled()\n",
    "let seconds = time(nil)\n", "getrandom(&bytes, 16, 0)\n",
]
ROOMS = ["Server/Mail", "Device/Broker", "Client/LanyardClient", "Programs/DeviceCommands", "Programs/ServerCommands/Remote"]


def test_what_is_passed_in_and_event_loops_clock_may_be_read(tmp_path: Path) -> None:
    checked = check(tmp_path, {f"Device/Broker/Room{number}.swift": source for number, source in enumerate(ALLOWED)})
    assert (checked.returncode, checked.stderr) == (0, "")


def test_who_reads_them_by_itself_is_told(tmp_path: Path) -> None:
    sources = {
        f"{room}/Room{number}.swift": f"import Foundation\n{source}"
        for room in ROOMS for number, source in enumerate(FORBIDDEN)}
    checked = check(tmp_path, sources)
    assert checked.returncode == 1
    # Each once, and nothing else.
    told = [line.partition(" reads ")[0] for line in checked.stderr.splitlines()]
    assert sorted(told) == sorted(f"Sources/{place}:2" for place in sources)


def test_one_that_reads_them_is_enough(tmp_path: Path) -> None:
    assert check(tmp_path, {"Device/Broker/Room.swift": FORBIDDEN[0]}).returncode == 1


def test_the_ground_may(tmp_path: Path) -> None:
    assert check(tmp_path, {"Ground/Room.swift": "let now = Date()\n"}).returncode == 0
