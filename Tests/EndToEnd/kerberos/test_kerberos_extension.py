"""The extension for Kerberos, with a KDC of MIT Kerberos and Apache. Numbers are those of
docs/specifications/extensible-single-sign-on.md."""

import os
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from kerberos.device import KerberosDevice, authorization, failed_attempts, headers, is_hidden, load, signs_in, types
from kerberos.domain_controller import PASSWORD as DOMAIN_PASSWORD
from kerberos.domain_controller import Domain
from kerberos.kcm import ticket_keeper
from kerberos.kdc import PASSWORD, Person, Realm
from kerberos.negotiate_site import NegotiateSite, negotiate_site
from kerberos.smart_card import PIN, smart_card
from processes import wait_until
from single_sign_on.openid.extension import NOT_INTERACTIVE, Answer

NewPerson = Callable[..., Person]
OTHER = "another-horse-2"


@pytest.fixture
def device(realm: Realm, tmp_path: Path) -> KerberosDevice:
    return KerberosDevice(tmp_path / "device", realm.name, realm.settings)


def test_a_ticket_opens_a_site_and_is_what_other_programs_find(
    device: KerberosDevice, new_person: NewPerson, site: NegotiateSite
) -> None:
    person = new_person()
    with device.start() as extension:
        answer = extension.challenge(f"{site.url}/members/", person=signs_in(person.name))
        status, page, proofs = load(site, "/members/", authorization(answer))
        assert (status, f"Hello {person.principal}" in page) == (200, True), device.log
        # The server proves itself, because that was asked for.
        assert proofs[0].startswith("Negotiate ")
        assert len(answer.forms) == 1
        # The next one shows nothing, and tokens are never the same.
        again = extension.challenge(f"{site.url}/members/")
        assert load(site, "/members/", authorization(again))[0] == 200
        assert authorization(again) != authorization(answer)
        assert f"HTTP/{site.host}@{device.name}" in device.tickets()
    # Another run finds the ticket.
    with device.start() as extension:
        assert load(site, "/members/", authorization(extension.challenge(f"{site.url}/members/")))[0] == 200
    assert PASSWORD not in device.log


def test_the_wire_for_a_proxy_is_the_same_under_another_name(
    device: KerberosDevice, new_person: NewPerson, site: NegotiateSite
) -> None:
    with device.start() as extension:
        extension.operation("login", person=signs_in(new_person().name))
        answer = extension.challenge(f"http://{site.host.upper()}.:3128/", is_proxy=True)
        assert load(site, "/members/", authorization(answer, "Proxy-Authorization"))[0] == 200


@pytest.mark.parametrize("challenges", [
    ["Basic realm=\"x\""], ["NTLM"], ["Negotiate !!!"], ["Negotiate " + "A" * (1 << 20)], ["Bearer realm=\"a, Negotiate\""],
    ["Negotiate YWJj"],
], ids=["basic", "ntlm", "no base64", "a megabyte", "in quotes", "not begun here"])
def test_other_challenges_are_left_to_the_caller(
    device: KerberosDevice, new_person: NewPerson, site: NegotiateSite, challenges: list[str]
) -> None:
    with device.start() as extension:
        extension.operation("login", person=signs_in(new_person().name))
        assert extension.challenge(f"{site.url}/members/", *challenges).kind == "doNotHandle"
        # A negotiation that went wrong keeps no other from beginning.
        assert extension.challenge(f"{site.url}/members/").kind == "headers"


def test_a_token_that_the_server_never_sent_ends_a_negotiation(
    device: KerberosDevice, new_person: NewPerson, site: NegotiateSite
) -> None:
    with device.start() as extension:
        extension.operation("login", person=signs_in(new_person().name))
        assert extension.challenge(f"{site.url}/members/").kind == "headers"
        for token in ("YWJj", "oRQwEqADCgEBoQsGCSqGSIb3EgECAg==", "YIIBAA=="):
            assert extension.challenge(f"{site.url}/members/", f"Negotiate {token}").kind == "doNotHandle"
        assert extension.challenge(f"{site.url}/members/").kind == "headers"


def test_what_a_server_sends_back_continues_the_negotiation_of_that_request_alone(
    device: KerberosDevice, new_person: NewPerson, site: NegotiateSite
) -> None:
    page = f"{site.url}/members/"
    with device.start() as extension:
        extension.operation("login", person=signs_in(new_person().name))

        def challenge(word: str, *challenges: str) -> Answer:
            return extension.challenge(page, *challenges, options={"conversation": f"7-{word}"})

        first, second = challenge("1"), challenge("2")
        [proof] = load(site, "/members/", authorization(first))[2]
        # To another request it says nothing.
        assert challenge("3", proof).kind == "doNotHandle"
        assert "has proved who it is" not in device.log
        assert challenge("2", proof).kind == "doNotHandle"
        assert "has proved who it is" not in device.log
        assert challenge("1", proof).kind == "doNotHandle"
        assert "has proved who it is" in device.log
        assert load(site, "/members/", authorization(second))[0] == 200


def test_a_service_that_the_kdc_does_not_know_is_left_to_the_caller(
    device: KerberosDevice, new_person: NewPerson
) -> None:
    with device.start() as extension:
        extension.operation("login", person=signs_in(new_person().name))
        assert extension.challenge("http://unknown.school.test/").kind == "doNotHandle"
        assert extension.challenge("http://[::1]/").kind == "doNotHandle"


