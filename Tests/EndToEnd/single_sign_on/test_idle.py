"""A broker that nobody asks."""

import time
from pathlib import Path

from broker import Device, body_of
from processes import wait_until

PAGE = "https://id.acme.test/realms/staff/page"


def test_a_broker_that_nobody_asks_neither_wakes_up_nor_keeps_its_program_in_memory(device: Device) -> None:
    # It has asked domains, started an extension, passed on an answer, and looked at profiles again.
    device.install_profile((device.profiles / "acme.mobileconfig").read_bytes())
    assert body_of(device.ask(PAGE)) == "<p>hello</p>"
    pid = device.program.process.pid
    busy = memory(pid, "RssFile")
    wait_until(lambda: memory(pid, "RssFile") < busy / 2, 60, "pages of the program are given back")
    assert memory(pid, "VmRSS") < 25 << 10
    before = wake_ups(pid)
    # That it does nothing can only be seen in time that passes: whatever repeats more seldom than this wakes nobody up.
    time.sleep(3)
    assert wake_ups(pid) == before
    assert body_of(device.ask(PAGE)) == "<p>hello</p>"


def memory(pid: int, name: str) -> int:
    """In KiB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


def threads(pid: int) -> dict[str, str]:
    return {thread.name: (thread / "comm").read_text().strip() for thread in Path(f"/proc/{pid}/task").iterdir()}


def wake_ups(pid: int) -> dict[str, int]:
    """How often each thread has waited and was woken, by its id."""
    return {
        thread: next(
            int(line.split()[1]) for line in Path(f"/proc/{pid}/task/{thread}/status").read_text().splitlines()
            if line.startswith("voluntary_ctxt_switches"))
        for thread in threads(pid)}
