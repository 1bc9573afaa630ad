"""SSSD's KCM, a process that keeps tickets in place of files, with a socket where a test wants it.

Its unit starts it by a socket of systemd, without which it makes one of its own.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from processes import Program

# All of SSSD's own folders are empty ones in memory, which end with it.
START = """
set -e
for folder in /etc/sssd /var/log/sssd /var/lib/sss/db /var/lib/sss/secrets; do
    mount -t tmpfs -o mode=700 none "$folder"
done
mkdir /etc/sssd/conf.d
printf '[sssd]\\nservices =\\n[kcm]\\nsocket_path = %s\\n' "$1" > /etc/sssd/sssd.conf
chmod 600 /etc/sssd/sssd.conf
/usr/sbin/sssd --genconf-section=kcm
exec /usr/libexec/sssd/sssd_kcm --uid 0 --gid 0 --logger=stderr
"""


class TicketKeeper:
    """Keeps the tickets of each user of the machine, while it runs. With it the tickets end."""

    def __init__(self, folder: Path):
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        # The path of a socket must be shorter than 108 bytes.
        self.socket = folder / "kcm"
        self.program: Program | None = None

    @property
    def defaults(self) -> str:
        """Lines of `[libdefaults]`, with which programs find it."""
        return f"    kcm_socket = {self.socket}\n    default_ccache_name = KCM:\n"

    def start(self) -> None:
        self.socket.unlink(missing_ok=True)
        self.program = Program(
            "unshare", "--mount", "sh", "-c", START, "start", self.socket, log=self._folder / "kcm.log")
        self.program.wait_until(self.socket.is_socket, 20, "there is the socket")

    def stop(self) -> None:
        if self.program:
            self.program.stop()
            self.program = None


@contextmanager
def ticket_keeper(folder: Path) -> Iterator[TicketKeeper]:
    keeper = TicketKeeper(folder)
    try:
        keeper.start()
        yield keeper
    finally:
        keeper.stop()