def test_a_host_outside_the_domain_belongs_to_the_realm_that_the_payload_says(
    realm: Realm, new_person: NewPerson, tmp_path: Path
) -> None:
    host = "www.elsewhere.test"
    # The machine itself knows it better, and is wrong.
    settings = realm.client_settings("elsewhere.conf", hosts="    .elsewhere.test = NOWHERE.TEST\n")
    device = KerberosDevice(tmp_path / "device", realm.name, settings)
    keytab = realm.keytab(f"HTTP/{host}", file="elsewhere.keytab")
    person = new_person()
    with negotiate_site(tmp_path, realm.settings, host, keytab) as site:
        with device.start() as extension:
            extension.operation("login", person=signs_in(person.name))
            assert extension.challenge(f"{site.url}/members/").kind == "doNotHandle"
        with device.start() as extension:
            mapping = {"domainRealmMapping": {realm.name: [".elsewhere.test"]}}
            answer = extension.challenge(f"{site.url}/members/", data=mapping)
            assert f"Hello {person.principal}" in load(site, "/members/", authorization(answer))[1]


def test_a_host_of_a_realm_that_trusts_this_one_gets_a_ticket(
    realm: Realm, new_person: NewPerson, tmp_path: Path
) -> None:
    host = "www.shop.test"
    with Realm(tmp_path / "partner", "PARTNER.TEST", authority=realm.authority) as partner:
        realm.trust(partner)
        keytab = partner.keytab(f"HTTP/{host}")
        settings = realm.client_settings("partner.conf", others=partner.as_other_realm())
        device = KerberosDevice(tmp_path / "device", realm.name, settings)
        person = new_person()
        with negotiate_site(tmp_path, partner.settings, host, keytab) as site:
            with device.start() as extension:
                extension.operation("login", person=signs_in(person.name))
                # No name says to which realm it belongs.
                assert extension.challenge(f"{site.url}/members/").kind == "doNotHandle"
            with device.start() as extension:
                mapping = {"domainRealmMapping": {partner.name: [host]}}
                answer = extension.challenge(f"{site.url}/members/", data=mapping)
                assert f"Hello {person.principal}" in load(site, "/members/", authorization(answer))[1]
        assert {f"krbtgt/{partner.name}@{realm.name}", f"HTTP/{host}@{partner.name}"} <= set(device.tickets().split())


# Signing in


def test_login_tells_who_it_is_and_where_the_ticket_is(device: KerberosDevice, new_person: NewPerson) -> None:
    person = new_person()
    with device.start() as extension:
        answer = extension.operation("login", person=signs_in(person.name))
        told = headers(answer)
        assert told["Realm"] == device.name
        assert (told["Principal"], told["UserName"]) == (person.principal, person.name)
        assert told["Cache-Name"] == f"DIR::{device.folder}/run/tickets/tktsso-{device.name}"
        assert told["Cache-Use"] == "shared"
        assert told["Login-Date"] <= told["TGT-Expires"] < told["TGT-Renew-Until"]
        assert answer.forms[0]["title"] == f"Sign in to {device.name}"
        # Nobody is asked twice.
        assert headers(extension.operation("login", person=types()))["Principal"] == person.principal
    assert person.principal in device.tickets()


def test_a_wrong_password_is_asked_for_again_and_counted_once(
    device: KerberosDevice, new_person: NewPerson, realm: Realm
) -> None:
    person = new_person()
    with device.start() as extension:
        answer = extension.operation("login", person=types(
            {"User name": person.name, "Password": "wrong-horse-1"}, {"Password": ""}))
        assert answer.kind == "canceled"
        problems = [form.get("problem") for form in answer.forms]
        assert problems == [None, "The user name or the password is wrong.", "Write your password."]
        assert failed_attempts(realm, person.name) == 1
        # Names as people write them.
        written = f"SCHOOL\\{person.name}", f" {person.name}@school.test "
        for name in written:
            device.destroy_tickets()
            assert headers(extension.operation("login", person=signs_in(name)))["Principal"] == person.principal


@pytest.mark.parametrize(("options", "problem"), [
    (("-allow_tix",), "Your account is locked or disabled. Wait a while, or ask your administrator."),
    (("-expire", "1 day ago"), "Your account has expired. Ask your administrator."),
], ids=["locked", "expired"])
def test_the_form_says_why_the_kdc_refuses(
    device: KerberosDevice, new_person: NewPerson, options: tuple[str, ...], problem: str
) -> None:
    person = new_person(*options)
    with device.start() as extension:
        answer = extension.operation("login", person=types({"User name": person.name, "Password": PASSWORD}))
        assert [form.get("problem") for form in answer.forms] == [None, problem], device.log


def test_the_form_says_that_nobody_has_this_name(device: KerberosDevice) -> None:
    with device.start() as extension:
        answer = extension.operation("login", person=types(
            {"User name": "nobody-at-all", "Password": "x"}, {"User name": "  "}))
        assert [form.get("problem") for form in answer.forms] == [
            None, "SCHOOL.TEST does not know this user name.", "Write your user name."]


def test_the_form_is_as_the_payload_wants_it(device: KerberosDevice, new_person: NewPerson) -> None:
    person = new_person()
    data = {"customUsernameLabel": "Badge number", "helpText": "Call 110.", "allowAutomaticLogin": False}
    with device.start() as extension:
        form = extension.operation("login", data=data, person=types()).forms[0]
        assert [field["label"] for field in form["fields"]] == ["Badge number", "Password"]
        assert form["text"] == "Call 110."
        fixed = extension.operation(
            "login", data={"principalName": person.name}, person=types({"Password": PASSWORD}))
        assert [field["label"] for field in fixed.forms[0]["fields"]] == ["Password", "Save the password on this device"]
        assert headers(fixed)["Principal"] == person.principal
    device.environment["LANGUAGE"] = "ko"
    device.destroy_tickets()
    with device.start() as extension:
        form = extension.operation("login", person=types()).forms[0]
        assert [field["label"] for field in form["fields"]] == ["사용자 이름", "암호", "이 기기에 암호 저장"]


