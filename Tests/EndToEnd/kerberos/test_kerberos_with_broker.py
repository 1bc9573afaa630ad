"""The extension as the broker starts it for a profile, and the programs of a person who has signed in once."""

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from kerberos.device import PROGRAM, failed_attempts
from kerberos.kdc import PASSWORD, Person, Realm, long_tickets
from kerberos.liars import REFUSAL, Held, LyingKDC
from kerberos.negotiate_site import INTRANET, NegotiateSite
from kerberos.signed_in_device import RealmDevice
from processes import LANYARD_SSO, ROOT, run, wait_until
from single_sign_on.broker import Authority, Device, Domains, payload, profile, strings
from terminal import in_terminal

MANIFEST = json.loads((ROOT / "share" / "sso" / "org.lanyard.kerberos.json").read_text())


@pytest.fixture
def device(tmp_path: Path, realm: Realm) -> Iterator[Device]:
    authority = Authority(tmp_path / "authority")
    # A credential extension needs no domain's approval; the broker of the tests has one anyway.
    domains = Domains(authority, "id.acme.test")
    device = Device(tmp_path / "device", authority, domains)
    for name in ("run", "config"):
        (tmp_path / name).mkdir(mode=0o700)
    device.entering = [
        "env", f"KRB5_CONFIG={realm.settings}", f"XDG_RUNTIME_DIR={tmp_path}/run", f"XDG_CONFIG_HOME={tmp_path}/config",
        f"KRB5CCNAME=DIR:{tmp_path}/run", "LANGUAGE=en"]
    device.install_extension(**MANIFEST | {"executable": str(PROGRAM)})
    device.install_profile(profile([payload(
        "Credential", strings("Hosts", [INTRANET, ".elsewhere.test"]) + f"<key>Realm</key><string>{realm.name}</string>",
        extension=MANIFEST["extensionIdentifier"], team=MANIFEST["teamIdentifier"])]))
    with device.running():
        yield device


def sign_in(device: Device, person: Person) -> str:
    words = ("request", f"sso-realm:{person.realm.name}", "--operation", "login")
    with in_terminal(LANYARD_SSO, *words, environment=environment(device)) as program:
        program.expect("User name.*: ")
        program.type(f"{person.name}\n")
        program.expect("Password.*: ")
        program.type(f"{PASSWORD}\n")
        program.expect("Save the password.*: ")
        program.type("\n")
        assert program.end() == 0, program.output
        return program.output


def environment(device: Device) -> dict[str, str]:
    return dict(os.environ) | {"LANYARD_SSO_SOCKET": str(device.socket)}


def ask(device: Device, person: Person, *words: str) -> str:
    done = run(*person.wrapper, "env", f"LANYARD_SSO_SOCKET={device.socket}", LANYARD_SSO, *words)
    assert done.returncode == 0, done.stdout + done.stderr + device.program.log_text
    return done.stdout


def test_after_one_sign_in_programs_are_let_in(
    device: Device, new_person: Callable[..., Person], site: NegotiateSite
) -> None:
    person = new_person()
    assert person.principal in sign_in(device, person)
    page = f"{site.url}/members/"
    assert f"Hello {person.principal}" in ask(device, person, "curl", "--", "--silent", page)
    assert ask(device, person, "header", page).startswith("Authorization: Negotiate ")
    # What the browser asks.
    outcome = device.ask(page, responseCode=401, headers=[["WWW-Authenticate", "Negotiate"]])
    [[name, _]] = outcome["authorizationHeaders"]
    assert (outcome["outcome"], name) == ("headers", "Authorization")
    # Another scheme, another host.
    other = device.ask(page, responseCode=401, headers=[["WWW-Authenticate", "Basic realm=\"x\""]])
    assert (other["outcome"], other["reason"]) == ("notHandled", "extensionDeclined")
    assert device.ask("http://other.school.test/", responseCode=401)["reason"] == "notCovered"


