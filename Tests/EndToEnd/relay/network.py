"""A network of its own for the threads of a test: every port and address is free, and nothing gets out."""

import ctypes
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

CLONE_NEWNET = 0x40000000


def why_not() -> str | None:
    """What is missing for such a network, if something is."""
    if os.geteuid() != 0:
        return "Postfix changes users, and a network of its own has to be made: both need root"
    attempt = subprocess.run(["unshare", "--net", "--mount", "true"], capture_output=True, text=True)
    return None if attempt.returncode == 0 else f"no network of its own: {attempt.stderr.strip()}"


def _call(result: int) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


@contextmanager
def private_network(*addresses: str) -> Iterator[None]:
    """The calling thread, and every thread and program that it starts, are in it while the block runs."""
    libc = ctypes.CDLL(None, use_errno=True)
    before = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    try:
        _call(libc.unshare(CLONE_NEWNET))
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        for address in addresses:
            subprocess.run(["ip", "address", "add", f"{address}/32", "dev", "lo"], check=True)
        yield
    finally:
        _call(libc.setns(before, CLONE_NEWNET))
        os.close(before)