def test_an_app_has_nobody_sign_in_before_it_was_begun(
    device: KerberosDevice, new_person: NewPerson, site: NegotiateSite
) -> None:
    """22.18"""
    data, person = {"delayUserSetup": True}, new_person()
    with device.start() as extension:

        def is_put_off() -> bool:
            answer = extension.operation("login", data=data, person=types())
            if answer.kind == "failed":
                assert (answer.error["code"], answer.forms) == (NOT_INTERACTIVE, [])
                assert "`lanyard-sso kerberos proceed`" in answer.error["message"]
            assert headers(extension.operation("status", data=data)).get("Setup-Delayed") == (
                "true" if answer.kind == "failed" else None)
            return answer.kind == "failed"

        assert is_put_off()
        # Three things begin it. Each counts for later runs, and ends with the profile.
        extension.operation("proceed", data=data)
        assert not is_put_off()
    with device.start() as extension:
        assert not is_put_off()
        extension.operation("configurationRemoved", data=data)
        assert is_put_off()
        extension.challenge(f"{site.url}/members/", data=data, person=types())
        assert not is_put_off()
        extension.operation("configurationRemoved", data=data)
        assert is_put_off()
        signed_in = extension.operation("login", data=data, options={"proceed": "true"}, person=signs_in(person.name))
        assert signed_in.status == 200
        device.destroy_tickets()
        assert not is_put_off()
        # Without the key nothing is put off.
        extension.operation("configurationRemoved")
        assert len(extension.operation("login", person=types()).forms) == 1


def test_many_callers_are_asked_once(
    device: KerberosDevice, new_person: NewPerson, site: NegotiateSite
) -> None:
    person = new_person()
    forms = []

    def somebody(form: dict) -> dict[str, str]:
        forms.append(form)
        # A person takes a while, in which the others come.
        time.sleep(0.5)
        return {"User name": person.name, "Password": PASSWORD}

    with device.start() as extension, ThreadPoolExecutor(20) as threads:
        answers = list(threads.map(
            lambda number: extension.challenge(
                f"{site.url}/members/{number}", person=somebody, caller=f"org.example.{number}"), range(20)))
        assert [answer.kind for answer in answers] == ["headers"] * 20
        assert len(forms) == 1
        assert len({authorization(answer) for answer in answers}) == 20


def test_whoever_cancels_is_not_asked_by_each_request_of_a_page(device: KerberosDevice, site: NegotiateSite) -> None:
    forms = []

    def somebody(form: dict) -> None:
        forms.append(form)
        # A person takes a while, in which the others come.
        time.sleep(0.5)

    with device.start() as extension, ThreadPoolExecutor(10) as threads:
        answers = list(threads.map(
            lambda number: extension.challenge(f"{site.url}/{number}", person=somebody), range(10)))
        assert {answer.kind for answer in answers} == {"doNotHandle"}
        assert extension.challenge(f"{site.url}/later", person=somebody).kind == "doNotHandle"
        assert len(forms) == 1


# Saved passwords


def test_a_saved_password_signs_in_without_a_form(device: KerberosDevice, new_person: NewPerson) -> None:
    person = new_person()
    with device.start() as extension:
        extension.operation("login", person=signs_in(person.name, **{"Save the password on this device": "true"}))
    device.destroy_tickets()
    with device.start() as extension:
        assert headers(extension.operation("refresh"))["Principal"] == person.principal
        device.destroy_tickets()
        # The profile may forbid it later.
        refused = extension.operation("refresh", data={"allowAutomaticLogin": False})
        assert refused.error["code"] == NOT_INTERACTIVE
        # Then it is deleted, and allowing it again does not bring it back.
        assert headers(extension.operation("status"))["Password-Saved"] == "false"
        assert extension.operation("refresh").error["code"] == NOT_INTERACTIVE
    for file in (device.folder / "data").rglob("*"):
        assert file.is_dir() or PASSWORD.encode() not in file.read_bytes()
        assert is_hidden(file), file


def test_a_password_that_is_not_to_be_saved_is_not(device: KerberosDevice, new_person: NewPerson) -> None:
    with device.start() as extension:
        extension.operation("login", person=signs_in(new_person().name))
        device.destroy_tickets()
        assert extension.operation("refresh").error["code"] == NOT_INTERACTIVE


def test_a_saved_password_that_is_refused_is_tried_once_by_all_callers_and_runs_together(
    device: KerberosDevice, new_person: NewPerson, realm: Realm
) -> None:
    person = new_person()
    with device.start() as extension:
        extension.operation("login", person=signs_in(person.name, **{"Save the password on this device": "true"}))
    device.destroy_tickets()
    realm.set_password(person.name, OTHER)
    with device.start() as extension, ThreadPoolExecutor(20) as threads:
        callers = [f"org.example.{number}" for number in range(20)]
        answers = list(threads.map(lambda caller: extension.operation("refresh", caller=caller), callers))
        assert {answer.error["code"] for answer in answers} == {NOT_INTERACTIVE}
    with device.start() as extension:
        assert extension.operation("refresh").error["code"] == NOT_INTERACTIVE
        assert failed_attempts(realm, person.name) == 1
        # The name stays in the form.
        form = extension.operation("login", person=types()).forms[0]
        assert form["fields"][0]["value"] == person.name


# Passwords


