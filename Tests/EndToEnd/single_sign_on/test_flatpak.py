"""Callers in Flatpak's sandboxes: their ids are what Flatpak says, and cannot be another's.

docs/specifications/extensible-single-sign-on.md, 12."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from broker import BROKER, TEST_EXTENSION, Authority, Device, Domains, body_of, payload, profile, strings
from flatpak import Person, person
from processes import LANYARD_SSO, wait_until

BASE = "https://id.acme.test/realms/staff"
COVERED = strings("URLs", [f"{BASE}/"])
BURGERS, TACOS = "test.acme.Burgers", "test.acme.Tacos"


@pytest.fixture(scope="module")
def somebody() -> Iterator[Person]:
    with person() as somebody:
        somebody.install(**{BURGERS: "Burgers", TACOS: "Tacos"})
        yield somebody


class SandboxDevice(Device):
    """The broker is the person's, at the place where a session has it; who asks is curl, in a sandbox or outside."""

    person: Person

    def curl(self, path: str, body: dict[str, Any] | None, *before: str | Path) -> tuple[int, str]:
        data = ["--data", json.dumps(body)] if body else []
        done = self.person.run(
            *(before or ["curl"]), "--silent", "--unix-socket", self.socket, f"http://localhost{path}", *data)
        return done.returncode, done.stdout

    def ask_from(self, app: str | None, path: str, *options: str, **fields: Any) -> dict[str, Any]:
        before = ["flatpak", "run", "--user", *options, app] if app else []
        status, answer = self.curl(
            "/v1/requests", {"url": f"{BASE}/{path}", "presentation": "none"} | fields, *before)
        assert status == 0, (status, answer)
        return json.loads(answer.splitlines()[-1])

    def get(self, path: str) -> Any:
        return json.loads(self.curl(path, None)[1])


@pytest.fixture
def device(somebody: Person, authority: Authority) -> Iterator[SandboxDevice]:
    folder = somebody.folder / "device"
    domains = Domains(authority, "id.acme.test")
    device = SandboxDevice(folder, authority, domains)
    try:
        device.person = somebody
        device.socket = somebody.runtime / "lanyard" / "sso.sock"
        programs = folder / "bin"
        programs.mkdir()
        for program in (BROKER, LANYARD_SSO, TEST_EXTENSION):
            shutil.copy(program, programs)
        roots = shutil.copy(authority.certificate, folder / "roots.pem")
        Path(roots).chmod(0o644)
        device.install_extension(executable=str(programs / TEST_EXTENSION.name))
        device.install_profile(profile([payload("Redirect", COVERED)]))
        somebody.give(folder)
        device.start(program=somebody.command(programs / BROKER.name), roots=Path(roots))
        device.wait_for_domains()
        yield device
    finally:
        device.stop()
        domains.close()
        shutil.rmtree(folder)


def test_the_extension_hears_which_flatpak_asks(device: SandboxDevice) -> None:
    for identifier in (BURGERS, TACOS):
        echo = json.loads(body_of(device.ask_from(identifier, "echo")))
        # A name that people read is root's to give: these are the user's own.
        assert (echo["caller"], echo["name"], echo["isManaged"]) == (identifier, identifier, False)
    # Outside of a sandbox, the same program is identified by its path.
    assert json.loads(body_of(device.ask_from(None, "echo")))["caller"] == "exe:/usr/bin/curl"
    callers = [entry["caller"] for entry in device.get("/v1/log")]
    assert callers[-3:] == [BURGERS, TACOS, "exe:/usr/bin/curl"]


def test_each_flatpak_has_data_of_its_own(device: SandboxDevice) -> None:
    assert body_of(device.ask_from(BURGERS, "count")).startswith("1 of 1 in")
    assert body_of(device.ask_from(BURGERS, "count")).startswith("2 of 2 in")
    assert body_of(device.ask_from(TACOS, "count")).startswith("1 of 3 in")
    assert body_of(device.ask_from(None, "count")).startswith("1 of 4 in")


def test_a_flatpak_that_the_profile_denies_gets_nothing(device: SandboxDevice) -> None:
    assert device.ask_from(BURGERS, "page")["outcome"] == "response"
    device.install_profile(profile([payload("Redirect", COVERED + strings("DeniedBundleIdentifiers", [BURGERS]))]))
    device.person.give(device.profiles)
    wait_until(lambda: device.ask_from(BURGERS, "page")["reason"] == "callerDenied", 10, "it is denied")
    for other in (TACOS, None):
        assert device.ask_from(other, "page")["outcome"] == "response"


def test_a_flatpak_without_the_permission_reaches_no_broker(device: SandboxDevice) -> None:
    sandbox = ["flatpak", "run", "--user", "--nofilesystem=xdg-run/lanyard", BURGERS]
    cannot_connect = 7
    assert device.curl("/v1/status", None, *sandbox) == (cannot_connect, "")
    assert device.curl("/v1/status", None)[0] == 0


def test_a_flatpak_cannot_take_another_s_id(device: SandboxDevice) -> None:
    """It names itself in a file of its sandbox, which is not the app's to write."""
    forged = device.folder / "forged"
    forged.write_text(f"[Application]\nname={TACOS}\n")
    forged.chmod(0o644)
    sandbox = ["flatpak", "run", "--user", f"--filesystem={forged}:ro", BURGERS, "--silent", forged.as_uri(), "--output"]
    cannot_write = 23
    assert device.person.run(*sandbox, "/.flatpak-info").returncode == cannot_write
    assert device.person.run(*sandbox, "/tmp/elsewhere").returncode == 0
    assert json.loads(body_of(device.ask_from(BURGERS, "echo")))["caller"] == BURGERS
