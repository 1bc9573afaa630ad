"""curl, ssh and other programs of a person use the extension's tickets: docs/decisions/0066-tickets-for-other-programs.md."""

import os
import re
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from kerberos.domain_controller import PASSWORD as DOMAIN_PASSWORD
from kerberos.domain_controller import Domain
from kerberos.kcm import ticket_keeper
from kerberos.kdc import PASSWORD, Person, Realm
from kerberos.negotiate_site import INTRANET, SHELL, NegotiateSite, SecureShell
from kerberos.signed_in_device import RealmDevice
from processes import LANYARD_SSO, run

pytestmark = pytest.mark.usefixtures("ticket_module")
NewPerson = Callable[..., Person]
HOSTS = (INTRANET, SHELL)
CURL = ("curl", "--silent", "--show-error", "--max-time", "30", "--negotiate", "--user", ":")


@pytest.fixture
def device(tmp_path: Path, realm: Realm) -> Iterator[RealmDevice]:
    """Programs are told by nobody but the extension where tickets are."""
    with RealmDevice(tmp_path, realm, hosts=HOSTS, cache="configuration").running() as running:
        yield running


def variables(device: RealmDevice) -> dict[str, str]:
    """What a shell has after `export $(lanyard-sso kerberos environment)`."""
    done = run(
        *device.entering, "env", *device.variables, f"KRB5_CONFIG={device.realm.settings}", LANYARD_SSO, "kerberos",
        "environment")
    assert done.returncode == 0, done.stderr
    name, _, value = done.stdout.strip().partition("=")
    return {name: value, "LANYARD_SSO_SOCKET": str(device.broker.socket)}


def program(device: RealmDevice, hosts: tuple[str, ...], *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name not in ("KRB5CCNAME", "KRB5_CONFIG")}
    return subprocess.run(
        [*hosts, *words], capture_output=True, text=True, timeout=90,
        env=environment | variables(device) | {"XDG_RUNTIME_DIR": device.environment["XDG_RUNTIME_DIR"]} | more)


def test_before_anybody_has_signed_in_programs_work_as_ever(
    device: RealmDevice, hosts: tuple[str, ...], site: NegotiateSite, person: Person
) -> None:
    page = f"{site.url}/members/"
    done = program(device, hosts, *CURL, "--write-out", "%{http_code}", "--output", "/dev/null", page)
    assert done.stdout == "401", done.stderr
    # The file that is not there yet keeps nobody from a ticket of their own.
    done = program(device, hosts, *CURL, page, KRB5CCNAME=person.cache)
    assert f"Hello {person.principal}" in done.stdout, done.stderr


def test_one_sign_in_is_enough_for_curl_git_and_klist(
    device: RealmDevice, hosts: tuple[str, ...], new_person: NewPerson, site: NegotiateSite, tmp_path: Path
) -> None:
    person = new_person()
    device.sign_in(person.name)
    done = program(device, hosts, *CURL, f"{site.url}/members/")
    assert f"Hello {person.principal}" in done.stdout, done.stderr
    assert person.principal in program(device, hosts, "klist", "-A").stdout
    done = program(
        device, hosts, "git", "-c", "http.emptyAuth=true", "clone", site.repository, str(tmp_path / "work"),
        GIT_TERMINAL_PROMPT="0")
    assert done.returncode == 0, done.stderr
    device.kerberos("sign-out")
    done = program(device, hosts, *CURL, "--write-out", "%{http_code}", "--output", "/dev/null", f"{site.url}/members/")
    assert done.stdout == "401"


def test_openssh_signs_in_with_the_extensions_ticket(
    device: RealmDevice, hosts: tuple[str, ...], shell: SecureShell
) -> None:
    assert program(device, hosts, *shell.login(), "echo", "in").stdout == ""
    device.sign_in("ana")
    done = program(device, hosts, *shell.login(), "echo", "in")
    assert done.stdout == "in\n", done.stderr + shell.program.log_text


