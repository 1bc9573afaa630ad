"""Programs under test. Each has its own session, so that a test can find and stop all processes that it started."""

import itertools
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(os.environ.get("LANYARD_PROGRAMS", ROOT / ".build" / "debug"))
LANYARD = PROGRAMS / "lanyard"
LANYARD_SSO = PROGRAMS / "lanyard-sso"
QUIZZLER = PROGRAMS / "quizzler"

# Limits of waiting are for programs that have the machine to themselves. Beside other tests they may take this many times
# as long.
PATIENCE = float(os.environ.get("LANYARD_TEST_PATIENCE", "1"))

Value = TypeVar("Value")


def wait_until(
    condition: Callable[[], Value], timeout: float, what: str, pause: float = 0.05, is_exact: bool = False
) -> Value:
    """Returns the first truthy value of `condition`, or fails after `timeout` seconds: of this machine's, or exactly, where
    the test is about the time."""
    timeout = timeout if is_exact else timeout * PATIENCE
    deadline = time.monotonic() + timeout
    while True:
        if value := condition():
            return value
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {timeout} s: {what}")
        time.sleep(pause)


# The ports for this process, each used once before all have been. Concurrent test runs have other ranges, and the
# system's ephemeral ports are higher.
_ports = itertools.cycle(range(start := int(os.environ.get("LANYARD_TEST_PORTS", "20000")), start + 3000))


def free_port() -> int:
    """A free port on 127.0.0.1 that no other test uses."""
    for port in _ports:
        with socket.socket() as probe:
            # As servers do, so that a port with connections in TIME_WAIT counts as free.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("unreachable: the iterator never ends")


def listens(port: int) -> bool:
    """Whether a server accepts connections at 127.0.0.1."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _command_line(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return "(has ended)"


class Program:
    """A running program with its log. Its child processes stay in its session."""

    def __init__(self, *arguments: str | Path, log: Path, descriptors: tuple[int, ...] = ()):
        """`descriptors`: open files that the program gets under the same numbers."""
        self.log = log
        with log.open("ab") as output:
            # The log may have the output of earlier runs.
            self._log_start = output.tell()
            self.process = subprocess.Popen(
                [str(argument) for argument in arguments],
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                pass_fds=descriptors,
            )

    @property
    def is_running(self) -> bool:
        return self.process.poll() is None

    def wait_until(
        self, condition: Callable[[], Value], timeout: float, what: str, pause: float = 0.05, is_exact: bool = False
    ) -> Value:
        """As the function `wait_until`, but fails at once if the program has ended."""

        def checked() -> Value:
            value = condition()
            if not value and not self.is_running:
                raise RuntimeError(f"ended with {self.process.returncode} before {what}:\n{self.log_text[-4000:]}")
            return value

        try:
            return wait_until(checked, timeout, what, pause, is_exact)
        except TimeoutError as error:
            raise TimeoutError(f"{error}\n{self.log_text[-4000:]}") from None

    @property
    def log_text(self) -> str:
        """The output of this run."""
        return self.log.read_bytes()[self._log_start:].decode(errors="replace")

    def press_control_c(self) -> None:
        """Sends SIGINT to all processes of the group, as a terminal does."""
        os.killpg(self.process.pid, signal.SIGINT)

    def terminate(self) -> None:
        self.process.terminate()

    def kill(self) -> None:
        """Sends SIGKILL to this process only."""
        self.process.kill()
        self.process.wait(timeout=60)

    def wait(self, timeout: float) -> int:
        """Its exit status. One that does not end in time is told with what it said and with what still runs in its session."""
        try:
            return self.process.wait(timeout=timeout * PATIENCE)
        except subprocess.TimeoutExpired as error:
            running = [f"{member}: {_command_line(member)}" for member in self.session_members()]
            error.add_note("\n".join(["Still running:", *running, "It said:", self.log_text[-4000:]]))
            raise

    def session_members(self) -> list[int]:
        """The ids of the processes in the program's session, without zombies."""
        members = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                # "pid (name) state ppid pgrp session …"; the name may have spaces and parentheses.
                state, _, _, session = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
            except (FileNotFoundError, ProcessLookupError):
                continue
            if int(session) == self.process.pid and state != "Z":
                members.append(int(entry.name))
        return members

    def stop(self) -> None:
        """Stops the program and kills all processes that are left in its session."""
        if self.is_running:
            self.terminate()
            try:
                self.wait(timeout=15)
            except subprocess.TimeoutExpired:
                pass
        for member in self.session_members():
            # With the first process of a namespace all of its others end.
            with suppress(ProcessLookupError):
                os.kill(member, signal.SIGKILL)
        self.process.wait(timeout=60)


def run(*arguments: str | Path, timeout: float = 120) -> subprocess.CompletedProcess[str]:
    """Runs a program to its end."""
    return subprocess.run(
        [str(argument) for argument in arguments],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout * PATIENCE,
    )
