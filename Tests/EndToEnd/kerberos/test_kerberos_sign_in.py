"""Somebody with a ticket of a real realm signs in to Lanyard without typing, and nobody else does.

The realm is MIT's, the clients are curl, Chromium and Firefox, and a client that sends bytes as it likes."""

import base64
import json
import os
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest
import requests
from apache_site import apache_site, site_folder
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from kerberos.browsers import Browser, chromium, firefox
from kerberos.domain_controller import PASSWORD as DOMAIN_PASSWORD
from kerberos.domain_controller import Domain, DomainPerson
from kerberos.kdc import Person, Realm, is_open, long_tickets
from lanyard_tool import Tool
from plain_browser import Page, PlainBrowser
from processes import ROOT, Program, free_port, wait_until
from selenium.webdriver.common.by import By
from sign_in.test_standard_clients import checked_claims

PASSWORD = "correct-horse-1"
OTHER_HOST = "other.school.test"
LINUX_FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
WINDOWS_EDGE = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 "
    "Edg/130.0.0.0")
SIGN_IN = "Sign in"


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Realm]:
    """The realm MAPLE.EXAMPLE, with keys of this machine's web server and of another host in one keytab."""
    with Realm(tmp_path_factory.mktemp("network"), "MAPLE.EXAMPLE") as realm:
        realm.keytab("HTTP/localhost", f"HTTP/{OTHER_HOST}", file="web.keytab")
        for name in ("ana.ruiz", "nobody", "gone", "head"):
            realm.add(name, PASSWORD)
        yield realm


@dataclass
class Door:
    """An address at which the server takes a ticket, and the cookie of the only browser that it was made for."""
    url: str
    cookie: str

    def show(self, ticket: str | None) -> requests.Response:
        """What the server answers to a header `Authorization` with the ticket."""
        headers = {"Cookie": self.cookie} | ({"Authorization": ticket} if ticket else {})
        return requests.get(self.url, headers=headers, allow_redirects=False, timeout=20)


@dataclass
class Stage:
    tool: Tool
    # None where people get their tickets from a domain.
    realm: Realm | None
    url: str

    def person(self, name: str) -> Person:
        """Somebody who has signed in to their computer."""
        assert self.realm
        person = self.realm.person(name)
        done = person.kinit(PASSWORD)
        assert done.returncode == 0, done.stderr
        return person

    def door(self, url: str | None = None) -> "Door":
        """Where the sign-in page of the server, or of another node, leads a new browser."""
        answer = requests.get(
            f"{url or self.url}/sign-in?continue=/account", headers={"User-Agent": LINUX_FIREFOX}, allow_redirects=False,
            timeout=20)
        assert answer.status_code == 303, answer.text
        secret = answer.cookies["lanyard-browser"]
        assert isinstance(secret, str)
        return Door(answer.headers["Location"], f"lanyard-browser={secret}")

    def trail(self) -> list[str]:
        entries = self.tool.json("audit", "list", "--action", "sign-in")["entries"]
        return [f"{entry['outcome']}: {entry['detail']}" for entry in entries]


