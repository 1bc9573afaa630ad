"""What other programs of the same user get to see of the extension, which has tokens in its memory."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from processes import wait_until
from single_sign_on.openid.extension import EXTENSION

# Root reads everything: where the tests are root's, extension and onlooker are somebody else's.
SOMEBODY = {"user": "games", "group": "games", "extra_groups": []} if os.geteuid() == 0 else {}


@contextmanager
def running(**environment: str) -> Iterator[tuple[int, socket.socket]]:
    """Its process, and our end of its socket."""
    with tempfile.TemporaryDirectory(prefix="lanyard-memory-") as folder:
        os.chmod(folder, 0o755)
        program = shutil.copy(EXTENSION, folder)
        ours, theirs = socket.socketpair()
        process = subprocess.Popen(
            [program], stdin=subprocess.DEVNULL, cwd="/", pass_fds=[theirs.fileno()], **SOMEBODY,
            env=environment | {"HOME": "/nonexistent", "LANYARD_SSO_EXTENSION_SOCKET": str(theirs.fileno())})
        try:
            theirs.close()
            yield process.pid, ours
        finally:
            process.kill()
            process.wait()
            ours.close()


def look_into(process: int) -> tuple[int, str, str]:
    """What another program of its user sees in the process: what it was started with takes the same right as its memory,
    see PTRACE_MODE_READ in ptrace(2).
    :return: exit code, environment, and what `cat` complains about"""
    seen = subprocess.run(["cat", f"/proc/{process}/environ"], capture_output=True, text=True, **SOMEBODY)
    return seen.returncode, seen.stdout, seen.stderr


def test_no_program_of_the_user_looks_into_its_memory() -> None:
    with running() as (process, connection):
        connection.settimeout(10)
        assert connection.recv(4), "it runs"
        assert look_into(process) == (1, "", f"cat: /proc/{process}/environ: Permission denied\n")


def test_a_debugger_that_the_broker_has_wait_for_it_may() -> None:
    """Which shows that the other test can fail, too."""
    with running(LANYARD_SSO_EXTENSION_DEBUG="1") as (process, _):
        stat = Path(f"/proc/{process}/stat")
        wait_until(lambda: stat.read_text().rpartition(")")[2].split()[0] == "T", 10, "it is stopped")
        exit_code, environment, complaint = look_into(process)
        assert (exit_code, complaint) == (0, "") and "HOME=/nonexistent" in environment
