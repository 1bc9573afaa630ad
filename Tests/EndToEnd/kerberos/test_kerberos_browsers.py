"""Browsers sign people in with their tickets, where a policy of the makers' own kind allows it, and nowhere else."""

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from kerberos.browsers import chromium, firefox
from kerberos.kdc import PASSWORD, Person, Realm
from kerberos.negotiate_site import INTRANET, NegotiateSite
from kerberos.signed_in_device import RealmDevice
from processes import LANYARD_SSO, run, wait_until


def policies(folder: Path, hosts: str, names: str) -> Path:
    """Files for `/etc`: policies for both browsers that name `names`, and `hosts`."""
    for file, content in (
        ("chromium/policies/managed/negotiate.json", {"AuthServerAllowlist": names}),
        ("firefox/policies/policies.json", {"policies": {"Authentication": {"SPNEGO": [names.removeprefix("*")]}}}),
    ):
        path = folder / file
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(content))
    (folder / "hosts").write_text(hosts)
    return folder


HOSTS = f"127.0.0.1 localhost\n127.0.0.1 {INTRANET}\n"


@pytest.mark.parametrize("browser", [chromium, firefox], ids=["chromium", "firefox"])
def test_a_browser_has_a_policy_and_a_ticket(
    person: Person, site: NegotiateSite, tmp_path: Path, browser: Callable
) -> None:
    with browser(person, policies(tmp_path / "etc", HOSTS, "*.school.test"), tmp_path / "browser") as opened:
        # A profile of Chromium that meets its first challenge begins its network anew, outside of a sandbox, and only then can
        # use tickets: whoever comes there for the first time sees the refusal, once.
        wait_until(
            lambda: opened.read(f"{site.url}/members/") == f"Hello {person.principal}", 20, "the browser shows its ticket",
            pause=0.5)


@pytest.mark.parametrize("browser", [chromium, firefox], ids=["chromium", "firefox"])
def test_a_browser_has_no_policy_for_the_site(
    person: Person, site: NegotiateSite, tmp_path: Path, browser: Callable
) -> None:
    with browser(person, policies(tmp_path / "etc", HOSTS, "*.other.test"), tmp_path / "browser") as opened:
        for _ in range(3):
            assert "Hello" not in opened.read(f"{site.url}/members/")
    assert f"HTTP/{INTRANET}@{person.realm.name}" not in person.tickets()


def session(device: RealmDevice, settings: Path) -> SimpleNamespace:
    """A session whose programs ask the extension for tickets. `settings`: the machine's own krb5.conf."""
    told = run("env", *device.variables, f"KRB5_CONFIG={settings}", LANYARD_SSO, "kerberos", "environment")
    name, _, value = told.stdout.strip().partition("=")
    return SimpleNamespace(environment={
        name: value, "LANYARD_SSO_SOCKET": str(device.broker.socket),
        "XDG_RUNTIME_DIR": device.environment["XDG_RUNTIME_DIR"]})


@pytest.mark.parametrize("browser", [chromium, firefox], ids=["chromium", "firefox"])
def test_a_browser_has_the_policy_of_the_command_and_the_ticket_of_the_extension(
    realm: Realm, new_person: Callable[..., Person], site: NegotiateSite, tmp_path: Path, browser: Callable
) -> None:
    person, written = new_person(), tmp_path / "written"
    with RealmDevice(tmp_path / "device", realm, cache="configuration").running() as device:
        done = run(
            LANYARD_SSO, "browser-policy", "--out", written, "--user-profiles", device.broker.profiles,
            "--allow-user-profiles")
        assert done.returncode == 0, done.stderr
        (written / "etc" / "hosts").write_text(HOSTS)
        device.sign_in(person.name)
        with browser(session(device, realm.settings), written / "etc", tmp_path / "browser") as opened:
            wait_until(
                lambda: opened.read(f"{site.url}/members/") == f"Hello {person.principal}", 20,
                "the browser shows the extension's ticket", pause=0.5)


@pytest.mark.usefixtures("ticket_module")
@pytest.mark.parametrize(
    ("browser", "identifier"),
    [(chromium, "exe:/usr/lib/chromium/chromium"), (firefox, "firefox-esr")], ids=["chromium", "firefox"])
def test_a_browser_of_the_list_shows_a_ticket_that_no_other_program_finds(
    realm: Realm, new_person: Callable[..., Person], site: NegotiateSite, tmp_path: Path, browser: Callable, identifier: str
) -> None:
    person, other = new_person(), new_person()
    device = RealmDevice(
        tmp_path / "device", realm, f"<key>credentialBundleIdACL</key><array><string>{identifier}</string></array>",
        cache="configuration")
    with device.running():
        device.sign_in(person.name)
        assert device.status()["cacheUse"] == "private"
        # Without any ticket in the machine's own place the library asks nobody.
        place = device.folder / "run" / "tickets"
        place.mkdir(mode=0o700, exist_ok=True)
        other.cache = f"DIR:{place}"
        assert other.kinit(PASSWORD).returncode == 0
        own = session(device, Path(device.environment["KRB5_CONFIG"]))
        with browser(own, policies(tmp_path / "etc", HOSTS, "*.school.test"), tmp_path / "browser") as opened:
            wait_until(
                lambda: opened.read(f"{site.url}/members/") == f"Hello {person.principal}", 20,
                "the browser shows the private ticket", pause=0.5)
