"""The address that clients of the other service have compiled in, led to a server of ours.

A name and a certificate authority that hold for one program, or for this process, and for nobody else: an `/etc/hosts` of
a mount namespace's own, and a TLS proxy on a loopback address that nobody uses.
"""

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from processes import run

NAME = "appleid.apple.com"
URL = f"https://{NAME}"
# All of 127/8 is loopback. The default port of https leaves clients no other choice than an address of our own.
ADDRESS = "127.71.22.53"


@dataclass(frozen=True)
class OriginalAddress:
    """What a program needs to be led astray."""

    hosts_file: Path
    authority_file: Path

    @property
    def wrapper(self) -> tuple[str, ...]:
        """Runs a command where the name leads to the proxy. Ends with the command and leaves nothing behind."""
        script = 'mount --bind "$0" /etc/hosts && exec "$@"'
        return ("/usr/bin/unshare", "--mount", "/bin/sh", "-c", script, str(self.hosts_file))


@contextmanager
def original_address(folder: Path, port: int) -> Iterator[OriginalAddress]:
    """Leads it to a plain server on a port of 127.0.0.1 while the block runs."""
    hosts_file = folder / "hosts"
    hosts_file.write_text(f"127.0.0.1 localhost\n{ADDRESS} {NAME}\n")
    authority = _certificate(folder / "authority", "A private authority")
    leaf = _certificate(
        folder / "leaf", NAME, "-CA", f"{authority}.pem", "-CAkey", f"{authority}.key", "-addext",
        f"subjectAltName=DNS:{NAME}", "-addext", "basicConstraints=critical,CA:FALSE")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(f"{leaf}.pem", f"{leaf}.key")
    with _Proxy(context, port):
        yield OriginalAddress(hosts_file, Path(f"{authority}.pem"))


def _certificate(file: Path, name: str, *options: str) -> Path:
    result = run(
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-days", "2",
        "-subj", f"/CN={name}", "-keyout", f"{file}.key", "-out", f"{file}.pem", *options)
    assert result.returncode == 0, result.stderr
    return file


class _Proxy:
    """Takes TLS off, and does nothing else."""

    def __init__(self, context: ssl.SSLContext, port: int):
        self.context = context
        self.port = port
        self.listener = socket.create_server((ADDRESS, 443))
        self.thread = threading.Thread(target=self._accept, daemon=True)

    def __enter__(self) -> "_Proxy":
        self.thread.start()
        return self

    def __exit__(self, *_) -> None:
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join(timeout=60)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        try:
            with (
                self.context.wrap_socket(client, server_side=True) as outside,
                socket.create_connection(("127.0.0.1", self.port)) as inside,
            ):
                back = threading.Thread(target=_copy, args=(inside, outside), daemon=True)
                back.start()
                _copy(outside, inside)
                back.join()
        except OSError:
            pass  # a client that went away, or does not trust the certificate: its side says so


def _copy(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(65_536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass
