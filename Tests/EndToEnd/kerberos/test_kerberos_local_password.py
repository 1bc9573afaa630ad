"""The password of the computer's own account: docs/decisions/0067-the-password-of-this-computer.md, and
docs/specifications/extensible-single-sign-on.md, 22.35."""

import fcntl
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from kerberos import places
from kerberos.device import KerberosDevice, headers, signs_in, types
from kerberos.kdc import PASSWORD, Person, Realm
from kerberos.local_account import HELPER, NAME, NUMBER, LocalAccount, local_account
from kerberos.session_bus import session_bus
from processes import run, wait_until

NewPerson = Callable[..., Person]
OTHER = "another-horse-2"
SYNC = {"syncLocalPassword": True}
TITLE = "The password of this computer"
CURRENT = "Current password of this computer"
# A service of PAM whose rules for new passwords are those of the module itself.
UNIX = "auth required pam_unix.so\npassword required pam_unix.so yescrypt\n"

pytestmark = pytest.mark.skipif(places.why_not() is not None, reason=str(places.why_not()))


@pytest.fixture
def account() -> Iterator[LocalAccount]:
    with local_account(PASSWORD) as one:
        yield one


# The program


def test_the_account_gets_a_new_password(account: LocalAccount) -> None:
    done = account.change(PASSWORD, OTHER)
    assert (done.returncode, done.stderr) == (0, b"changed")
    assert account.has(OTHER) and not account.has(PASSWORD)
    # With one password twice it only looks.
    before = account.shadow
    assert account.change(OTHER, OTHER).returncode == 0
    assert account.change(PASSWORD, PASSWORD).returncode == 5
    assert account.shadow == before


def test_the_computer_s_files_keep_their_owner_and_mode(account: LocalAccount) -> None:
    shadow = account.folder / "etc" / "shadow"
    os.chown(shadow, 0, 42)
    before = shadow.stat()
    assert account.change(PASSWORD, OTHER).returncode == 0
    after = shadow.stat()
    assert (after.st_uid, after.st_gid, after.st_mode) == (before.st_uid, before.st_gid, before.st_mode)
    assert sorted(path.name for path in shadow.parent.glob("*shadow*")) == ["shadow"]


def test_with_a_wrong_password_nothing_changes(account: LocalAccount) -> None:
    before = account.shadow
    done = account.change("wrong-horse-1", OTHER)
    assert (done.returncode, done.stderr) == (5, b"this is not the account's current password")
    assert account.shadow == before


def test_pam_s_refusal_is_told(account: LocalAccount) -> None:
    before = account.shadow
    account.write_service(UNIX)
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
    # So is one name with two numbers, of which PAM takes the first.
    for number in (NUMBER, NUMBER + 1):
        account.write_accounts("mika:x:4711:4711::/:/bin/sh", "mika:x:4712:4712::/:/bin/sh")
        assert account.change(PASSWORD, OTHER, number=number).returncode == 4
    (account.folder / "etc" / "passwd").unlink()
    done = account.change(PASSWORD, OTHER)
    assert done.returncode == 1 and b"/etc/passwd cannot be read" in done.stderr
    assert account.shadow == before


@pytest.mark.parametrize("secret", ["", "*", "!", "!*", "!$6$salt$hash"])
def test_an_account_that_has_no_password_gets_none(account: LocalAccount, secret: str) -> None:
    account.write_secret(secret)
    before = account.shadow
    done = account.change(PASSWORD, OTHER)
    assert done.returncode == 7 and b"no password of its own, or is locked" in done.stderr, done
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
    # What keeps it from running as root in spite of that is another reason.
    account.allow(True)
    done = account.change(PASSWORD, OTHER, limits=("setpriv", "--no-new-privs"))
    assert done.returncode == 1 and b"NoNewPrivileges" in done.stderr, done
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
    account.write_service(UNIX)
    assert account.change(old, new).returncode == 0
    assert account.has(new) and not account.has(new[:-1])
    assert account.change(new, old).returncode == 0


def test_secrets_are_no_arguments(account: LocalAccount) -> None:
    for arguments in ((PASSWORD, OTHER), ("--help",)):
        done = account.change(PASSWORD, OTHER, arguments=arguments)
        assert done.returncode == 2 and b"no arguments" in done.stderr
    assert account.has(PASSWORD)


