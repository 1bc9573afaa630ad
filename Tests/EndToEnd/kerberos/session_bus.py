"""A bus of a person's session, and what is said on it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from processes import Program, run


def start_bus(folder: Path, entering: tuple[str, ...] = ()) -> tuple[Program, str]:
    """The daemon and its address. `entering`: a wrapper for its command; it lets nobody in but its user."""
    folder.mkdir(parents=True, exist_ok=True)
    # The path of a socket must be shorter than 108 bytes.
    address = f"unix:path={folder}/bus"
    daemon = Program(
        *entering, "dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address={address}", log=folder / "bus.log")
    daemon.wait_until((folder / "bus").is_socket, 20, "the bus is there")
    return daemon, address


class SessionBus:
    def __init__(self, folder: Path, entering: tuple[str, ...]):
        self._daemon, self.address = start_bus(folder, entering)
        self._monitor = Program(
            *entering, "dbus-monitor", "--address", self.address, "type='signal',path='/org/lanyard/Kerberos'",
            log=folder / "signals.log")
        # The bus says so when the monitor is one.
        self._monitor.wait_until(lambda: "NameLost" in self._monitor.log_text, 20, "somebody listens")

    @property
    def signals(self) -> list[tuple[str, str]]:
        """Names and realms."""
        return re.findall(
            r"interface=org\.lanyard\.Kerberos1; member=(\w+)\n   string \"([^\"]*)\"", self._monitor.log_text)

    @property
    def times(self) -> list[int]:
        """Of the signals that have one."""
        return [int(time) for time in re.findall(r"\n   int64 (\d+)", self._monitor.log_text)]

    def wait_for(self, signal: str, count: int = 1) -> None:
        self._monitor.wait_until(
            lambda: [name for name, _ in self.signals].count(signal) >= count, 20, f"{signal} came {count} times")

    def send(self, signal: str, realm: str) -> None:
        """As any program of the session could."""
        done = run(
            "dbus-send", f"--bus={self.address}", "--type=signal", "/org/lanyard/Kerberos",
            f"org.lanyard.Kerberos1.{signal}", f"string:{realm}")
        assert done.returncode == 0, done.stderr

    def stop(self) -> None:
        self._monitor.stop()
        self._daemon.stop()


@contextmanager
def session_bus(folder: Path, entering: tuple[str, ...] = ()) -> Iterator[SessionBus]:
    bus = SessionBus(folder, entering)
    try:
        yield bus
    finally:
        bus.stop()