@pytest.fixture
def settings(network: Realm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KRB5_CONFIG", str(network.settings))
    monkeypatch.setenv("LANYARD_KERBEROS_KEYTAB", str(network.folder / "web.keytab"))


@pytest.fixture
def stage(tool: Tool, network: Realm, settings: None) -> Iterator[Stage]:
    make_school(tool)
    port = free_port()
    with tool.serving("--base-url", f"http://localhost:{port}", port=port) as url:
        yield Stage(tool, network, url)


def make_school(tool: Tool) -> None:
    tool.json("init", "--name", "Maple School", "--domain", "maple.example")

    def add(first: str, last: str, *options: str) -> None:
        tool.json("person", "add", "--first-name", first, "--last-name", last, *options)

    add("Ana", "Ruiz", "--role", "instructor", "--user-name", "ana.ruiz@maple.example")
    add("Gone", "Away", "--role", "student", "--user-name", "gone@maple.example")
    add("Head", "Master", "--role", "administrator", "--user-name", "head@maple.example")
    tool.text("person", "deactivate", "gone@maple.example")
    tool.json("org", "realm", "set", "MAPLE.EXAMPLE", "--matching", "user-name", "--domain", "maple.example")


def curl(person: Person, url: str, *options: str, agent: str = LINUX_FIREFOX) -> tuple[int, dict[str, str], str]:
    """The status, the headers and the body of the last answer."""
    done = person.run("curl", "-s", "-i", "--max-time", "20", "-A", agent, *options, url)
    assert done.returncode == 0, done.stderr
    text = done.stdout.replace("\r\n", "\n")
    while True:
        head, _, body = text.partition("\n\n")
        if not body.startswith("HTTP/1.1 "):
            break
        text = body
    lines = head.splitlines()
    return int(lines[0].split()[1]), dict(line.split(": ", 1) for line in lines[1:] if ": " in line), body


def negotiate(person: Person, door: Door, *options: str) -> tuple[int, dict[str, str], str]:
    return curl(person, door.url, "--negotiate", "-u", ":", "-b", door.cookie, *options)


def sent_ticket(person: Person, door: Door, *options: str) -> str:
    """The header that curl has sent to the address."""
    done = person.run(
        "curl", "-s", "-v", "-o", "/dev/null", "--negotiate", "-u", ":", "-b", door.cookie, *options, door.url)
    return re.findall(r"> Authorization: (Negotiate \S+)", done.stderr)[-1]


def says(body: str, sentence: str) -> bool:
    return sentence in body.translate({0x2068: None, 0x2069: None})


@pytest.mark.on_each_database
def test_whoever_has_a_ticket_is_signed_in(stage: Stage, tmp_path: Path) -> None:
    ana = stage.person("ana.ruiz")
    status, headers, body = curl(
        ana, f"{stage.url}/account", "--negotiate", "-u", ":", "-L", "-c", str(tmp_path / "jar"))
    assert (status, headers["Cache-Control"]) == (200, "no-store")
    assert "Ana Ruiz" in body
    assert stage.trail()[0] == "done: by Kerberos as ana.ruiz@MAPLE.EXAMPLE"
    # The realm shows that it is the server that curl has meant.
    status, headers, _ = negotiate(ana, stage.door())
    assert status == 303 and headers["Location"] == "/account"
    assert headers["WWW-Authenticate"].startswith("Negotiate ")
    assert headers["Cache-Control"] == "no-store"


def test_everybody_else_sees_the_page(stage: Stage) -> None:
    assert stage.realm
    nobody = stage.realm.person("without-ticket")
    status, headers, body = curl(nobody, f"{stage.url}/account", "-L", "-b", "")
    assert (status, headers["WWW-Authenticate"], headers["Cache-Control"]) == (401, "Negotiate", "no-store")
    assert 'name="password"' in body and "has not shown a ticket" not in body
    # Whoever has asked for it is told.
    door = stage.door()
    _, _, body = curl(nobody, f"{door.url}&chosen=true", "-b", door.cookie)
    assert "has not shown a ticket" in body
    # Other browsers might open a window of their own, and get a link instead.
    status, headers, body = curl(nobody, f"{stage.url}/account", "-L", agent=WINDOWS_EDGE)
    assert status == 200 and "WWW-Authenticate" not in headers
    assert f'href="{stage.url}/sign-in/ticket?continue=%2Faccount&amp;chosen=true&amp;browser=' in body
    # Pictures and scripts of other pages ask for nothing.
    status, headers, _ = curl(nobody, door.url, "-b", door.cookie, "-H", "Sec-Fetch-Dest: image")
    assert status == 200 and "WWW-Authenticate" not in headers


def test_in_the_networks_of_the_school_every_browser_is_asked(
    tool: Tool, network: Realm, settings: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANYARD_KERBEROS_NETWORKS", "127.0.0.0/8,::1")
    make_school(tool)
    port = free_port()
    with tool.serving("--base-url", f"http://localhost:{port}", port=port) as url:
        status, headers, _ = curl(network.person("without-ticket"), f"{url}/account", "-L", "-b", "", agent=WINDOWS_EDGE)
        assert (status, headers["WWW-Authenticate"]) == (401, "Negotiate")


def test_no_other_site_has_a_browser_asked(stage: Stage) -> None:
    """A link with a user name and a password before the host would have Windows ask the domain for a ticket with them."""
    ana, door = stage.person("ana.ruiz"), stage.door()
    for url, cookie in ((f"{stage.url}/sign-in/ticket?continue=/account", door.cookie), (door.url, stage.door().cookie)):
        for options in ((), ("--negotiate", "-u", ":")):
            status, headers, body = curl(ana, url, *options, "-b", cookie)
            assert status == 403 and "WWW-Authenticate" not in headers
            assert "This address counts only in the browser" in body
    assert stage.trail() == []
    # What the link says does not go along to where the browser is asked.
    planted = stage.url.replace("://", "://mallory:secret@") + "/sign-in?continue=/account"
    answer = requests.get(planted, headers={"User-Agent": LINUX_FIREFOX}, allow_redirects=False, timeout=20)
    assert answer.status_code == 303 and answer.headers["Location"].startswith(f"{stage.url}/sign-in/ticket?")


@pytest.mark.on_each_database
def test_a_ticket_counts_once_on_all_nodes(stage: Stage) -> None:
    ana = stage.person("ana.ruiz")
    door = stage.door()
    ticket = sent_ticket(ana, door)
    used = door.show(ticket)
    assert used.status_code == 403 and says(used.text, "already used in the same request")
    assert "Set-Cookie" not in used.headers or "lanyard-session" not in used.headers["Set-Cookie"]
    port = free_port()
    second = Tool(stage.tool.data, stage.tool.database)
    # Another node with the same database and the same keytab, which has never seen the ticket.
    with second.serving("--base-url", f"http://localhost:{port}", port=port) as url:
        there = stage.door(url).show(ticket)
        assert there.status_code == 403 and says(there.text, "already used in the same request")
    trail = stage.trail()
    refused = "refused: by Kerberos as ana.ruiz@MAPLE.EXAMPLE: the ticket was shown before in the same message"
    assert trail.count(refused) == 2 and trail[-1].startswith("done: ")
    # A new message with the same ticket is none that was used.
    assert negotiate(ana, stage.door())[0] == 303


def test_tickets_that_let_nobody_in(stage: Stage, tmp_path: Path) -> None:
    status, headers, body = negotiate(stage.person("nobody"), stage.door())
    assert status == 403 and says(body, "belongs to no account here")
    assert 'name="password"' in body and "WWW-Authenticate" not in headers
    status, _, body = negotiate(stage.person("gone"), stage.door())
    assert status == 403 and says(body, "is deactivated here")
    assert stage.trail()[0].endswith("as gone@MAPLE.EXAMPLE: the account is deactivated")
    # A ticket for another host, whose key is in the same keytab.
    ana = stage.person("ana.ruiz")
    port = urlsplit(stage.url).port
    lead = ("--connect-to", f"{OTHER_HOST}:{port}:localhost:{port}")
    door = stage.door()
    other = sent_ticket(ana, Door(door.url.replace("localhost", OTHER_HOST), door.cookie), *lead)
    refused = door.show(other)
    assert refused.status_code == 403 and says(refused.text, "is not valid here")
    # The server's own name does not come from the header Host.
    assert negotiate(ana, stage.door(), "-H", f"Host: {OTHER_HOST}")[0] == 303


@pytest.mark.parametrize(("clock", "reason"), [("+1h", "Ticket not yet valid"), ("-1h", "Clock skew too great")])
def test_a_ticket_of_a_wrong_clock_lets_nobody_in(
    tool: Tool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: str, reason: str
) -> None:
    """The clock of the domain is wrong, and so are those of its computers, which follow it."""
    with Realm(tmp_path / "realm", "MAPLE.EXAMPLE") as realm:
        keytab = realm.keytab("HTTP/localhost", file="web.keytab")
        realm.add("ana.ruiz", PASSWORD)
        monkeypatch.setenv("KRB5_CONFIG", str(realm.settings))
        monkeypatch.setenv("LANYARD_KERBEROS_KEYTAB", str(keytab))
        make_school(tool)
        port = free_port()
        with tool.serving("--base-url", f"http://localhost:{port}", "--log-level", "notice", port=port) as url:
            stage = Stage(tool, realm, url)
            realm.stop_kdc()
            realm.start_kdc(clock=clock)
            status, headers, body = negotiate(stage.person("ana.ruiz"), stage.door())
            assert status == 403 and says(body, "is not valid here"), body
            assert 'name="password"' in body and "lanyard-session" not in str(headers)
            assert reason in (tool.data / "serve.log").read_text()
            assert stage.trail() == []
            # Nothing is wrong but the clock.
            realm.stop_kdc()
            realm.start_kdc()
            assert negotiate(stage.person("ana.ruiz"), stage.door())[0] == 303


def test_a_realm_that_is_trusted_but_nobodys(
    stage: Stage, network: Realm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Realm(tmp_path / "oak", "OAK.EXAMPLE", authority=network.authority) as oak:
        network.trust(oak)
        oak.add("ana.ruiz", PASSWORD)
        both = oak.client_settings("both.conf", others=network.as_other_realm(), hosts="    localhost = MAPLE.EXAMPLE\n")
        stranger = Person(oak, "ana.ruiz", both)
        assert stranger.kinit(PASSWORD).returncode == 0
        status, _, body = negotiate(stranger, stage.door())
        assert status == 403 and says(body, "to which this computer belongs are not accepted here")


class Outside(DomainPerson):
    """Somebody of the domain who has left its network with the tickets that they have."""

    @property
    def wrapper(self) -> tuple[str, ...]:
        return ()


def test_a_computer_is_nobody_whatever_it_asks_to_be_called(
    tool: Tool, domain: Domain, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Samba, as Active Directory, gives the computer `nadia$` a ticket for `nadia`."""
    service = f"HTTP/localhost@{domain.realm}"
    monkeypatch.setenv("LANYARD_KERBEROS_KEYTAB", str(domain.keytab("HTTP/localhost", "lanyard-web")))
    domain.tool(["computer", "create", "nadia"], ["user", "setpassword", "nadia$", f"--newpassword={DOMAIN_PASSWORD}"])
    tool.json("init", "--name", "Maple School")
    for name in ("ana", "nadia"):
        tool.json(
            "person", "add", "--first-name", name, "--last-name", "Sato", "--role", "student", "--user-name", name)
    tool.json("org", "realm", "set", domain.realm, "--matching", "user-name")
    port = free_port()
    with tool.serving("--base-url", f"http://localhost:{port}", port=port) as url:
        stage = Stage(tool, None, url)

        def show(name: str) -> tuple[int, str]:
            person = domain.person(name)
            assert person.kinit(DOMAIN_PASSWORD).returncode == 0
            assert person.run("kvno", service).returncode == 0
            status, _, body = negotiate(Outside(domain, name), stage.door())
            return status, body

        assert show("ana")[0] == 303
        status, body = show("nadia")
        assert status == 403 and says(body, "belongs to no account here")
        assert [entry.split(":")[0] for entry in stage.trail()] == ["done"]


@pytest.mark.parametrize(
    ("header", "statuses", "sentence"),
    [
        ("Negotiate " + base64.b64encode(b"NTLMSSP\0" + b"\1" * 30).decode(), {403}, "has not sent a Kerberos ticket"),
        ("NTLM TlRMTVNTUAAB", {403}, "has not sent a Kerberos ticket"),
        ("Negotiate ***", {403}, "is not valid here"),
        ("Negotiate", {403}, "has not sent a Kerberos ticket"),
        ("Negotiate " + base64.b64encode(os.urandom(64 * 1_024)).decode(), {403}, "is not valid here"),
        ("Negotiate " + base64.b64encode(b"\x60" + os.urandom(40)).decode(), {403}, "is not valid here"),
        ("Negotiate " + "A" * 1_000_000, {400, 431}, ""),
    ], ids=["ntlm", "another scheme", "no base64", "nothing", "64 kB", "no SPNEGO", "1 MB"])
def test_what_is_no_ticket(stage: Stage, header: str, statuses: set[int], sentence: str) -> None:
    answer = stage.door().show(header)
    assert answer.status_code in statuses and says(answer.text, sentence)
    # Nothing else has room for such headers.
    if len(header) > 32 * 1_024:
        answer = requests.get(f"{stage.url}/sign-in", headers={"Authorization": header}, timeout=20)
        assert answer.status_code in (400, 431)


def test_a_ticket_sets_up_no_first_second_factor(stage: Stage) -> None:
    stage.tool.text("org", "set", "--second-factor", "administrator", "--second-factor-days", "0")
    status, headers, body = negotiate(stage.person("head"), stage.door())
    assert status == 403 and "is not enough for your account" in body, (status, headers)
    assert "lanyard-session" not in str(headers)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda folder, realm: None, "There is no keytab"),
        (lambda folder, realm: (folder / "web.keytab").write_bytes(b"nonsense"), "cannot be read"),
        (lambda folder, realm: (folder / "web.keytab").symlink_to(
            realm.keytab("HTTP/somewhere.example", file="somewhere.keytab")), "has no key of HTTP/localhost"),
    ], ids=["missing", "damaged", "of another host"])
def test_a_keytab_that_cannot_be_used(
    tool: Tool, network: Realm, settings: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
    make: Callable[[Path, Realm], object], reason: str,
) -> None:
    make(tmp_path, network)
    monkeypatch.setenv("LANYARD_KERBEROS_KEYTAB", str(tmp_path / "web.keytab"))
    port = free_port()
    error = tool.failure("serve", "--base-url", f"http://localhost:{port}", "--port", str(port))
    assert reason in error, error


def test_keys_that_are_made_anew_while_the_server_runs(tool: Tool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Realm(tmp_path / "realm", "MAPLE.EXAMPLE") as realm:
        keytab = realm.keytab("HTTP/localhost", file="web.keytab")
        realm.add("ana.ruiz", PASSWORD)
        monkeypatch.setenv("KRB5_CONFIG", str(realm.settings))
        monkeypatch.setenv("LANYARD_KERBEROS_KEYTAB", str(keytab))
        make_school(tool)
        port = free_port()

        def put(new: Path) -> None:
            """As docs/kerberos.md says."""
            new.chmod(0o600)
            new.rename(keytab)

        with tool.serving("--base-url", f"http://localhost:{port}", port=port) as url:
            stage = Stage(tool, realm, url)
            # A ticket that was given before, and that the computer keeps.
            early = stage.person("ana.ruiz")
            assert negotiate(early, stage.door())[0] == 303
            both = tmp_path / "both.keytab"
            both.write_bytes(keytab.read_bytes())
            realm.kadmin("ktadd", "-k", both, "HTTP/localhost")
            late = Person(realm, "ana.ruiz", cache=f"FILE:{tmp_path}/late")
            assert late.kinit(PASSWORD).returncode == 0
            status, _, body = negotiate(late, stage.door())
            assert status == 403 and says(body, "is not valid here")
            put(both)
            for person in (early, late):
                assert negotiate(person, stage.door())[0] == 303
            # Without the old key its tickets are worth nothing any more.
            realm.kadmin("ktadd", "-k", tmp_path / "newest.keytab", "HTTP/localhost")
            put(tmp_path / "newest.keytab")
            newest = Person(realm, "ana.ruiz", cache=f"FILE:{tmp_path}/newest")
            assert newest.kinit(PASSWORD).returncode == 0
            assert [negotiate(person, stage.door())[0] for person in (early, late, newest)] == [403, 403, 303]
            # What cannot be used takes no key away.
            (tmp_path / "damaged.keytab").write_bytes(b"nonsense")
            put(tmp_path / "damaged.keytab")
            assert negotiate(newest, stage.door())[0] == 303


def test_the_doctor_looks_at_the_keytab(
    tool: Tool, network: Realm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_school(tool)
    (tool.data / "lanyard.json").write_text('{"baseURL": "http://localhost:8080"}')
    monkeypatch.setenv("KRB5_CONFIG", str(network.settings))

    def findings(exit_code: int) -> list[tuple[str, str]]:
        found = tool.json("doctor", exit_code=exit_code)["findings"]
        return [(finding["status"], finding["message"]) for finding in found if finding["check"] == "keytab"]

    assert findings(0) == []
    keytab = tmp_path / "web.keytab"
    monkeypatch.setenv("LANYARD_KERBEROS_KEYTAB", str(keytab))
    assert "There is no keytab" in findings(1)[0][1]
    keytab.write_bytes(network.keytab("HTTP/elsewhere.example", file="elsewhere.keytab").read_bytes())
    assert "has no key of HTTP/localhost" in findings(1)[0][1]
    keytab.write_bytes((network.folder / "web.keytab").read_bytes())
    keytab.chmod(0o640)
    keys, closed = findings(0)
    assert keys[0] == closed[0] == "ok" and "MAPLE.EXAMPLE, version 2: aes" in keys[1], keys
    for mode in (0o644, 0o660):
        keytab.chmod(mode)
        assert [status for status, _ in findings(1)] == ["ok", "problem"]
    keytab.chmod(0o600)
    assert [status for status, _ in findings(0)] == ["ok", "ok"]


def test_the_doctor_warns_of_weak_keys(tool: Tool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_school(tool)
    (tool.data / "lanyard.json").write_text('{"baseURL": "http://localhost:8080"}')
    realm, keytab = Realm(tmp_path / "realm", "MAPLE.EXAMPLE"), tmp_path / "web.keytab"
    realm.add("HTTP/localhost")
    realm.kadmin("ktadd", "-k", keytab, "-e", "arcfour-hmac:normal", "HTTP/localhost")
    monkeypatch.setenv("KRB5_CONFIG", str(realm.settings))
    monkeypatch.setenv("LANYARD_KERBEROS_KEYTAB", str(keytab))

    def statuses() -> list[str]:
        return [finding["status"] for finding in tool.json("doctor")["findings"] if finding["check"] == "keytab"]

    assert statuses() == ["warning", "ok"]
    # An old key beside a new one of AES is none that new tickets have.
    realm.kadmin("ktadd", "-k", keytab, "HTTP/localhost")
    assert statuses() == ["ok", "ok"]


def test_behind_a_reverse_proxy(tool: Tool, network: Realm, settings: None, tmp_path: Path) -> None:
    make_school(tool)
    inner = free_port()
    with ExitStack() as stack:
        folder, outer = stack.enter_context(site_folder()), free_port()
        base = f"http://localhost:{outer}"
        stack.enter_context(tool.serving("--base-url", base, port=inner))
        # The field is as long as docs/kerberos.md says, because tickets are long.
        stack.enter_context(apache_site(
            folder, outer, module="proxy", members_page="", log=tmp_path / "apache.log", configuration=f"""
LoadModule proxy_http_module /usr/lib/apache2/modules/mod_proxy_http.so
LimitRequestFieldSize 98304
ProxyPass / http://127.0.0.1:{inner}/
"""))
        stage = Stage(tool, network, base)
        assert negotiate(stage.person("ana.ruiz"), stage.door())[0] == 303
        long = "Negotiate " + base64.b64encode(os.urandom(64 * 1_024)).decode()
        assert stage.door().show(long).status_code == 403


NGINX = """
daemon off;
pid {folder}/pid;
error_log stderr;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder}; uwsgi_temp_path {folder};
    scgi_temp_path {folder};
    server {{
        listen 127.0.0.1:{port};
        {setting}
        location / {{
            proxy_pass http://127.0.0.1:{inner};
            proxy_set_header Host $http_host;
            proxy_set_header X-Forwarded-For $remote_addr;
        }}
    }}
}}
"""
# As the guide has it.
LONG_HEADERS = re.search(r"\| nginx \| `([^`]+)` \|", (ROOT / "docs" / "kerberos.md").read_text())


@contextmanager
def nginx(folder: Path, port: int, inner: int, setting: str) -> Iterator[None]:
    folder.mkdir()
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder, port=port, inner=inner, setting=setting))
    program = Program("nginx", "-e", "stderr", "-p", folder, "-c", folder / "nginx.conf", log=folder / "log")
    try:
        program.wait_until(lambda: is_open(port), 20, "nginx listens")
        yield
    finally:
        program.stop()


def test_a_ticket_of_many_groups_is_taken_also_behind_nginx(
    tool: Tool, network: Realm, settings: None, tmp_path: Path
) -> None:
    make_school(tool)
    inner, outer, narrow = free_port(), free_port(), free_port()
    ana = network.person("ana.ruiz")
    ana.settings = network.client_settings("long-sign-in.conf", defaults=long_tickets())
    assert ana.kinit(PASSWORD, options=("-a",)).returncode == 0
    assert LONG_HEADERS
    with ExitStack() as stack:
        stack.enter_context(nginx(tmp_path / "wide", outer, inner, LONG_HEADERS[1]))
        stack.enter_context(nginx(tmp_path / "narrow", narrow, inner, ""))
        stack.enter_context(tool.serving("--base-url", f"http://localhost:{outer}", port=inner))
        stage = Stage(tool, network, f"http://localhost:{outer}")
        # To the server itself, and through the proxy.
        for port in (inner, outer):
            door = stage.door()
            door.url = door.url.replace(f":{outer}/", f":{port}/")
            status, headers, _ = negotiate(ana, door)
            assert (status, headers.get("Location")) == (303, "/account"), port
        assert stage.trail()[:2] == ["done: by Kerberos as ana.ruiz@MAPLE.EXAMPLE"] * 2
        ticket = sent_ticket(ana, stage.door())
        assert len(ticket) > 60_000
        # Without the setting the proxy itself refuses it.
        door = stage.door()
        door.url = door.url.replace(f":{outer}/", f":{narrow}/")
        assert door.show(ticket).status_code in (400, 414, 431, 494)
        assert door.show(None).status_code == 401


# Apps

# Nobody has to listen there: the tests read the redirection.
APP_URL = "https://quizzler.example/callback"


class TicketBrowser(PlainBrowser):
    """Shows somebody's ticket to a server that asks for one."""

    def __init__(self, person: Person):
        super().__init__()
        self.session.headers["User-Agent"] = LINUX_FIREFOX
        self.person = person
        self.shown = 0

    def go(self, url: str) -> requests.Response:
        """The first answer that leads no further, or back to the app."""
        while True:
            answer = self.session.get(url, allow_redirects=False, timeout=20)
            if answer.headers.get("WWW-Authenticate") == "Negotiate":
                self.shown += 1
                ticket = {"Authorization": sent_ticket_unused(self.person)}
                answer = self.session.get(url, headers=ticket, allow_redirects=False, timeout=20)
            if not answer.is_redirect or answer.headers["Location"].startswith(APP_URL):
                return answer
            url = urljoin(url, answer.headers["Location"])


@pytest.fixture
def plain_http(monkeypatch: pytest.MonkeyPatch) -> None:
    """Authlib refuses http addresses unless it is told otherwise."""
    monkeypatch.setenv("AUTHLIB_INSECURE_TRANSPORT", "1")


@pytest.fixture
def client(stage: Stage, plain_http: None) -> OAuth2Session:
    """An app with a server, of the standard profile."""
    client_id = "com.example.quizzler"
    stage.tool.json("app", "team", "create", "Quizzler Inc.")
    stage.tool.json(
        "app", "create", "Quizzler", "--client-id", client_id, "--scope", "name", "--scope", "email",
        "--return-url", APP_URL)
    secret = stage.tool.json("app", "client", client_id, "--secret")["clientSecret"]
    return OAuth2Session(
        client_id, secret, scope="openid profile", redirect_uri=APP_URL, code_challenge_method="S256",
        token_endpoint_auth_method="client_secret_basic")


def test_an_app_gets_tokens_that_say_that_a_ticket_has_signed_in(stage: Stage, client: OAuth2Session) -> None:
    ana = stage.person("ana.ruiz")
    metadata = requests.get(f"{stage.url}/oidc/.well-known/openid-configuration", timeout=20).json()

    def sign_in(browser: TicketBrowser, heading: str | None) -> dict:
        """The checked claims. `heading`: the heading of the app's own question, if it asks one."""
        verifier, nonce = generate_token(48), generate_token(20)
        url, state = client.create_authorization_url(
            metadata["authorization_endpoint"], code_verifier=verifier, nonce=nonce)
        answer = browser.go(url)
        if heading:
            page = Page(answer)
            assert page.plain_heading == heading
            answer = browser.press("Continue", page)
        assert answer.is_redirect, answer.text
        client.fetch_token(
            metadata["token_endpoint"], authorization_response=answer.headers["Location"], state=state,
            code_verifier=verifier)
        return checked_claims(metadata, client.token, client.client_id, nonce)

    browser = TicketBrowser(ana)
    claims = sign_in(browser, "Create your Quizzler account")
    assert (claims["amr"], claims["acr"]) == (["wia"], "urn:lanyard:acr:kerberos")
    assert claims["name"] == "Ana Ruiz"
    assert browser.shown == 1
    assert stage.trail() == ["done: by Kerberos as ana.ruiz@MAPLE.EXAMPLE"]
    # In another browser the ticket alone is enough: nothing is shown at all.
    again = TicketBrowser(ana)
    assert sign_in(again, None)["sub"] == claims["sub"]
    assert again.shown == 1


# Browsers


def policies(folder: Path, names: list[str]) -> Path:
    """What an administrator writes below /etc of a computer, as docs/kerberos.md says."""
    for file, policy in {
        "chromium/policies/managed/kerberos.json": {"AuthServerAllowlist": ",".join(names)},
        "firefox/policies/policies.json": {"policies": {"Authentication": {"SPNEGO": names}}},
    }.items():
        (folder / file).parent.mkdir(parents=True)
        (folder / file).write_text(json.dumps(policy) if names else "{}")
    return folder


def wait_for_account(browser: Browser, stage: Stage) -> None:
    """A new profile of Chromium that meets its first question begins its network anew, outside of a sandbox, and only then has
    tickets: whoever comes there for the first time sees the page, once."""
    wait_until(lambda: browser.read(f"{stage.url}/account") != SIGN_IN, 20, "the ticket signs in", pause=0.5)


@pytest.mark.parametrize("start", [chromium, firefox], ids=["Chromium", "Firefox"])
def test_browsers_that_may_show_tickets(stage: Stage, tmp_path: Path, start: Callable) -> None:
    etc = policies(tmp_path / "etc", ["localhost"])
    with start(stage.person("ana.ruiz"), etc, tmp_path / "browser") as browser:
        wait_for_account(browser, stage)
        assert stage.trail()[0] == "done: by Kerberos as ana.ruiz@MAPLE.EXAMPLE"


@pytest.mark.parametrize("start", [chromium, firefox], ids=["Chromium", "Firefox"])
def test_browsers_that_may_not_show_the_page_and_no_window(stage: Stage, tmp_path: Path, start: Callable) -> None:
    etc = policies(tmp_path / "etc", [])
    with start(stage.person("ana.ruiz"), etc, tmp_path / "browser") as browser:
        # A window of the browser's own would stand before the page.
        for _ in range(3):
            assert browser.read(f"{stage.url}/account") == SIGN_IN
        assert stage.trail() == []


def test_whoever_signs_out_stays_signed_out(stage: Stage, tmp_path: Path) -> None:
    etc = policies(tmp_path / "etc", ["localhost"])
    with chromium(stage.person("ana.ruiz"), etc, tmp_path / "browser") as browser:
        driver = browser.driver
        wait_for_account(browser, stage)
        driver.find_element(By.XPATH, "//form[@action='/sign-out']//button").click()
        # Another page that is asked for too early would come before the answer to the form.
        wait_until(
            lambda: driver.execute_script("return document.querySelector('h1')?.innerText") == "You are signed out", 20,
            "the browser is signed out")
        assert browser.read(f"{stage.url}/account") == SIGN_IN
        driver.find_element(By.LINK_TEXT, "Sign in with the school’s or company’s network").click()
        wait_until(lambda: urlsplit(driver.current_url).path == "/account", 20, "the ticket signs in again")


# How long it takes


def test_it_takes_little_time(stage: Stage) -> None:
    """The server's own work for a ticket, beside that for the page: a few milliseconds, also on a busy machine."""
    ana = stage.person("ana.ruiz")
    tickets = [sent_ticket_unused(ana) for _ in range(5)]
    door = stage.door()
    with requests.Session() as session:
        session.get(f"{stage.url}/sign-in", timeout=20)
        took = []
        for ticket in tickets:
            began = time.perf_counter()
            answer = session.get(
                door.url, headers={"Authorization": ticket, "Cookie": door.cookie}, allow_redirects=False, timeout=20)
            took.append(time.perf_counter() - began)
            assert answer.status_code == 303
    assert min(took) < 0.25, took


def sent_ticket_unused(person: Person) -> str:
    """A header that was sent to nobody but a port at which nothing of Lanyard listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        heard: list[bytes] = []

        def listen() -> None:
            connection, _ = listener.accept()
            with connection:
                text = b""
                while b"\r\n\r\n" not in text:
                    text += connection.recv(65_536)
                heard.append(text)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

        thread = threading.Thread(target=listen)
        thread.start()
        port = listener.getsockname()[1]
        person.run("curl", "-s", "--negotiate", "-u", ":", f"http://localhost:{port}/")
        thread.join(20)
    return re.search(rb"(?i)authorization: (Negotiate \S+)", heard[0])[1].decode()
