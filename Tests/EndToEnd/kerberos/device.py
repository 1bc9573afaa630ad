"""The extension for Kerberos as the broker runs it, on a device with folders of its own."""

import http.client
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kerberos.kdc import PASSWORD, Realm
from kerberos.negotiate_site import NegotiateSite
from processes import PROGRAMS, run
from single_sign_on.openid.extension import Answer, Extension

PROGRAM = PROGRAMS / "lanyard-kerberos"
HEADER = "X-SSO-Kerberos-"

# Gets the form and answers with what is typed, by label; None presses Cancel.
Answering = Callable[[dict], dict[str, str] | None]


class KerberosExtension(Extension):
    """One run of the program for one realm. What it shows is in English."""

    program = PROGRAM
    is_credential = True

    def __init__(self, device: "KerberosDevice"):
        self.realm = device.name
        self.entering = device.entering
        super().__init__(device.folder / "data", device.folder / "extension.log", device.environment)

    def operation(self, name: str, **options: Any) -> Answer:
        return self.ask(f"sso-realm:{self.realm}", name, **options)

    def challenge(self, url: str, *challenges: str, is_proxy: bool = False, **options: Any) -> Answer:
        found = {"challenges": list(challenges or ["Negotiate"]), "isProxy": is_proxy, "responseCode": 401}
        more = options.pop("options", {})
        return self.ask(url, options=found | more, **options)


class KerberosDevice:
    """Folders of a device, whose programs share tickets in a folder below `XDG_RUNTIME_DIR`."""

    def __init__(
        self, folder: Path, name: str, settings: Path, entering: tuple[str, ...] = (), **environment: str
    ):
        """`name`: of the realm. `entering`: a wrapper for commands in the realm's network."""
        self.folder, self.name, self.entering = folder, name, entering
        for name in ("data", "run", "config"):
            (folder / name).mkdir(parents=True)
        self.environment = {
            "KRB5_CONFIG": str(settings), "XDG_RUNTIME_DIR": str(folder / "run"),
            "XDG_CONFIG_HOME": str(folder / "config"), "KRB5CCNAME": f"DIR:{folder}/run/tickets", "LANGUAGE": "en",
        } | environment
        (folder / "run" / "tickets").mkdir(mode=0o700)

    @property
    def files(self) -> Path:
        """Where an administrator puts keys and certificates."""
        path = self.folder / "config" / "lanyard" / "sso" / "kerberos"
        path.mkdir(parents=True, exist_ok=True)
        return path

    def start(self) -> KerberosExtension:
        return KerberosExtension(self)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """One of the person's own programs."""
        variables = [f"{key}={value}" for key, value in self.environment.items()]
        return run(*self.entering, "env", *variables, *arguments)

    def tickets(self) -> str:
        """What the person's own programs find."""
        return self.run("klist", "-A").stdout

    def destroy_tickets(self) -> None:
        self.run("kdestroy", "-A")
        for file in (self.folder / "run").rglob("*sso-*"):
            file.unlink()

    @property
    def log(self) -> str:
        return (self.folder / "extension.log").read_text()


def types(*rounds: dict[str, str] | None) -> Answering:
    """Somebody who answers one form after the other, and presses Cancel when there is nothing left to type."""
    left = list(rounds)
    return lambda _: left.pop(0) if left else None


def signs_in(name: str, password: str = PASSWORD, **more: str) -> Answering:
    return types({"User name": name, "Password": password} | more)


def headers(answer: Answer) -> dict[str, str]:
    """What an operation tells, without the beginning that all names have."""
    return {name.removeprefix(HEADER): value for name, value in answer.response["headers"] if name.startswith(HEADER)}


def authorization(answer: Answer, name: str = "Authorization") -> str:
    assert answer.kind == "headers", answer
    return dict(answer.content["_0"])[name]


def load(site: NegotiateSite, page: str, authorization: str | None = None) -> tuple[int, str, list[str]]:
    """Status, page and challenges, from the site under its own name."""
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=20)
    sent = {"Host": f"{site.host}:{site.port}"} | ({"Authorization": authorization} if authorization else {})
    connection.request("GET", page, headers=sent)
    response = connection.getresponse()
    body = response.read().decode()
    connection.close()
    return response.status, body, [
        value for key, value in response.getheaders() if key.lower() == "www-authenticate"]


def failed_attempts(realm: Realm, name: str) -> int:
    """How many wrong passwords the KDC has counted since the last right one."""
    found = re.search(r"Failed password attempts: (\d+)", realm.kadmin("getprinc", name))
    assert found
    return int(found[1])


def is_hidden(path: Path) -> bool:
    """Whether only the owner can read it."""
    return os.stat(path).st_mode & 0o077 == 0
