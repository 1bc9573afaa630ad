"""A device whose extension knows one account, the sites that belong to it, and `lanyard sso` on that device."""

import base64
import json
import os
import subprocess
import threading
import urllib.parse
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from broker import Device
from processes import LANYARD_SSO, PROGRAMS, ROOT

ACCOUNT_EXTENSION = PROGRAMS / "sso-account-extension"
NATIVE_APP = PROGRAMS / "native-sign-in"
PROVIDER = "https://id.acme.test/realms/staff/"
COVERED = f"{PROVIDER}authorize"
# Parts of the extension's answers that must not appear anywhere else.
SECRETS = ("access-of-mika", "session-of-mika", "code-of-mika", "ticket", "secret")


@dataclass
class CommandLine:
    """`lanyard sso` on a device, without a terminal."""

    device: Device

    def environment(self, **more: str) -> dict[str, str]:
        names = ("PATH", "HOME", "LANG", "TMPDIR")
        return {name: os.environ[name] for name in names if name in os.environ} | {
            "LANYARD_SSO_SOCKET": str(self.device.socket)} | more

    def run(self, *arguments: str | Path, input: str | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
        return self.program(LANYARD_SSO, *arguments, input=input, **environment)

    def program(self, *words: str | Path, input: str | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(word) for word in words], cwd=ROOT, env=self.environment(**environment), text=True, timeout=60,
            capture_output=True, **({"input": input} if input is not None else {"stdin": subprocess.DEVNULL}))

    def text(self, *arguments: str | Path, **options: Any) -> str:
        done = self.run(*arguments, **options)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def json(self, *arguments: str | Path, exit_code: int = 0) -> Any:
        done = self.run(*arguments, "--json")
        assert done.returncode == exit_code, done.stdout + done.stderr
        return json.loads(done.stdout)

    def failure(self, *arguments: str | Path, exit_code: int) -> str:
        done = self.run(*arguments)
        assert done.returncode == exit_code, (done.returncode, done.stdout, done.stderr)
        assert done.stdout == ""
        return done.stderr


class Site:
    """An app's web server: pages for those who signed in at the identity provider, or answer a challenge."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, str, dict[str, str]]] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self.answer(b"")

            def do_POST(self) -> None:
                self.answer(self.rfile.read(int(self.headers.get("Content-Length", "0"))))

            def answer(self, body: bytes) -> None:
                url = urllib.parse.urlsplit(self.path)
                query = dict(urllib.parse.parse_qsl(url.query))
                form = dict(urllib.parse.parse_qsl(body.decode(errors="replace")))
                site.requests.append((self.command, self.path, dict(self.headers)))
                getattr(self, f"page_{url.path.strip('/') or 'index'}", self.nothing)(query, form)

            def page_index(self, query: dict[str, str], form: dict[str, str]) -> None:
                cookies = self.headers.get("Cookie", "")
                user = next((part[4:] for part in cookies.split("; ") if part.startswith("app=")), None)
                if user:
                    return self.say(200, f"Hello {user}")
                way = query.get("way", "authorize")
                back = "acs" if way == "saml" else "callback"
                self.redirect(f"{PROVIDER}{way}?to=http://127.0.0.1:{site.port}/{back}")

            def page_callback(self, query: dict[str, str], form: dict[str, str]) -> None:
                user = query["code"].removeprefix("code-of-")
                self.redirect("/", f"app={user}; Path=/; HttpOnly")

            def page_acs(self, query: dict[str, str], form: dict[str, str]) -> None:
                if form != {"SAMLResponse": "response-of-mika&<x>ä", "RelayState": "a b"}:
                    return self.say(400, f"not the form: {form}")
                self.redirect("/", "app=mika by SAML; Path=/")

            def page_challenge(self, query: dict[str, str], form: dict[str, str]) -> None:
                given = self.headers.get("Authorization")
                wanted = "Basic " + base64.b64encode(b"mika:ticket").decode()
                self.say(200, "In") if given == wanted else self.challenge('Basic realm="corp"')

            def page_legs(self, query: dict[str, str], form: dict[str, str]) -> None:
                match self.headers.get("Authorization"):
                    case "Legs second": self.say(200, "In")
                    case "Legs first": self.challenge("Legs again")
                    case _: self.challenge("Legs")

            def page_away(self, query: dict[str, str], form: dict[str, str]) -> None:
                self.redirect(f"http://localhost:{site.port}/api")

            def page_digest(self, query: dict[str, str], form: dict[str, str]) -> None:
                self.challenge('Digest realm="corp"')

            def page_api(self, query: dict[str, str], form: dict[str, str]) -> None:
                is_in = self.headers.get("Authorization") == "Bearer access-of-mika"
                self.say(200 if is_in else 403, "burger" if is_in else "no")

            def nothing(self, query: dict[str, str], form: dict[str, str]) -> None:
                self.say(404, "nothing")

            def challenge(self, text: str) -> None:
                self.say(401, "who?", ("WWW-Authenticate", text))

            def redirect(self, location: str, cookie: str | None = None) -> None:
                self.say(302, "", ("Location", location), *([("Set-Cookie", cookie)] if cookie else []))

            def say(self, status: int, text: str, *headers: tuple[str, str]) -> None:
                self.send_response(status)
                for name, value in headers:
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(text.encode())))
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