# Loads a page as a program does that answers with a token of its own making.
READER = """
import base64, gssapi, http.client, sys
host, port = sys.argv[1:]
name = gssapi.Name(f"HTTP@{host}", gssapi.NameType.hostbased_service)
token = gssapi.SecurityContext(name=name, usage="initiate", mech=gssapi.OID.from_int_seq("1.3.6.1.5.5.2")).step()
connection = http.client.HTTPConnection(host, int(port), timeout=30)
connection.request("GET", "/members/", headers={"Authorization": "Negotiate " + base64.b64encode(token).decode()})
print(connection.getresponse().read().decode())
"""


def test_python_is_let_in_with_the_extensions_ticket(
    device: RealmDevice, hosts: tuple[str, ...], new_person: NewPerson, site: NegotiateSite
) -> None:
    reader = ("/usr/bin/python3", "-c", READER, site.host, str(site.port))
    assert program(device, hosts, *reader).returncode != 0
    person = new_person()
    device.sign_in(person.name)
    done = program(device, hosts, *reader)
    assert f"Hello {person.principal}" in done.stdout, done.stderr


@pytest.mark.parametrize("kind", ["FILE", "DIR", "KEYRING"])
def test_directory_and_files_of_a_domain_are_reached_with_the_extensions_ticket(
    domain: Domain, tmp_path: Path, kind: str
) -> None:
    name = f"lio-{kind.lower()}"
    domain.add(name, DOMAIN_PASSWORD, f"--mail-address={name}@{domain.name}")
    # Where tickets are by what the session says, and where it says nothing.
    places = {"FILE": {"KRB5CCNAME": f"FILE:{tmp_path}/run/tickets"}, "DIR": {}, "KEYRING": {"cache": "nothing"}}
    with RealmDevice(tmp_path, domain, hosts=(f".{domain.name}",), **places[kind]).running() as device:

        def search() -> subprocess.CompletedProcess[str]:
            return program(
                device, domain.entering, "ldapsearch", "-Q", "-N", "-LLL", "-Y", "GSSAPI", "-H", f"ldap://{domain.host}",
                "-b", domain.base, f"sAMAccountName={name}", "mail")

        def look() -> subprocess.CompletedProcess[str]:
            # Samba's programs have a library of their own. Nobody but the extension tells it where the ticket is.
            return program(
                device, domain.entering, "smbclient", "--no-pass", "--use-kerberos=required", f"//{domain.host}/sysvol",
                "--command=ls")

        assert search().returncode != 0 and look().returncode != 0
        device.sign_in(name, DOMAIN_PASSWORD)
        try:
            assert device.status()["cache"].startswith(f"{kind}:")
            done = search()
            assert f"mail: {name}@{domain.name}" in done.stdout, done.stderr
            done = look()
            assert domain.name in done.stdout, done.stdout + done.stderr
        finally:
            # The kernel keeps tickets longer than the test's folder.
            assert device.kerberos("sign-out").returncode == 0
        assert look().returncode != 0


def other_persons_ticket(device: RealmDevice, hosts: tuple[str, ...], new_person: NewPerson) -> Person:
    """The ticket that programs take by themselves becomes somebody else's, in the same collection. It ends within an hour, as
    the extension takes the one that ends last where the profile names nobody."""
    other = new_person()
    [told] = (device.broker.state / "extensions").rglob("programs.conf")
    found = re.search(r"default_ccache_name = (\S+)", told.read_text())
    assert found
    collection = found[1]
    done = subprocess.run(
        ["kinit", "-l", "1h", other.principal], input=f"{PASSWORD}\n", capture_output=True, text=True, timeout=30,
        env=os.environ | {"KRB5_CONFIG": str(device.realm.settings), "KRB5CCNAME": collection})
    assert done.returncode == 0, done.stderr
    return other


