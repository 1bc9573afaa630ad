"""The password of the computer's own account: docs/decisions/0067-the-password-of-this-computer.md, and
docs/specifications/extensible-single-sign-on.md, 22.35."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from kerberos import places
from kerberos.device import KerberosDevice, headers, signs_in, types
from kerberos.kdc import PASSWORD, Person, Realm
from kerberos.local_account import HELPER, NUMBER, LocalAccount, local_account
from kerberos.session_bus import session_bus
from processes import run, wait_until

NewPerson = Callable[..., Person]
OTHER = "another-horse-2"
SYNC = {"syncLocalPassword": True}
TITLE = "The password of this computer"
CURRENT = "Current password of this computer"

pytestmark = pytest.mark.skipif(places.why_not() is not None, reason=str(places.why_not()))


@pytest.fixture
def account() -> Iterator[LocalAccount]:
    with local_account(PASSWORD) as one:
        yield one


# The program


def test_the_account_gets_a_new_password(account: LocalAccount) -> None:
    done = account.change(PASSWORD, OTHER)
    assert (done.returncode, done.stderr) == (0, b"")
    assert account.has(OTHER) and not account.has(PASSWORD)
    # With one password twice it only looks.
    before = account.shadow
    assert account.change(OTHER, OTHER).returncode == 0
    assert account.change(PASSWORD, PASSWORD).returncode == 5
    assert account.shadow == before


def test_the_computer_s_files_keep_their_owner_and_mode(account: LocalAccount) -> None:
    shadow = account.folder / "etc" / "shadow"
    before = shadow.stat()
    assert account.change(PASSWORD, OTHER).returncode == 0
    after = shadow.stat()
    assert (after.st_uid, after.st_gid, after.st_mode) == (before.st_uid, before.st_gid, before.st_mode)
    assert sorted(path.name for path in shadow.parent.glob("*shadow*")) == ["shadow"]


def test_with_a_wrong_password_nothing_changes(account: LocalAccount) -> None:
    before = account.shadow
    done = account.change("wrong-horse-1", OTHER)
    assert (done.returncode, done.stderr) == (5, b"this is not the account's current password\n")
    assert account.shadow == before


def test_pam_s_refusal_is_told(account: LocalAccount) -> None:
    before = account.shadow
    done = account.change(PASSWORD, "tiny")
    assert done.returncode == 6 and b"longer" in done.stderr, done
    assert account.shadow == before
    account.write_shadow(PASSWORD, minimum_age=30, changed=int(time.time() / 86400))
    done = account.change(PASSWORD, OTHER)
    assert done.returncode == 6 and b"wait longer" in done.stderr, done
    assert account.has(PASSWORD)


def test_an_account_of_a_domain_is_refused(account: LocalAccount) -> None:
    before = account.shadow
    done = account.change(PASSWORD, OTHER, number=NUMBER + 1)
    assert done.returncode == 4 and b"/etc/passwd does not have it" in done.stderr
    # One number with two names is as little clear.
    account.write_accounts("mika:x:4711:4711::/:/bin/sh", "mikas-twin:x:4711:4711::/:/bin/sh")
    assert account.change(PASSWORD, OTHER).returncode == 4
    assert account.shadow == before


def test_root_s_password_is_nobody_s_to_change(account: LocalAccount) -> None:
    before = account.shadow
    done = account.change(PASSWORD, OTHER, number=0)
    assert done.returncode == 2 and b"root" in done.stderr
    assert account.shadow == before


def test_without_the_administrator_s_leave_it_does_nothing(account: LocalAccount) -> None:
    account.allow(False)
    done = account.change(PASSWORD, OTHER)
    assert done.returncode == 3 and b"administrator has not allowed it" in done.stderr
    assert account.has(PASSWORD)


@pytest.mark.parametrize("data", [
    b"", b"\0", b"one\0", b"one\0two", b"\0two\0", b"one\0\0", b"one\0two\0three\0", b"one\0two\0\n",
    b"1" * 512 + b"\0two\0", b"one\0" + b"2" * 512 + b"\0", b"1" * 511 + b"\0" + b"2" * 512 + b"\0", b"x" * 100_000,
])
def test_strange_input_is_refused(account: LocalAccount, data: bytes) -> None:
    before = account.shadow
    done = account.change(data=data)
    assert done.returncode == 2 and b"two passwords" in done.stderr, done
    assert account.shadow == before


def test_long_passwords_pass(account: LocalAccount) -> None:
    old, new = "é" * 120, "字" * 170
    account.write_shadow(old)
    assert account.change(old, new).returncode == 0
    assert account.has(new) and not account.has(new[:-1])
    assert account.change(new, old).returncode == 0


def test_secrets_are_no_arguments(account: LocalAccount) -> None:
    for arguments in ((PASSWORD, OTHER), ("--help",)):
        done = account.change(PASSWORD, OTHER, arguments=arguments)
        assert done.returncode == 2 and b"no arguments" in done.stderr
    assert account.has(PASSWORD)


def test_without_its_service_pam_is_not_asked(account: LocalAccount) -> None:
    account.write_service(None)
    # The service for all others would let everything through.
    (account.folder / "etc" / "pam.d" / "other").write_text("auth required pam_permit.so\npassword required pam_permit.so\n")
    done = account.change(PASSWORD, OTHER)
    assert done.returncode == 1 and b"lanyard-local-password is missing" in done.stderr
    # A service that never asks for the new password has not set it.
    account.write_service("auth required pam_unix.so\npassword required pam_permit.so\n")
    done = account.change(PASSWORD, OTHER)
    assert done.returncode == 1 and b"not asked for the new password" in done.stderr
    assert account.has(PASSWORD)


def test_what_the_caller_chooses_does_not_matter(account: LocalAccount, tmp_path: Path) -> None:
    library = tmp_path / "liar.c"
    library.write_text("int getuid(void) { return 0; }\n")
    built = account.folder / "liar.so"
    assert run("cc", "-shared", "-fPIC", "-o", built, library).returncode == 0
    built.chmod(0o755)
    # Signals are ignored, another file is open.
    limits = ("prlimit", "--cpu=1", "bash", "-c", 'trap "" CHLD TERM; exec 7</etc/passwd; exec "$0" "$@"')
    done = account.change(
        PASSWORD, OTHER, limits=limits, LD_PRELOAD=str(built), LD_LIBRARY_PATH=str(account.folder), LANG="ko_KR.UTF-8")
    assert done.returncode == 0, done
    assert account.has(OTHER)


def test_no_file_of_passwords_is_cut_off(account: LocalAccount) -> None:
    small = ("prlimit", "--fsize=100")
    # Where root may raise a limit that its caller has set, as outside of some containers, the change goes on.
    may_raise = run(*small, "bash", "-c", "ulimit -f unlimited").returncode == 0
    before = account.shadow
    done = account.change(PASSWORD, OTHER, limits=small)
    if may_raise:
        assert done.returncode == 0 and account.has(OTHER)
    else:
        assert done.returncode != 0 and account.shadow == before


def test_while_it_waits_nobody_looks_into_it_or_stops_it(account: LocalAccount) -> None:
    with subprocess.Popen([*account.entering(), str(HELPER)], stdin=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        folder = Path(f"/proc/{program.pid}")

        def state(key: str) -> list[str]:
            [line] = [line for line in (folder / "status").read_text().splitlines() if line.startswith(f"{key}:")]
            return line.split()[1:]

        try:
            wait_until(lambda: state("Name") == [HELPER.name[:15]] and int(state("SigBlk")[0], 16) != 0, 10, "it waits")
            assert state("Uid") == [str(NUMBER), "0", "0", "0"]
            [core] = [line for line in (folder / "limits").read_text().splitlines() if line.startswith("Max core file size")]
            assert core.split()[4:6] == ["0", "0"]
            owner = ("setpriv", f"--reuid={NUMBER}", f"--regid={NUMBER}", "--clear-groups")
            for file in ("maps", "mem", "environ"):
                assert run(*owner, "head", "--bytes=1", folder / file).returncode != 0
            run(*owner, "kill", "-TERM", str(program.pid))
            assert program.stdin
            program.stdin.write(PASSWORD.encode() + b"\0" + OTHER.encode() + b"\0")
            program.stdin.close()
            assert program.wait(timeout=20) == 0
        finally:
            program.kill()
    assert account.has(OTHER)


# The extension


class AccountDevice(KerberosDevice):
    """A device of the account's owner. `folder` is one that they can enter."""

    def __init__(self, account: LocalAccount, realm: Realm, number: int = NUMBER, **environment: str):
        folder = account.folder / "device"
        settings = account.folder / "krb5.conf"
        shutil.copy(realm.settings, settings)
        settings.chmod(0o644)
        super().__init__(folder, realm.name, settings, entering=account.entering(number), **environment)
        for path in (folder, *folder.rglob("*")):
            os.chown(path, number, number)


