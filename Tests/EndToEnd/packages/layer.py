"""A system that is thrown away: this machine, or a bare Debian, with a layer above it."""

import os
import shutil
import signal
from pathlib import Path

from processes import Program, run

# The root of a bare Debian, instead of this machine's own.
ROOT_FOLDER = os.environ.get("LANYARD_BARE_ROOT", "")

START = """
set -e
mount --make-rprivate /
mount -t tmpfs -o mode=755 none /run
if [ -n "$2" ]; then
    mkdir -p /run/layer /run/layer-work /run/root
    mount -t overlay -o "lowerdir=$2,upperdir=/run/layer,workdir=/run/layer-work" none /run/root
    for folder in proc dev sys; do mount --rbind "/$folder" "/run/root/$folder"; done
    mkdir -p "/run/root$3"
    mount --bind "$3" "/run/root$3"
    touch "$1"
    exec chroot /run/root sleep infinity
fi
for folder in usr etc var root; do
    mkdir -p "/run/layers/$folder" "/run/layers/$folder-work"
    mount -t overlay -o "lowerdir=/$folder,upperdir=/run/layers/$folder,workdir=/run/layers/$folder-work" none "/$folder"
done
# Nobody reads manual pages there. With this file, the list of all of them would be made anew after each package.
rm -f /var/lib/man-db/auto-update
touch "$1"
exec sleep infinity
"""


class System:
    """A system of its own, in whose first process' place commands are run."""

    def __init__(self, folder: Path):
        self.folder = folder
        # Variables for what is run in it.
        self.environment: dict[str, str] = {}

    def start(self, program: Program) -> None:
        """Takes the one child of a program for the first process."""
        self._program = program
        children = Path(f"/proc/{program.process.pid}/task/{program.process.pid}/children")
        self._inside = int(children.read_text().split()[0])

    def enter(self, *arguments: str | Path) -> list[str]:
        return [
            "nsenter", f"--target={self._inside}", "--mount", "--pid", "--root", "--wdns=/", "env", "--ignore-environment", "HOME=/root", "LANG=C.UTF-8",
            "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND=noninteractive",
            *(f"{name}={value}" for name, value in self.environment.items()), *map(str, arguments)]

    def do(self, *arguments: str | Path, status: int = 0) -> str:
        done = run(*self.enter(*arguments))
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout + done.stderr

    def install(self, package: Path) -> str:
        # Below the folder of the test, which the bare Debian has too.
        copy = shutil.copy(package, self.folder)
        return self.do("apt-get", "install", "--yes", "--no-install-recommends", "--reinstall", "--allow-downgrades",
                       "-o", "Dpkg::Use-Pty=0", copy)

    def has(self, path: str) -> bool:
        return run(*self.enter("test", "-e", path)).returncode == 0

    def stat(self, path: str) -> str:
        return self.do("stat", "--format=%a %U %G", path).strip()

    def files(self) -> set[str]:
        """Everything that the packages could leave behind: what is called by their name, and what is theirs in browsers' folders."""
        found = self.do(
            "sh", "-c",
            "find /usr /etc /var -xdev -path '*lanyard*' -not -path '/var/lib/dpkg/*' -not -path '/var/cache/*' -not -path '*/pytest-*'; "
            "find /etc/chromium /etc/firefox /etc/opt /usr/lib/mozilla /usr/share/mozilla 2> /dev/null || true")
        return set(found.splitlines())

    def stop(self) -> None:
        os.kill(self._inside, signal.SIGKILL)
        self._program.stop()


class Layer(System):
    """This machine, with a layer above its system's folders. No systemd runs in it."""

    def __init__(self, folder: Path):
        super().__init__(folder)
        ready = folder / "ready"
        program = Program(
            "unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", START, "start", ready, ROOT_FOLDER, folder,
            log=folder / "layer.log")
        try:
            program.wait_until(ready.exists, 10, "the layer is there")
        except BaseException:
            program.stop()
            raise
        self.start(program)