def test_the_ticket_for_a_host_of_the_profile_is_got_anew_when_it_is_needed(
    device: RealmDevice, hosts: tuple[str, ...], new_person: NewPerson, site: NegotiateSite
) -> None:
    person = new_person()
    # Otherwise the ticket of anybody in the realm would do.
    device.set_data(f"<key>principalName</key><string>{person.name}</string>", HOSTS)
    with device.typing("sign-in") as typing:
        typing.expect("Password.*: ")
        typing.type(f"{PASSWORD}\n")
        typing.expect("Save the password.*: ")
        typing.type("y\n")
        assert typing.end() == 0, typing.output
    cache = device.status()["cache"]
    other = other_persons_ticket(device, hosts, new_person)
    assert other.principal in program(device, hosts, "klist").stdout
    page = f"{site.url}/members/"
    assert f"Hello {person.principal}" in program(device, hosts, *CURL, page).stdout
    # The ticket is gone, and the saved password is there.
    assert program(device, hosts, "kdestroy", "-c", cache).returncode == 0
    assert f"Hello {person.principal}" in program(device, hosts, *CURL, page).stdout
    # Whoever names a ticket gets it.
    assert other.kinit(PASSWORD).returncode == 0
    in_keyring = f"KEYRING:user:{other.name}:mine"
    assert other.run("kinit", other.principal, typed=f"{PASSWORD}\n", KRB5CCNAME=in_keyring).returncode == 0
    try:
        for cache in (other.cache, in_keyring):
            named = program(device, hosts, *CURL, page, KRB5CCNAME=cache)
            assert f"Hello {other.principal}" in named.stdout, named.stderr
    finally:
        program(device, hosts, "kdestroy", "-c", in_keyring)


def test_the_profile_says_whether_programs_are_given_tickets(
    device: RealmDevice, hosts: tuple[str, ...], new_person: NewPerson, site: NegotiateSite
) -> None:
    person = new_person()
    device.sign_in(person.name, remember=True)
    other = other_persons_ticket(device, hosts, new_person)
    page = f"{site.url}/members/"
    assert f"Hello {person.principal}" in program(device, hosts, *CURL, page).stdout
    device.set_data("<key>credentialUseMode</key><string>kerberosDefault</string>", HOSTS)
    assert f"Hello {other.principal}" in program(device, hosts, *CURL, page).stdout
    # A host that is not the profile's is not the extension's business.
    device.set_data("", ("elsewhere.school.test",))
    assert f"Hello {other.principal}" in program(device, hosts, *CURL, page).stdout


def test_a_list_of_programs_lets_them_alone_have_the_ticket(
    device: RealmDevice, hosts: tuple[str, ...], new_person: NewPerson, site: NegotiateSite, tmp_path: Path
) -> None:
    person, other = new_person(), new_person()
    device.set_data("<key>credentialBundleIdACL</key><array><string>exe:/usr/bin/curl</string></array>", HOSTS)
    device.sign_in(person.name)
    state = device.status()
    assert (state["cacheUse"], state["cacheReason"]) == ("private", "limited")
    # The machine's own place has a ticket, though not this one. Without any the library asks nobody.
    other.cache = f"DIR:{device.folder}/run/tickets"
    (device.folder / "run" / "tickets").mkdir(mode=0o700, exist_ok=True)
    assert other.kinit(PASSWORD).returncode == 0
    machine = {"KRB5_CONFIG": variables(device)["KRB5_CONFIG"].replace(
        str(device.realm.settings), device.environment["KRB5_CONFIG"])}
    listed = program(device, hosts, "klist", "-A", **machine).stdout
    assert other.principal in listed and person.principal not in listed
    page = f"{site.url}/members/"
    assert f"Hello {person.principal}" in program(device, hosts, *CURL, page, **machine).stdout
    # What is not in the list has what it would have without the extension.
    initiator = (
        "import gssapi, sys\n"
        "name = gssapi.Name(sys.argv[1], gssapi.NameType.hostbased_service)\n"
        "gssapi.SecurityContext(name=name, usage='initiate').step()")
    for words in (
        ("git", "-c", "http.emptyAuth=true", "ls-remote", site.repository),
        ("/usr/bin/python3", "-c", initiator, f"HTTP@{site.host}"),
    ):
        trace = tmp_path / f"{Path(words[0]).name}.trace"
        done = program(device, hosts, *words, GIT_TERMINAL_PROMPT="0", KRB5_TRACE=str(trace), **machine)
        assert done.returncode == 0, done.stderr
        said = trace.read_text()
        assert f"{other.principal} -> HTTP/{site.host}" in said and person.principal not in said, said