@pytest.mark.parametrize("service", [
    None, "", "# auth required pam_unix.so\npassword required pam_unix.so\n", "auth required pam_unix.so\n",
    "account required pam_unix.so\nsession required pam_unix.so\n",
])
def test_pam_s_service_for_all_others_does_not_count(account: LocalAccount, service: str | None) -> None:
    account.write_service(service)
    (account.folder / "etc" / "pam.d" / "other").write_text("auth required pam_permit.so\npassword required pam_unix.so\n")
    before = account.shadow
    done = account.change(PASSWORD, OTHER)
    assert done.returncode == 1 and b"lanyard-local-password is missing, or has no line" in done.stderr, done
    assert account.shadow == before


def test_a_service_that_only_root_can_read_counts(account: LocalAccount) -> None:
    (account.folder / "etc" / "pam.d" / "lanyard-local-password").chmod(0o600)
    assert account.change(PASSWORD, OTHER).returncode == 0
    assert account.has(OTHER)


@pytest.mark.parametrize("modules", ["required pam_permit.so", "optional pam_unix.so\npassword required pam_permit.so"])
def test_what_has_not_changed_is_not_called_changed(account: LocalAccount, modules: str) -> None:
    account.write_service(f"auth required pam_unix.so\npassword {modules}\n")
    before = account.shadow
    done = account.change(PASSWORD, "tiny")
    assert done.returncode == 1 and b"does not take the new one" in done.stderr, done
    assert account.shadow == before


def test_what_a_module_does_is_not_why_another_fails(account: LocalAccount) -> None:
    account.write_service(UNIX + "password required pam_deny.so\n")
    done = account.change(PASSWORD, OTHER)
    assert done.returncode == 6 and done.stderr == b"Authentication token manipulation error", done


def test_the_rules_for_good_passwords_hold(account: LocalAccount) -> None:
    before = account.shadow
    done = account.change(PASSWORD, f"{NAME}-{NAME}-1")
    assert done.returncode == 6 and b"contains the user name" in done.stderr, done
    assert account.shadow == before
    # Where the module is not installed, PAM's own rules hold.
    service = account.folder / "etc" / "pam.d" / "lanyard-local-password"
    account.write_service(service.read_text().replace("pam_pwquality.so", "pam_absent.so"))
    assert account.change(PASSWORD, "tiny").returncode == 6
    assert account.change(PASSWORD, OTHER).returncode == 0
    assert account.has(OTHER)


def test_an_account_that_is_locked_after_wrong_passwords_says_so(account: LocalAccount) -> None:
    options = f"dir={account.folder}/faillock deny=2"
    account.write_service(
        f"auth requisite pam_faillock.so preauth {options}\nauth [success=1 default=bad] pam_unix.so\n"
        f"auth [default=die] pam_faillock.so authfail {options}\nauth required pam_faillock.so authsucc {options}\n"
        "password required pam_unix.so\n")
    before = account.shadow
    assert [account.change("wrong-horse-1", OTHER).returncode for _ in range(2)] == [5, 5]
    done = account.change(PASSWORD, OTHER)
    assert done.returncode == 6 and b"account is locked" in done.stderr, done
    assert account.shadow == before


def test_where_root_may_not_pin_memory_the_right_password_is_right(account: LocalAccount) -> None:
    assert account.change(PASSWORD, OTHER).returncode == 0
    limits = ("prlimit", "--memlock=8388608:8388608")
    done = account.change(OTHER, "third-horse-3", limits=limits, rights="-ipc_lock,-sys_resource")
    assert done.returncode == 0, done
    assert account.has("third-horse-3")


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


