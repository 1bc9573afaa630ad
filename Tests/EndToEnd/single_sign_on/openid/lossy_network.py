"""The network between a program and a server, which can keep an answer back for ever."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from queue import Queue


class LossyNetwork:
    """Passes on what both sides say, but for answers to requests that contain `lost`."""

    def __init__(self, port: int):
        """`port`: where the server listens."""
        self.port = port
        self.lost: bytes | None = None
        # Whether the program hears that its answer is lost, or waits.
        self.hangs_up = False
        # What the server has answered and nobody got.
        self.lost_answers: Queue[bytes] = Queue()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self._thread = threading.Thread(target=self._accept)
        self._thread.start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listener.close()
        for connection in self._open:
            connection.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self.port))
            self._open += [client, server]
            threading.Thread(target=self._carry, args=(client, server), daemon=True).start()

    def _carry(self, client: socket.socket, server: socket.socket) -> None:
        """One side after the other: nobody here sends a request before the last answer has come."""
        losing = threading.Event()

        def answers() -> None:
            while data := receive(server):
                if not losing.is_set():
                    client.sendall(data)
                    continue
                self.lost_answers.put(data)
                if self.hangs_up:
                    break
            client.shutdown(socket.SHUT_RDWR)

        threading.Thread(target=answers, daemon=True).start()
        while data := receive(client):
            if self.lost and self.lost in data:
                losing.set()
            server.sendall(data)
        server.shutdown(socket.SHUT_RDWR)


def receive(connection: socket.socket) -> bytes:
    try:
        return connection.recv(65_536)
    except OSError:
        return b""


@contextmanager
def lossy_network(port: int) -> Iterator[LossyNetwork]:
    network = LossyNetwork(port)
    try:
        yield network
    finally:
        network.close()
