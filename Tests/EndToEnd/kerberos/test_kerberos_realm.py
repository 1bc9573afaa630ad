"""The realm of the tests does what its makers say, with the programs of MIT."""

from collections.abc import Callable
from pathlib import Path

import pytest
from kerberos.kdc import PASSWORD, Person, Realm, proxy

NewPerson = Callable[..., Person]


def test_somebody_gets_a_ticket_with_their_password(realm: Realm, new_person: NewPerson) -> None:
    person = new_person()
    assert person.kinit("not-the-password").stderr == "kinit: Password incorrect while getting initial credentials\n"
    assert person.tickets() == []
    assert person.kinit(PASSWORD).returncode == 0
    assert person.tickets() == [f"krbtgt/{realm.name}@{realm.name}"]


@pytest.mark.parametrize(("options", "message"), [
    (("-allow_tix",), "Client's credentials have been revoked"),
    (("-expire", "1 day ago"), "Client's entry in database has expired"),
], ids=["locked", "expired"])
def test_a_person_who_may_not_sign_in(new_person: NewPerson, options: tuple[str, ...], message: str) -> None:
    assert message in new_person(*options).kinit(PASSWORD).stderr


@pytest.mark.parametrize("options", [("+needchange",), ("-pwexpire", "1 hour ago")], ids=["must-change", "expired"])
def test_a_password_that_must_be_changed(new_person: NewPerson, options: tuple[str, ...]) -> None:
    person = new_person(*options)
    assert "Password expired" in person.kinit(PASSWORD).stdout
    assert person.kinit(PASSWORD, "another-horse-2", "another-horse-2").returncode == 0
    assert person.kinit("another-horse-2").returncode == 0


def test_a_password_is_changed_or_refused(realm: Realm, new_person: NewPerson) -> None:
    realm.add_policy("strict", "-minlength", "8", "-minclasses", "3", "-history", "3")
    person = new_person("-policy", "strict")
    assert "at least 8 characters" in person.kpasswd(PASSWORD, "Ab-1").stdout
    assert "at least 3 character classes" in person.kpasswd(PASSWORD, "only-letters").stdout
    assert person.kpasswd(PASSWORD, "another-horse-2").returncode == 0
    assert "was used previously" in person.kpasswd("another-horse-2", PASSWORD).stdout


def test_too_many_wrong_passwords_lock_somebody_out(realm: Realm, new_person: NewPerson) -> None:
    realm.add_policy("three", "-maxfailure", "3", "-lockoutduration", "0", "-failurecountinterval", "0")
    person = new_person("-policy", "three")
    for _ in range(3):
        assert "Password incorrect" in person.kinit("not-the-password").stderr
    assert "revoked" in person.kinit(PASSWORD).stderr
    realm.change(person.name, "-unlock")
    assert person.kinit(PASSWORD).returncode == 0


def test_a_certificate_in_a_file_gets_a_ticket(realm: Realm, new_person: NewPerson) -> None:
    person, other = new_person(), new_person()
    leaf = realm.certificate(person.name)
    assert person.kinit(options=("-X", f"X509_user_identity={leaf.identity}")).returncode == 0
    assert person.tickets() == [f"krbtgt/{realm.name}@{realm.name}"]
    assert other.kinit(options=("-X", f"X509_user_identity={leaf.identity}")).returncode != 0


def test_a_proxy_speaks_to_the_kdc_for_those_who_speak_https(realm: Realm, new_person: NewPerson) -> None:
    person = new_person()
    with proxy(realm) as address:
        person.settings = realm.client_settings("proxied.conf", kdc=address)
        assert person.kinit(PASSWORD).returncode == 0
        assert person.kpasswd(PASSWORD, "another-horse-2").returncode == 0
    assert "Cannot contact any KDC" in person.kinit("another-horse-2").stderr


def test_people_of_one_realm_get_tickets_for_services_of_another(
    realm: Realm, person: Person, tmp_path: Path
) -> None:
    with Realm(tmp_path / "other", "OTHER.TEST") as other:
        realm.trust(other)
        other.add("HTTP/intranet.other.test")
        person.settings = realm.client_settings(
            "two-realms.conf", others=other.as_other_realm(), hosts="    .other.test = OTHER.TEST\n")
        done = person.run("kvno", "HTTP/intranet.other.test@OTHER.TEST")
        assert done.returncode == 0, done.stderr
        assert "krbtgt/OTHER.TEST@SCHOOL.TEST" in person.tickets()


def test_a_kdc_that_is_away_or_silent_or_has_another_time(tmp_path: Path) -> None:
    realm = Realm(tmp_path / "realm", "OWN.TEST")
    realm.add("ana", PASSWORD)
    ana = realm.person("ana")
    assert "Cannot contact any KDC" in ana.kinit(PASSWORD).stderr
    with realm:
        assert ana.kinit(PASSWORD).returncode == 0
        realm.pause()
        done = ana.run("timeout", "2", "kinit", "ana", typed=f"{PASSWORD}\n")
        # `timeout` had to end it.
        assert done.returncode == 124
        realm.go_on()
        assert ana.kinit(PASSWORD).returncode == 0
        realm.stop_kdc()
        realm.start_kdc(clock="+1h")
        # By itself the library takes over the KDC's time for as long as the ticket is used.
        assert ana.kinit(PASSWORD).returncode == 0
        ana.settings = realm.client_settings("own-clock.conf", defaults="    kdc_timesync = 0\n")
        assert "Clock skew too great" in ana.kinit(PASSWORD).stderr


def test_nothing_runs_when_a_realm_has_stopped(tmp_path: Path) -> None:
    with Realm(tmp_path / "realm", "OWN.TEST") as realm:
        programs = [realm._kdc, realm._kadmind]
        assert all(program.session_members() for program in programs)
    assert not any(program.session_members() for program in programs)