@contextmanager
def started(account: LocalAccount, *before: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [*account.entering(), *before, str(HELPER)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        try:
            yield program
        finally:
            program.kill()


def of_process(process: int, key: str) -> list[str]:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(line.split()[1:] for line in lines if line.startswith(f"{key}:"))


def test_what_the_caller_chooses_is_shaken_off(account: LocalAccount, tmp_path: Path) -> None:
    library = tmp_path / "liar.c"
    library.write_text("int getuid(void) { return 0; }\n")
    built = account.folder / "liar.so"
    assert run("cc", "-shared", "-fPIC", "-o", built, library).returncode == 0
    built.chmod(0o755)
    chosen = 'trap "" CHLD TERM HUP; umask 0; cd /usr; ulimit -S -c unlimited; exec 7</etc/passwd; exec "$0" "$@"'
    variables = ("env", f"LD_PRELOAD={built}", f"LD_LIBRARY_PATH={account.folder}", "LANG=ko_KR.UTF-8")
    with started(account, "bash", "-c", chosen, *variables) as program:
        folder = Path(f"/proc/{program.pid}")

        def core() -> list[str]:
            lines = (folder / "limits").read_text().splitlines()
            return next(line.split()[4:6] for line in lines if line.startswith("Max core file size"))

        # It closes what is open before it does the rest, and waits for the passwords at last.
        wait_until(
            lambda: of_process(program.pid, "Name") == [HELPER.name[:15]] and core() == ["0", "0"]
            and {path.name for path in (folder / "fd").iterdir()} == {"0", "1", "2"}, 10, "it waits")
        assert of_process(program.pid, "Uid") == [str(NUMBER), "0", "0", "0"]
        # Signals 32 and 33 are the C library's own, for its threads: it lets no program change what becomes of them, and
        # some parents leave them ignored. All others are as at the start of a computer.
        own = 1 << (32 - 1) | 1 << (33 - 1)
        assert int(of_process(program.pid, "SigIgn")[0], 16) & ~own == 0
        assert int(of_process(program.pid, "SigBlk")[0], 16) == 0
        assert of_process(program.pid, "Umask") == ["0077"]
        assert os.readlink(folder / "cwd") == "/"
        assert built.name not in (folder / "maps").read_text()
        # Nobody but root looks into it.
        owner = ("setpriv", f"--reuid={NUMBER}", f"--regid={NUMBER}", "--clear-groups")
        for file in ("maps", "mem", "environ"):
            assert run(*owner, "head", "--bytes=1", folder / file).returncode != 0
        program.communicate(PASSWORD.encode() + b"\0" + OTHER.encode() + b"\0", timeout=20)
        assert program.returncode == 0
    assert account.has(OTHER)


def test_it_does_not_wait_for_ever_for_passwords(account: LocalAccount) -> None:
    with started(account) as program:
        assert program.wait(timeout=30) == -signal.SIGALRM
    assert account.has(PASSWORD)


def test_no_signal_that_can_be_blocked_stops_a_change(account: LocalAccount) -> None:
    place = account.folder / "place"
    place.mkdir()
    os.chown(place, NUMBER, NUMBER)
    script = account.folder / "hold"
    script.write_text(
        f'#!/bin/sh\ngrep SigBlk /proc/self/status > {place}/held.new; echo "$PAM_RUSER" >> {place}/held.new\n'
        f"mv {place}/held.new {place}/held\nuntil [ -e {place}/go ]; do sleep 0.1; done\n")
    script.chmod(0o755)
    account.write_service(f"auth required pam_unix.so\npassword required pam_exec.so {script}\npassword required pam_unix.so\n")
    with started(account) as program:
        assert program.stdin
        program.stdin.write(PASSWORD.encode() + b"\0" + OTHER.encode() + b"\0")
        program.stdin.close()
        wait_until((place / "held").exists, 10, "the change has begun")
        # What PAM starts can be stopped, and knows who asks.
        assert (place / "held").read_text().split() == ["SigBlk:", "0" * 16, NAME]
        owner = ("setpriv", f"--reuid={NUMBER}", f"--regid={NUMBER}", "--clear-groups")
        for name in ("TERM", "INT", "HUP", "ALRM", "PIPE"):
            assert run(*owner, "kill", f"-{name}", str(program.pid)).returncode == 0
        (place / "go").touch()
        assert program.wait(timeout=20) == 0
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


def changes(name: str, old: str = PASSWORD, new: str = OTHER) -> dict[str, str]:
    """What somebody types into the form of an extension that does not know them yet."""
    return {"User name": name} | changing(old, new)


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
            extension.operation("changePassword", person=types(changes(person.name)))
            assert account.has(PASSWORD)
            account.write_shadow(OTHER)
            bus.wait_for("PasswordChanged")
            answer = extension.operation(
                "changePassword", data=SYNC, person=types(changes(person.name, OTHER, "third-horse-3")))
            assert answer.kind == "empty" and len(answer.forms) == 1, (answer, device.log)
            bus.wait_for("PasswordChangedWithSync")
            # Where the account gets the password at a sign-in, nothing was changed in the domain.
            account.write_shadow("local-horse-9")
            extension.operation("login", data=SYNC, person=types(
                {"User name": person.name, "Password": "third-horse-3"}, {CURRENT: "local-horse-9"}))
            bus.wait_for("LocalPasswordSynced", 2)
            names = [name for name, _ in bus.signals]
            assert [names.count(name) for name in ("LocalPasswordSynced", "PasswordChangedWithSync")] == [2, 1]
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
        # At the sign-ins of the next days they are not asked again.
        device.destroy_tickets()
        answer = extension.operation("login", data=SYNC, person=signs_in(person.name))
        assert headers(answer)["Signed-In"] == "true" and len(answer.forms) == 1
        # After a change they are, and the password that it brought is not tried in place of theirs.
        checks = device.log.count("not the account's current password")
        answer = extension.operation("changePassword", data=SYNC, person=types(changing()))
        assert device.log.count("not the account's current password") == checks + 1
        assert answer.kind == "empty"
        assert "is changed, but your account on this computer has another one still" in answer.forms[1]["text"]
    assert account.has("local-horse-9") and person.kinit(OTHER).returncode == 0


def test_what_the_computer_refuses_is_told_in_plain_words(
    account: LocalAccount, device: AccountDevice, new_person: NewPerson
) -> None:
    person = new_person()
    account.write_shadow(PASSWORD, minimum_age=30, changed=int(time.time() / 86400))
    account.write_service(UNIX)
    with device.start() as extension:
        answer = extension.operation("changePassword", data=SYNC, person=types(
            changes(person.name), {}))
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
            "changePassword", data=SYNC, person=types(changes(person.name)))
        assert answer.kind == "empty" and len(answer.forms) == 1
    assert "not one of this computer's own" in device.log
    assert account.has(PASSWORD)


def test_without_the_directory_passwords_are_not_synchronized(
    account: LocalAccount, device: AccountDevice, new_person: NewPerson
) -> None:
    person = new_person()
    with device.start() as extension:
        answer = extension.operation("changePassword", data=SYNC | {"performKerberosOnly": True}, person=types(
            changes(person.name)))
        assert len(answer.forms) == 1
    assert account.has(PASSWORD)


def test_three_wrong_passwords_of_the_computer_are_enough(
    account: LocalAccount, device: AccountDevice, new_person: NewPerson
) -> None:
    account.write_shadow("local-horse-9")
    person = new_person()
    wrong = [{CURRENT: f"wrong-horse-{number}"} for number in range(3)]
    with device.start() as extension:
        answer = extension.operation("login", data=SYNC, person=types(
            {"User name": person.name, "Password": PASSWORD}, *wrong, {}))
        assert headers(answer)["Signed-In"] == "true" and len(answer.forms) == 5, answer
        assert answer.forms[4]["fields"] == [] and "none of the passwords that you wrote" in answer.forms[4]["text"]
    assert account.has("local-horse-9")


def test_a_locked_account_is_left_alone_silently(
    account: LocalAccount, device: AccountDevice, new_person: NewPerson
) -> None:
    account.write_secret("!")
    person = new_person()
    with device.start() as extension:
        answer = extension.operation("changePassword", data=SYNC, person=types(changes(person.name)))
        assert answer.kind == "empty" and len(answer.forms) == 1
    assert "or is locked" in device.log


def test_a_password_that_is_too_long_for_the_computer_is_told(
    account: LocalAccount, device: AccountDevice, new_person: NewPerson
) -> None:
    person = new_person()
    with device.start() as extension:
        answer = extension.operation("changePassword", data=SYNC, person=types(
            changes(person.name, new="é" * 256), {}))
        assert "511 bytes at most" in answer.forms[1]["text"], answer
    assert account.has(PASSWORD)


def test_a_program_that_ends_without_a_word_has_changed_nothing(
    account: LocalAccount, device: AccountDevice, new_person: NewPerson
) -> None:
    program = account.folder / "lanyard-local-password"
    program.write_text("#!/bin/sh\nexit 0\n")
    person = new_person()
    with device.start() as extension:
        answer = extension.operation("changePassword", data=SYNC, person=types(
            changes(person.name), {}))
        assert "but that of your account on this computer is not" in answer.forms[1]["text"], answer
    assert account.has(PASSWORD)


def test_whether_a_change_that_takes_too_long_succeeds_is_not_known(
    account: LocalAccount, device: AccountDevice, new_person: NewPerson
) -> None:
    person = new_person()
    # As a program does that changes another account just now.
    with (account.folder / "etc" / ".pwd.lock").open("w") as lock:
        fcntl.lockf(lock, fcntl.LOCK_EX)
        with device.start() as extension:
            began = time.monotonic()
            answer = extension.operation("changePassword", data=SYNC, person=types(
                changes(person.name), {}))
            assert answer.kind == "empty" and time.monotonic() - began < 40
            assert "it is not known whether your account on it has the new password" in answer.forms[1]["text"], answer
            assert account.has(PASSWORD)
    # It was not stopped in the middle.
    wait_until(lambda: account.has(OTHER), 40, "the change goes on")
