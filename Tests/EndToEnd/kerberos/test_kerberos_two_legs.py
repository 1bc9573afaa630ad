"""A server that answers a token with another one, and lets nobody in before it gets a second: the extension goes on with the
negotiation that it has begun. docs/specifications/extensible-single-sign-on.md, 18.4 and 18.6."""

import base64
import http.client
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from kerberos.kdc import Person, Realm, wait_for_port
from kerberos.signed_in_device import RealmDevice
from processes import Program, free_port

HOST = "legs.school.test"
NewPerson = Callable[..., Person]


@dataclass(frozen=True)
class TwoLegsSite:
    port: int

    def url(self, path: str) -> str:
        return f"http://{HOST}:{self.port}{path}"

    def load(self, path: str, authorization: str = "") -> tuple[int, str, str]:
        """Status, page and challenge."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request("GET", path, headers={"Authorization": authorization} if authorization else {})
        response = connection.getresponse()
        body = response.read().decode()
        connection.close()
        return response.status, body, response.getheader("WWW-Authenticate", "")


@pytest.fixture
def two_legs(realm: Realm, tmp_path: Path) -> Iterator[TwoLegsSite]:
    keytab, port = realm.folder / "legs.keytab", free_port()
    if not keytab.exists():
        realm.keytab(f"HTTP/{HOST}", file=keytab.name)
    program = Program(
        "env", f"KRB5_CONFIG={realm.settings}", f"KRB5_KTNAME={keytab}", f"KRB5RCACHENAME=file2:{tmp_path}/replays",
        "/usr/bin/python3", Path(__file__).with_name("two_legs_server.py"), str(port), log=tmp_path / "two-legs.log")
    try:
        wait_for_port(program, port, "the site listens")
        yield TwoLegsSite(port)
    finally:
        print(program.log_text)
        program.stop()


@dataclass
class Page:
    """One request of a caller, as often as it is sent."""

    device: RealmDevice
    site: TwoLegsSite
    path: str
    # The caller's word for it.
    conversation: str
    challenge: str = ""

    def load(self, authorization: str = "") -> tuple[int, str]:
        status, body, self.challenge = self.site.load(self.path, authorization)
        return status, body

    def ask(self, challenge: str | None = None) -> dict:
        return self.device.broker.ask(
            self.site.url(self.path), responseCode=401, conversation=self.conversation,
            headers=[["WWW-Authenticate", challenge or self.challenge]])

    def authorization(self) -> str:
        """What the extension answers to the last challenge."""
        outcome = self.ask()
        assert outcome["outcome"] == "headers", (outcome, self.device.log)
        [[name, value]] = outcome["authorizationHeaders"]
        assert name == "Authorization"
        return value

    def begin(self) -> None:
        """Goes as far as the server's own token."""
        assert (self.load()[0], self.challenge) == (401, "Negotiate")
        status, body = self.load(self.authorization())
        assert status == 401, body
        assert len(self.token) > 100

    @property
    def token(self) -> bytes:
        return base64.b64decode(self.challenge.removeprefix("Negotiate "))


@pytest.fixture
def device(realm: Realm, tmp_path: Path) -> Iterator[RealmDevice]:
    with RealmDevice(tmp_path, realm, hosts=(HOST,)).running() as running:
        yield running


def test_a_servers_token_is_answered_within_the_negotiation_that_it_belongs_to(
    device: RealmDevice, new_person: NewPerson, two_legs: TwoLegsSite
) -> None:
    person = new_person()
    device.sign_in(person.name)
    pages = [Page(device, two_legs, f"/{word}", word) for word in ("one", "two", "three")]
    for page in pages:
        page.begin()
    # The second token proves something that only the negotiation knows in which the first one was made, so an exchange of them would
    # be refused.
    for page in reversed(pages):
        second = page.authorization()
        assert page.load(second) == (200, f"Hello {person.principal}")
        # It was good for one request.
        assert page.load(second)[0] == 403


def test_a_servers_token_that_proves_nothing_is_not_answered(
    device: RealmDevice, new_person: NewPerson, two_legs: TwoLegsSite
) -> None:
    person = new_person()
    device.sign_in(person.name)
    page, other = Page(device, two_legs, "/page", "page"), Page(device, two_legs, "/other", "other")
    page.begin()
    other.begin()
    # A negotiation that was not begun here, and then one that belongs to another request.
    unknown = Page(device, two_legs, "/page", "unknown")
    assert unknown.ask(page.challenge)["reason"] == "extensionDeclined"
    assert page.ask(other.challenge)["reason"] == "extensionDeclined"
    # The server's proof is falsified in its last byte.
    changed = other.token[:-1] + bytes((other.token[-1] ^ 1,))
    assert other.ask(f"Negotiate {base64.b64encode(changed).decode()}")["reason"] == "extensionDeclined"
    # Such a negotiation has ended, and the right token does not bring it back. A request begins anew.
    for ended in (page, other):
        assert ended.ask()["reason"] == "extensionDeclined"
        ended.begin()
        assert ended.load(ended.authorization()) == (200, f"Hello {person.principal}")