def test_the_ticket_outlives_the_extension_and_the_profile_takes_it_away(
    device: Device, new_person: Callable[..., Person], site: NegotiateSite
) -> None:
    person = new_person()
    sign_in(device, person)
    device.stop()
    device.start()
    challenged = {"responseCode": 401, "headers": [["WWW-Authenticate", "Negotiate"]]}
    assert device.ask(f"{site.url}/members/", **challenged)["outcome"] == "headers"
    assert device.ask(f"sso-realm:{person.realm.name}", operation="refresh")["outcome"] == "response"
    assert device.ask(f"sso-realm:{person.realm.name}", operation="logout")["outcome"] == "empty"
    assert device.ask(f"{site.url}/members/", **challenged)["outcome"] == "notHandled"


def test_the_status_names_what_has_no_effect(device: Device, realm: Realm) -> None:
    assert device.get("/v1/status")["profiles"][0].get("notes") is None
    data = "<key>requireUserPresence</key><true/><key>usePlatformSSOTGT</key><true/><key>pwReqLength</key><integer>8</integer>"
    device.install_profile(profile([payload(
        "Credential", strings("Hosts", [INTRANET]) + f"<key>Realm</key><string>{realm.name}</string>"
        f"<key>ExtensionData</key><dict>{data}</dict>",
        extension=MANIFEST["extensionIdentifier"], team=MANIFEST["teamIdentifier"])]))
    device.program.wait_until(lambda: device.get("/v1/status")["profiles"][0].get("notes"), 20, "the profile is read")
    told = run("env", f"LANYARD_SSO_SOCKET={device.socket}", LANYARD_SSO, "status").stdout
    for key in ("requireUserPresence lets no password be saved", "usePlatformSSOTGT does nothing"):
        assert f"  ExtensionData.{key}" in told, told
    assert "pwReqLength" not in told


def test_two_realms_have_their_tickets_and_the_default_is_the_one_that_programs_take(
    realm: Realm, new_person: Callable[..., Person], tmp_path: Path
) -> None:
    person = new_person()
    with Realm(tmp_path / "other", "OTHER.TEST") as other:
        other.add("noor", PASSWORD)
        device = RealmDevice(tmp_path / "both", realm, KRB5_CONFIG=str(
            realm.client_settings("two-realms.conf", others=other.as_other_realm())))
        device.broker.install_profile(profile([
            payload(
                "Credential", strings("Hosts", [host]) + f"<key>Realm</key><string>{name}</string>"
                f"<key>ExtensionData</key><dict><key>isDefaultRealm</key><{is_default}/></dict>",
                extension=MANIFEST["extensionIdentifier"], team=MANIFEST["teamIdentifier"],
                identifier=f"test.acme.sso.{name.lower()}")
            for name, host, is_default in (
                (realm.name, INTRANET, "true"), (other.name, ".other.test", "false"))]))

        def sign_in(name: str, *words: str) -> None:
            with device.typing("sign-in", *words) as program:
                for label, text in (("User name", name), ("Password", PASSWORD), ("Save the password", "")):
                    program.expect(f"{label}.*: ")
                    program.type(f"{text}\n")
                assert program.end() == 0, program.output

        with device.running():
            listed = json.loads(device.kerberos("list", "--json").stdout)
            assert {entry["realm"]: entry["isDefault"] for entry in listed} == {realm.name: True, other.name: False}
            # Without a realm it is the default's. The other one comes last, and does not become what programs take.
            sign_in(person.name)
            sign_in("noor", other.name)
            assert device.status()["principal"] == person.principal
            assert device.status(other.name)["principal"] == f"noor@{other.name}"
            assert f"Default principal: {person.principal}" in device.run("klist").stdout
            everything = device.run("klist", "-A").stdout
            assert f"Default principal: noor@{other.name}" in everything
            # Whoever signs out of one stays signed in to the other.
            assert device.kerberos("sign-out", other.name).returncode == 0
            assert device.status()["signedIn"] is True
            assert device.kerberos("status", other.name).returncode == 7