def test_a_password_that_must_be_changed_is_changed_on_the_way(
    device: KerberosDevice, new_person: NewPerson, realm: Realm
) -> None:
    person = new_person("+needchange")
    with device.start() as extension:
        answer = extension.operation("login", data={"pwReqLength": 10, "pwReqHistory": 3}, person=types(
            {"User name": person.name, "Password": PASSWORD, "Save the password on this device": "true"},
            {"New password": "short", "New password again": "short"},
            {"New password": OTHER, "New password again": "another-horse-3"},
            {"New password": OTHER, "New password again": OTHER}))
        told = headers(answer)
        assert told["Principal"] == person.principal
        assert told["Password-Changed"]
        form = answer.forms[1]
        assert form["text"] == "At least 10 characters.\nNone of your last 3 passwords."
        assert [form.get("problem") for form in answer.forms[1:]] == [
            "Your password has expired, or an administrator wants you to change it.", "At least 10 characters.",
            "The new passwords are not the same."]
        # The new one was saved.
        device.destroy_tickets()
        assert extension.operation("refresh").kind == "response"
    assert person.kinit(OTHER).returncode == 0
    assert person.kinit(PASSWORD).returncode != 0


def test_the_servers_rules_decide_and_are_told(device: KerberosDevice, new_person: NewPerson, realm: Realm) -> None:
    realm.add_policy("of-the-extension", "-minlength", "12")
    person = new_person("-policy", "of-the-extension")
    with device.start() as extension:
        extension.operation("login", person=signs_in(person.name, **{"Save the password on this device": "true"}))
        answer = extension.operation("changePassword", person=types(
            {"Current password": "wrong-horse-1", "New password": OTHER, "New password again": OTHER},
            {"Current password": PASSWORD, "New password": "brief-1", "New password again": "brief-1"},
            {"Current password": PASSWORD, "New password": OTHER, "New password again": OTHER}))
        assert answer.kind == "empty"
        problems = [form.get("problem") for form in answer.forms]
        assert problems[:2] == [None, "The user name or the password is wrong."]
        assert problems[2].startswith("SCHOOL.TEST does not take this password: ")
        assert "too short" in problems[2]
        device.destroy_tickets()
        assert extension.operation("refresh").kind == "response"
        assert failed_attempts(realm, person.name) == 0


def test_a_password_is_changed_where_the_payload_says(device: KerberosDevice, new_person: NewPerson) -> None:
    person = new_person("+needchange")
    page = "https://passwords.school.test/change"
    with device.start() as extension:
        def problems(**data: object) -> list[str | None]:
            answer = extension.operation("login", data=data, person=types(
                {"User name": person.name, "Password": PASSWORD}))
            return [form.get("problem") for form in answer.forms]

        assert problems(pwChangeURL=page) == [
            None, f"Your password has expired. Change it at {page}, then sign in here."]
        assert problems(allowPasswordChange=False) == [
            None, "Your password has expired, and it cannot be changed here. Ask your administrator."]
        assert page in extension.operation(
            "changePassword", data={"pwChangeURL": page}, person=types()).error["message"]


def test_the_page_for_passwords_is_opened_where_there_is_a_desktop(
    realm: Realm, new_person: NewPerson, tmp_path: Path
) -> None:
    """22.26. Another program stands in the place of xdg-open, which would start a real browser."""
    opened, browser = tmp_path / "opened", tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1 $KRB5_CONFIG" >> {opened}\n')
    browser.chmod(0o755)
    in_place = ("unshare", "--mount", "sh", "-c", 'mount --bind "$0" /usr/bin/xdg-open && exec "$@"', str(browser))
    device = KerberosDevice(tmp_path / "device", realm.name, realm.settings, in_place, DISPLAY=":77")
    page = "https://passwords.school.test/change?a=1&b=2"
    seen = f"{page} {realm.settings}\n"
    with device.start() as extension:
        answer = extension.operation("changePassword", data={"pwChangeURL": page}, person=types())
        assert (answer.status, headers(answer)) == (200, {"Password-Page": page})
        wait_until(lambda: opened.exists() and opened.read_text() == seen, 20, "the browser is started")
        # Whoever may not be asked sees no page either.
        silent = extension.operation("changePassword", data={"pwChangeURL": page})
        assert page in silent.error["message"]
        answer = extension.operation("login", data={"pwChangeURL": page}, person=types(
            {"User name": new_person("+needchange").name, "Password": PASSWORD}))
        assert page in answer.forms[-1]["problem"]
        wait_until(lambda: opened.read_text() == 2 * seen, 20, "the browser is started again")


# Who may use the ticket


def test_a_list_of_callers_keeps_the_ticket_from_all_others(
    device: KerberosDevice, new_person: NewPerson, site: NegotiateSite
) -> None:
    data = {"credentialBundleIdACL": ["org.example.mail"]}
    with device.start() as extension:
        told = headers(extension.operation("login", data=data, person=signs_in(new_person().name)))
        assert told["Cache-Use"] == "private"
        name = told["Cache-Name"].removeprefix("FILE:")
        assert is_hidden(Path(name)) and is_hidden(Path(name).parent)
        assert device.name not in device.tickets()

        def kind(caller: str) -> str:
            return extension.challenge(f"{site.url}/members/", data=data, caller=caller, person=types()).kind

        assert kind("org.example.mail") == "headers"
        assert kind("org.example.other") == kind("org.example.Mail") == "doNotHandle"
        # Kerberos's own programs may have it: then everybody finds it.
        shared = headers(extension.operation(
            "login", data=data | {"includeKerberosAppsInBundleIdACL": True}, person=signs_in(new_person().name)))
        assert shared["Cache-Use"] == "shared"


