"""What scripts are told on the bus of the session: docs/specifications/extensible-single-sign-on.md, 27."""

import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from kerberos.device import KerberosDevice, headers, signs_in, types
from kerberos.kdc import PASSWORD, Person, Realm
from kerberos.session_bus import SessionBus, session_bus
from kerberos.signed_in_device import RealmDevice
from kerberos.test_kerberos_waking import woken
from processes import PROGRAMS, ROOT, Program, run

NewPerson = Callable[..., Person]
SCRIPT = ROOT / "Examples" / "KerberosSignals" / "on-kerberos-signal"
OTHER = "another-horse-2"


@pytest.fixture
def bus(tmp_path: Path) -> Iterator[SessionBus]:
    with session_bus(tmp_path / "bus") as running:
        yield running


@pytest.fixture
def device(realm: Realm, tmp_path: Path, bus: SessionBus) -> KerberosDevice:
    return KerberosDevice(
        tmp_path / "device", realm.name, realm.settings, DBUS_SESSION_BUS_ADDRESS=bus.address)


def names(bus: SessionBus) -> list[str]:
    return [name for name, _ in bus.signals]


def test_signing_in_and_out_is_told(device: KerberosDevice, new_person: NewPerson, bus: SessionBus) -> None:
    person = new_person()
    with device.start() as extension:
        extension.operation("login", person=signs_in(person.name))
        bus.wait_for("ConnectionCompleted")
        assert sorted(bus.signals) == sorted(
            (name, device.name) for name in ("NetworkAvailable", "GotNewCredential", "ConnectionCompleted"))
        # A ticket that is there already is no new one.
        extension.operation("login", person=types())
        bus.wait_for("ConnectionCompleted", 2)
        assert names(bus).count("GotNewCredential") == 1
        extension.operation("refresh")
        bus.wait_for("GotNewCredential", 2)
        extension.operation("logout")
        bus.wait_for("CredentialRemoved")
        # Where there is no ticket, none is removed.
        extension.operation("logout")
        extension.operation("login", person=signs_in(person.name))
        bus.wait_for("GotNewCredential", 3)
        assert names(bus).count("CredentialRemoved") == 1


def test_a_sign_in_for_which_others_wait_is_told_once(
    device: KerberosDevice, new_person: NewPerson, bus: SessionBus
) -> None:
    person = new_person()
    with device.start() as extension:
        login = extension.begin(f"sso-realm:{device.name}", "login", isUserInterfaceEnabled=True)
        (kind, content), = extension.report(login).items()
        assert kind == "presentForm"
        options = {"challenges": ["Negotiate"], "isProxy": False, "responseCode": 401}
        pages = [
            extension.begin(f"http://{name}.school.test/", options=options, isUserInterfaceEnabled=True)
            for name in ("one", "two")]
        # They wait for the form now. If one comes later after all, it finds the ticket, of which nothing is told either.
        time.sleep(1)
        extension.present(login, content["_1"], {"User name": person.name, "Password": PASSWORD})
        assert extension.finish(login).status == 200
        for page in pages:
            assert extension.finish(page).forms == []
        extension.operation("refresh")
        # The second one is that of the refresh.
        bus.wait_for("GotNewCredential", 2)
        bus.wait_for("ConnectionCompleted", 2)
        extension.operation("logout")
        bus.wait_for("CredentialRemoved")
        assert names(bus).count("ConnectionCompleted") == 2


def test_a_changed_password_is_told_and_a_refused_one_is_not(
    device: KerberosDevice, new_person: NewPerson, bus: SessionBus
) -> None:
    person = new_person()
    with device.start() as extension:
        extension.operation("changePassword", person=types(
            {"User name": person.name, "Current password": "wrong-horse-1", "New password": OTHER,
             "New password again": OTHER}))
        assert "PasswordChanged" not in names(bus)
        extension.operation("changePassword", person=types(
            {"User name": person.name, "Current password": PASSWORD, "New password": OTHER, "New password again": OTHER}))
        bus.wait_for("PasswordChanged")