@pytest.fixture
def device(account: LocalAccount, realm: Realm) -> AccountDevice:
    return AccountDevice(account, realm)


def changing(old: str = PASSWORD, new: str = OTHER) -> dict[str, str]:
    return {"Current password": old, "New password": new, "New password again": new}


def test_a_changed_password_is_the_computer_s_too(
    account: LocalAccount, realm: Realm, new_person: NewPerson
) -> None:
    person = new_person()
    place = account.folder / "bus"
    place.mkdir()
    os.chown(place, NUMBER, NUMBER)
    with session_bus(place, account.entering()) as bus:
        device = AccountDevice(account, realm, DBUS_SESSION_BUS_ADDRESS=bus.address)
        with device.start() as extension:
            # Without the key it is left alone.
            extension.operation("changePassword", person=types({"User name": person.name} | changing()))
            assert account.has(PASSWORD)
            account.write_shadow(OTHER)
            bus.wait_for("PasswordChanged")
            answer = extension.operation(
                "changePassword", data=SYNC, person=types({"User name": person.name} | changing(OTHER, "third-horse-3")))
            assert answer.kind == "empty" and len(answer.forms) == 1, (answer, device.log)
            bus.wait_for("LocalPasswordSynced")
            assert [name for name, _ in bus.signals].count("LocalPasswordSynced") == 1
    assert account.has("third-horse-3") and person.kinit("third-horse-3").returncode == 0
    assert PASSWORD not in device.log and OTHER not in device.log


