"""Where programs find the names of the tests: an `/etc/hosts` of their own, or a whole network of their own."""

import os
import signal
from pathlib import Path

from processes import Program, run

# The first process waits for ever, and all others end with it.
START = """
set -e
mount --make-rprivate /
ip link set lo up
for address in $ADDRESSES; do ip address add "$address" dev lo; done
mount --bind "$FOLDER/hosts" /etc/hosts
mount --bind "$FOLDER/resolv.conf" /etc/resolv.conf
# Samba's programs find each other there.
[ ! -d /run/samba ] || mount -t tmpfs -o mode=755 none /run/samba
touch "$FOLDER/ready"
exec sleep infinity
"""


def why_not() -> str | None:
    """What is missing for such places, if something is."""
    if os.geteuid() != 0:
        return "names and networks of their own need root"
    attempt = run("unshare", "--net", "--mount", "--pid", "--fork", "true")
    return None if attempt.returncode == 0 else f"no network of its own: {attempt.stderr.strip()}"


def with_hosts(folder: Path, *names: str) -> tuple[str, ...]:
    """A wrapper for commands, for which the names lead to 127.0.0.1. It ends with the command and leaves nothing behind."""
    hosts = folder / "hosts"
    hosts.write_text("".join(f"127.0.0.1 {name}\n" for name in ("localhost", *names)))
    return ("/usr/bin/unshare", "--mount", "/bin/sh", "-c", 'mount --bind "$0" /etc/hosts && exec "$@"', str(hosts))


class PrivateNetwork:
    """A network with nothing but a loopback, where every port is free, and its own name server."""

    def __init__(self, folder: Path, addresses: list[str], name_server: str):
        """`addresses` with the length of their network, as `192.0.2.10/24`."""
        self.folder = folder
        self.folder.mkdir(parents=True, exist_ok=True)
        (folder / "hosts").write_text("127.0.0.1 localhost\n")
        (folder / "resolv.conf").write_text(f"nameserver {name_server}\noptions timeout:2 attempts:1\n")
        self._inside: int | None = None
        self._program = Program(
            "env", f"FOLDER={folder}", f"ADDRESSES={' '.join(addresses)}", "unshare", "--net", "--mount", "--pid", "--fork",
            "--kill-child", "--mount-proc", "sh", "-c", START, "start", log=folder / "network.log")
        try:
            self._program.wait_until((folder / "ready").exists, 10, "the network is there")
            children = Path(f"/proc/{self._program.process.pid}/task/{self._program.process.pid}/children")
            self._inside = int(children.read_text().split()[0])
        except BaseException:
            self.stop()
            raise

    @property
    def entering(self) -> tuple[str, ...]:
        """A wrapper for commands. What they leave running ends with the network."""
        return ("nsenter", f"--target={self._inside}", "--net", "--mount", "--pid", f"--wdns={os.getcwd()}")

    @property
    def path(self) -> str:
        """For `setns`."""
        return f"/proc/{self._inside}/ns/net"

    def ip(self, *arguments: str) -> None:
        done = run(*self.entering, "ip", *arguments)
        assert done.returncode == 0, done.stderr

    def stop(self) -> None:
        # The first process heeds no other signal.
        if self._inside:
            os.kill(self._inside, signal.SIGKILL)
            self._inside = None
        self._program.stop()


def with_etc(folder: Path) -> tuple[str, ...]:
    """A wrapper for commands that see these files above those of `/etc`, such as policies of browsers."""
    script = 'mount -t overlay -o "lowerdir=$0:/etc" none /etc && exec "$@"'
    return ("/usr/bin/unshare", "--mount", "/bin/sh", "-c", script, str(folder))
