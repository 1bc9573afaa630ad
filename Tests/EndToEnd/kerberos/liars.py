"""Servers that say what no honest one says: a web server with strange challenges, and a way to the KDC that falsifies."""

import base64
import socket
import struct
import threading
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import BaseRequestHandler, ThreadingTCPServer

from kerberos.kdc import Realm


class LyingSite(ThreadingHTTPServer):
    """Answers each request with 401 and a challenge of `challenge`, or of its default. Runs while the block does."""

    daemon_threads = True

    # What the folders of the site say. The first request of a client has no token.
    CHALLENGES = {
        "/bad-base64/": "Negotiate !!!not*base64===",
        "/one-megabyte/": "Negotiate " + base64.b64encode(bytes(750_000)).decode(),
        "/no-token/": "Negotiate",
        "/not-gss/": "Negotiate " + base64.b64encode(b"this is no token of GSSAPI").decode(),
        "/ntlm/": "Negotiate " + base64.b64encode(b"NTLMSSP\0\2\0\0\0" + bytes(40)).decode(),
        "/other-scheme/": "Digest realm=intranet, nonce=1",
    }

    def __init__(self, host: str):
        super().__init__(("127.0.0.1", 0), _Challenging)
        self.host = host
        # The path of each request, and what its `Authorization` said.
        self.asked: list[tuple[str, str]] = []

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.server_address[1]}"

    def __enter__(self) -> "LyingSite":
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


class _Challenging(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: LyingSite

    def do_GET(self) -> None:
        self.server.asked.append((self.path, self.headers.get("Authorization", "")))
        self.send_response(401)
        self.send_header("WWW-Authenticate", LyingSite.CHALLENGES[self.path])
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


Lie = Callable[[bytes], bytes | None]

# What becomes of an answer of the KDC. None: the connection is closed.
LIES: dict[str, Lie] = {
    "nothing": lambda answer: None,
    "garbage": lambda answer: bytes(len(answer)),
    "half": lambda answer: answer[: len(answer) // 2],
    "changed": lambda answer: answer[:-8] + bytes(byte ^ 0xFF for byte in answer[-8:]),
    "empty": lambda answer: b"",
    # As long as the realm's own name, which stands in each answer with a ticket.
    "another realm": lambda answer: answer.replace(b"\x1b\x0bSCHOOL.TEST", b"\x1b\x0bPRISON.TEST"),
}


# RFC 4120, 5.9.1 and 7.5.9: that the password or the key is wrong, error 24.
REFUSAL = b"\xa6\x03\x02\x01\x18"


class Held:
    """Holds back the answers of a KDC in which these bytes stand, until it is to go on."""

    def __init__(self, content: bytes):
        self._content = content
        self.came, self.goes_on = threading.Event(), threading.Event()

    def hold(self) -> None:
        """From the next answer on, once more."""
        self.came.clear()
        self.goes_on.clear()

    def __call__(self, answer: bytes) -> bytes:
        if self._content in answer:
            self.came.set()
            self.goes_on.wait(60)
        return answer


class LyingKDC(ThreadingTCPServer):
    """Passes on what a realm's KDC says, changed by a lie of `LIES`. Runs while the block does."""

    daemon_threads = True

    def __init__(self, realm: Realm, lie: Lie, *, lies_after: int = 0, port: int | None = None):
        """`lies_after`: how many answers are passed on unchanged first. `port`: of another of the realm's servers."""
        super().__init__(("127.0.0.1", 0), _Falsifying)
        self.port = port or realm.kdc_port
        self.lie = lie
        self.honest = lies_after

    @property
    def address(self) -> str:
        """As krb5.conf has it. Nobody answers datagrams there, after which clients come with TCP."""
        return f"127.0.0.1:{self.server_address[1]}"

    def __enter__(self) -> "LyingKDC":
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


class _Falsifying(BaseRequestHandler):
    server: LyingKDC
    request: socket.socket

    def handle(self) -> None:
        with suppress(OSError, EOFError):
            with socket.create_connection(("127.0.0.1", self.server.port), timeout=60) as kdc:
                _write(kdc, _read(self.request))
                answer: bytes | None = _read(kdc)
            if self.server.honest > 0:
                self.server.honest -= 1
            else:
                answer = self.server.lie(answer)
            if answer is not None:
                _write(self.request, answer)


# RFC 4120, 7.2.2: the length of the message stands before it.
def _read(connection: socket.socket) -> bytes:
    length, = struct.unpack(">I", _exactly(connection, 4))
    return _exactly(connection, length)


def _write(connection: socket.socket, message: bytes) -> None:
    connection.sendall(struct.pack(">I", len(message)) + message)


def _exactly(connection: socket.socket, length: int) -> bytes:
    found = b""
    while len(found) < length:
        more = connection.recv(length - len(found))
        if not more:
            raise EOFError
        found += more
    return found
