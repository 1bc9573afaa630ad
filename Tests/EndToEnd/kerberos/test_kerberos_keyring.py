"""Where saved passwords are safe: their key is in the desktop's keyring, if there is one, and with a locked one nothing is lost."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from kerberos.device import KerberosDevice, failed_attempts, headers, signs_in, types
from kerberos.kdc import PASSWORD, Person, Realm
from single_sign_on.openid.extension import NOT_INTERACTIVE
from single_sign_on.openid.test_openid_keyring import Keyring

SAVED = {"Save the password on this device": "true"}
OTHER = "another-horse-2"


@pytest.fixture
def keyring(tmp_path: Path) -> Iterator[Keyring]:
    folder = tmp_path / "desktop"
    folder.mkdir(mode=0o700)
    keyring = Keyring(folder)
    try:
        yield keyring
    finally:
        try:
            keyring.stop()
        finally:
            keyring.bus.stop()


@pytest.fixture
def device(realm: Realm, tmp_path: Path, keyring: Keyring) -> KerberosDevice:
    return KerberosDevice(tmp_path / "device", realm.name, realm.settings, **keyring.environment)


@pytest.fixture
def person(device: KerberosDevice, keyring: Keyring, new_person: Callable[..., Person]) -> Person:
    """Somebody whose password was saved while the keyring was open. They have no ticket any more."""
    person = new_person()
    keyring.start()
    with device.start() as extension:
        assert extension.operation("login", person=signs_in(person.name, **SAVED)).status == 200, device.log
    device.destroy_tickets()
    return person


def lock(keyring: Keyring) -> None:
    keyring.stop()
    keyring.start(None)


def unlock(keyring: Keyring) -> None:
    keyring.stop()
    keyring.start()


def saved(device: KerberosDevice) -> list[Path]:
    return list((device.folder / "data").glob("realm-*"))


def test_the_key_of_a_saved_password_is_in_the_keyring(device: KerberosDevice, person: Person) -> None:
    assert saved(device) and not (device.folder / "data" / "key").exists()
    assert "no Secret Service" not in device.log
    with device.start() as extension:
        assert headers(extension.operation("refresh"))["Principal"] == person.principal


def test_while_the_keyring_is_locked_nobody_is_kept_out_and_what_is_saved_stays(
    device: KerberosDevice, keyring: Keyring, person: Person, realm: Realm
) -> None:
    lock(keyring)
    with device.start() as extension:
        assert extension.operation("refresh").error["code"] == NOT_INTERACTIVE
        assert headers(extension.operation("login", person=signs_in(person.name, **SAVED)))["Principal"] == person.principal
        assert "locked or not running" in device.log
    assert not (device.folder / "data" / "key").exists()
    device.destroy_tickets()
    unlock(keyring)
    with device.start() as extension:
        assert headers(extension.operation("refresh"))["Principal"] == person.principal
    assert failed_attempts(realm, person.name) == 0


def test_a_keyring_that_is_locked_from_the_start_is_not_waited_for(
    device: KerberosDevice, keyring: Keyring, new_person: Callable[..., Person]
) -> None:
    keyring.start()
    lock(keyring)
    person = new_person()
    with device.start() as extension:
        assert extension.operation("login", person=signs_in(person.name, **SAVED), timeout=20).status == 200
        device.destroy_tickets()
        assert extension.operation("refresh").status == 200
    # It stays where it was put first.
    assert (device.folder / "data" / "key").exists() and "no Secret Service is open here" in device.log


@pytest.mark.parametrize("operation", ["forgetPassword", "logout"])
def test_a_password_is_forgotten_also_while_the_keyring_is_locked(
    device: KerberosDevice, keyring: Keyring, person: Person, operation: str
) -> None:
    lock(keyring)
    with device.start() as extension:
        extension.operation(operation)
    assert saved(device) == [], device.log
    unlock(keyring)
    with device.start() as extension:
        assert headers(extension.operation("status"))["Password-Saved"] == "false"
        assert extension.operation("refresh").error["code"] == NOT_INTERACTIVE
        assert extension.operation("login", person=types()).forms[0]["fields"][0].get("value") is None


def test_a_password_that_is_changed_while_the_keyring_is_locked_has_nobody_try_the_old_one(
    device: KerberosDevice, keyring: Keyring, person: Person, realm: Realm
) -> None:
    lock(keyring)
    with device.start() as extension:
        assert extension.operation("changePassword", person=types({
            "User name": person.name, "Current password": PASSWORD, "New password": OTHER,
            "New password again": OTHER})).kind == "empty"
    unlock(keyring)
    with device.start() as extension:
        assert extension.operation("refresh").error["code"] == NOT_INTERACTIVE
    assert failed_attempts(realm, person.name) == 0
