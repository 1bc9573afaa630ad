"""Tokens are bound to the certificate of the server that has challenged (RFC 5929, 4), so that nobody can pass them on to
another one. The site uses MIT Kerberos as python-gssapi has it."""

import base64
import http.client
import os
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from kerberos.device import PROGRAM, KerberosDevice, authorization, signs_in
from kerberos.kdc import Person, Realm, wait_for_port
from kerberos.places import why_not
from kerberos.test_kerberos_with_broker import MANIFEST, sign_in
from processes import LANYARD_SSO, Program, free_port, run
from single_sign_on.broker import Authority, Device, Domains, payload, profile, strings

HOST = "bound.school.test"
NewPerson = Callable[..., Person]


class BoundSite:
    def __init__(self, folder: Path, realm: Realm, keytab: Path, hash_name: str, *signing: str):
        """`hash_name`: of the certificate's signature. `signing`: options of `openssl req`, by which it signs itself."""
        folder.mkdir(parents=True)
        self.certificate, key = folder / "site.pem", folder / "site.key"
        done = run(
            "openssl", "req", "-x509", "-noenc", *([] if hash_name == "none" else [f"-{hash_name}"]), "-days", "2", "-subj", f"/CN={HOST}", "-addext",
            f"subjectAltName=DNS:{HOST}", *signing, "-keyout", key, "-out", self.certificate)
        assert done.returncode == 0, done.stderr
        self.port = free_port()
        self.program = Program(
            "env", f"KRB5_CONFIG={realm.settings}", f"KRB5_KTNAME={keytab}", f"KRB5RCACHENAME=file2:{folder}/replays",
            "/usr/bin/python3", Path(__file__).with_name("bound_site_server.py"), str(self.port), self.certificate, key,
            hash_name, log=folder / "log")
        wait_for_port(self.program, self.port, "the site listens")

    @property
    def url(self) -> str:
        return f"https://{HOST}:{self.port}/"

    @property
    def der(self) -> bytes:
        return ssl.PEM_cert_to_DER_cert(self.certificate.read_text())

    def load(self, authorization: str) -> str:
        connection = http.client.HTTPSConnection(
            "127.0.0.1", self.port, timeout=20, context=ssl._create_unverified_context())
        connection.request("GET", "/", headers={"Authorization": authorization})
        try:
            return connection.getresponse().read().decode()
        except http.client.HTTPException as error:
            raise AssertionError(self.program.log_text) from error


@pytest.fixture(scope="module")
def new_site(
    realm: Realm, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., BoundSite]]:
    keytab = realm.keytab(f"HTTP/{HOST}", file="bound.keytab")
    sites: list[BoundSite] = []

    def make(hash_name: str = "sha256", *signing: str) -> BoundSite:
        sites.append(BoundSite(tmp_path_factory.mktemp("bound") / "site", realm, keytab, hash_name, *(signing or RSA)))
        return sites[-1]

    yield make
    for site in sites:
        site.program.stop()


def certificate(der: bytes) -> dict:
    """As the broker hands it over."""
    return {"serverCertificate": {"$data": base64.b64encode(der).decode()}}


RSA = ("-newkey", "rsa:2048")


