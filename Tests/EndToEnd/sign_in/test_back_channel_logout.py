"""OpenID's certification test plan for providers with back-channel logout, as a relying party of joserfc's:
oidcc-backchannel-rp-initiated-logout-certification-test-plan. Its modules, each of them a test here:

- oidcc-backchannel-logout-discovery-endpoint-verification
- oidcc-backchannel-rp-initiated-logout
"""

import secrets
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
import requests
from joserfc import jwt
from joserfc.jwk import KeySet
from plain_browser import PlainBrowser
from school import OpenSchool

RETURN_URL = "http://127.0.0.1:1/callback"  # nobody has to listen: the tests read the redirect
SIGNED_OUT_URL = "http://127.0.0.1:1/post_logout_redirect"
EVENT = "http://schemas.openid.net/event/backchannel-logout"


@dataclass(frozen=True)
class Delivery:
    path: str
    content_type: str
    form: dict[str, list[str]]


class LogoutReceiver:
    """The address at which the relying party's server is told of logouts."""

    def __init__(self) -> None:
        self.deliveries: list[Delivery] = []
        self._arrived = threading.Event()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                receiver.deliveries.append(
                    Delivery(self.path, self.headers["Content-Type"], parse_qs(body, strict_parsing=True)))
                receiver._arrived.set()
                self.send_response(200)
                self.send_header("Cache-Control", "no-store")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/backchannel_logout"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})

    def __enter__(self) -> "LogoutReceiver":
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def wait(self) -> Delivery:
        assert self._arrived.wait(20), "no logout token has come"
        assert len(self.deliveries) == 1
        return self.deliveries[0]


class RelyingParty:
    def __init__(self, school: OpenSchool, client_id: str, algorithm: str, receiver: LogoutReceiver):
        self.issuer = f"{school.base_url}/oidc"
        self.metadata = requests.get(f"{self.issuer}/.well-known/openid-configuration", timeout=60).json()
        self.client_id, self.algorithm = client_id, algorithm
        school.school.register(
            f"Back {algorithm}", client_id, "--return-url", RETURN_URL, "--sign-out-url", SIGNED_OUT_URL,
            "--back-channel-logout-url", receiver.url)
        tool = school.school.tool
        self.secret = tool.json(
            "app", "client", client_id, "--secret", "--signing-algorithm", algorithm)["clientSecret"]
        tool.json("app", "set", client_id, "--back-channel-logout-session-required")

    def request(self, **parameters: str) -> str:
        query = {
            "client_id": self.client_id, "redirect_uri": RETURN_URL, "response_type": "code", "scope": "openid",
            "state": "s", "nonce": "n"} | parameters
        return f"{self.metadata['authorization_endpoint']}?{urlencode(query)}"

    def sign_in(self, browser: PlainBrowser, school: OpenSchool) -> str:
        """The identity token."""
        page = browser.open(self.request())
        member = school.school.people["managed"]
        if page.heading.startswith("Sign in"):
            page = browser.sign_in(page, member.account)
        code = parse_qs(urlsplit(browser.press("Continue", page).headers["Location"]).query)["code"][0]
        answer = requests.post(
            self.metadata["token_endpoint"], timeout=60, auth=(self.client_id, self.secret),
            data={"grant_type": "authorization_code", "code": code, "redirect_uri": RETURN_URL})
        return answer.json()["id_token"]

    def decode(self, token: str) -> jwt.Token:
        keys = KeySet.import_key_set(requests.get(self.metadata["jwks_uri"], timeout=60).json())
        return jwt.decode(token, keys, algorithms=[self.algorithm])


@pytest.fixture
def receiver() -> Iterator[LogoutReceiver]:
    with LogoutReceiver() as receiver:
        yield receiver


@pytest.fixture(params=["RS256", "ES256"])
def party(request: pytest.FixtureRequest, open_school: OpenSchool, receiver: LogoutReceiver) -> RelyingParty:
    return RelyingParty(
        open_school, f"com.example.back.{request.param}.{secrets.token_hex(4)}", request.param, receiver)


def test_oidcc_backchannel_logout_discovery_endpoint_verification(open_school: OpenSchool) -> None:
    document = requests.get(f"{open_school.base_url}/oidc/.well-known/openid-configuration", timeout=60).json()
    assert document["backchannel_logout_supported"] is True
    assert document["backchannel_logout_session_supported"] is True
    assert document["end_session_endpoint"] == f"{open_school.base_url}/oidc/logout"


def test_oidcc_backchannel_rp_initiated_logout(
    open_school: OpenSchool, party: RelyingParty, receiver: LogoutReceiver
) -> None:
    browser = PlainBrowser()
    identity_token = party.sign_in(browser, open_school)
    identity = party.decode(identity_token).claims
    query = urlencode({
        "id_token_hint": identity_token, "post_logout_redirect_uri": SIGNED_OUT_URL, "state": "a b"})
    answer = browser.session.get(
        f"{party.metadata['end_session_endpoint']}?{query}", allow_redirects=False, timeout=60)
    address = urlsplit(answer.headers["Location"])
    assert f"{address.scheme}://{address.netloc}{address.path}" == SIGNED_OUT_URL
    assert parse_qs(address.query) == {"state": ["a b"]}

    delivery = receiver.wait()
    assert (delivery.path, delivery.content_type) == ("/backchannel_logout", "application/x-www-form-urlencoded")
    assert list(delivery.form) == ["logout_token"]
    token = party.decode(delivery.form["logout_token"][0])
    assert token.header["alg"] == party.algorithm
    assert token.header["typ"] == "logout+jwt"
    assert set(token.claims) == {"iss", "aud", "iat", "exp", "jti", "sub", "sid", "events"}
    assert (token.claims["iss"], token.claims["aud"]) == (party.issuer, party.client_id)
    assert token.claims["iat"] - 60 < time.time() < token.claims["exp"]
    assert token.claims["events"] == {EVENT: {}}
    assert token.claims["sub"] == identity["sub"]
    assert token.claims["sid"] == identity["sid"]
    assert "nonce" not in token.claims

    silent = browser.session.get(party.request(prompt="none"), allow_redirects=False, timeout=60)
    assert parse_qs(urlsplit(silent.headers["Location"]).query)["error"] == ["login_required"]