def test_a_very_long_ticket_goes_through_the_broker(
    realm: Realm, new_person: Callable[..., Person], site: NegotiateSite, tmp_path: Path
) -> None:
    person = new_person()
    settings = realm.client_settings("long-broker.conf", defaults=long_tickets())
    device = RealmDevice(tmp_path / "long", realm, KRB5_CONFIG=str(settings))
    person.settings, person.cache = settings, device.environment["KRB5CCNAME"]
    assert person.kinit(PASSWORD, options=("-a",)).returncode == 0
    with device.running():
        header = ask(device.broker, person, "header", f"{site.url}/members/")
        assert len(header) > 60_000
        assert f"Hello {person.principal}" in ask(device.broker, person, "curl", "--", "--silent", f"{site.url}/members/")


@pytest.mark.parametrize("isSent", [False, True], ids=["before the password", "behind the password"])
def test_sigkill_of_the_broker_in_the_middle_of_a_sign_in_keeps_nobody_out(
    realm: Realm, new_person: Callable[..., Person], tmp_path: Path, isSent: bool
) -> None:
    person, held = new_person(), Held(REFUSAL)
    with LyingKDC(realm, held) as center:
        settings = realm.client_settings("killed-broker.conf", kdc=center.address)
        with RealmDevice(tmp_path / "killed", realm, KRB5_CONFIG=str(settings)).running() as device:
            with device.typing("sign-in") as program:
                program.expect("User name.*: ")
                if isSent:
                    for text, label in ((person.name, "Password.*: "), ("wrong-horse-1", "Save the password.*: ")):
                        program.type(f"{text}\n")
                        program.expect(label)
                    program.type("y\n")
                    # The KDC has refused it, and nobody knows it yet.
                    assert held.came.wait(60)
                killed = device.broker.program
                killed.kill()
                # The extension ends with its broker.
                wait_until(lambda: not killed.session_members(), 20, "nothing is left of it")
                if not isSent:
                    program.type("\x03")
                assert program.end() != 0, program.output
            held.goes_on.set()
            device.broker.start()
            assert device.status()["signedIn"] is False
            assert device.kerberos("refresh").returncode == 7
            # What was typed is neither saved nor tried again.
            assert failed_attempts(realm, person.name) == (1 if isSent else 0)
            assert person.principal in device.sign_in(person.name, remember=True)
            assert device.kerberos("refresh").returncode == 0
            assert failed_attempts(realm, person.name) == 0


class EndlessSite(BaseHTTPRequestHandler):
    """Begins a challenge, and never ends it."""

    def do_GET(self) -> None:
        self.send_response(401)
        self.flush_headers()
        with suppress(OSError):
            self.wfile.write(b"WWW-Authenticate: Negotiate ")
            while True:
                self.wfile.write(b"YWJj" * 4096)

    do_HEAD = do_GET

    def log_message(self, *_: object) -> None:
        pass


def test_a_challenge_that_never_ends_is_given_up(device: Device, new_person: Callable[..., Person]) -> None:
    person = new_person()
    sign_in(device, person)
    with ThreadingHTTPServer(("127.0.0.1", 0), EndlessSite) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        url = f"http://{INTRANET}:{server.server_address[1]}/"
        try:
            for words in (("header", url), ("curl", "--", "--silent", "--show-error", url)):
                begun = time.monotonic()
                done = run(
                    *person.wrapper, "timeout", "50", "env", f"LANYARD_SSO_SOCKET={device.socket}", LANYARD_SSO, *words)
                assert done.returncode not in (0, 124) and done.stderr.strip(), (words, done)
                assert time.monotonic() - begun < 30
        finally:
            server.shutdown()
    # The broker goes on.
    assert device.get("/v1/status")["profiles"]
