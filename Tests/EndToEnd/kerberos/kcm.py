"""SSSD's KCM, a process that keeps tickets in place of files, with a socket where a test wants it.

Its unit starts it by a socket of systemd, without which it makes one of its own.
"""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingUnixStreamServer

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


class WatchedKeeper(ThreadingUnixStreamServer):
    """A way to a keeper of tickets, which notes what is asked for on it. Runs while the block does."""

    daemon_threads = True
    # The numbers of two operations. The first one empties a cache.
    INITIALIZE, STORE = 4, 6

    def __init__(self, keeper: TicketKeeper):
        self.keeper = keeper
        self.path = keeper.socket.with_name("watched")
        # The numbers of the operations, in their order.
        self.asked: list[int] = []
        super().__init__(str(self.path), _Passing)

    @property
    def defaults(self) -> str:
        """Lines of `[libdefaults]`, with which programs find it."""
        return f"    kcm_socket = {self.path}\n    default_ccache_name = KCM:\n"

    def __enter__(self) -> "WatchedKeeper":
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


class _Passing(StreamRequestHandler):
    server: WatchedKeeper

    def handle(self) -> None:
        with suppress(OSError), socket.socket(socket.AF_UNIX) as keeper:
            keeper.connect(str(self.server.keeper.socket))
            answers = keeper.makefile("rb")
            # A message is its length, and in what follows two bytes of the protocol's version and two of the operation.
            while head := self.rfile.read(4):
                message = self.rfile.read(int.from_bytes(head, "big"))
                self.server.asked.append(int.from_bytes(message[2:4], "big"))
                keeper.sendall(head + message)
                # An answer is a length, a code, and as many bytes.
                answer = answers.read(8)
                self.wfile.write(answer + answers.read(int.from_bytes(answer[:4], "big")))
