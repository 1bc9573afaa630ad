"""A site of somebody else's that notes which cookies came along with each request."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class CookieSite:
    """Every path has a page whose title is the path; `/set` sets a cookie for the site's own requests only."""

    def __init__(self, name: str = "127.0.0.1") -> None:
        # The request's method and target, and its cookies.
        self.seen: list[tuple[str, str]] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                if self.path != "/favicon.ico":  # Which browsers ask for when they like.
                    site.seen.append((f"{self.command} {self.path}", self.headers.get("Cookie", "")))
                content = f"<!doctype html><title>{self.path}</title>".encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(content)))
                if self.path == "/set":
                    self.send_header("Set-Cookie", "strict=1; Path=/; SameSite=Strict")
                    self.send_header("Set-Cookie", "lax=1; Path=/; SameSite=Lax")
                self.end_headers()
                self.wfile.write(content)

            do_POST = do_GET

            def log_message(self, *_) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})
        self.origin = f"http://{name}:{self._server.server_port}"

    def cookies(self, request: str) -> list[str]:
        """The cookies of each request for this path, in order."""
        return [cookies for target, cookies in self.seen if target == request]

    def __enter__(self) -> "CookieSite":
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