def test_managed_apps_may_use_the_ticket_where_the_payload_says_so(
    device: KerberosDevice, new_person: NewPerson, site: NegotiateSite
) -> None:
    managed = {"includeManagedAppsInBundleIdACL": True}
    listed = managed | {"credentialBundleIdACL": ["org.example.mail"]}
    with device.start() as extension:
        told = headers(extension.operation("login", data=managed, person=signs_in(new_person().name)))
        assert told["Cache-Use"] == "private"

        def kind(data: dict, caller: str = "org.example.other", is_managed: bool = False) -> str:
            return extension.challenge(
                f"{site.url}/members/", data=data, caller=caller, is_managed=is_managed, person=types()).kind

        assert kind(managed, is_managed=True) == "headers"
        assert kind(managed) == kind(managed, "org.example.mail") == "doNotHandle"
        # They come besides those of the list, which does not take them in by itself.
        assert kind(listed, is_managed=True) == kind(listed, "org.example.mail") == "headers"
        assert kind(listed) == "doNotHandle"
        assert kind({"credentialBundleIdACL": ["org.example.mail"]}, is_managed=True) == "doNotHandle"


def test_where_somebody_has_to_be_present_no_password_is_saved(device: KerberosDevice, new_person: NewPerson) -> None:
    name, remember = new_person().name, "Save the password on this device"
    with device.start() as extension:

        def asked(*more: str, **data: bool) -> list[str]:
            answer = extension.operation("login", data=data, person=signs_in(name, **dict.fromkeys(more, "true")))
            assert answer.status == 200, answer
            [form] = answer.forms
            return [part["label"] for part in form["fields"]]

        # 22.17
        assert asked(requireUserPresence=True) == ["User name", "Password"]
        assert headers(extension.operation("status"))["Password-Saved"] == "false"
        device.destroy_tickets()
        refused = extension.operation("refresh", data={"requireUserPresence": True})
        assert refused.error["code"] == NOT_INTERACTIVE
        # Without the key it is there, and serves.
        assert asked(remember) == ["User name", "Password", remember]
        device.destroy_tickets()
        assert extension.operation("refresh").status == 200


# What a server gets

# Says who has sent a token, and whether their ticket has come along; then also whom a service behind it sees, to which it goes on
# with that ticket. Without a token it makes one that brings it.
ACCEPTOR = """
import base64, gssapi, sys
token = base64.b64decode(sys.stdin.read())
if not token:
    name = gssapi.Name(sys.argv[1], gssapi.NameType.hostbased_service)
    flags = [gssapi.RequirementFlag.delegate_to_peer, gssapi.RequirementFlag.mutual_authentication]
    token = gssapi.SecurityContext(
        name=name, usage="initiate", flags=flags, mech=gssapi.OID.from_int_seq("1.3.6.1.5.5.2")).step()
context = gssapi.SecurityContext(usage="accept")
context.step(token)
said = [context.initiator_name, context.delegated_creds is not None]
if context.delegated_creds and len(sys.argv) > 2:
    name = gssapi.Name(sys.argv[2], gssapi.NameType.hostbased_service)
    shown = gssapi.SecurityContext(name=name, creds=context.delegated_creds, usage="initiate").step()
    behind = gssapi.SecurityContext(usage="accept")
    behind.step(shown)
    said.append(behind.initiator_name)
print(*said)
"""


def test_a_server_gets_no_ticket_with_which_it_could_act_for_somebody(
    realm: Realm, device: KerberosDevice, person: Person, site: NegotiateSite
) -> None:
    server = {"KRB5_KTNAME": str(realm.folder / "intranet.keytab"), "KRB5RCACHENAME": "none:"}

    def accepts(token: str) -> str:
        done = person.run("/usr/bin/python3", "-c", ACCEPTOR, f"HTTP@{site.host}", typed=token, **server)
        assert done.returncode == 0, done.stderr
        return done.stdout

    with device.start() as extension:
        shown = authorization(extension.challenge(f"{site.url}/members/", person=signs_in(person.name)))
    assert accepts(shown.removeprefix("Negotiate ")) == f"{person.principal} False\n"
    # The ticket could be handed on.
    assert accepts("") == f"{person.principal} True\n"


def test_a_server_that_the_kdc_trusts_acts_for_somebody_where_the_payload_lets_it(
    realm: Realm, new_person: NewPerson, tmp_path: Path
) -> None:
    """22.39"""
    keytab = realm.keytab(*(f"HTTP/{name}.school.test" for name in ("trusted", "plain", "behind")), file="delegation.keytab")
    realm.change("HTTP/trusted.school.test", "+ok_as_delegate")
    # The machine itself wants no tickets that can be handed on.
    settings = realm.folder / "delegation.conf"
    settings.write_text(realm.settings.read_text().replace("    forwardable = true\n", ""))
    person, device = new_person(), KerberosDevice(tmp_path / "device", realm.name, settings)
    server = {"KRB5_KTNAME": str(keytab), "KRB5RCACHENAME": "none:", "KRB5CCNAME": "MEMORY:nothing"}
    with device.start() as extension:

        def seen(name: str, is_proxy: bool = False, **data: bool) -> list[str]:
            answer = extension.challenge(
                f"http://{name}.school.test/", is_proxy=is_proxy, data=data, person=signs_in(person.name))
            shown = authorization(answer, "Proxy-Authorization" if is_proxy else "Authorization")
            done = person.run(
                "/usr/bin/python3", "-c", ACCEPTOR, f"HTTP@{name}.school.test", "HTTP@behind.school.test",
                typed=shown.removeprefix("Negotiate "), **server)
            assert done.returncode == 0, done.stderr
            return done.stdout.split()

        assert seen("trusted") == [person.principal, "False"]
        # A ticket from before stays as it is. The library looks once a second whether a file of its configuration has changed.
        time.sleep(1.1)
        assert seen("trusted", allowDelegation=True) == [person.principal, "False"]
        time.sleep(1.1)
        extension.operation("logout")
        assert seen("trusted", allowDelegation=True) == [person.principal, "True", person.principal], device.log
        assert seen("plain", allowDelegation=True) == [person.principal, "False"]
        assert seen("trusted", is_proxy=True, allowDelegation=True) == [person.principal, "False"]
        assert seen("trusted") == [person.principal, "False"]


