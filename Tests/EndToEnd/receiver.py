"""An app's server that receives notifications."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Receiver:
    """Answers with `status` at once, or with `answers=False` accepts requests and never answers."""

    def __init__(self, port: int, answers: bool = True, status: int = 200):
        self.payloads: list[str] = []
        self.arrived = threading.Event()
        self._released = threading.Event()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.payloads.append(json.loads(body)["payload"])
                receiver.arrived.set()
                if not answers:
                    receiver._released.wait(60)
                    return
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})

    def __enter__(self) -> "Receiver":
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
