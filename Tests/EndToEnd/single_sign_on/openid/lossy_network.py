"""The network between a program and a server, which can keep an answer back for ever."""

import socket
import threading
from contextlib import suppress
from queue import Queue
from socketserver import BaseRequestHandler, ThreadingTCPServer


class LossyNetwork(ThreadingTCPServer):
    """Passes on what both sides say, but for answers to requests that contain `lost`. Runs while the block does."""

    daemon_threads = True

    def __init__(self, port: int):
        """`port`: where the server listens."""
        super().__init__(("127.0.0.1", 0), _Connection)
        self.port = port
        self.lost: bytes | None = None
        # Whether the connection is closed when an answer is lost; otherwise the program waits for it.
        self.hangs_up = False
        # Answers of the server that did not reach the program.
        self.lost_answers: Queue[bytes] = Queue()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def __enter__(self) -> "LossyNetwork":
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


class _Connection(BaseRequestHandler):
    """One side after the other: nobody here sends a request before the last answer has come."""

    server: LossyNetwork
    request: socket.socket

    def handle(self) -> None:
        losing = threading.Event()
        with socket.create_connection(("127.0.0.1", self.server.port)) as server:
            answers = threading.Thread(target=self._answers, args=(server, losing), daemon=True)
            answers.start()
            with suppress(OSError):
                while data := self.request.recv(65_536):
                    if self.server.lost and self.server.lost in data:
                        losing.set()
                    server.sendall(data)
            with suppress(OSError):
                server.shutdown(socket.SHUT_RDWR)
            answers.join()

    def _answers(self, server: socket.socket, losing: threading.Event) -> None:
        with suppress(OSError):
            while data := server.recv(65_536):
                if not losing.is_set():
                    self.request.sendall(data)
                    continue
                self.server.lost_answers.put(data)
                if self.server.hangs_up:
                    break
            self.request.shutdown(socket.SHUT_RDWR)