# What ends


def test_logout_and_a_profile_that_is_removed_leave_nothing(
    device: KerberosDevice, new_person: NewPerson
) -> None:
    name = new_person().name
    programs = device.folder / "data" / "programs.conf"
    for operation in ("logout", "configurationRemoved"):
        with device.start() as extension:
            extension.operation("login", person=signs_in(name, **{"Save the password on this device": "true"}))
            assert name in device.tickets() and programs.exists()
            assert extension.operation(operation).kind == "empty"
            # What other programs are told of the realm goes with its profile.
            assert programs.exists() == (operation == "logout")
            assert extension.operation("refresh").error["code"] == NOT_INTERACTIVE
        assert name not in device.tickets()
        assert not list((device.folder / "data").glob("realm-*"))


def test_a_ticket_that_ends_soon_is_renewed(device: KerberosDevice, new_person: NewPerson, realm: Realm) -> None:
    person = new_person("-maxlife", "2 minutes", "-maxrenewlife", "1 hour")
    with device.start() as extension:
        first = headers(extension.operation("login", person=signs_in(person.name)))
        # Times of tickets are whole seconds.
        time.sleep(1.1)
        second = headers(extension.operation("refresh"))
        assert second["TGT-Expires"] > first["TGT-Expires"]
        assert second["TGT-Renew-Until"] == first["TGT-Renew-Until"]
        assert second["Cache-Name"] == first["Cache-Name"]


# Without a person


def test_a_keytab_signs_a_kiosk_in(device: KerberosDevice, realm: Realm, site: NegotiateSite) -> None:
    realm.keytab("kiosk/library", file="kiosk.keytab")
    (device.files / f"{realm.name}.keytab").write_bytes((realm.folder / "kiosk.keytab").read_bytes())
    with device.start() as extension:
        answer = extension.challenge(f"{site.url}/members/")
        assert "kiosk/library" in load(site, "/members/", authorization(answer))[1]


def test_a_refused_keytab_is_not_tried_again_before_it_changes(
    device: KerberosDevice, realm: Realm, site: NegotiateSite
) -> None:
    kiosk = "kiosk/hall"
    old = realm.keytab(kiosk, file="hall-old.keytab").read_bytes()
    realm.kadmin("modprinc", "+requires_preauth", kiosk)
    new = realm.folder / "hall-new.keytab"
    # The key that the device has is not the account's any more.
    realm.kadmin("ktadd", "-k", new, kiosk)
    keytab = device.files / f"{realm.name}.keytab"
    keytab.write_bytes(old)
    with device.start() as extension:
        assert extension.operation("refresh").kind == "failed"
        assert failed_attempts(realm, kiosk) == 1
    with device.start() as extension:
        # Another run knows it too, whoever asks.
        assert str(keytab) in str(extension.operation("refresh").error)
        assert extension.challenge(f"{site.url}/members/").kind == "doNotHandle"
        assert failed_attempts(realm, kiosk) == 1
        assert headers(extension.operation("status"))["Keytab-Refused"]
        # The same key in a file that was written anew is tried once.
        keytab.unlink()
        keytab.write_bytes(old)
        assert "Keytab-Refused" not in headers(extension.operation("status"))
        for _ in range(2):
            assert extension.operation("refresh").kind == "failed"
        assert failed_attempts(realm, kiosk) == 2
        # So it is after a sign-out.
        extension.operation("logout")
        assert extension.operation("refresh").kind == "failed"
        assert failed_attempts(realm, kiosk) == 3
        keytab.write_bytes(new.read_bytes())
        told = headers(extension.operation("refresh"))
        assert told["UserName"] == kiosk and "Keytab-Refused" not in told


@pytest.mark.parametrize("form", ["pem", "p12"])
def test_a_certificate_signs_in(device: KerberosDevice, new_person: NewPerson, realm: Realm, form: str) -> None:
    person = new_person()
    leaf = realm.certificate(person.name)
    uuid = "0B7A1E0C-5B0E-4B0E-9C55-3A0B5D7F0A44"
    file = device.files / f"{uuid}.{form}"
    if form == "pem":
        file.write_bytes(leaf.certificate.read_bytes() + leaf.key.read_bytes())
    else:
        leaf.write_pkcs12(file)
    data = {"certificateUUID": uuid, "principalName": person.name}
    with device.start() as extension:
        assert headers(extension.operation("refresh", data=data))["Principal"] == person.principal
        # Another person's certificate opens nothing.
        device.destroy_tickets()
        refused = extension.operation("refresh", data=data | {"principalName": new_person().name})
        assert refused.error["code"] == NOT_INTERACTIVE