def test_a_broker_that_is_gone_or_says_nothing_leaves_programs_as_they_were(
    device: RealmDevice, hosts: tuple[str, ...], new_person: NewPerson, site: NegotiateSite, tmp_path: Path
) -> None:
    person = new_person()
    device.sign_in(person.name)
    page, settings = f"{site.url}/members/", variables(device)["KRB5_CONFIG"]
    device.broker.stop()

    def curl(broker: Path) -> tuple[str, float]:
        begun = time.monotonic()
        done = subprocess.run(
            [*hosts, *CURL, page], capture_output=True, text=True, timeout=60,
            env={name: value for name, value in os.environ.items() if name != "KRB5CCNAME"}
            | {"KRB5_CONFIG": settings, "LANYARD_SSO_SOCKET": str(broker)})
        return done.stdout, time.monotonic() - begun

    assert f"Hello {person.principal}" in curl(device.broker.socket)[0]
    for name, said in (
        ("nothing", None), ("nonsense", b"\x00\xff" * 100), ("no name", b"HTTP/1.1 200 OK\r\n\r\n{}"),
        ("too much", b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 200_000),
        ("strange", b'HTTP/1.1 200 OK\r\n\r\n["X-SSO-Kerberos-Cache-Name","FILE:\\u0000"]'),
        ("endless", b'HTTP/1.1 200 OK\r\n\r\n["X-SSO-Kerberos-Cache-Name","FILE:' + b"x" * 2000),
        ("nowhere", b'HTTP/1.1 200 OK\r\n\r\n["X-SSO-Kerberos-Cache-Name","FILE:\\/nowhere"]'),
        ("another", b'HTTP/1.1 200 OK\r\n\r\n["X-SSO-Kerberos-Cache-Name","NOTYPE:x"]'),
    ):
        path = tmp_path / f"liar-{len(name)}"
        with socket.socket(socket.AF_UNIX) as liar:
            path.unlink(missing_ok=True)
            liar.bind(str(path))
            liar.listen()
            liar.settimeout(20)

            def lie(said: bytes | None = said, liar: socket.socket = liar) -> None:
                try:
                    while True:
                        connection, _ = liar.accept()
                        connection.recv(4096)
                        if said is None:
                            time.sleep(14)
                        else:
                            connection.sendall(said)
                        connection.close()
                except OSError:
                    pass

            threading.Thread(target=lie, daemon=True).start()
            page_seen, seconds = curl(path)
            assert f"Hello {person.principal}" in page_seen, name
            assert seconds < 30, name


def test_the_keeper_of_tickets_is_found_where_an_administrator_says(
    realm: Realm, hosts: tuple[str, ...], new_person: NewPerson, site: NegotiateSite, tmp_path: Path
) -> None:
    person = new_person()
    with ticket_keeper(tmp_path / "keeper") as keeper:
        device = RealmDevice(tmp_path, realm, hosts=HOSTS, cache="nothing")
        files = tmp_path / "config" / "lanyard" / "sso" / "kerberos"
        files.mkdir(parents=True)
        (files / "kcm-socket").write_text(f"{keeper.socket}\n")
        with device.running():
            device.sign_in(person.name)
            state = device.status()
            assert (state["cache"], state["cacheReason"]) == (f"KCM:{os.getuid()}:sso-{realm.name}", "keeper")
            # The machine's configuration does not know that place, and the person's programs do.
            assert person.principal in program(device, hosts, "klist", "-A").stdout
            assert f"Hello {person.principal}" in program(device, hosts, *CURL, f"{site.url}/members/").stdout
