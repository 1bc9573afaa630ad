"""The extension for Kerberos, where the KDC, the web server or the disk is not as it should be."""

import json
import os
import shutil
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from kerberos.device import KerberosDevice, authorization, failed_attempts, headers, load, signs_in, types
from kerberos.kcm import ticket_keeper
from kerberos.kdc import PASSWORD, Person, Realm, long_tickets
from kerberos.liars import LIES, REFUSAL, Held, LyingKDC, LyingSite
from kerberos.negotiate_site import NegotiateSite
from processes import Program, run, wait_until
from single_sign_on.openid.extension import NOT_INTERACTIVE

NewPerson = Callable[..., Person]
NewDevice = Callable[..., KerberosDevice]
SAVED = {"Save the password on this device": "true"}
OTHER = "another-horse-2"

# The kernel keeps tickets for each user where nothing else takes them. This is another user's place.
OWN_KEYRING = ("unshare", "--user", "--map-root-user", "--mount")
# Behind the place of a folder: a disk without room there, for a command.
FULL_DISK = """
set -e
mount -t tmpfs -o size=8k none "$0"
head --bytes=8k /dev/zero > "$0/all" 2> /dev/null || true
exec "$@"
"""


@pytest.fixture
def new_device(realm: Realm, tmp_path: Path) -> NewDevice:
    """A device for the realm, or with another krb5.conf of it, and with a keyring of its own."""

    def make(settings: Path | None = None, entering: tuple[str, ...] = (), **environment: str) -> KerberosDevice:
        return KerberosDevice(
            tmp_path / "device", realm.name, settings or realm.settings, (*OWN_KEYRING, *entering), **environment)

    return make


def is_let_in(site: NegotiateSite, extension: object, conversation: str = "") -> bool:
    answer = extension.challenge(f"{site.url}/members/", options={"conversation": conversation})
    return answer.kind == "headers" and load(site, "/members/", authorization(answer))[0] == 200


# The KDC


@pytest.mark.parametrize("lie", LIES)
def test_a_kdc_that_lies_gives_no_ticket_and_does_no_harm(
    realm: Realm, new_person: NewPerson, new_device: NewDevice, site: NegotiateSite, lie: str
) -> None:
    person = new_person()
    with LyingKDC(realm, LIES[lie]) as liar:
        device = new_device(realm.client_settings("lying-mishap.conf", kdc=liar.address))
        with device.start() as extension:
            answer = extension.operation("login", person=signs_in(person.name))
            assert answer.kind in ("failed", "canceled"), answer
            assert extension.challenge(f"{site.url}/members/").kind == "doNotHandle"
            assert "krbtgt" not in device.tickets()
            # As soon as it says the truth, it is believed.
            liar.honest = 100
            assert extension.operation("login", person=signs_in(person.name)).status == 200
            assert is_let_in(site, extension)


def test_a_silent_kdc_keeps_no_page_waiting_long_for_somebody_with_a_ticket(tmp_path: Path) -> None:
    with Realm(tmp_path / "realm", "OWN.TEST") as realm:
        realm.add("ana", PASSWORD)
        for host in ("one", "two"):
            realm.add(f"HTTP/{host}.own.test")
        device = KerberosDevice(tmp_path / "device", realm.name, realm.settings)
        with device.start() as extension:
            assert extension.operation("login", person=signs_in("ana")).status == 200
            # They have a ticket for the realm, and need one for each site.
            realm.pause()
            begun = time.monotonic()
            assert extension.challenge("http://one.own.test/").kind == "doNotHandle"
            assert extension.challenge("http://two.own.test/").kind == "doNotHandle"
            waited = time.monotonic() - begun
            realm.go_on()
            assert waited < 15


def test_a_kdc_that_is_slow_is_waited_for(
    realm: Realm, new_person: NewPerson, new_device: NewDevice, site: NegotiateSite
) -> None:
    def slowly(answer: bytes) -> bytes:
        time.sleep(1.5)
        return answer

    person = new_person()
    with LyingKDC(realm, slowly) as slow:
        device = new_device(realm.client_settings("slow-mishap.conf", kdc=slow.address))
        with device.start() as extension:
            answer = extension.operation("login", person=signs_in(person.name))
            assert headers(answer)["Principal"] == person.principal, device.log
            # Nobody is asked twice because an answer has taken its time.
            assert [form.get("problem") for form in answer.forms] == [None]
            assert is_let_in(site, extension), device.log
    assert failed_attempts(realm, person.name) == 0


# The directory


