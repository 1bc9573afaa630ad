"""A web site on this machine, of an origin of its own: an app's pages, or what stands in for a server."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class Document:
    content: str
    type: str = "text/html; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)
    status: int = 200


# Makes the answer of a path from the parameters of the query, or of a form that is posted to it.
Answer = Callable[[dict[str, str]], Document]


class LocalSite:
    """Serves what is put into `paths`, which may change while it runs."""

    def __init__(self) -> None:
        self.paths: dict[str, Answer] = {"/favicon.ico": lambda _: Document("", "image/x-icon")}
        # Bodies of forms that were posted here, by path.
        self.posted: dict[str, dict[str, str]] = {}
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                address = urlsplit(self.path)
                answer = site.paths.get(address.path)
                if answer is None:
                    self.send_error(404)
                    return
                self.send(answer(first_values(address.query)))

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                path = urlsplit(self.path).path
                site.posted[path] = first_values(body)
                answer = site.paths.get(path, lambda _: Document("<!doctype html><title>App</title><main>Welcome</main>"))
                self.send(answer(site.posted[path]))

            def send(self, document: Document) -> None:
                content = document.content.encode()
                self.send_response(document.status)
                headers = {"Content-Type": document.type, "Content-Length": str(len(content))} | document.headers
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})
        self.origin = f"http://127.0.0.1:{self._server.server_port}"

    def show(self, path: str, content: str, **headers: str) -> str:
        """Puts a page there; its address."""
        document = Document(content, headers={name.replace("_", "-"): value for name, value in headers.items()})
        self.paths[path] = lambda _: document
        return self.origin + path

    def __enter__(self) -> "LocalSite":
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def first_values(query: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(query, keep_blank_values=True).items()}
