"""Tickets are renewed, and people are told that their password expires, without a caller:

docs/specifications/extensible-single-sign-on.md, 19.9, 22.19 and 22.27.
"""

import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from kerberos.device import PROGRAM, KerberosDevice, headers, signs_in
from kerberos.domain_controller import PASSWORD as DOMAIN_PASSWORD
from kerberos.domain_controller import Domain
from kerberos.kdc import PASSWORD, Person, Realm
from kerberos.session_bus import start_bus
from kerberos.signed_in_device import RealmDevice
from kerberos.test_kerberos_with_broker import MANIFEST, sign_in
from processes import Program, run
from single_sign_on.broker import Authority, Device, Domains, payload, profile, strings

NewPerson = Callable[..., Person]
# Two minutes before its end a ticket is renewed.
LIFE = 135


@contextmanager
def device_of(realm: Realm, folder: Path) -> Iterator[Device]:
    """A computer with a broker, whose extension has the realm's tickets."""
    authority = Authority(folder / "authority")
    device = Device(folder / "device", authority, Domains(authority, "id.acme.test"))
    for name in ("run", "config"):
        (folder / name).mkdir(mode=0o700)
    device.entering = [
        "env", f"KRB5_CONFIG={realm.settings}", f"XDG_RUNTIME_DIR={folder}/run", f"XDG_CONFIG_HOME={folder}/config",
        f"KRB5CCNAME=DIR:{folder}/run", "LANGUAGE=en"]
    device.install_extension(**MANIFEST | {"executable": str(PROGRAM)})
    device.install_profile(profile([payload(
        "Credential", strings("Hosts", [".school.test"]) + f"<key>Realm</key><string>{realm.name}</string>",
        extension=MANIFEST["extensionIdentifier"], team=MANIFEST["teamIdentifier"])]))
    with device.running():
        yield device


@pytest.fixture
def device(tmp_path: Path, realm: Realm) -> Iterator[Device]:
    with device_of(realm, tmp_path) as device:
        yield device


def issued(realm: Realm, person: Person) -> tuple[int, int]:
    """How many tickets the KDC has issued to somebody for a sign-in, and how many it has renewed."""
    lines = [line for line in realm.log.splitlines() if "ISSUE" in line and f"{person.principal} for krbtgt/" in line]
    return sum("AS_REQ" in line for line in lines), sum("TGS_REQ" in line for line in lines)


def test_a_ticket_is_renewed_before_it_ends_and_nobody_has_asked(
    device: Device, realm: Realm, new_person: NewPerson
) -> None:
    person = new_person("-maxlife", f"{LIFE} seconds", "-maxrenewlife", "1 hour")
    sign_in(device, person)
    assert issued(realm, person) == (1, 0)
    # Also by a broker that was started meanwhile.
    device.stop()
    device.start()
    device.program.wait_until(lambda: issued(realm, person) == (1, 1), LIFE - 60, "the ticket is renewed", is_exact=True)
    # And so on, as long as it can be.
    device.program.wait_until(lambda: issued(realm, person) == (1, 2), LIFE - 60, "it is renewed again", is_exact=True)
    cache = next((device.folder.parent / "run").glob("tktsso-*"))
    found = run("env", f"KRB5_CONFIG={realm.settings}", "LC_ALL=C", "klist", "-c", f"FILE:{cache}").stdout
    assert f"krbtgt/{realm.name}@{realm.name}" in found


def test_a_ticket_is_renewed_once_the_domain_is_back_and_nobody_has_asked(tmp_path: Path) -> None:
    """It was away when the ticket was to be renewed, and is back before the ticket ends."""
    with Realm(tmp_path / "realm", "AWAY.TEST") as realm:
        realm.add("ana", PASSWORD, "-maxlife", f"{LIFE} seconds", "-maxrenewlife", "1 hour")
        realm.change("krbtgt/AWAY.TEST", "-maxlife", "1 day", "-maxrenewlife", "2 days")
        person = realm.person("ana")
        with device_of(realm, tmp_path / "computer") as device:
            sign_in(device, person)
            realm.stop_kdc()
            begun = time.monotonic()
            device.program.wait_until(
                lambda: "is not renewed" in device.program.log_text, 60, "an attempt finds nobody", is_exact=True)
            assert issued(realm, person) == (1, 0)
            realm.start_kdc()
            device.program.wait_until(
                lambda: issued(realm, person) == (1, 1), LIFE - 40, "the ticket is renewed", is_exact=True)
            assert time.monotonic() - begun < LIFE


@pytest.mark.parametrize("saved", [True, False], ids=["saved password", "keytab"])
def test_a_ticket_comes_with_the_network_and_nobody_has_asked(domain: Domain, tmp_path: Path, saved: bool) -> None:
    name = f"travels-{'alone' if saved else 'with-keys'}"
    domain.add(name, DOMAIN_PASSWORD)
    device = RealmDevice(tmp_path / "device", domain, hosts=(f".{domain.name}",))
    if not saved:
        keys = tmp_path / "device" / "config" / "lanyard" / "sso" / "kerberos"
        keys.mkdir(parents=True)
        domain.tool(["domain", "exportkeytab", str(keys / f"{domain.realm}.keytab"), f"--principal={name}"])
    with device.running():
        if saved:
            device.sign_in(name, DOMAIN_PASSWORD, remember=True)
        else:
            assert device.kerberos("refresh").returncode == 0, device.log
        with domain.out_of_reach():
            device.run("kdestroy", "-A")
            assert device.kerberos("refresh").returncode == 1
        # At any other time it would be looked for hours later, before the first ticket would have ended.
        assert device.broker.program
        device.broker.program.wait_until(
            lambda: f"{name}@{domain.realm}" in device.run("klist", "-A").stdout, 60, "there is a ticket")
        assert device.status()["networkAvailable"] is True