def test_a_password_that_expires_soon_is_told_once_a_day(
    device: KerberosDevice, new_person: NewPerson, bus: SessionBus
) -> None:
    person = new_person("-pwexpire", "3 days")
    data = {"pwNotificationDays": 5}
    with device.start() as extension:
        told = headers(extension.operation("login", data=data, person=signs_in(person.name)))
        assert "Password-Expires" in told, told
        bus.wait_for("PasswordExpires")
        assert abs(bus.times[0] - (time.time() + 3 * 86_400)) < 3600
        extension.operation("refresh", data=data)
        bus.wait_for("ConnectionCompleted", 2)
    # Another run knows it too.
    with device.start() as extension:
        extension.operation("refresh", data=data)
        bus.wait_for("ConnectionCompleted", 3)
        assert names(bus).count("PasswordExpires") == 1


def test_a_renewal_without_a_caller_is_told_and_a_new_end_of_the_password_too(
    device: KerberosDevice, realm: Realm, new_person: NewPerson, bus: SessionBus
) -> None:
    person = new_person("-maxlife", "110 seconds", "-maxrenewlife", "1 hour", "-pwexpire", "3 days")
    with device.start() as extension:
        extension.operation("login", person=signs_in(person.name, **{"Save the password on this device": "true"}))
        bus.wait_for("PasswordExpires")
        # With less than two minutes left it is renewed at once, and the password's end is the same.
        woken(extension, realm.name)
        bus.wait_for("ConnectionCompleted", 2)
        bus.wait_for("GotNewCredential", 2)
        # Somebody sets another end. Without its ticket the extension gets one anew, and learns that.
        realm.kadmin("modprinc", "-pwexpire", "2 days", "-maxlife", "9 hours", person.name)
        device.destroy_tickets()
        woken(extension, realm.name)
        bus.wait_for("PasswordExpires", 2)
        bus.wait_for("ConnectionCompleted", 3)
        assert [round((told - time.time()) / 86_400) for told in bus.times] == [3, 2]
        # This one is good for long, so nothing is done and nothing told.
        woken(extension, realm.name)
        extension.operation("refresh")
        bus.wait_for("ConnectionCompleted", 4)
        assert [names(bus).count(name) for name in ("ConnectionCompleted", "PasswordExpires")] == [4, 2]


def test_a_password_that_lives_long_is_not_told(
    device: KerberosDevice, new_person: NewPerson, bus: SessionBus
) -> None:
    person = new_person("-pwexpire", "20 days")
    with device.start() as extension:
        extension.operation("login", data={"pwNotificationDays": 5}, person=signs_in(person.name))
        extension.operation("refresh", data={"pwNotificationDays": 30, "performKerberosOnly": True})
        bus.wait_for("ConnectionCompleted", 2)
        assert "PasswordExpires" not in names(bus)


def test_losing_and_finding_the_network_is_told_when_it_changes(tmp_path: Path, bus: SessionBus) -> None:
    with Realm(tmp_path / "realm", "AWAY.TEST") as realm:
        realm.add("ana", PASSWORD)
        device = KerberosDevice(tmp_path / "device", realm.name, realm.settings, DBUS_SESSION_BUS_ADDRESS=bus.address)
        network = {"network": "true"}
        with device.start() as extension:
            extension.operation("status", options=network)
            bus.wait_for("NetworkAvailable")
            realm.stop_kdc()
            extension.operation("status", options=network)
            bus.wait_for("NetworkNotAvailable")
        with device.start() as extension:
            extension.operation("status", options=network)
            realm.start_kdc()
            extension.operation("status", options=network)
            bus.wait_for("NetworkAvailable", 2)
        assert bus.signals == [
            (name, "AWAY.TEST") for name in ("NetworkAvailable", "NetworkNotAvailable", "NetworkAvailable")]


