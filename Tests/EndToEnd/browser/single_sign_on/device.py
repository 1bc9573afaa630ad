"""A device with single sign-on: a broker, a profile, an extension whose domain agrees to it, and a browser's extension.

Sites have names of their own, so that the domain can prove itself; browser and broker are told that they are here.
"""

import base64
import json
import os
import ssl
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from local_site import LocalSite
from processes import LANYARD, LANYARD_SSO, PROGRAMS, Program, run, wait_until

PROVIDER = "id.acme.test"
APP = "app.maple.test"
EXTENSION = Path(__file__).with_name("answering_extension.py")


class Site(LocalSite):
    """Under a name."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.origin = self.origin.replace("127.0.0.1", name)


class Device:
    """Everything below one folder; ends with `stop`."""

    def __init__(self, folder: Path, paths: list[str], names: tuple[str, str] = ("Acme Sign-In", "Acme")) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.home.mkdir(parents=True)
        self.socket = folder / "run" / "sso.sock"
        self.provider = Site(PROVIDER).__enter__()
        self.app = Site(APP).__enter__()
        self.proof = AssociationSite(folder)
        self.steps, self.notes = folder / "steps.json", folder / "notes.jsonl"
        self.profiles = folder / "profiles"
        self.profiles.mkdir()
        self.names = names
        self.broker: Program | None = None
        self._describe_extension()
        self.cover(paths)

    def _describe_extension(self) -> None:
        folder = self.folder / "extensions"
        folder.mkdir()
        program = folder / "answering-extension"
        program.write_bytes(EXTENSION.read_bytes())
        program.chmod(0o755)
        manifest = {
            "extensionIdentifier": "test.acme.sso.extension", "hostAppIdentifier": "test.acme.sso",
            "teamIdentifier": "ACME123456", "displayName": self.names[0], "executable": str(program),
            "arguments": [str(self.steps), str(self.notes)], "associatedDomains": [f"authsrv:{PROVIDER}"],
        }
        (folder / "acme.json").write_text(json.dumps(manifest))

    def cover(self, paths: list[str]) -> None:
        """Installs a profile for these paths of the provider, in place of the one before."""
        profile = self.profiles / "acme.mobileconfig"
        urls = [argument for path in paths for argument in ("--url", self.provider.origin + path)]
        result = run(
            LANYARD_SSO, "profile", "build", "--identifier", "test.acme.sso.profile", "--organization", self.names[1],
            "--extension", "test.acme.sso.extension", "--team", "ACME123456", *urls, "--out", self.folder / "new")
        assert result.returncode == 0, result.stderr
        (self.folder / "new").rename(profile)

    # The broker.

    @property
    def opener(self) -> Path:
        """What the broker opens pages with: it only notes their addresses."""
        opener = self.folder / "opener"
        opener.write_text(f'#!/bin/sh\necho "$1" >> {self.folder}/opened\n')
        opener.chmod(0o755)
        return opener

    def opened(self, count: int) -> str:
        """The address of a page that was opened on the desktop: the first, the second …"""
        file = self.folder / "opened"
        return wait_until(
            lambda: file.exists() and len(pages := file.read_text().split()) >= count and pages[count - 1], 20,
            "a page is opened on the desktop")

    def start_broker(self) -> None:
        self.broker = Program(
            PROGRAMS / "lanyard-broker", "--socket", self.socket, "--user-profiles", self.profiles,
            "--device-profiles", self.folder / "none", "--allow-user-profiles", "--author",
            "--extensions", self.folder / "extensions", "--state", self.folder / "state",
            "--extra-roots", self.proof.authority, "--domain-address", f"{PROVIDER}=127.0.0.1",
            "--domain-port", str(self.proof.port), "--browser", self.opener, log=self.folder / "broker.log")
        self.broker.wait_until(lambda: self.status() and self.status()["urls"], 20, "the domain has agreed")

    def stop_broker(self) -> None:
        if self.broker:
            self.broker.stop()
            self.broker = None

    def status(self) -> dict[str, Any] | None:
        answer = self.ask_broker("/v1/status")
        return json.loads(answer) if answer else None

    def log(self) -> list[dict[str, Any]]:
        return json.loads(self.ask_broker("/v1/log"))

    def ask_broker(self, path: str) -> str:
        """By curl, as anybody could."""
        return run("curl", "--silent", "--unix-socket", self.socket, f"http://localhost{path}").stdout

    # The extension.

    def will(self, *steps: dict[str, Any]) -> None:
        """What the extension does with the requests from now on."""
        new = self.steps.with_suffix(".new")
        new.write_text(json.dumps(steps))
        new.rename(self.steps)
        self.notes.write_text("")

    def noted(self, name: str) -> list[Any]:
        """What the extension has seen since then."""
        return [line[name] for line in map(json.loads, self.notes.read_text().splitlines()) if name in line]

    def wait_for(self, name: str) -> Any:
        """The first of them."""
        return wait_until(lambda: self.noted(name), 20, f"the extension has seen “{name}”")[0]

    # Files for browsers.

    def host_program(self, name: str = "native-host", script: str | None = None) -> Path:
        """What the browser starts: the host on this device's socket, or a script in its place."""
        program = self.folder / name
        program.write_text(script or f"#!/bin/sh\nLANYARD_SSO_SOCKET='{self.socket}' exec '{LANYARD}' sso native-host \"$@\"\n")
        program.chmod(0o755)
        return program

    def stop(self) -> None:
        self.stop_broker()
        for site in (self.provider, self.app):
            site.__exit__()
        self.proof.stop()


class AssociationSite:
    """The provider's agreement, over HTTPS with an authority of the test's own."""

    def __init__(self, folder: Path) -> None:
        self.authority = folder / "authority.pem"
        key, certificate, request = folder / "site.key", folder / "site.pem", folder / "site.csr"
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=Test authority",
                "-keyout", folder / "authority.key", "-out", self.authority)
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={PROVIDER}", "-keyout", key, "-out", request)
        names = folder / "names"
        names.write_text(f"subjectAltName=DNS:{PROVIDER}\n")
        openssl("x509", "-req", "-days", "30", "-in", request, "-CA", self.authority, "-CAkey",
                folder / "authority.key", "-CAcreateserial", "-extfile", names, "-out", certificate)

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path != "/.well-known/apple-app-site-association":
                    self.send_error(404)
                    return
                body = json.dumps({"authsrv": {"apps": ["ACME123456.test.acme.sso"]}}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_) -> None:
                pass

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def openssl(*arguments: str | Path) -> None:
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, timeout=60)


# What the extension can answer.


def response(status: int, headers: list[tuple[str, str]] = [], body: str | None = None, url: str = "$URL") -> dict:
    content: dict[str, Any] = {"url": url, "status": status, "headers": [list(header) for header in headers]}
    if body is not None:
        content["body"] = base64.b64encode(body.encode()).decode()
    return {"answer": {"response": {"_0": content}}}


def redirection(location: str, *cookies: str) -> dict:
    return response(302, [("Location", location), *(("Set-Cookie", cookie) for cookie in cookies)])


DECLINES = {"answer": {"doNotHandle": {}}}
CANCELS = {"answer": {"canceled": {}}}


def form(title: str = "Sign in to Acme", **more: Any) -> dict:
    fields = [
        {"name": "user", "label": "User name", "kind": "text"},
        {"name": "password", "label": "Password", "kind": "password"},
    ]
    return {"present": {"title": title, "fields": fields, "submit": "Sign in"} | more}
