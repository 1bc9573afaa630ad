"""`lanyard-sso kerberos`: docs/specifications/extensible-single-sign-on.md, 21.7."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from kerberos.domain_controller import ADDRESSES, SITES, Domain
from kerberos.kdc import PASSWORD, Person, Realm
from kerberos.signed_in_device import RealmDevice
from processes import wait_until

NewPerson = Callable[..., Person]
OTHER = "another-horse-2"


@pytest.fixture
def device(tmp_path: Path, realm: Realm) -> Iterator[RealmDevice]:
    with RealmDevice(tmp_path, realm).running() as running:
        yield running


def test_the_realms_of_the_profiles_are_listed(device: RealmDevice, realm: Realm) -> None:
    device.set_data("<key>preferredKDCs</key><array><string>tcp/kdc.school.test:88</string></array>")
    [listed] = json.loads(device.kerberos("list", "--json").stdout)
    assert listed == {
        "realm": realm.name, "profile": "test.acme.sso", "hosts": ["intranet.school.test", "profile-2.school.test"],
        "isDefault": False,
        "servers": ["tcp/kdc.school.test:88"]}
    assert device.kerberos("list").stdout.splitlines()[1].split() == [
        realm.name, "test.acme.sso", "intranet.school.test", "profile-2.school.test"]


def test_status_says_who_is_signed_in_and_until_when(device: RealmDevice, new_person: NewPerson) -> None:
    person = new_person()
    before = device.kerberos("status", "--json")
    assert (before.returncode, json.loads(before.stdout)["signedIn"]) == (7, False)
    assert not {"networkAvailable", "login_date", "user_name"} & json.loads(before.stdout).keys()
    assert person.principal in device.sign_in(person.name)
    state = device.status()
    assert (state["signedIn"], state["principal"], state["user_name"]) == (True, person.principal, person.name)
    assert state["ticketFrom"] <= state["login_date"] < state["ticketUntil"] < state["renewableUntil"]
    assert (state["cacheUse"], state["cacheReason"], state["passwordSaved"]) == ("shared", "environment", False)
    assert state["cache"].startswith(f"DIR::{device.folder}/run/tkt")
    # The sign-in has reached a server, a moment ago (27.3).
    assert state["networkAvailable"] is True
    shown = device.kerberos("status", person.realm.name)
    assert shown.returncode == 0
    assert "(shared; KRB5CCNAME names it)" in shown.stdout
    # Scripts take it for signed in as long as there is a ticket.
    device.run("kdestroy", "-A")
    after = device.status()
    assert (after["signedIn"], after["user_name"], "login_date" in after) == (False, person.name, False)
    device.sign_in(person.name)
    # Again there is nothing to ask.
    assert device.kerberos("sign-in", "--no-ui").returncode == 0


def test_sign_in_tells_scripts_what_status_tells(
    device: RealmDevice, new_person: NewPerson, tmp_path: Path
) -> None:
    person, out = new_person(), tmp_path / "out.json"
    with device.typing("sign-in", "--json", out=out) as program:
        for label, text in (("User name", person.name), ("Password", PASSWORD), ("Save the password", "")):
            program.expect(f"{label}.*: ")
            program.type(f"{text}\n")
        assert program.end() == 0, program.output
    told = json.loads(out.read_text())
    assert (told["signedIn"], told["principal"], told["realm"]) == (True, person.principal, device.name)
    assert told == device.status()
    # Without a question it is the same.
    assert json.loads(device.kerberos("sign-in", "--no-ui", "--json").stdout) == told


def test_status_says_whether_a_server_answers(tmp_path: Path) -> None:
    with Realm(tmp_path / "realm", "AWAY.TEST") as realm, RealmDevice(tmp_path, realm).running() as device:
        assert device.status("--network")["networkAvailable"] is True
        realm.stop_kdc()
        assert device.status("--network")["networkAvailable"] is False
        assert "no server answers" in device.kerberos("status", "--network").stdout


def test_refreshing_asks_nobody_and_forgetting_deletes_the_password_alone(
    device: RealmDevice, new_person: NewPerson
) -> None:
    person = new_person()
    assert device.kerberos("refresh").returncode == 7
    device.sign_in(person.name, remember=True)
    assert device.status()["passwordSaved"] is True
    device.run("kdestroy", "-A")
    # With the saved password there is a new ticket without a question.
    refreshed = json.loads(device.kerberos("refresh", "--json").stdout)
    assert (refreshed["signedIn"], refreshed["principal"]) == (True, person.principal)
    assert device.kerberos("forget").stdout == f"No password for {person.realm.name} is saved on this device.\n"
    state = device.status()
    assert (state["signedIn"], state["passwordSaved"]) == (True, False)
    device.run("kdestroy", "-A")
    assert device.kerberos("refresh").returncode == 7
    # Twice is no error.
    assert json.loads(device.kerberos("forget", "--json").stdout) == {"realm": person.realm.name}


def test_signing_out_deletes_all(device: RealmDevice, new_person: NewPerson) -> None:
    person = new_person()
    device.sign_in(person.name, remember=True)
    assert device.kerberos("sign-out").stdout == f"Signed out of {person.realm.name}.\n"
    after = device.kerberos("status")
    assert after.returncode == 7
    assert "signed in  nobody" in after.stdout and person.name not in after.stdout
    assert person.principal not in device.run("klist", "-A").stdout
    assert json.loads(device.kerberos("sign-out", "--json").stdout) == {"realm": person.realm.name}


def test_settings_show_what_counts(device: RealmDevice, realm: Realm) -> None:
    device.set_data("<key>siteCode</key><string>Oslo-1</string><key>replicationTime</key><integer>60</integer>")
    shown = json.loads(device.kerberos("settings", "--json").stdout)
    assert (shown["realm"], shown["profile"]) == (realm.name, "test.acme.sso")
    settings = {setting["key"]: setting for setting in shown["settings"]}
    assert (settings["siteCode"]["value"], settings["siteCode"]["isInProfile"]) == ("Oslo-1", True)
    assert (settings["allowPassword"]["value"], settings["allowPassword"]["isInProfile"]) == (True, False)
    assert settings["replicationTime"] == {
        "key": "replicationTime", "value": 60, "isInProfile": True,
        "notes": ["replicationTime is out of date. Leave it out."]}
    assert "value" not in settings["principalName"]


def test_resetting_keeps_tickets_and_passwords(device: RealmDevice, realm: Realm, new_person: NewPerson) -> None:
    person = new_person()
    device.sign_in(person.name, remember=True)
    assert device.status()["networkAvailable"] is True
    for words in ((), (realm.name,), ("--all",)):
        assert device.kerberos("reset", *words).stdout == (
            f"What was found out about {realm.name} is forgotten. Tickets and passwords stay.\n")
    assert json.loads(device.kerberos("reset", "--json").stdout) == [{"realm": realm.name}]
    state = device.status()
    assert (state["signedIn"], state["principal"], state["passwordSaved"]) == (True, person.principal, True)
    # It is not known any more, until something is asked of the realm.
    assert "networkAvailable" not in state
    assert device.kerberos("reset", "--all", realm.name).returncode == 64


def test_a_set_up_that_is_put_off_is_shown_and_begun(device: RealmDevice, realm: Realm, new_person: NewPerson) -> None:
    assert "setupDelayed" not in device.status()
    device.set_data("<key>delayUserSetup</key><true/>")
    assert device.status()["setupDelayed"] is True
    assert "put off by the profile" in device.kerberos("status").stdout
    assert device.kerberos("proceed").stdout == f"From now on apps may have people sign in to {realm.name}.\n"
    assert json.loads(device.kerberos("proceed", realm.name, "--json").stdout) == {"realm": realm.name}
    assert "setupDelayed" not in device.status()
    device.set_data("")
    said = f"The profile of {realm.name} puts nothing off: apps may have people sign in.\n"
    assert device.kerberos("proceed").stdout == said


def test_whoever_signs_in_by_hand_begins_a_set_up_that_is_put_off(device: RealmDevice, new_person: NewPerson) -> None:
    device.set_data("<key>delayUserSetup</key><true/>")
    person = new_person()
    assert person.principal in device.sign_in(person.name)
    assert device.kerberos("sign-out").returncode == 0
    assert "setupDelayed" not in device.status()


def test_a_site_that_the_profile_keeps_from_being_looked_for_is_not(device: RealmDevice, realm: Realm) -> None:
    device.set_data("<key>useSiteAutoDiscovery</key><false/>")
    refused = device.kerberos("site")
    assert refused.returncode == 1
    assert f"The profile of {realm.name} has useSiteAutoDiscovery as false, and names no site." in refused.stderr
    device.set_data("")
    refused = device.kerberos("site")
    assert refused.returncode == 1
    assert f"The krb5.conf of this computer names the servers of {realm.name}" in refused.stderr


def test_site_and_servers_of_a_domain_are_shown(domain: Domain, tmp_path: Path) -> None:
    with RealmDevice(tmp_path, domain, hosts=(f".{domain.name}",)).running() as device:
        site = next(iter(SITES))
        assert json.loads(device.kerberos("site", "--json").stdout) == {
            "realm": domain.realm, "site": site, "servers": [domain.host]}
        shown = device.kerberos("site", domain.realm)
        assert shown.returncode == 0, shown.stderr
        assert [line.split() for line in shown.stdout.splitlines()] == [
            ["realm", domain.realm], ["site", site], ["servers", domain.host]]
        # It is what `status` tells from then on.
        assert device.status()["site"] == site
        with domain.clients_at(ADDRESSES[2].partition("/")[0]):
            assert "none: no domain controller has named one" in device.kerberos("site").stdout
            assert "site" not in json.loads(device.kerberos("site", "--json").stdout)


def test_somebody_else_signs_in_by_name(device: RealmDevice, new_person: NewPerson) -> None:
    first, second = new_person(), new_person()
    device.sign_in(first.name)
    # There is a ticket, but not hers.
    assert device.kerberos("sign-in", "--no-ui", "--user", second.name).returncode == 7
    assert device.kerberos("sign-in", "--no-ui", "--user", first.principal).returncode == 0
    with device.typing("sign-in", "--user", second.name) as program:
        program.expect(f"User name.*{second.name}.*: ")
        program.type("\n")
        program.expect("Password.*: ")
        program.type(f"{PASSWORD}\n")
        program.expect("Save the password.*: ")
        program.type("\n")
        assert program.end() == 0, program.output
    assert device.status()["principal"] == second.principal
    with device.typing("sign-in", "--force") as program:
        program.expect("User name.*: ")
        program.type("\x03")
        assert program.end() in (5, 130)


def test_passwords_are_changed(device: RealmDevice, new_person: NewPerson) -> None:
    person = new_person()
    with device.typing("change-password") as program:
        for label, text in (
            ("User name", person.name), ("Current password", PASSWORD), ("New password", OTHER),
            ("New password again", OTHER),
        ):
            program.expect(f"{label}.*: ")
            program.type(f"{text}\n")
        assert program.end() == 0, program.output
        assert f"Your password for {person.realm.name} is changed." in program.output
    assert person.kinit(OTHER).returncode == 0
    device.set_data("<key>allowPasswordChange</key><false/>")
    refused = device.kerberos("change-password")
    assert refused.returncode == 1
    assert "The profile does not let passwords be changed here." in refused.stderr


@pytest.mark.parametrize(("language", "title", "labels", "problem"), [
    ("ja", "{} にサインイン", ("ユーザ名", "パスワード", "パスワードをこのデバイスに保存"), "ユーザ名またはパスワードが違います。"),
    ("ko", "{}에 로그인", ("사용자 이름", "암호", "이 기기에 암호 저장"), "사용자 이름 또는 암호가 올바르지 않습니다."),
], ids=["Japanese", "Korean"])
def test_the_terminal_asks_in_the_language_of_the_session(
    realm: Realm, new_person: NewPerson, tmp_path: Path, language: str, title: str, labels: tuple[str, ...], problem: str
) -> None:
    person = new_person()
    with RealmDevice(tmp_path, realm, LANGUAGE=language).running() as device:
        with device.typing("sign-in", LANGUAGE=language) as program:
            program.expect(title.format(realm.name))
            for password in ("wrong-horse-1", PASSWORD):
                for label, text in zip(labels, (person.name, password, ""), strict=True):
                    program.expect(f"{label}.*: ")
                    program.type(f"{text}\n")
            assert program.end() == 0, program.output
            assert problem in program.output
        assert device.status()["principal"] == person.principal


def test_scripts_are_told_that_a_password_is_changed(device: RealmDevice, new_person: NewPerson, tmp_path: Path) -> None:
    person, out = new_person(), tmp_path / "out.json"
    with device.typing("change-password", "--json", out=out) as program:
        for label, text in (
            ("User name", person.name), ("Current password", PASSWORD), ("New password", OTHER),
            ("New password again", OTHER),
        ):
            program.expect(f"{label}.*: ")
            program.type(f"{text}\n")
        assert program.end() == 0, program.output
    assert json.loads(out.read_text()) == {"realm": device.name}
    assert person.kinit(OTHER).returncode == 0


PAGE = "https://passwords.school.test/change"
WITH_PAGE = f"<key>pwChangeURL</key><string>{PAGE}</string>"


def test_without_a_desktop_the_page_for_passwords_is_said(device: RealmDevice) -> None:
    device.set_data(WITH_PAGE)
    for words in ((), ("--json",)):
        refused = device.kerberos("change-password", *words)
        assert (refused.returncode, refused.stdout) == (1, "")
        assert f"Passwords of {device.name} are changed at {PAGE}." in refused.stderr


def test_on_a_desktop_the_page_for_passwords_is_opened(realm: Realm, tmp_path: Path) -> None:
    """Another program stands in the place of xdg-open, which would start a real browser."""
    opened, browser = tmp_path / "opened", tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" >> {opened}\n')
    browser.chmod(0o755)
    device = RealmDevice(tmp_path / "device", realm, WITH_PAGE, DISPLAY=":77")
    device.broker.entering = [
        "unshare", "--mount", "sh", "-c", 'mount --bind "$0" /usr/bin/xdg-open && exec "$@"', str(browser),
        *device.broker.entering]
    with device.running():
        with device.typing("change-password") as program:
            program.expect(f"Change your password at {PAGE}. Your browser shows the page.")
            assert program.end() == 0, program.output
        with device.typing("change-password", "--json", out=tmp_path / "out.json") as program:
            assert program.end() == 0, program.output
        assert json.loads((tmp_path / "out.json").read_text()) == {"realm": realm.name, "page": PAGE}
        wait_until(lambda: opened.exists() and opened.read_text() == f"{PAGE}\n" * 2, 20, "the browser is started twice")


def test_bad_input_changes_nothing_and_says_why(device: RealmDevice, realm: Realm, new_person: NewPerson) -> None:
    person = new_person()
    device.sign_in(person.name)
    for words, code, said in (
        (("status", "OTHER.TEST"), 4, f"No installed profile is for the realm “OTHER.TEST”. There is: {realm.name}."),
        (("sign-out", realm.name.lower()), 4, f"write {realm.name}."),
        (("status", ""), 4, "No installed profile is for the realm “”."),
        (("sign-in", "--user", ""), 64, "--user is empty."),
        (("sign-in", "--user", "a@b@c"), 1, "is no user name"),
        (("sign-in", "--force", "--no-ui"), 64, "choose one of them"),
        (("sign-off",), 64, "sign-off"),
        (("status", realm.name, "more"), 64, "more"),
    ):
        done = device.kerberos(*words)
        assert (done.returncode, done.stdout) == (code, ""), (words, done)
        assert said in done.stderr, (words, done.stderr)
    assert device.status()["signedIn"] is True
    device.set_data("<key>principalName</key><string>mika</string>")
    done = device.kerberos("sign-in", "--user", person.name)
    assert done.returncode == 1
    assert f"The profile lets nobody sign in to {realm.name} but mika@{realm.name}." in done.stderr


def test_without_a_broker_the_profiles_are_read_and_nothing_else(device: RealmDevice) -> None:
    device.broker.stop()
    done = device.kerberos("list", "--user-profiles", str(device.broker.profiles), "--allow-user-profiles", "--json")
    assert [listed["realm"] for listed in json.loads(done.stdout)] == [device.realm.name]
