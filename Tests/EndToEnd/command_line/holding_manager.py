"""What systemd does for the unit of the server while the server is started anew."""

import os
import socket
from pathlib import Path

from processes import LANYARD, Program


class HoldingManager:
    """Does what systemd does for a unit with `FileDescriptorStoreMax=1`: it holds what it is given, and gives it to the next start."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.held: dict[str, int] = {}
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(folder / "notify"))
        self._socket.settimeout(60)

    def start(self, port: int) -> Program:
        """Returns when the server is ready."""
        wrapper: tuple[str, ...] = ()
        descriptors = tuple(self.held.values())
        if descriptors:
            # They begin with 3, and are for the process alone that is named. `env` is that process before it is the server.
            script = 'export LISTEN_PID=$$; [ "$0" = 3 ] || eval "exec 3<&$0 $0<&-"; exec "$@"'
            wrapper = ("bash", "-c", script, str(descriptors[0]))
        names = [f"LISTEN_FDS={len(descriptors)}", f"LISTEN_FDNAMES={':'.join(self.held)}"] if descriptors else []
        server = Program(
            *wrapper, "env", *names, f"NOTIFY_SOCKET={self.folder / 'notify'}", f"LANYARD_DATA={self.folder / 'data'}",
            f"LANYARD_PORT={port}", LANYARD, "serve", log=self.folder / "serve.log", descriptors=descriptors)
        while True:
            said, received, _, _ = socket.recv_fds(self._socket, 4096, 4)
            told = dict(line.split("=", 1) for line in said.decode().split())
            if "FDSTOREREMOVE" in told:
                os.close(self.held.pop(told["FDNAME"]))
            if "FDSTORE" in told:
                [self.held[told["FDNAME"]]] = received
            if "READY" in told:
                return server

    def close(self) -> None:
        self._socket.close()
        for descriptor in self.held.values():
            os.close(descriptor)