def test_a_renewal_in_vain_tells_that_no_server_answers(tmp_path: Path, bus: SessionBus) -> None:
    with Realm(tmp_path / "realm", "AWAY.TEST") as realm:
        realm.add("ana", PASSWORD)
        device = KerberosDevice(tmp_path / "device", realm.name, realm.settings, DBUS_SESSION_BUS_ADDRESS=bus.address)
        with device.start() as extension:
            extension.operation("login", person=signs_in("ana"))
            bus.wait_for("NetworkAvailable")
            realm.stop_kdc()
            for _ in range(2):
                # The ticket that is there is good for a while yet.
                told = headers(extension.operation("refresh"))
                assert (told["Signed-In"], told.get("Network-Available")) == ("true", None)
            bus.wait_for("NetworkNotAvailable")
            realm.start_kdc()
            # Nobody has to wait until the next one may try.
            assert headers(extension.operation("refresh"))["Network-Available"] == "true"
            bus.wait_for("NetworkAvailable", 2)
        assert [name for name in names(bus) if name.startswith("Network")] == [
            "NetworkAvailable", "NetworkNotAvailable", "NetworkAvailable"]


DEAF = r"""
#include <stdint.h>
#include <stdio.h>
#include "shim.h"
int main(void) { printf("%d", lanyard_sd_bus_tell("/a", "a.b", "C", "d", 0, 1000000)); }
"""


def test_a_bus_that_says_nothing_is_given_up(tmp_path: Path) -> None:
    """What the extension calls, alone: where passwords are saved there is a wait for the same bus before."""
    (tmp_path / "deaf.c").write_text(DEAF)
    subprocess.run(
        ["cc", "-I", ROOT / "Sources" / "System" / "CSystemd", "-o", tmp_path / "deaf.out", tmp_path / "deaf.c",
         "-lsystemd"], check=True)
    with socket.socket(socket.AF_UNIX) as deaf:
        deaf.bind(str(tmp_path / "deaf"))
        deaf.listen()
        for address in (f"unix:path={tmp_path}/deaf", f"unix:path={tmp_path}/nobody", "nonsense"):
            begun = time.monotonic()
            done = run("env", f"DBUS_SESSION_BUS_ADDRESS={address}", tmp_path / "deaf.out")
            assert int(done.stdout) < 0
            assert time.monotonic() - begun < 20, address


def test_the_example_runs_a_command_for_its_realm_and_if_there_is_a_ticket(
    realm: Realm, new_person: NewPerson, tmp_path: Path, bus: SessionBus
) -> None:
    person, marks = new_person(), tmp_path / "marks"
    with RealmDevice(tmp_path, realm, DBUS_SESSION_BUS_ADDRESS=bus.address).running() as device:
        script = Program(
            "env", f"DBUS_SESSION_BUS_ADDRESS={bus.address}", f"LANYARD_SSO_SOCKET={device.broker.socket}",
            f"PATH={PROGRAMS}:/usr/bin:/bin", SCRIPT, "GotNewCredential", realm.name, "sh", "-c",
            f'echo "$LANYARD_SIGNAL $LANYARD_REALM" >> {marks}', log=tmp_path / "script.log")
        try:
            script.wait_until(lambda: "waiting for GotNewCredential" in script.log_text, 20, "the script waits")
            # Nobody is signed in: what any program can say is no reason.
            bus.send("GotNewCredential", realm.name)
            bus.wait_for("GotNewCredential")
            device.sign_in(person.name)
            script.wait_until(marks.exists, 20, "the command runs")
            assert marks.read_text() == f"GotNewCredential {realm.name}\n"
            bus.send("GotNewCredential", "OTHER.TEST")
            bus.send("GotNewCredential", realm.name)
            script.wait_until(lambda: marks.read_text().count("\n") == 2, 20, "it runs again")
        finally:
            script.stop()
        for words in ((), ("GotNewCredential", realm.name), ("Nothing", realm.name, "true"), ("GotNewCredential", "a'b", "true")):
            refused = device.run(SCRIPT, *words)
            assert refused.returncode == 64 and refused.stderr.startswith("on-kerberos-signal: "), refused
