"""An account of a computer's own, in a private /etc: its password is what PAM takes, and never one of this machine's accounts.

`lanyard-local-password` lies beside the programs as on a device, and runs as root there; outside it does not.
"""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from processes import PROGRAMS, ROOT, run

HELPER = PROGRAMS / "lanyard-local-password"
NAME, NUMBER = "mika", 4711

ENTERING = """
mount --bind "$0/etc" /etc
mount --bind "$0/lanyard-local-password" "$1"
shift
exec setpriv ${2:+--bounding-set="$2"} --reuid="$1" --regid="$1" --clear-groups "${@:3}"
"""


class LocalAccount:
    def __init__(self, folder: Path, password: str):
        self.folder = folder
        self._etc = folder / "etc"
        (self._etc / "pam.d").mkdir(parents=True)
        shutil.copy(ROOT / "packaging" / "pam" / "lanyard-local-password", self._etc / "pam.d")
        for name in ("hosts", "ld.so.cache", "login.defs", "localtime"):
            if (path := Path("/etc") / name).exists():
                shutil.copy(path, self._etc / name)
        (self._etc / "nsswitch.conf").write_text("passwd: files\nshadow: files\ngroup: files\nhosts: files\n")
        (self._etc / "group").write_text("root:x:0:\n")
        # Not every computer has a dictionary.
        (self._etc / "security").mkdir()
        (self._etc / "security" / "pwquality.conf").write_text("dictcheck = 0\n")
        self.write_accounts(f"{NAME}:x:{NUMBER}:{NUMBER}:Mika:/nonexistent:/bin/sh")
        self.write_shadow(password)
        shutil.copy(HELPER, folder)
        self.allow(True)

    def write_accounts(self, *lines: str) -> None:
        (self._etc / "passwd").write_text("".join(f"{line}\n" for line in ("root:x:0:0:root:/root:/bin/sh", *lines)))

    def write_shadow(self, password: str, minimum_age: int = 0, changed: int = 20000) -> None:
        done = run("openssl", "passwd", "-6", password)
        assert done.returncode == 0, done.stderr
        shadow = self._etc / "shadow"
        shadow.write_text(f"root:*:20000:0:99999:7:::\n{NAME}:{done.stdout.strip()}:{changed}:{minimum_age}:99999:7:::\n")
        shadow.chmod(0o640)

    def write_secret(self, secret: str) -> None:
        """What stands in the place of the password's hash."""
        (self._etc / "shadow").write_text(f"root:*:20000:0:99999:7:::\n{NAME}:{secret}:20000:0:99999:7:::\n")

    def write_service(self, text: str | None) -> None:
        """What PAM does for the program; None takes it away."""
        path = self._etc / "pam.d" / "lanyard-local-password"
        path.write_text(text) if text is not None else path.unlink()

    def allow(self, is_allowed: bool) -> None:
        """As the computer's administrator does it, or takes it back."""
        (self.folder / "lanyard-local-password").chmod(0o4755 if is_allowed else 0o755)

    @property
    def shadow(self) -> str:
        return (self._etc / "shadow").read_text()

    def has(self, password: str) -> bool:
        """Whether it is the account's password, as the C library sees it."""
        [found] = [line.split(":")[1] for line in self.shadow.splitlines() if line.startswith(f"{NAME}:")]
        return run("perl", "-e", "print crypt($ARGV[0], $ARGV[1])", password, found).stdout == found

    def entering(self, number: int = NUMBER, rights: str = "") -> tuple[str, ...]:
        """A wrapper for commands of the account, or of another number.

        `rights`: of root, which a container takes away, as `-ipc_lock`.
        """
        return (
            "/usr/bin/unshare", "--mount", "/bin/bash", "-ec", ENTERING, str(self.folder), str(HELPER), str(number), rights)

    def change(
        self, *passwords: str, data: bytes | None = None, arguments: tuple[str, ...] = (), number: int = NUMBER,
        limits: tuple[str, ...] = (), rights: str = "", **environment: str
    ) -> subprocess.CompletedProcess[bytes]:
        """`data`: standard input in place of the passwords."""
        given = b"".join(password.encode() + b"\0" for password in passwords) if data is None else data
        variables = [f"{name}={value}" for name, value in environment.items()]
        return subprocess.run(
            [*self.entering(number, rights), "env", *variables, *limits, str(HELPER), *arguments], input=given, capture_output=True,
            timeout=60)


@contextmanager
def local_account(password: str) -> Iterator[LocalAccount]:
    done = run(ROOT / "scripts" / "build-local-password", HELPER)
    assert done.returncode == 0, done.stderr
    # Not pytest's own folder, which nobody but root can enter.
    with TemporaryDirectory(prefix="lanyard-account-") as folder:
        Path(folder).chmod(0o755)
        yield LocalAccount(Path(folder), password)
