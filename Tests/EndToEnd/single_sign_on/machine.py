"""A machine of its own as far as programs see: processes, control groups, and system folders to install into.

Its person has a real user manager of systemd. Whatever is written below /usr, /etc and /run is gone with it. Only root
can make one.
"""

import os
import pwd
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from processes import PROGRAMS, ROOT, Program, run, wait_until

MANAGER = "/lib/systemd/systemd"
PERSON = "games"

# The layers above /usr and /etc are in memory, for a layer cannot lie above another everywhere.
START = """
set -e
mount --make-rprivate /
umount --recursive --lazy /sys/fs/cgroup
mount -t cgroup2 none /sys/fs/cgroup
chown "$2" /sys/fs/cgroup /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/cgroup.threads /sys/fs/cgroup/cgroup.subtree_control
mount -t tmpfs -o mode=755 none /run
for folder in usr etc; do
    mkdir -p "/run/layers/$folder" "/run/layers/$folder-work"
    mount -t overlay -o "lowerdir=/$folder,upperdir=/run/layers/$folder,workdir=/run/layers/$folder-work" none "/$folder"
done
mkdir -p /run/systemd/system /run/user
install -d --mode=0700 --owner="$2" "/run/user/$2" /run/home
touch "$1"
exec sleep infinity
"""

# A cgroup namespace begins at the group of its first process, so join a group below it first.
JOIN = 'echo $$ > "$0/cgroup.procs" && exec "$@"'


def cgroups() -> Path | None:
    """Where the control groups of version 2 are, if this machine has them and root may make some."""
    for line in Path("/proc/mounts").read_text().splitlines():
        _, folder, kind, options, *_ = line.split()
        if kind == "cgroup2" and "rw" in options.split(","):
            return Path(folder)
    return None


def why_not() -> str | None:
    """What this machine lacks, as the reason for which tests are left out."""
    if os.geteuid() != 0:
        return "only root can make a machine of its own"
    return None if cgroups() else "there are no control groups of version 2"


class Machine:
    def __init__(self, folder: Path):
        self.user = pwd.getpwnam(PERSON).pw_uid
        self.runtime = Path(f"/run/user/{self.user}")
        self.socket = self.runtime / "lanyard" / "sso.sock"
        self._group = cgroups() / f"lanyard-test-{os.getpid()}"
        self._group.mkdir()
        self._inside: int | None = None
        ready = folder / "ready"
        self._program = Program(
            "sh", "-c", JOIN, self._group, "unshare", "--mount", "--cgroup", "--pid",
            "--fork", "--kill-child", "--mount-proc", "sh", "-c", START, "start", ready, str(self.user),
            log=folder / "machine.log")
        try:
            self._program.wait_until(ready.exists, 10, "the machine is there")
            children = Path(f"/proc/{self._program.process.pid}/task/{self._program.process.pid}/children")
            self._inside = int(children.read_text().split()[0])
        except BaseException:
            self.stop()
            raise

    def _enter(self, *arguments: str | Path) -> list[str]:
        return [
            "sh", "-c", JOIN, str(self._group), "nsenter", f"--target={self._inside}", "--mount", "--cgroup", "--pid",
            *map(str, arguments)]

    def _as_person(self, *arguments: str | Path) -> list[str]:
        return self._enter(
            "setpriv", f"--reuid={PERSON}", f"--regid={PERSON}", "--clear-groups", "env", "--ignore-environment",
            "PATH=/usr/bin:/bin", "HOME=/run/home", f"USER={PERSON}", "LANG=C.UTF-8",
            f"XDG_RUNTIME_DIR={self.runtime}", *arguments)

    def root(self, *arguments: str | Path, check: bool = True) -> subprocess.CompletedProcess[str]:
        done = run(*self._enter(*arguments), timeout=60)
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done

    def person(self, *arguments: str | Path, check: bool = True) -> subprocess.CompletedProcess[str]:
        done = run(*self._as_person(*arguments), timeout=60)
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done

    def start_person(self, *arguments: str | Path, log: Path) -> Program:
        return Program(*self._as_person(*arguments), log=log)

    def start_session(self, log: Path) -> None:
        """As a login does it."""
        self.manager = self.start_person(MANAGER, "--user", "--log-target=console", log=log)
        self.manager.wait_until(
            lambda: self.systemctl("is-system-running", check=False).stdout.strip() in ("running", "degraded"), 20,
            "the session is there")

    def systemctl(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        return self.person("systemctl", "--user", *arguments, check=check)

    def unit(self, name: str, key: str) -> str:
        return self.systemctl("show", "--value", f"--property={key}", name).stdout.strip()

    def is_alive(self, process: int) -> bool:
        state = self.root("sh", "-c", f"grep '^State:' /proc/{process}/status", check=False).stdout
        return bool(state) and "zombie" not in state

    def clone(self) -> Path:
        """What somebody has who has cloned the repository and built the programs that are installed."""
        folder = Path("/run/home/lanyard")
        # SwiftPM does not build these.
        for script, file in (("ticket-chooser", "lanyard-tickets.so"), ("local-password", "lanyard-local-password")):
            done = run(ROOT / "scripts" / f"build-{script}", PROGRAMS / file)
            assert done.returncode == 0, done.stderr
        self.person("mkdir", "-p", folder / ".build")
        self.person("ln", "-s", PROGRAMS, folder / ".build" / "device")
        for part in ("packaging", "share"):
            self.person("cp", "--recursive", ROOT / part, folder)
        return folder

    def stop(self) -> None:
        # The first process heeds no other signal; with it all others end.
        if self._inside:
            os.kill(self._inside, signal.SIGKILL)
        self._program.stop()
        wait_until(lambda: not (self._group / "cgroup.procs").read_text(), 10, "all processes are gone")
        for group in sorted(self._group.rglob("*/"), reverse=True):
            if group.is_dir():
                group.rmdir()
        self._group.rmdir()


@contextmanager
def machine(folder: Path) -> Iterator[Machine]:
    machine = Machine(folder)
    try:
        yield machine
    finally:
        machine.stop()
