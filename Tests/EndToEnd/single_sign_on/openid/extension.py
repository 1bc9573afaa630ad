"""The OpenID extension as the broker runs it: a program with one end of a socket pair, and frames of JSON."""

import base64
import json
import os
import socket
import struct
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from processes import PATIENCE, PROGRAMS, ROOT

EXTENSION = PROGRAMS / "lanyard-openid"
MANIFEST = json.loads((ROOT / "share" / "sso" / "org.lanyard.openid.json").read_text())
# The domain that has to approve the extension; the identity provider is named by the profile.
DOMAIN_URL = "https://id.acme.test/"

# Gets the form and answers with what is typed, by label; None presses Cancel.
Person = Callable[[dict], dict[str, str] | None]


@dataclass
class Answer:
    """How a request ended, and what was presented on the way."""

    kind: str
    content: Any
    forms: list[dict] = field(default_factory=list)
    pages: list[str] = field(default_factory=list)

    @property
    def status(self) -> int:
        return self.content["_0"]["status"]

    @property
    def response(self) -> dict:
        assert self.kind == "response", self
        return self.content["_0"]

    @property
    def location(self) -> str:
        assert self.status == 302, self
        return dict(self.response["headers"])["Location"]

    @property
    def body(self) -> str:
        return base64.b64decode(self.response["body"]).decode()

    @property
    def json(self) -> dict:
        return json.loads(self.body)

    @property
    def error(self) -> dict:
        assert self.kind == "failed", self
        return self.content["_0"]


NOT_INTERACTIVE = 1005
# The return URL at the broker, as the extension would be told it.
RETURN_URL = "http://127.0.0.1:9/callback"


class Extension:
    """One run of the program on a folder of data, which it shares with the runs before and after."""

    program = EXTENSION
    # The command with which it is started, if it is not started directly.
    entering: tuple[str, ...] = ()
    # Of the payload.
    realm = ""
    is_credential = False

    def __init__(self, data: Path, log: Path, environment: dict[str, str] | None = None):
        self.data = data
        self.log = log
        self._numbers = count(1)
        self._queues: dict[int, Queue] = {}
        ours, theirs = socket.socketpair()
        self._socket = ours
        self._writing = threading.Lock()
        # No desktop's keyring unless the test brings one.
        inherited = {name: value for name, value in os.environ.items()
                     if name not in ("DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR")}
        with log.open("ab") as errors:
            self.process = subprocess.Popen(
                [*self.entering, self.program], pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, stdout=errors, stderr=errors,
                env=inherited | (environment or {}) | {
                    "LANYARD_SSO_EXTENSION_SOCKET": str(theirs.fileno()), "LANYARD_SSO_EXTENSION_DATA": str(data)})
        theirs.close()
        assert self._receive() == {"ready": {"version": 1}}, log.read_text()
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self) -> "Extension":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """As the broker ends it: the socket is closed."""
        self._socket.shutdown(socket.SHUT_RDWR)
        status = self.process.wait(timeout=60)
        assert status == 0, f"The extension ended with status {status}: {self.log.read_text()}"
        self._socket.close()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(timeout=60)
        self._socket.close()

    # Asking

    def ask(
        self, url: str, operation: str = "", *, person: Person | None = None, caller: str = "org.example.caller",
        is_managed: bool = False, options: dict | None = None, data: dict | None = None, headers: dict | None = None,
        body: bytes = b"", browser: Callable[[str, str], str | None] | None = None, timeout: float = 60,
    ) -> Answer:
        """One request to its end. Without a person or a browser nothing may be presented.

        The browser gets the page's URL and the return URL, and tells where it came back.
        """
        number = self.begin(
            url, operation, caller=caller, is_managed=is_managed, options=options, data=data, headers=headers, body=body,
            isUserInterfaceEnabled=bool(person or browser))
        return self.finish(number, person=person, browser=browser, timeout=timeout)

    def begin(
        self, url: str, operation: str = "", *, caller: str = "org.example.caller", is_managed: bool = False,
        options: dict | None = None, data: dict | None = None, headers: dict | None = None, body: bytes = b"",
        isUserInterfaceEnabled: bool = False,
    ) -> int:
        """`is_managed`: whether the caller is one of the apps that the administrator has named."""
        number = next(self._numbers)
        self._queues[number] = Queue()
        self._send({"begin": {"_0": {
            "id": number, "url": url, "operation": operation, "headers": list((headers or {}).items()),
            "body": base64.b64encode(body).decode(), "realm": self.realm, "extensionData": data or {}, "options": options or {},
            "caller": {
                "bundleIdentifier": caller, "teamIdentifier": "", "displayName": caller, "isManaged": is_managed,
                "processIdentifier": os.getpid()},
            "isUserInterfaceEnabled": isUserInterfaceEnabled, "isCredential": self.is_credential}}})
        return number

    def cancel(self, number: int) -> None:
        self._send({"cancel": {"id": number}})

    def finish(
        self, number: int, *, person: Person | None = None, browser: Callable | None = None, timeout: float = 60,
    ) -> Answer:
        forms, pages, return_url = [], [], None
        while True:
            report = self.report(number, timeout)
            (kind, content), = report.items()
            match kind:
                case "completed":
                    (outcome, value), = content["_1"].items()
                    return Answer(outcome, value, forms, pages)
                case "presentForm":
                    form = content["_1"]
                    forms.append(form)
                    typed = person(form) if person else None
                    self.present(number, form, typed)
                case "prepareWebPage":
                    return_url = RETURN_URL
                    self._send({"returnURL": {"id": number, "_1": return_url}})
                case "presentWebPage":
                    pages.append(content["_1"])
                    back = browser(content["_1"], return_url) if browser else None
                    result = {"returned": {"_0": back}} if back else {"canceled": {}}
                    self._send({"presented": {"id": number, "_1": result}})

    def present(self, number: int, form: dict, typed: dict[str, str] | None) -> None:
        """What the person typed, by label; what stands in the form already stays."""
        if typed is None:
            self._send({"presented": {"id": number, "_1": {"canceled": {}}}})
            return
        values = {field["name"]: field["value"] for field in form["fields"] if field.get("value")}
        for label, value in typed.items():
            names = [field["name"] for field in form["fields"] if field["label"] == label]
            assert names, (label, form)
            values[names[0]] = value
        self._send({"presented": {"id": number, "_1": {"submitted": {"_0": values}}}})

    def report(self, number: int, timeout: float = 60) -> dict:
        """The next message about a request."""
        try:
            return self._queues[number].get(timeout=timeout * PATIENCE)
        except Empty:
            raise TimeoutError(f"no answer within {timeout} s:\n{self.log.read_text()[-4000:]}") from None

    # Frames

    def _send(self, message: dict) -> None:
        data = json.dumps(message).encode()
        with self._writing:
            self._socket.sendall(struct.pack(">I", len(data)) + data)

    def _receive(self) -> dict | None:
        head = self._exactly(4)
        body = head and self._exactly(struct.unpack(">I", head)[0])
        return json.loads(body) if body else None

    def _exactly(self, count: int) -> bytes | None:
        data = b""
        while len(data) < count:
            try:
                part = self._socket.recv(count - len(data))
            except OSError:
                return None
            if not part:
                return None
            data += part
        return data

    def _read(self) -> None:
        while message := self._receive():
            (_, content), = message.items()
            self._queues[content["id"]].put(message)
