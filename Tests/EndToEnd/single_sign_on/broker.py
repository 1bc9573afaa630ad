"""A broker of single sign-on on a device made up for a test: profiles, extensions, and domains that agree to them."""

import http.client
import json
import os
import socket
import ssl
import subprocess
import threading
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from processes import PROGRAMS, Program

BROKER = PROGRAMS / "lanyard-broker"
TEST_EXTENSION = PROGRAMS / "sso-test-extension"
LANYARD = PROGRAMS / "lanyard"
TEAM = "ACME123456"
EXTENSION = "test.acme.signin.extension"
APP = "test.acme.signin"


class SocketConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: Path, timeout: float = 30):
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))


class Authority:
    """A certificate authority of the test's own, and certificates for any names."""

    def __init__(self, folder: Path):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.certificate = folder / "ca.pem"
        self._key = folder / "ca.key"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-subj", "/CN=Test Authority", "-keyout", self._key, "-out", self.certificate],
            check=True, capture_output=True)

    def issue(self, *names: str) -> Path:
        """A file with key and certificate."""
        path = self.folder / f"{names[0]}.pem"
        request = self.folder / f"{names[0]}.csr"
        extensions = self.folder / f"{names[0]}.ext"
        extensions.write_text("subjectAltName=" + ",".join(f"DNS:{name}" for name in names))
        subprocess.run(
            ["openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
             f"/CN={names[0]}", "-keyout", path, "-out", request], check=True, capture_output=True)
        certificate = subprocess.run(
            ["openssl", "x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self._key, "-CAcreateserial",
             "-days", "1", "-extfile", extensions], check=True, capture_output=True).stdout
        path.write_bytes(path.read_bytes() + certificate)
        return path