@pytest.mark.parametrize(("host", "isTaken"), [("LocalHost", True), ("other.ad.test", False)], ids=["its own", "another host's"])
def test_a_center_with_a_certificate_of_active_directory(tmp_path: Path, host: str, isTaken: bool) -> None:
    """23.7: it has its host's name, and no mark for Kerberos."""
    with Realm(tmp_path / "realm", "AD.TEST", certified_as=host) as realm:
        realm.add("ana", PASSWORD)
        leaf, uuid = realm.certificate("ana"), "6D6C1A52-8B53-4B6E-8E0F-9B7C6F7C1D02"
        card = smart_card(tmp_path / "card", leaf)
        trace = tmp_path / "trace"
        device = KerberosDevice(
            tmp_path / "device", realm.name, realm.settings, KRB5_TRACE=str(trace), **card.environment)
        (device.files / f"{uuid}.pem").write_bytes(leaf.certificate.read_bytes() + leaf.key.read_bytes())
        (device.files / "pkcs11-module").write_text(f"{card.module}\n")
        named = {"principalName": "ana", "preferredKDCs": [f"localhost:{realm.kdc_port}"]}
        with device.start() as extension:
            # The machine's own configuration of the realm has an address, which is in no certificate.
            nameless = extension.operation("refresh", data={"principalName": "ana", "certificateUUID": uuid})
            assert nameless.error["code"] == NOT_INTERACTIVE
            # The library looks once a second whether a file of its configuration has changed.
            time.sleep(1.1)
            with_certificate = extension.operation("refresh", data=named | {"certificateUUID": uuid})
            assert (with_certificate.kind == "response") == isTaken, device.log
            assert "PKINIT client config accepts KDC dNSName SAN localhost" in trace.read_text()
            if isTaken:
                device.destroy_tickets()
            else:
                assert "PKINIT client found no acceptable SAN in KDC cert" in trace.read_text()
                assert with_certificate.error["code"] == NOT_INTERACTIVE
            with_card = extension.operation(
                "login", data=named | {"startInSmartCardMode": True}, person=types({"PIN": PIN}))
            assert (with_card.kind == "response") == isTaken, device.log
        assert ("krbtgt/AD.TEST" in device.tickets()) == isTaken


# Networks


@pytest.fixture
def own_realm(tmp_path: Path) -> Iterator[Realm]:
    with Realm(tmp_path / "own", "AWAY.TEST") as realm:
        realm.add("ana", PASSWORD)
        yield realm


@pytest.mark.parametrize("isPaused", [False, True], ids=["no KDC", "a KDC that says nothing"])
def test_without_a_kdc_a_page_loads_soon_and_nobody_is_asked(
    own_realm: Realm, tmp_path: Path, isPaused: bool
) -> None:
    device = KerberosDevice(tmp_path / "device", own_realm.name, own_realm.settings)
    with device.start() as extension:
        extension.operation("login", person=signs_in("ana", **{"Save the password on this device": "true"}))
        device.destroy_tickets()
        own_realm.pause() if isPaused else own_realm.stop_kdc()
        start = time.monotonic()
        first = extension.challenge("http://intranet.away.test/", person=types())
        assert (first.kind, first.forms) == ("doNotHandle", [])
        assert time.monotonic() - start < 15
        start = time.monotonic()
        assert extension.challenge("http://intranet.away.test/", person=types()).kind == "doNotHandle"
        # It is not waited for once more, which would take about as long.
        assert time.monotonic() - start < 5
        own_realm.go_on() if isPaused else own_realm.start_kdc()
        # The password is still there: nobody refused it.
        assert extension.operation("refresh").kind == "response"


def test_login_says_that_no_kdc_answers(own_realm: Realm, tmp_path: Path) -> None:
    own_realm.stop_kdc()
    device = KerberosDevice(tmp_path / "device", own_realm.name, own_realm.settings)
    with device.start() as extension:
        answer = extension.operation("login", person=types())
        assert answer.forms == []
        assert "unreachable" in answer.error["message"]


@pytest.mark.parametrize(("clock", "side"), [("+2h", "slow"), ("-2h", "fast")])
def test_a_clock_that_is_wrong(tmp_path: Path, clock: str, side: str) -> None:
    with Realm(tmp_path / "realm", "CLOCK.TEST") as realm:
        realm.add("ana", PASSWORD)
        realm.stop_kdc()
        realm.start_kdc(clock=clock)
        # A library that does not correct the clock by itself tells the person.
        settings = realm.client_settings("strict.conf", defaults="    kdc_timesync = 0\n")
        with KerberosDevice(tmp_path / "strict", realm.name, settings).start() as extension:
            answer = extension.operation("login", person=types({"User name": "ana", "Password": PASSWORD}))
            problem = answer.forms[-1]["problem"]
            assert re.fullmatch(rf"The clock of this device is 1(19|20) minutes {side}\..*", problem), problem


# Smart cards


def device_with_card(realm: Realm, person: Person, folder: Path) -> KerberosDevice:
    card = smart_card(folder / "card", realm.certificate(person.name))
    device = KerberosDevice(folder / "device", realm.name, realm.settings, **card.environment)
    (device.files / "pkcs11-module").write_text(f"{card.module}\n")
    return device


def test_a_card_signs_in_and_warns_before_it_locks(
    realm: Realm, new_person: NewPerson, tmp_path: Path
) -> None:
    person = new_person()
    device = device_with_card(realm, person, tmp_path)
    data = {"startInSmartCardMode": True, "principalName": person.name}
    with device.start() as extension:
        answer = extension.operation("login", data=data, person=types(
            {"PIN": ""}, {"PIN": "000000"}, {"PIN": PIN}))
        assert headers(answer)["Principal"] == person.principal, device.log
        assert [field["label"] for field in answer.forms[0]["fields"]] == ["PIN", "Use a password instead"]
        assert [form.get("problem") for form in answer.forms] == [
            None, "Write the PIN of the card.",
            "The PIN is wrong. Only a few wrong PINs are left until the card is locked."]
        # No PIN is saved, and the person can take the password instead.
        device.destroy_tickets()
        assert extension.operation("refresh", data=data).error["code"] == NOT_INTERACTIVE
        answer = extension.operation("login", data=data, person=types(
            {"Use a password instead": "true"}, {"Password": PASSWORD}))
        assert headers(answer)["Principal"] == person.principal
    assert PIN not in device.log