@pytest.mark.parametrize(("hash_name", "signing"), [
    ("sha256", RSA), ("sha512", RSA), ("sha1", RSA), ("sha384", ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-384")),
    ("sha384", (*RSA, "-sigopt", "rsa_padding_mode:pss")), ("none", ("-newkey", "ed25519")),
], ids=["sha256", "sha512", "sha1", "ecdsa-sha384", "pss", "ed25519"])
def test_a_token_is_bound_to_the_certificate_that_the_caller_has_seen(
    realm: Realm, new_person: NewPerson, new_site: Callable[..., BoundSite], tmp_path: Path, hash_name: str,
    signing: tuple[str, ...],
) -> None:
    site, person = new_site(hash_name, *signing), new_person()
    device = KerberosDevice(tmp_path / "device", realm.name, realm.settings)
    with device.start() as extension:
        extension.operation("login", person=signs_in(person.name))
        seen = extension.challenge(site.url, options=certificate(site.der))
        words = "not bound" if hash_name == "none" else "bound"
        assert site.load(authorization(seen)) == f"Hello {person.principal}, {words}", device.log
        # Without it nothing is bound, and what is no certificate does no harm.
        for options in ({}, certificate(b"0"), certificate(site.der[:40])):
            unseen = extension.challenge(site.url, options=options)
            assert site.load(authorization(unseen)) == f"Hello {person.principal}, not bound"


def test_a_token_for_another_certificate_is_refused(
    realm: Realm, new_person: NewPerson, new_site: Callable[..., BoundSite], tmp_path: Path
) -> None:
    """As of somebody in between, who has a certificate of their own."""
    site, other = new_site(), new_site()
    device = KerberosDevice(tmp_path / "device", realm.name, realm.settings)
    with device.start() as extension:
        extension.operation("login", person=signs_in(new_person().name))
        passed_on = extension.challenge(site.url, options=certificate(other.der))
        assert site.load(authorization(passed_on)) == "BadChannelBindingsError"


@contextmanager
def broker(folder: Path, realm: Realm) -> Iterator[Device]:
    authority = Authority(folder / "authority")
    device = Device(folder / "device", authority, Domains(authority, "id.acme.test"))
    for name in ("run", "config"):
        (folder / name).mkdir(mode=0o700)
    device.entering = [
        "env", f"KRB5_CONFIG={realm.settings}", f"XDG_RUNTIME_DIR={folder}/run", f"XDG_CONFIG_HOME={folder}/config",
        f"KRB5CCNAME=DIR:{folder}/run", "LANGUAGE=en"]
    device.install_extension(**MANIFEST | {"executable": str(PROGRAM)})
    device.install_profile(profile([payload(
        "Credential", strings("Hosts", [HOST]) + f"<key>Realm</key><string>{realm.name}</string>",
        extension=MANIFEST["extensionIdentifier"], team=MANIFEST["teamIdentifier"])]))
    with device.running():
        yield device


def test_the_command_line_says_the_certificate_that_it_has_seen(
    realm: Realm, new_person: NewPerson, new_site: Callable[..., BoundSite], tmp_path: Path
) -> None:
    if reason := why_not():
        pytest.skip(reason)
    site, person = new_site(), new_person()
    hosts = tmp_path / "hosts"
    hosts.write_text(f"127.0.0.1 localhost {HOST}\n")
    # The name leads to the site, whose certificate counts.
    place = (
        "/usr/bin/unshare", "--mount", "/bin/sh", "-c",
        'mount --bind "$0" /etc/hosts && mount --bind "$1" /etc/ssl/certs/ca-certificates.crt && shift && exec "$@"',
        str(hosts), str(site.certificate))
    with broker(tmp_path, realm) as device:
        sign_in(device, person)
        done = run(
            *place, "env", f"LANYARD_SSO_SOCKET={device.socket}", LANYARD_SSO, "header", site.url)
        assert done.returncode == 0, done.stdout + done.stderr + device.program.log_text
        name, _, value = done.stdout.strip().partition(": ")
        assert name == "Authorization"
        assert site.load(value) == f"Hello {person.principal}, bound"
        # A caller of the broker's own interface; more than a certificate is refused.
        challenged = {"responseCode": 401, "headers": [["WWW-Authenticate", "Negotiate"]]}
        outcome = device.ask(site.url, **challenged, serverCertificate=base64.b64encode(site.der).decode())
        [[_, value]] = outcome["authorizationHeaders"]
        assert site.load(value) == f"Hello {person.principal}, bound"
        status, _ = device.post("/v1/requests", {
            "url": site.url, **challenged, "serverCertificate": base64.b64encode(os.urandom(70_000)).decode()})
        assert status == 400
