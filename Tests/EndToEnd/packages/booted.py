"""A bare Debian that is booted: its systemd runs, as on a server or a laptop."""

import os
import shutil
from pathlib import Path

from layer import ROOT_FOLDER, System
from processes import Program, run, wait_until

# LANYARD_BARE_ROOT's neighbour, which has systemd besides. scripts/test-packages makes both.
BOOTED_ROOT = f"{ROOT_FOLDER}-with-systemd" if ROOT_FOLDER else ""

# The layer above it stays, as a disk does, when the machine is switched off.
START = """
set -e
mount --make-rprivate /
mkdir -p "$2/upper" "$2/work" "$2/root"
mount -t overlay -o "lowerdir=$1,upperdir=$2/upper,workdir=$2/work" none "$2/root"
exec systemd-nspawn --quiet --boot --register=no --keep-unit --machine=lanyard-test --directory="$2/root" --bind="$3"
"""


def why_not() -> str | None:
    """What is missing here, for a machine to be booted."""
    if not (BOOTED_ROOT and Path(BOOTED_ROOT).is_dir()):
        return "there is no bare Debian with systemd; scripts/test-packages makes one"
    if not shutil.which("systemd-nspawn"):
        return "systemd-nspawn is not installed"
    return None


class Machine(System):
    """Shares the network with this machine, so that tests can ask its servers, and the test's folder."""

    def __init__(self, folder: Path):
        super().__init__(folder)
        self.switch_on()

    def switch_on(self) -> None:
        disk = self.folder / "disk"
        disk.mkdir(exist_ok=True)
        program = Program(
            "unshare", "--mount", "sh", "-c", START, "start", BOOTED_ROOT, disk, self.folder, log=self.folder / "console.log")
        try:
            program.wait_until(lambda: self._is_up(program), 60, "the machine is up")
        except BaseException:
            program.stop()
            raise

    def _is_up(self, program: Program) -> bool:
        children = Path(f"/proc/{program.process.pid}/task/{program.process.pid}/children")
        if not children.read_text().split() or Path(f"/proc/{program.process.pid}/comm").read_text() != "systemd-nspawn\n":
            return False
        self.start(program)
        # Something that a container has not may have failed; what is asked for is looked at by itself.
        return run(*self.enter("systemctl", "is-system-running")).stdout.strip() in ("running", "degraded")

    def cut_power(self) -> None:
        """Nothing in it learns of that."""
        self.stop()

    def reboot(self) -> None:
        """In order: what runs is told to end, and the machine is there again when this returns."""
        run(*self.enter("systemctl", "reboot"))
        # So systemd-nspawn says that its system wants to be started anew.
        assert self._program.wait(90) == 133, self._program.log_text
        self.switch_on()

    def is_active(self, unit: str) -> bool:
        return run(*self.enter("systemctl", "--quiet", "is-active", unit)).returncode == 0

    def property(self, unit: str, name: str) -> str:
        return self.do("systemctl", "show", "--property", name, "--value", unit).strip()

    def add_person(self, name: str) -> None:
        """Somebody who is signed in from now on."""
        self.do("useradd", "--create-home", name)
        self.do("loginctl", "enable-linger", name)
        number = self.do("id", "--user", name).strip()
        wait_until(lambda: self.is_active(f"user@{number}.service"), 30, f"{name} is signed in")

    def as_user(self, name: str, *arguments: str | Path) -> list[str]:
        """A command of somebody who is signed in."""
        number = self.do("id", "--user", name).strip()
        return self.enter(
            "runuser", "-u", name, "--", "env", f"XDG_RUNTIME_DIR=/run/user/{number}", f"HOME=/home/{name}",
            f"DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/{number}/bus", *arguments)

    def processes(self, name: str) -> list[int]:
        """The numbers of its processes of a name, as it sees them."""
        return [int(word) for word in run(*self.enter("pgrep", "--exact", name)).stdout.split()]
