"""Flatpaks made for a test: curl in a sandbox, under as many names as a test wants."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from processes import Program, run

# Flatpak asks the system's bus whether somebody's parents allow an installation, and makes files below /tmp.
IN_THE_SANDBOX_S_PLACE = 'mount --make-rprivate / && mount --bind "$0" /tmp && exec "$@"'


class Person:
    """Somebody at the device who is not root, if the tests are, with a home and Flatpaks of their own."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.home, self.runtime, self.temporary = folder / "home", folder / "run", folder / "tmp"
        for place in (self.home, self.runtime, self.temporary):
            place.mkdir(mode=0o700)
        self._as_person: list[str | Path] = []
        if os.geteuid() == 0:
            shutil.chown(folder, "games", "games")
            for place in (self.home, self.runtime, self.temporary):
                shutil.chown(place, "games", "games")
            self._as_person = [
                "unshare", "--mount", "sh", "-c", IN_THE_SANDBOX_S_PLACE, self.temporary, "setpriv", "--reuid=games",
                "--regid=games", "--clear-groups", "--"]
        self.bus = Program(
            *self.command("dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address={self._bus_address}"),
            log=folder / "bus.log")
        self.bus.wait_until((folder / "bus").exists, 10, "the bus is there")

    @property
    def _bus_address(self) -> str:
        return f"unix:path={self.folder}/bus"

    def command(self, *arguments: str | Path) -> list[str | Path]:
        """What makes a program this person's."""
        return [
            *self._as_person, "env", f"HOME={self.home}", f"XDG_RUNTIME_DIR={self.runtime}",
            f"XDG_DATA_HOME={self.home}/.local/share", f"XDG_CACHE_HOME={self.home}/.cache",
            f"XDG_DATA_DIRS={self.home}/.local/share/flatpak/exports/share:/usr/share",
            f"DBUS_SYSTEM_BUS_ADDRESS={self._bus_address}", "--unset=DBUS_SESSION_BUS_ADDRESS", *arguments]

    def run(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return run(*self.command(*arguments), timeout=60)

    def must(self, *arguments: str | Path) -> str:
        done = self.run(*arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def give(self, folder: Path) -> None:
        """The folder and all in it become this person's."""
        if os.geteuid() == 0:
            for path in [folder, *folder.rglob("*")]:
                shutil.chown(path, "games", "games")

    # Flatpaks

    def install(self, **apps: str) -> None:
        """Apps by id, with the names that people see. Each may reach the broker's socket, as an author writes it."""
        runtime = self.folder / "runtime"
        _with_libraries("/usr/bin/curl", runtime / "usr")
        (runtime / "files").mkdir()
        platform = "test.acme.Platform/" + run("flatpak", "--default-arch").stdout.strip() + "/stable"
        (runtime / "metadata").write_text(f"[Runtime]\nname=test.acme.Platform\nruntime={platform}\nsdk={platform}\n")
        folders = {}
        for identifier, name in apps.items():
            folders[identifier] = app = self.folder / identifier
            entries = app / "export" / "share" / "applications"
            entries.mkdir(parents=True)
            (entries / f"{identifier}.desktop").write_text(
                f"[Desktop Entry]\nType=Application\nName={name}\nExec=curl\n")
            (app / "files").mkdir()
            (app / "metadata").write_text(
                f"[Application]\nname={identifier}\nruntime={platform}\ncommand=curl\n"
                "[Context]\nfilesystems=xdg-run/lanyard;\n")
        for folder in [runtime, *folders.values()]:
            self.give(folder)
        repository = self.folder / "repository"
        self.must("flatpak", "build-export", "--runtime", repository, runtime, "stable")
        for app in folders.values():
            self.must("flatpak", "build-export", repository, app, "stable")
        self.must("flatpak", "--user", "remote-add", "--no-gpg-verify", "local", repository.as_uri())
        self.must("flatpak", "--user", "install", "--noninteractive", "local", *apps)

    def close(self) -> None:
        self.bus.stop()


def _with_libraries(program: str, usr: Path) -> None:
    """The program, what it is linked with, and the loader, in the places in which the loader looks."""
    listed = run("ldd", program).stdout
    libraries = [Path(path) for path in re.findall(r"(/\S+) \(0x", listed)]
    assert libraries, listed
    for path in [Path(program), *libraries]:
        relative = path.relative_to("/usr") if path.is_relative_to("/usr") else path.relative_to("/")
        target = usr / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path.resolve(), target)


@contextmanager
def person() -> Iterator[Person]:
    # Not below pytest's folders, which only root can enter, nor in `/tmp`, which the sandbox replaces.
    folder = Path(tempfile.mkdtemp(prefix="lanyard-", dir="/var/tmp"))
    folder.chmod(0o755)
    try:
        somebody = Person(folder)
        try:
            yield somebody
        finally:
            somebody.close()
    finally:
        shutil.rmtree(folder)