def woken(extension: object, realm: str, *, reason: str = "time", data: dict | None = None) -> dict:
    """What an extension wants after it was woken."""
    number = extension.begin(f"sso-realm:{realm}", "wake", options={"reason": reason}, data=data)
    wish: dict = {}
    while True:
        (kind, content), = extension.report(number).items()
        match kind:
            case "wake":
                wish = content["_1"]
            case "completed":
                assert content["_1"] == {"empty": {}}
                return wish


def seconds(wish: dict) -> float | None:
    """From now, of a wish whose time counts from 2001 on."""
    if "at" not in wish:
        return None
    return wish["at"] + datetime(2001, 1, 1, tzinfo=UTC).timestamp() - time.time()


def test_what_the_extension_wants_follows_from_what_it_has(
    realm: Realm, new_person: NewPerson, tmp_path: Path
) -> None:
    person = new_person("-maxlife", "9 hours", "-maxrenewlife", "2 days")
    device = KerberosDevice(tmp_path / "device", realm.name, realm.settings)
    with device.start() as extension:
        # Nobody is asked, and without a ticket there is nothing to do.
        assert woken(extension, realm.name) == {"isForNetwork": False}
        extension.operation("login", person=signs_in(person.name))
        wish = woken(extension, realm.name)
        assert wish["isForNetwork"] and 5.9 * 3600 < seconds(wish) < 6.1 * 3600
        # Where the cache is not to be watched, only a network is a reason.
        assert woken(extension, realm.name, data={"monitorCredentialsCache": False}) == {"isForNetwork": True}
        extension.operation("logout")
        assert woken(extension, realm.name) == {"isForNetwork": False}


def test_a_network_gets_a_ticket_with_what_is_saved(realm: Realm, new_person: NewPerson, tmp_path: Path) -> None:
    person = new_person()
    device = KerberosDevice(tmp_path / "device", realm.name, realm.settings)
    with device.start() as extension:
        extension.operation("login", person=signs_in(person.name, **{"Save the password on this device": "true"}))
    for data, reason, isThere in (
        ({"monitorCredentialsCache": False}, "time", False), ({"monitorCredentialsCache": False}, "network", True),
        ({}, "time", True),
    ):
        device.destroy_tickets()
        with device.start() as extension:
            woken(extension, realm.name, reason=reason, data=data)
        assert (person.principal in device.tickets()) == isThere, (data, reason)


class Desktop:
    """A session with somewhere to show notices: python-dbusmock's, which says what was shown."""

    def __init__(self, folder: Path):
        self.bus, self.address = start_bus(folder)
        self.shower = Program(
            "env", f"DBUS_SESSION_BUS_ADDRESS={self.address}", "/usr/bin/python3", "-u", "-m", "dbusmock", "--session",
            "--template", "notification_daemon", log=folder / "notices.log")
        self.shower.wait_until(
            lambda: run("dbus-send", f"--bus={self.address}", "--print-reply", "--dest=org.freedesktop.Notifications",
                        "/org/freedesktop/Notifications", "org.freedesktop.Notifications.GetServerInformation"
                        ).returncode == 0, 20, "notices are shown")

    @property
    def notices(self) -> list[str]:
        return re.findall(r'Notify "Lanyard" .*', self.shower.log_text)

    def stop(self) -> None:
        self.shower.stop()
        self.bus.stop()


@pytest.fixture
def desktop(tmp_path: Path) -> Iterator[Desktop]:
    desktop = Desktop(tmp_path / "desktop")
    try:
        yield desktop
    finally:
        desktop.stop()


def test_people_are_told_that_their_password_is_about_to_expire(
    realm: Realm, new_person: NewPerson, tmp_path: Path, desktop: Desktop
) -> None:
    person = new_person("-pwexpire", "3 days 12 hours")
    device = KerberosDevice(
        tmp_path / "device", realm.name, realm.settings, DBUS_SESSION_BUS_ADDRESS=desktop.address)
    with device.start() as extension:
        told = headers(extension.operation(
            "login", data={"pwNotificationDays": 2}, person=signs_in(person.name)))
        assert told["Password-Expires"] > datetime.now(UTC).isoformat()
        assert desktop.notices == []
        extension.operation("refresh", data={"performKerberosOnly": True})
        assert desktop.notices == []
        wish = woken(extension, realm.name)
        [notice] = desktop.notices
        assert f"Your password for {realm.name} expires in 3 days." in notice
        assert f"Change it with: lanyard-sso kerberos change-password {realm.name}" in notice
        # Not again on the same day.
        assert seconds(wish) > 3600
        woken(extension, realm.name)
        extension.operation("refresh")
        assert len(desktop.notices) == 1


def test_without_a_desktop_nobody_is_told_and_it_is_tried_again(
    realm: Realm, new_person: NewPerson, tmp_path: Path
) -> None:
    person = new_person("-pwexpire", "3 days")
    device = KerberosDevice(
        tmp_path / "device", realm.name, realm.settings, DBUS_SESSION_BUS_ADDRESS=f"unix:path={tmp_path}/none")
    with device.start() as extension:
        extension.operation("login", person=signs_in(person.name))
        extension.operation("logout")
        extension.operation("login", person=signs_in(person.name), data={"monitorCredentialsCache": False})
        wish = woken(extension, realm.name, data={"monitorCredentialsCache": False})
        assert 3500 < seconds(wish) <= 3600
    assert PASSWORD not in json.dumps(device.log)