def test_a_card_whose_pin_was_mistaken_before_is_not_tried_before_somebody_has_read_so(
    realm: Realm, new_person: NewPerson, tmp_path: Path
) -> None:
    person = new_person()
    device = device_with_card(realm, person, tmp_path)
    data = {"allowPassword": False, "principalName": person.name}
    with device.start() as extension:
        extension.operation("login", data=data, person=types({"PIN": "000000"}))
        answer = extension.operation("login", data=data, person=types({"PIN": PIN}, {"PIN": PIN}))
        assert [form.get("problem") for form in answer.forms] == [
            None, "Only a few wrong PINs are left until the card is locked."]
        assert headers(answer)["Principal"] == person.principal


def test_a_card_is_chosen_by_who_has_issued_its_certificate(
    realm: Realm, new_person: NewPerson, tmp_path: Path
) -> None:
    person = new_person()
    device = device_with_card(realm, person, tmp_path)
    data = {"allowPassword": False, "principalName": person.name}
    with device.start() as extension:
        answer = extension.operation(
            "login", data=data | {"identityIssuerAutoSelectFilter": "*Other CA*"}, person=types({"PIN": PIN}))
        assert "no certificate of the issuer" in answer.forms[-1]["problem"], answer.forms
        answer = extension.operation(
            "login", data=data | {"identityIssuerAutoSelectFilter": "*Authority of the*"}, person=types({"PIN": PIN}))
        assert headers(answer)["Principal"] == person.principal, device.log


# Caches


def test_sssds_keeper_of_tickets_is_taken_where_it_runs(
    realm: Realm, new_person: NewPerson, tmp_path: Path
) -> None:
    with ticket_keeper(tmp_path / "keeper") as keeper:
        settings = realm.client_settings("keeper.conf", defaults=keeper.defaults)
        device = KerberosDevice(tmp_path / "device", realm.name, settings)
        del device.environment["KRB5CCNAME"]
        person = new_person()
        with device.start() as extension:
            told = headers(extension.operation("login", person=signs_in(person.name)))
            assert told["Cache-Name"] == f"KCM:{os.getuid()}:sso-{realm.name}"
            assert person.principal in device.tickets()
            # The keeper keeps it when the extension has ended.
        with device.start() as extension:
            assert headers(extension.operation("refresh"))["Principal"] == person.principal


def test_a_cache_of_another_realm_is_left_alone(
    device: KerberosDevice, new_person: NewPerson, own_realm: Realm, tmp_path: Path
) -> None:
    other = own_realm.person("ana")
    assert other.kinit(PASSWORD).returncode == 0
    device.environment["KRB5CCNAME"] = other.cache
    with device.start() as extension:
        told = headers(extension.operation("login", person=signs_in(new_person().name)))
        assert told["Cache-Name"] != other.cache
        assert extension.operation("logout").kind == "empty"
    assert other.tickets() == ["krbtgt/AWAY.TEST@AWAY.TEST"]


def test_a_ticket_that_other_programs_got_is_used(
    device: KerberosDevice, person: Person, site: NegotiateSite
) -> None:
    device.environment["KRB5CCNAME"] = person.cache
    with device.start() as extension:
        answer = extension.challenge(f"{site.url}/members/")
        assert f"Hello {person.principal}" in load(site, "/members/", authorization(answer))[1]


# Active Directory


@pytest.mark.parametrize(("name", "problem"), [
    ("disabled", "Your account is disabled. Ask your administrator."),
    ("departed", "Your account has expired. Ask your administrator."),
    # Samba tells nobody that an account is locked.
    ("locked", "Your account is locked or disabled. Wait a while, or ask your administrator."),
])
def test_active_directory_says_which_account_may_not_sign_in(
    domain: Domain, tmp_path: Path, name: str, problem: str
) -> None:
    device = KerberosDevice(tmp_path / "device", domain.realm, domain.settings, domain.entering)
    with device.start() as extension:
        answer = extension.operation("login", person=types({"User name": name, "Password": DOMAIN_PASSWORD}))
        assert [form.get("problem") for form in answer.forms] == [None, problem], device.log


def test_active_directory_lets_in_by_either_name_and_changes_passwords(domain: Domain, tmp_path: Path) -> None:
    domain.add("noa")
    device = KerberosDevice(tmp_path / "device", domain.realm, domain.settings, domain.entering)
    with device.start() as extension:
        told = headers(extension.operation("login", person=signs_in(f"noa@{domain.name}", DOMAIN_PASSWORD)))
        assert told["Principal"] == f"noa@{domain.realm}"
        # Active Directory says when a password expires.
        assert told["Password-Expires"] > told["TGT-Expires"]
        extension.operation("logout")
        answer = extension.operation("login", person=types(
            {"User name": "must-change", "Password": DOMAIN_PASSWORD},
            {"New password": "Ab-1", "New password again": "Ab-1"},
            {"New password": "Another-horse-2", "New password again": "Another-horse-2"}))
        assert headers(answer)["UserName"] == "must-change"
        assert "at least 8 characters" in answer.forms[2]["problem"]