def test_an_expired_password_is_changed_in_both_places(
    account: LocalAccount, device: AccountDevice, new_person: NewPerson
) -> None:
    person = new_person("+needchange")
    with device.start() as extension:
        answer = extension.operation("login", data=SYNC, person=types(
            {"User name": person.name, "Password": PASSWORD}, {"New password": OTHER, "New password again": OTHER}))
        assert headers(answer)["Signed-In"] == "true" and len(answer.forms) == 2
    assert account.has(OTHER)


def test_whoever_signs_in_is_asked_once_for_another_password_of_the_computer(
    account: LocalAccount, device: AccountDevice, new_person: NewPerson
) -> None:
    account.write_shadow("local-horse-9")
    person = new_person()
    with device.start() as extension:
        answer = extension.operation("login", data=SYNC, person=types(
            {"User name": person.name, "Password": PASSWORD}, {CURRENT: "wrong-horse-1"}, {CURRENT: "local-horse-9"}))
        assert [form["title"] for form in answer.forms[1:]] == [TITLE, TITLE]
        assert "another password than the one for SCHOOL.TEST" in answer.forms[1]["text"]
        assert answer.forms[2]["problem"] == "This is not the current password of your account on this computer."
        assert headers(answer)["Signed-In"] == "true"
        assert account.has(PASSWORD)
        extension.operation("logout")
        answer = extension.operation("login", data=SYNC, person=signs_in(person.name))
        assert len(answer.forms) == 1


def test_cancelling_leaves_the_computer_s_password_and_the_sign_in(
    account: LocalAccount, device: AccountDevice, new_person: NewPerson
) -> None:
    account.write_shadow("local-horse-9")
    person = new_person()
    with device.start() as extension:
        answer = extension.operation("login", data=SYNC, person=signs_in(person.name))
        assert headers(answer)["Signed-In"] == "true" and len(answer.forms) == 2
        answer = extension.operation("changePassword", data=SYNC, person=types(changing()))
        assert answer.kind == "empty"
        assert "is changed, but your account on this computer has another one still" in answer.forms[1]["text"]
    assert account.has("local-horse-9") and person.kinit(OTHER).returncode == 0


def test_what_the_computer_refuses_is_told_in_plain_words(
    account: LocalAccount, device: AccountDevice, new_person: NewPerson
) -> None:
    person = new_person()
    account.write_shadow(PASSWORD, minimum_age=30, changed=int(time.time() / 86400))
    with device.start() as extension:
        answer = extension.operation("changePassword", data=SYNC, person=types(
            {"User name": person.name} | changing(), {}))
        assert answer.kind == "empty", answer
        notice = answer.forms[1]
        assert notice["fields"] == [] and notice["submit"] == "Continue"
        assert notice["text"].startswith(
            "Your password for SCHOOL.TEST is changed, but that of your account on this computer is not: ")
        assert "You must wait longer" in notice["text"] and "with the earlier one" in notice["text"]
    assert account.has(PASSWORD) and person.kinit(OTHER).returncode == 0


def test_without_the_administrator_s_leave_only_a_change_is_told(
    account: LocalAccount, device: AccountDevice, new_person: NewPerson
) -> None:
    account.allow(False)
    person = new_person()
    with device.start() as extension:
        assert len(extension.operation("login", data=SYNC, person=signs_in(person.name)).forms) == 1
        answer = extension.operation("changePassword", data=SYNC, person=types(changing(), {}))
        assert "administrator has not allowed that" in answer.forms[1]["text"]
    assert account.has(PASSWORD)


def test_an_account_of_the_domain_is_left_alone_silently(account: LocalAccount, realm: Realm, new_person: NewPerson) -> None:
    device = AccountDevice(account, realm, NUMBER + 1)
    person = new_person()
    with device.start() as extension:
        answer = extension.operation(
            "changePassword", data=SYNC, person=types({"User name": person.name} | changing()))
        assert answer.kind == "empty" and len(answer.forms) == 1
    assert "not one of this computer's own" in device.log
    assert account.has(PASSWORD)


def test_without_the_directory_passwords_are_not_synchronized(
    account: LocalAccount, device: AccountDevice, new_person: NewPerson
) -> None:
    person = new_person()
    with device.start() as extension:
        answer = extension.operation("changePassword", data=SYNC | {"performKerberosOnly": True}, person=types(
            {"User name": person.name} | changing()))
        assert len(answer.forms) == 1
    assert account.has(PASSWORD)