class Domains:
    """A server with TLS that is every domain of the test, and names the apps that each agrees to."""

    def __init__(self, authority: Authority, *names: str):
        self.apps: dict[str, list[str]] = {name: [f"{TEAM}.{APP}"] for name in names}
        self.asked: list[str] = []
        domains = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                host = self.headers["Host"].split(":")[0]
                domains.asked.append(host)
                body = json.dumps({"authsrv": {"apps": domains.apps.get(host, [])}}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(authority.issue(*names))
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def profile(payloads: list[str], identifier: str = "test.acme.sso") -> bytes:
    """A configuration profile around payloads."""
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0"><dict>
<key>PayloadType</key><string>Configuration</string><key>PayloadVersion</key><integer>1</integer>
<key>PayloadIdentifier</key><string>{identifier}</string>
<key>PayloadUUID</key><string>{_uuid(identifier)}</string>
<key>PayloadDisplayName</key><string>Acme single sign-on</string>
<key>PayloadContent</key><array>{"".join(payloads)}</array>
</dict></plist>""".encode()


def payload(kind: str, extra: str, identifier: str = "test.acme.sso.payload", extension: str = EXTENSION,
            team: str = TEAM) -> str:
    return f"""<dict><key>PayloadType</key><string>com.apple.extensiblesso</string>
<key>PayloadVersion</key><integer>1</integer><key>PayloadIdentifier</key><string>{identifier}</string>
<key>PayloadUUID</key><string>{_uuid(identifier)}</string>
<key>ExtensionIdentifier</key><string>{extension}</string><key>TeamIdentifier</key><string>{team}</string>
<key>Type</key><string>{kind}</string>{extra}</dict>"""


def managed_domains(app: str, entries: list[str]) -> str:
    """A payload that gives domains to an app."""
    return f"""<dict><key>PayloadType</key><string>com.apple.associated-domains</string><key>PayloadVersion</key>
<integer>1</integer><key>PayloadIdentifier</key><string>test.acme.sso.domains</string><key>PayloadUUID</key>
<string>{_uuid("test.acme.sso.domains")}</string><key>Configuration</key><array><dict><key>ApplicationIdentifier</key>
<string>{app}</string>{strings("AssociatedDomains", entries)}</dict></array></dict>"""


def strings(key: str, values: list[str]) -> str:
    return f"<key>{key}</key><array>{''.join(f'<string>{value}</string>' for value in values)}</array>"


def _uuid(text: str) -> str:
    import uuid

    return str(uuid.uuid5(uuid.NAMESPACE_DNS, text)).upper()


@dataclass
class Device:
    """Folders of a device, and its broker."""

    folder: Path
    authority: Authority
    domains: Domains
    options: list[str] = field(default_factory=list)
    # The command with which the broker is started, if the test does not start it directly.
    entering: list[str] = field(default_factory=list)
    program: Program | None = None
    # Whether the broker is told where the domains are, which no name server knows.
    knows_addresses: bool = True

    def __post_init__(self) -> None:
        self.profiles.mkdir(parents=True)
        self.extensions.mkdir()
        self.socket = self.folder / "run" / "sso.sock"

    @property
    def profiles(self) -> Path:
        return self.folder / "profiles"

    @property
    def extensions(self) -> Path:
        return self.folder / "extensions"

    @property
    def state(self) -> Path:
        return self.folder / "state"

    def install_profile(self, content: bytes, name: str = "acme") -> None:
        draft = self.profiles / f".{name}"
        draft.write_bytes(content)
        draft.chmod(0o644)
        draft.rename(self.profiles / f"{name}.mobileconfig")

    def install_extension(self, **changes: Any) -> None:
        manifest = {
            "extensionIdentifier": EXTENSION, "hostAppIdentifier": APP, "teamIdentifier": TEAM,
            "displayName": "Acme Sign-In", "executable": str(TEST_EXTENSION),
            "associatedDomains": [f"authsrv:{name}" for name in self.domains.apps], "acceptsManagedDomains": True,
        } | changes
        path = self.extensions / f"{manifest['extensionIdentifier']}.json"
        path.write_text(json.dumps(manifest))
        path.chmod(0o644)

    def start(self, *options: str, program: list[str | Path] | None = None, roots: Path | None = None) -> None:
        """The broker as this user's program, or by a command that makes it another's, who can read these roots."""
        self.program = Program(
            *(program or [*self.entering, BROKER]), "--socket", self.socket, "--user-profiles", self.profiles,
            "--allow-user-profiles",
            "--device-profiles", self.folder / "none", "--extensions", self.extensions, "--state", self.state,
            "--author", "--idle", "10", "--extra-roots", roots or self.authority.certificate, "--domain-port",
            str(self.domains.port),
            *[f"--domain-address={name}=127.0.0.1" for name in self.domains.apps if self.knows_addresses], *self.options, *options,
            log=self.folder / "broker.log")
        self.program.wait_until(lambda: "ready" in self.program.log_text, 20, "the broker is ready")

    @contextmanager
    def running(self) -> Iterator[None]:
        """Its broker runs and its domains answer while the block does."""
        try:
            self.start()
            self.wait_for_domains()
            yield
        finally:
            self.stop()
            self.domains.close()

    def stop(self) -> None:
        if self.program:
            self.program.stop()
            self.program = None

    def wait_for_domains(self) -> None:
        assert self.program
        self.program.wait_until(
            lambda: all(domain["state"] not in ("unchecked", "unreachable") for domain in self.get("/v1/domains")),
            20, "the domains were asked")

    # What callers ask.

    def get(self, path: str) -> Any:
        connection = SocketConnection(self.socket)
        connection.request("GET", path)
        return json.loads(connection.getresponse().read())

    def post(self, path: str, body: Any) -> tuple[int, Any]:
        connection = SocketConnection(self.socket)
        connection.request("POST", path, body=json.dumps(body))
        response = connection.getresponse()
        return response.status, json.loads(response.read())

    def ask(self, url: str, timeout: float = 30, **fields: Any) -> dict[str, Any]:
        """The last line of the answer."""
        connection = SocketConnection(self.socket, timeout)
        connection.request("POST", "/v1/requests", body=json.dumps({"url": url, "presentation": "none"} | fields))
        response = connection.getresponse()
        lines = response.read().splitlines()
        assert response.status == 200, lines
        return json.loads(lines[-1])

    def match(self, url: str, code: int = 0) -> dict[str, Any]:
        return self.get(f"/v1/match?url={urllib.parse.quote(url, safe='')}&responseCode={code}")


def body_of(outcome: dict[str, Any]) -> str:
    import base64

    return base64.b64decode(outcome["response"]["body"]).decode()


def user() -> int:
    return os.geteuid()
