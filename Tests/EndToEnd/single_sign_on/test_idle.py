"""A broker that nobody asks."""

import time
from contextlib import suppress
from pathlib import Path

from broker import Device, body_of
from kerberos.kdc import PASSWORD, Realm
from kerberos.signed_in_device import RealmDevice
from processes import wait_until

PAGE = "https://id.acme.test/realms/staff/page"


def test_a_broker_that_nobody_asks_neither_wakes_up_nor_keeps_its_program_in_memory(device: Device) -> None:
    # It has asked domains, started an extension, passed on an answer, and looked at profiles again.
    device.install_profile((device.profiles / "acme.mobileconfig").read_bytes())
    assert body_of(device.ask(PAGE)) == "<p>hello</p>"
    pid = device.program.process.pid
    busy = memory(pid, "RssFile")
    wait_until(lambda: memory(pid, "RssFile") < busy / 2, 60, "pages of the program are given back")
    # They are given back one mapping after the other.
    wait_until(lambda: memory(pid, "VmRSS") < 25 << 10, 10, "the broker is small")
    before = wake_ups(pid)
    # That it does nothing can only be seen in time that passes: whatever repeats more seldom than this wakes nobody up.
    time.sleep(3)
    assert wake_ups(pid) == before
    assert body_of(device.ask(PAGE)) == "<p>hello</p>"


def test_a_ticket_that_is_to_be_renewed_in_hours_wakes_nobody_up_until_then(tmp_path: Path) -> None:
    with Realm(tmp_path / "realm", "IDLE.TEST") as realm, RealmDevice(tmp_path, realm).running() as device:
        realm.add("mika", PASSWORD)
        device.sign_in("mika")
        assert device.broker.program
        pid = device.broker.program.process.pid
        # The broker has the wish of the extension, which ends when it has had nothing to do for a while.
        assert "lanyard-kerbero" in programs_of(pid)
        wait_until(lambda: "lanyard-kerbero" not in programs_of(pid), 60, "the extension has ended")
        wait_until(lambda: is_still(pid), 60, "threads that waited for more work have ended")
        before = wake_ups(pid)
        time.sleep(3)
        assert wake_ups(pid) == before
        assert device.status()["signedIn"] is True


def programs_of(pid: int) -> list[str]:
    """What the process has started and runs, by names of 15 letters. Each thread has children of its own."""
    names = []
    for thread in threads(pid):
        # Threads and programs may end while this looks.
        with suppress(FileNotFoundError, ProcessLookupError):
            for child in Path(f"/proc/{pid}/task/{thread}/children").read_text().split():
                names.append(Path(f"/proc/{child}/comm").read_text().strip())
    return names


def is_still(pid: int) -> bool:
    before = wake_ups(pid)
    time.sleep(1)
    return wake_ups(pid) == before


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