def test_a_directory_that_sends_a_byte_each_second_is_given_up(
    realm: Realm, new_person: NewPerson, new_device: NewDevice
) -> None:
    realm.add("ldap/127.0.0.1")
    held: list[float] = []

    def drip(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        begun = time.monotonic()
        with connection:
            connection.recv(65_536)
            try:
                # The beginning of a long message.
                connection.sendall(b"\x30\x84\x00\x01\x00\x00")
                while time.monotonic() - begun < 30:
                    connection.sendall(b"\0")
                    time.sleep(1)
            except OSError:
                held.append(time.monotonic() - begun)

    device = new_device()
    with socket.create_server(("127.0.0.1", 0)) as listener, device.start() as extension:
        serving = threading.Thread(target=drip, args=(listener,), daemon=True)
        serving.start()
        (device.folder / "data" / f"domain-{realm.name}.json").write_text(json.dumps({
            "keyDistributionCenters": [], "passwordServers": [], "controllers": [f"127.0.0.1:{listener.getsockname()[1]}"],
            "wish": {"looksForSite": True}, "network": "", "lookedAt": 0}))
        begun = time.monotonic()
        assert extension.operation("login", person=signs_in(new_person().name)).status == 200
        assert time.monotonic() - begun < 15
        serving.join(20)
    # The connection ends then too, and holds nothing up.
    assert held and held[0] < 12, (held, device.log)
    assert "the directory takes too long" in device.log


def tell_of_directories(device: KerberosDevice, realm: Realm, ports: list[int]) -> None:
    """As if these had been found to be the controllers of the domain."""
    (device.folder / "data" / f"domain-{realm.name}.json").write_text(json.dumps({
        "keyDistributionCenters": [], "passwordServers": [], "controllers": [f"localhost:{port}" for port in ports],
        "wish": {"looksForSite": True}, "network": "", "lookedAt": time.time() - 978_307_200}))


def test_directories_that_say_what_is_no_answer_do_no_harm(
    realm: Realm, new_person: NewPerson, new_device: NewDevice, tmp_path: Path
) -> None:
    keytab, file = realm.keytab("ldap/localhost", file="directory.keytab"), tmp_path / "ports.json"
    liars = Program(
        "env", f"KRB5_CONFIG={realm.settings}", "KRB5RCACHENAME=none:", "/usr/bin/python3",
        Path(__file__).with_name("lying_directory.py"), keytab, file, log=tmp_path / "directories.log")
    device = new_device()
    try:
        liars.wait_until(file.exists, 20, "the directories listen")
        ports: dict[str, int] = json.loads(file.read_text())
        honest = ports.pop("honest")
        with device.start() as extension:
            def read() -> str | None:
                """The home directory, as the directory says it now."""
                (device.folder / "data" / f"directory-{realm.name}.json").unlink(missing_ok=True)
                answer = extension.operation("refresh")
                assert answer.status == 200, device.log
                return headers(answer).get("Home-Directory")

            tell_of_directories(device, realm, [])
            assert extension.operation("login", person=signs_in(new_person().name)).status == 200
            for name, port in ports.items():
                tell_of_directories(device, realm, [port])
                begun, found = time.monotonic(), read()
                assert time.monotonic() - begun < 8, name
                # By chance a damage does none, or only to what people read.
                assert found is None or name.startswith(("search: chance-", "bind: chance-")), (name, found)
            # The same program still reads what is right.
            tell_of_directories(device, realm, [honest])
            wait_until(lambda: read() == r"\\files\home\ana", 30, "the honest directory is read")
    finally:
        liars.stop()


# The web server


@pytest.mark.parametrize("path", LyingSite.CHALLENGES)
def test_a_strange_challenge_is_left_to_the_caller(
    new_person: NewPerson, new_device: NewDevice, site: NegotiateSite, path: str
) -> None:
    device = new_device()
    with device.start() as extension:
        extension.operation("login", person=signs_in(new_person().name))
        strange = LyingSite.CHALLENGES[path]
        expected = "headers" if path == "/no-token/" else "doNotHandle"
        assert extension.challenge(f"{site.url}/members/", strange).kind == expected
        # In the middle of a negotiation it is no other.
        assert is_let_in(site, extension, conversation="1")
        answer = extension.challenge(f"{site.url}/members/", strange, options={"conversation": "1"})
        assert answer.kind == expected
        assert is_let_in(site, extension)


def test_a_very_long_ticket_is_shown(
    realm: Realm, new_person: NewPerson, new_device: NewDevice, site: NegotiateSite
) -> None:
    person = new_person()
    device = new_device(realm.client_settings("long-mishap.conf", defaults=long_tickets()))
    person.settings, person.cache = device.environment["KRB5_CONFIG"], device.environment["KRB5CCNAME"]
    assert person.kinit(PASSWORD, options=("-a",)).returncode == 0
    with device.start() as extension:
        header = authorization(extension.challenge(f"{site.url}/members/"))
        assert len(header) > 60_000
        assert load(site, "/members/", header)[0] == 200


# Where tickets are kept


@pytest.mark.parametrize("mode", [0o755, 0o1777], ids=["in their folder", "in a folder of all"])
def test_a_cache_of_somebody_else_is_left_alone(
    realm: Realm, new_person: NewPerson, site: NegotiateSite, mode: int
) -> None:
    person, user = new_person(), 64_321
    # Not pytest's own folder, which others cannot enter.
    with tempfile.TemporaryDirectory(prefix="lanyard-cache-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        caches = folder / "caches"
        caches.mkdir()
        caches.chmod(mode)
        theirs = caches / "tickets"
        theirs.write_bytes(b"somebody else's tickets")
        theirs.chmod(0o600)
        settings = Path(shutil.copy(realm.settings, folder / "krb5.conf"))
        device = KerberosDevice(
            folder / "device", realm.name, settings,
            ("setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"), KRB5CCNAME=f"FILE:{theirs}",
            HOME=f"{folder}/device")
        for path in (device.folder, *device.folder.rglob("*")):
            os.chown(path, user, user)
        before = theirs.stat()
        with device.start() as extension:
            answer = extension.operation("login", person=signs_in(person.name))
            assert headers(answer)["Principal"] == person.principal, device.log
            assert headers(answer)["Cache-Name"] != f"FILE:{theirs}"
            assert is_let_in(site, extension), device.log
            assert extension.operation("refresh").status == 200
            assert extension.operation("logout").kind == "empty"
            assert "krbtgt" not in device.tickets()
        after = theirs.stat()
        assert theirs.read_bytes() == b"somebody else's tickets"
        assert (after.st_ino, after.st_uid, after.st_mode, after.st_mtime_ns) == (
            before.st_ino, before.st_uid, before.st_mode, before.st_mtime_ns)
        assert [path.name for path in caches.iterdir()] == ["tickets"]


@pytest.mark.parametrize("kind", ["garbage", "folder", "full"])
def test_a_cache_that_takes_no_ticket_keeps_nobody_out(
    new_person: NewPerson, new_device: NewDevice, site: NegotiateSite, tmp_path: Path, kind: str
) -> None:
    place = tmp_path / "caches" / "tickets"
    place.parent.mkdir()
    if kind == "garbage":
        place.write_bytes(b"this is no cache of tickets")
    elif kind == "folder":
        place.mkdir()
    device = new_device(
        entering=("sh", "-c", FULL_DISK, str(place.parent)) if kind == "full" else (), KRB5CCNAME=f"FILE:{place}")
    with device.start() as extension:
        answer = extension.operation("login", person=signs_in(new_person().name))
        assert answer.status == 200, answer
        # Another cache has it, such as the kernel's keyring.
        assert (headers(answer)["Cache-Name"] == f"FILE:{place}") == (kind == "garbage")
        for number in range(8):
            assert is_let_in(site, extension), (number, device.log)


def test_tickets_that_disappear_meanwhile(
    new_person: NewPerson, new_device: NewDevice, site: NegotiateSite
) -> None:
    person, device = new_person(), new_device()
    with device.start() as extension:
        extension.operation("login", person=signs_in(person.name))
        assert is_let_in(site, extension)
        device.destroy_tickets()
        assert not is_let_in(site, extension)
        assert extension.operation("login").error["code"] == NOT_INTERACTIVE
        assert extension.operation("login", person=signs_in(person.name)).status == 200
        assert is_let_in(site, extension)


def test_a_keeper_of_tickets_that_ends_meanwhile(
    realm: Realm, new_person: NewPerson, new_device: NewDevice, site: NegotiateSite, tmp_path: Path
) -> None:
    person = new_person()
    with ticket_keeper(tmp_path / "kcm") as keeper:
        settings = realm.client_settings("kcm-mishap.conf", defaults=keeper.defaults)
        with new_device(settings, KRB5CCNAME="KCM:").start() as extension:
            answer = extension.operation("login", person=signs_in(person.name))
            assert headers(answer)["Cache-Name"].startswith("KCM:"), answer
            assert is_let_in(site, extension)
            keeper.stop()
            assert not is_let_in(site, extension)
            assert extension.operation("login", person=signs_in(person.name)).status == 200
            assert is_let_in(site, extension)


def test_a_renewal_for_which_there_is_no_room_loses_no_ticket(
    realm: Realm, new_person: NewPerson, tmp_path: Path, site: NegotiateSite
) -> None:
    # A disk with room for the ticket of a person, which somebody fills up afterwards.
    caches = tmp_path / "caches"
    caches.mkdir()
    mounted = 'set -e; mount -t tmpfs -o size=64k none "$0"; exec "$@"'
    device = KerberosDevice(
        tmp_path / "device", realm.name, realm.settings, (*OWN_KEYRING, "sh", "-c", mounted, str(caches)),
        KRB5CCNAME=f"FILE:{caches}/tickets")
    with device.start() as extension:
        assert extension.operation("login", person=signs_in(new_person().name)).status == 200
        disk = Path(f"/proc/{extension.process.pid}/root{caches}")
        run("sh", "-c", f"head --bytes=1M /dev/zero > {disk}/all")
        extension.operation("refresh")
        assert is_let_in(site, extension), device.log


# The extension


@contextmanager
def watched(file: Path) -> Iterator[set[int]]:
    """The sizes that a file has meanwhile; 0 where there is none."""
    sizes: set[int] = set()
    ended = threading.Event()

    def watch() -> None:
        while not ended.is_set():
            try:
                sizes.add(os.stat(file).st_size)
            except FileNotFoundError:
                sizes.add(0)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield sizes
    finally:
        ended.set()
        thread.join()


@pytest.mark.parametrize("cache", ["DIR", "FILE"])
def test_sigkill_at_any_moment_of_a_refresh_leaves_the_ticket(
    new_person: NewPerson, new_device: NewDevice, site: NegotiateSite, tmp_path: Path, cache: str
) -> None:
    """There is the old ticket or the new one, and nobody is asked for a password."""
    person = new_person("-maxrenewlife", "1 day")
    (tmp_path / "cache").mkdir(mode=0o700)
    device = new_device(KRB5CCNAME={"DIR": f"DIR:{tmp_path}/cache", "FILE": f"FILE:{tmp_path}/cache/tickets"}[cache])
    with device.start() as extension:
        assert extension.operation("login", person=signs_in(person.name)).status == 200
        before = headers(extension.operation("status"))
        time.sleep(1)  # a ticket's times are whole seconds
        begun = time.monotonic()
        after = headers(extension.operation("refresh"))
        whole = time.monotonic() - begun
        assert after != before, "the ticket is not renewed"
        [file] = [file for file in (tmp_path / "cache").iterdir() if file.name in ("tickets", f"tktsso-{device.name}")]
        with watched(file) as sizes:
            for _ in range(10):
                assert extension.operation("refresh").status == 200
        # Whoever looks finds a whole ticket, also between the library's emptying and its writing.
        assert min(sizes) > 500, sizes
    for moment in range(24):
        extension = device.start()
        extension.begin(f"sso-realm:{device.name}", "refresh")
        # From before it has asked the KDC to after it has answered.
        time.sleep(whole * moment / 16)
        extension.kill()
        assert "krbtgt" in device.tickets(), moment
        with device.start() as again:
            assert is_let_in(site, again), moment
    with device.start() as extension:
        assert extension.operation("logout").kind == "empty"
    assert not [file for file in (tmp_path / "cache").iterdir() if "tickets" in file.name or "tkt" in file.name]


def test_whoever_signs_out_during_a_renewal_stays_signed_out(
    realm: Realm, new_person: NewPerson, new_device: NewDevice
) -> None:
    person, held = new_person(), Held(b"")
    held.goes_on.set()
    with LyingKDC(realm, held) as center:
        device = new_device(realm.client_settings("held-renewal.conf", kdc=center.address))
        with device.start() as extension:
            assert extension.operation("login", person=signs_in(person.name)).status == 200
            held.hold()
            refresh = extension.begin(f"sso-realm:{device.name}", "refresh")
            assert held.came.wait(60), device.log
            logout = extension.begin(f"sso-realm:{device.name}", "logout")
            # What is asked later is answered, so the extension has had the time to begin with it.
            assert extension.operation("status").status == 200
            held.goes_on.set()
            extension.finish(refresh)
            assert extension.finish(logout).kind == "empty"
            assert person.name not in device.tickets()
            assert extension.operation("refresh").error["code"] == NOT_INTERACTIVE


def killed_while_held(device: KerberosDevice, held: Held) -> None:
    """Nobody asks for a ticket any more before the answer comes."""
    extension = device.start()
    extension.begin(f"sso-realm:{device.name}", "refresh")
    assert held.came.wait(60), device.log
    extension.kill()
    held.goes_on.set()


def test_sigkill_before_a_refused_password_is_forgotten_has_nobody_try_it_again(
    realm: Realm, new_person: NewPerson, new_device: NewDevice
) -> None:
    person, held = new_person(), Held(REFUSAL)
    with LyingKDC(realm, held) as center:
        device = new_device(realm.client_settings("held-password.conf", kdc=center.address))
        with device.start() as extension:
            assert extension.operation("login", person=signs_in(person.name, **SAVED)).status == 200
        device.destroy_tickets()
        realm.set_password(person.name, OTHER)
        killed_while_held(device, held)
        for _ in range(3):
            with device.start() as extension:
                assert extension.operation("refresh").error["code"] == NOT_INTERACTIVE
        assert failed_attempts(realm, person.name) == 1
        assert "an attempt with it was cut off" in device.log
        # Nobody is stuck: whoever types the new one has it saved again.
        with device.start() as extension:
            assert extension.operation("login", person=signs_in(person.name, OTHER, **SAVED)).status == 200
            device.destroy_tickets()
            assert extension.operation("refresh").status == 200


def test_sigkill_while_no_kdc_answers_loses_no_saved_password(
    realm: Realm, new_person: NewPerson, new_device: NewDevice
) -> None:
    person, held = new_person(), Held(b"")
    held.goes_on.set()
    with LyingKDC(realm, held) as center:
        device = new_device(realm.client_settings("held-network.conf", kdc=center.address))
        with device.start() as extension:
            assert extension.operation("login", person=signs_in(person.name, **SAVED)).status == 200
        device.destroy_tickets()
        held.hold()
        killed_while_held(device, held)
        with device.start() as extension:
            assert extension.operation("refresh").status == 200, device.log


def test_sigkill_before_a_changed_password_is_saved_has_nobody_try_the_old_one(
    realm: Realm, new_person: NewPerson, new_device: NewDevice
) -> None:
    person, held = new_person(), Held(b"")
    with LyingKDC(realm, held, port=realm.kpasswd_port) as center:
        device = new_device(realm.client_settings("held-change.conf", kpasswd=center.address))
        extension = device.start()
        assert extension.operation("login", person=signs_in(person.name, **SAVED)).status == 200

        def change() -> None:
            with suppress(Exception):  # The extension is killed meanwhile.
                extension.operation("changePassword", person=types(
                    {"Current password": PASSWORD, "New password": OTHER, "New password again": OTHER}))

        changing = threading.Thread(target=change, daemon=True)
        changing.start()
        assert held.came.wait(60), device.log
        extension.kill()
        held.goes_on.set()
        changing.join(30)
        device.destroy_tickets()
        with device.start() as extension:
            assert extension.operation("refresh").error["code"] == NOT_INTERACTIVE
        assert failed_attempts(realm, person.name) == 0
        assert "an attempt with it was cut off" in device.log
        # The domain has the new one.
        assert person.kinit(OTHER).returncode == 0


def test_sigkill_before_a_refused_keytab_is_written_down_has_nobody_try_it_again(
    realm: Realm, new_device: NewDevice
) -> None:
    kiosk, held = "kiosk/yard", Held(REFUSAL)
    old = realm.keytab(kiosk, file="yard-old.keytab").read_bytes()
    realm.kadmin("modprinc", "+requires_preauth", kiosk)
    # The key that the device has is not the account's any more.
    realm.kadmin("ktadd", "-k", realm.folder / "yard-new.keytab", kiosk)
    with LyingKDC(realm, held) as center:
        device = new_device(realm.client_settings("held-keytab.conf", kdc=center.address))
        (device.files / f"{realm.name}.keytab").write_bytes(old)
        killed_while_held(device, held)
        for _ in range(3):
            with device.start() as extension:
                assert extension.operation("refresh").kind == "failed"
        assert failed_attempts(realm, kiosk) == 1
        with device.start() as extension:
            assert "cut off" in headers(extension.operation("status"))["Keytab-Refused"]
            extension.operation("logout")
            assert extension.operation("refresh").kind == "failed"
            assert failed_attempts(realm, kiosk) == 2
