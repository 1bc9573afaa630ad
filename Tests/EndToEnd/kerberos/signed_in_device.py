"""A device whose profile is for a realm, with the broker and the command line, and what a person types there."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kerberos.device import PROGRAM
from kerberos.domain_controller import Domain
from kerberos.kdc import PASSWORD, Realm
from kerberos.negotiate_site import INTRANET
from processes import LANYARD_SSO, ROOT, run
from single_sign_on.broker import Authority, Device, Domains, payload, profile, strings
from terminal import TerminalProgram, in_terminal

MANIFEST = json.loads((ROOT / "share" / "sso" / "org.lanyard.kerberos.json").read_text())


class RealmDevice:
    """`data`: keys of `ExtensionData`, as XML. `cache`: what says that tickets are in a folder: the `environment` of the session,
    the `configuration` of the machine, which other programs of the tests do not read, or nothing. In a domain all programs of the
    device are in its network."""

    def __init__(
        self, folder: Path, realm: Realm | Domain, data: str = "", hosts: tuple[str, ...] = (INTRANET,), *,
        cache: str = "environment", **environment: str
    ):
        self.folder, self.realm = folder, realm
        self.name, self.entering = (realm.realm, realm.entering) if isinstance(realm, Domain) else (realm.name, ())
        self._profiles = 0
        authority = Authority(folder / "authority")
        # A credential extension needs no domain's approval; the broker of the tests has one anyway.
        self.broker = Device(folder / "device", authority, Domains(authority, "id.acme.test"))
        for name in ("run", "config"):
            (folder / name).mkdir(mode=0o700)
        settings = realm.settings
        if cache == "configuration":
            settings = realm.client_settings(
                f"{folder.name}.conf", defaults=f"    default_ccache_name = DIR:{folder}/run/tickets\n")
        self.environment = {
            "KRB5_CONFIG": str(settings), "XDG_RUNTIME_DIR": f"{folder}/run", "XDG_CONFIG_HOME": f"{folder}/config",
            "LANGUAGE": "en"} | ({"KRB5CCNAME": f"DIR:{folder}/run"} if cache == "environment" else {}) | environment
        self.broker.entering = [
            *self.entering, "env", "--unset=KRB5CCNAME", *(f"{name}={value}" for name, value in self.environment.items())]
        self.broker.install_extension(**MANIFEST | {"executable": str(PROGRAM)})
        self.set_data(data, hosts)

    def set_data(self, data: str, hosts: tuple[str, ...] = (INTRANET,)) -> None:
        """Installs the profile anew, and waits until a broker that runs has read it."""
        self._profiles += 1
        mark = f"profile-{self._profiles}.school.test"
        self.broker.install_profile(profile([payload(
            "Credential",
            strings("Hosts", [*hosts, mark]) + f"<key>Realm</key><string>{self.name}</string>"
            f"<key>ExtensionData</key><dict>{data}</dict>",
            extension=MANIFEST["extensionIdentifier"], team=MANIFEST["teamIdentifier"])]))
        if program := self.broker.program:
            program.wait_until(
                lambda: self.broker.match(f"https://{mark}/", 401)["isCovered"], 20, "the broker has read the profile")

    @contextmanager
    def running(self) -> Iterator["RealmDevice"]:
        try:
            # No domain has to agree, so none is waited for. Besides, a broker in the network of a domain answers nobody outside.
            self.broker.start()
            yield self
        finally:
            self.broker.stop()
            self.broker.domains.close()

    @property
    def variables(self) -> list[str]:
        return [f"LANYARD_SSO_SOCKET={self.broker.socket}", "LANGUAGE=en"]

    def kerberos(self, *words: str) -> subprocess.CompletedProcess[str]:
        """`lanyard-sso kerberos`, where nobody sits."""
        return run(*self.entering, "env", *self.variables, LANYARD_SSO, "kerberos", *words)

    def status(self, *words: str) -> dict[str, Any]:
        return json.loads(self.kerberos("status", "--json", *words).stdout)

    @contextmanager
    def typing(self, *words: str, out: Path | None = None, **environment: str) -> Iterator[TerminalProgram]:
        """The same in a terminal. `out`: a file that gets what goes to the standard output."""
        variables = dict(variable.split("=", 1) for variable in self.variables)
        into = ("sh", "-c", 'exec "$@" > "$0"', out) if out else ()
        with in_terminal(
            *self.entering, *into, LANYARD_SSO, "kerberos", *words, environment=dict(os.environ) | variables | environment
        ) as program:
            yield program

    def sign_in(self, name: str, password: str = PASSWORD, *, remember: bool = False) -> str:
        with self.typing("sign-in") as program:
            program.expect("User name.*: ")
            program.type(f"{name}\n")
            program.expect("Password.*: ")
            program.type(f"{password}\n")
            program.expect("Save the password.*: ")
            program.type("y\n" if remember else "\n")
            assert program.end() == 0, program.output
            return program.output

    def run(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        """Another program of the person's."""
        return run(
            *self.entering, "env", *(f"{name}={value}" for name, value in self.environment.items()), *words)

    @property
    def log(self) -> str:
        assert self.broker.program
        return self.broker.program.log_text
