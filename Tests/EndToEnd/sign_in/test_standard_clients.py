"""The standard profile as Authlib speaks it: a native program, a server with a key, a device."""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

import pytest
import requests
from authlib.common.security import generate_token
from authlib.integrations.base_client.errors import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc7523 import PrivateKeyJWT
from authlib.oidc.core import CodeIDToken
from authlib.oidc.core.util import create_half_hash
from joserfc import jwt
from joserfc.jwk import ECKey, KeySet
from plain_browser import Page, PlainBrowser
from processes import free_port
from school import AppRegistration, Member, OpenSchool

SCOPE = "openid profile email organization offline_access"
NATIVE_URL = "http://127.0.0.1/callback"


@dataclass(frozen=True)
class Registered:
    app: AppRegistration
    # For a native program, this is the loopback URL without the port.
    return_url: str

    @property
    def client_id(self) -> str:
        return self.app.client_id


class Client:
    """A relying party that knows the issuer and what its developer was told."""

    def __init__(self, issuer: str, registered: Registered, return_url: str, method: str):
        self.metadata = requests.get(f"{issuer}/.well-known/openid-configuration", timeout=60).json()
        assert self.metadata["issuer"] == issuer
        self.registered = registered
        secret = ECKey.import_key(registered.app.key_pem) if method == "private_key_jwt" else None
        self.session = OAuth2Session(
            registered.client_id, secret, scope=SCOPE, redirect_uri=return_url, code_challenge_method="S256",
            token_endpoint_auth_method=method, revocation_endpoint_auth_method=method)
        self.session.register_client_auth_method(
            PrivateKeyJWT(self.metadata["token_endpoint"], alg="ES256", headers={"kid": registered.app.key_id}))

    def sign_in(self, member: Member, browser: PlainBrowser | None = None) -> dict:
        """Through the pages to tokens. Returns the checked claims of the identity token."""
        self.verifier, self.nonce = generate_token(48), generate_token(20)
        url, state = self.session.create_authorization_url(
            self.metadata["authorization_endpoint"], code_verifier=self.verifier, nonce=self.nonce)
        self.callback = answer(browser or PlainBrowser(), url, member)
        self.session.fetch_token(
            self.metadata["token_endpoint"], authorization_response=self.callback, state=state,
            code_verifier=self.verifier)
        return self.claims(nonce=self.nonce)

    def refresh(self) -> dict:
        return self.session.refresh_token(
            self.metadata["token_endpoint"], refresh_token=self.session.token["refresh_token"])

    def user_info(self) -> dict:
        response = self.session.get(self.metadata["userinfo_endpoint"], timeout=60)
        assert response.status_code == 200, response.text
        return response.json()

    def claims(self, nonce: str | None = None) -> dict:
        return checked_claims(self.metadata, self.session.token, self.registered.client_id, nonce)


def checked_claims(metadata: dict, token: dict, client_id: str, nonce: str | None = None) -> dict:
    """OpenID Connect Core §3.1.3.7, by Authlib."""
    keys = KeySet.import_key_set(requests.get(metadata["jwks_uri"], timeout=60).json())
    decoded = jwt.decode(token["id_token"], keys, algorithms=["RS256"])
    options = {"iss": {"value": metadata["issuer"]}, "aud": {"value": client_id}}
    claims = CodeIDToken(
        decoded.claims, decoded.header, options,
        {"nonce": nonce, "client_id": client_id, "access_token": token["access_token"]})
    claims.validate(leeway=0)
    assert claims["at_hash"] == create_half_hash(token["access_token"], "RS256").decode()
    return dict(claims)


def answer(browser: PlainBrowser, url: str, member: Member) -> str:
    """Goes through the pages, with everything said yes to, as far as the address that leads back to the program."""
    page = browser.open(url)
    if page.heading.startswith("Sign in"):
        response = browser.press(
            "Sign in", page, username=member.account.username, password=member.account.password)
        # The next redirection may already lead to another server.
        response = browser.session.get(
            f"{page_origin(url)}{urlsplit(response.headers['Location']).path}", allow_redirects=False, timeout=30)
        if response.is_redirect:
            return response.headers["Location"]
        page = Page(response)
    response = browser.press("Continue", page, **choice(member))
    assert response.is_redirect, Page(response).heading
    return response.headers["Location"]


def choice(member: Member) -> dict[str, str]:
    return {} if member.is_managed else {"email_choice": "share"}


def page_origin(url: str) -> str:
    return "{0.scheme}://{0.netloc}".format(urlsplit(url))


@pytest.fixture(scope="session", autouse=True)
def plain_http() -> Iterator[None]:
    """Authlib refuses http addresses unless it is told otherwise."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUTHLIB_INSECURE_TRANSPORT", "1")
        yield


@pytest.fixture(scope="module")
def native(open_school: OpenSchool) -> Registered:
    client_id = "com.example.native"
    app = open_school.school.register("Native", client_id, "--native-return-url", NATIVE_URL)
    open_school.school.tool.json("app", "client", client_id, "--public")
    return Registered(app, NATIVE_URL)


@pytest.fixture(scope="module")
def server(open_school: OpenSchool) -> Registered:
    return_url = "http://127.0.0.1:1/callback"  # nobody has to listen: the tests read the redirect
    return Registered(
        open_school.school.register("Portal", "com.example.portal", "--return-url", return_url), return_url)


@pytest.fixture
def issuer(open_school: OpenSchool) -> str:
    return f"{open_school.base_url}/oidc"


@pytest.fixture
def native_client(issuer: str, native: Registered) -> Client:
    """On a port that it found free, which its registration does not name. RFC 8252 §7.3."""
    return Client(issuer, native, f"http://127.0.0.1:{free_port()}/callback", "none")


@pytest.fixture
def server_client(issuer: str, server: Registered) -> Client:
    return Client(issuer, server, server.return_url, "private_key_jwt")


@pytest.fixture(params=["native_client", "server_client"])
def client(request: pytest.FixtureRequest) -> Client:
    return request.getfixturevalue(request.param)


@pytest.fixture(params=["personal", "managed", "managed without e-mail"])
def member(request: pytest.FixtureRequest, open_school: OpenSchool) -> Member:
    return open_school.school.people[request.param]


def check_person(told: dict, member: Member) -> None:
    assert told.get("name") == member.account.name
    assert told.get("given_name") == member.given_name
    assert told.get("family_name") == member.family_name
    assert told.get("email") == member.email
    # The school's own domain answers for its people; the parent's address was typed in.
    assert told.get("email_verified") == (None if member.email is None else member.is_managed)
    assert told.get("org_id") == member.organization_id


def test_a_person_signs_in_and_userinfo_tells_the_same(client: Client, member: Member) -> None:
    claims = client.sign_in(member)
    assert f"iss={client.metadata['issuer'].replace(':', '%3A').replace('/', '%2F')}" in client.callback
    assert sorted(client.session.token["scope"].split()) == [
        "email", "offline_access", "openid", "organization", "profile"]

    told = client.user_info()
    assert told["sub"] == claims["sub"]
    check_person(told, member)
    check_person({name: claims[name] for name in told if name in claims}, member)


def test_refresh_tokens_rotate_and_a_spent_one_ends_everything(client: Client, member: Member) -> None:
    claims = client.sign_in(member)
    first = client.session.token["refresh_token"]
    token = client.refresh()
    assert token["refresh_token"] != first
    again = client.claims()
    assert (again["sub"], again["auth_time"]) == (claims["sub"], claims["auth_time"])
    assert client.user_info()["sub"] == claims["sub"]

    second = client.session.token["refresh_token"]
    client.session.token["refresh_token"] = first
    with pytest.raises(OAuthError, match="invalid_grant"):
        client.refresh()
    # The other refresh token does not work any more either.
    client.session.token["refresh_token"] = second
    with pytest.raises(OAuthError, match="invalid_grant"):
        client.refresh()
    answer = requests.get(
        client.metadata["userinfo_endpoint"], timeout=60,
        headers={"Authorization": f"Bearer {token['access_token']}"})
    assert answer.status_code == 401
    assert 'error="invalid_token"' in answer.headers["WWW-Authenticate"]


def test_a_code_is_of_use_once_and_to_whoever_began(client: Client, open_school: OpenSchool) -> None:
    client.sign_in(open_school.school.people["managed"])
    with pytest.raises(OAuthError, match="invalid_grant"):
        client.session.fetch_token(
            client.metadata["token_endpoint"], authorization_response=client.callback,
            code_verifier=client.verifier)
    with pytest.raises(OAuthError, match="invalid_grant"):
        client.refresh()


def test_a_wrong_verifier_gets_nothing(native_client: Client, open_school: OpenSchool) -> None:
    url, state = native_client.session.create_authorization_url(
        native_client.metadata["authorization_endpoint"], code_verifier=generate_token(48))
    callback = answer(PlainBrowser(), url, open_school.school.people["managed"])
    with pytest.raises(OAuthError, match="invalid_grant"):
        native_client.session.fetch_token(
            native_client.metadata["token_endpoint"], authorization_response=callback, state=state,
            code_verifier=generate_token(48))


def test_a_key_of_another_team_opens_nothing(
    issuer: str, server: Registered, native: Registered, open_school: OpenSchool
) -> None:
    stranger = AppRegistration(
        server.app.name, server.app.client_id, native.app.team_id, native.app.key_id, native.app.key_pem)
    client = Client(issuer, Registered(stranger, server.return_url), server.return_url, "private_key_jwt")
    with pytest.raises(OAuthError, match="invalid_client"):
        client.sign_in(open_school.school.people["managed"])


def test_revoking_ends_the_tokens(client: Client, open_school: OpenSchool) -> None:
    client.sign_in(open_school.school.people["managed"])
    response = client.session.revoke_token(
        client.metadata["revocation_endpoint"], token=client.session.token["refresh_token"])
    assert response.status_code == 200
    with pytest.raises(OAuthError, match="invalid_grant"):
        client.refresh()


class Device:
    """A television: it shows a code, and asks whether somebody has entered it."""

    def __init__(self, issuer: str, registered: Registered):
        self.metadata = requests.get(f"{issuer}/.well-known/openid-configuration", timeout=60).json()
        self.client_id = registered.client_id
        response = requests.post(
            self.metadata["device_authorization_endpoint"], timeout=60,
            data={"client_id": self.client_id, "scope": SCOPE})
        assert response.status_code == 200, response.text
        self.shown = response.json()

    def ask(self) -> requests.Response:
        return requests.post(
            self.metadata["token_endpoint"], timeout=60,
            data={
                "client_id": self.client_id, "device_code": self.shown["device_code"],
                "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
            })


def enter_code(browser: PlainBrowser, device: Device, member: Member) -> Page:
    """On a telephone, say: as far as the page that asks whether the device may go on."""
    page = browser.open(device.shown["verification_uri_complete"])
    assert page.form("Continue").fields["user_code"] == device.shown["user_code"]
    page = browser.follow(browser.press("Continue", page))
    page = browser.sign_in(page, member.account)
    if page.plain_heading.startswith("Create your"):
        response = browser.press("Continue", page, **choice(member))
        page = browser.follow(response) if response.is_redirect else Page(response)
    assert page.plain_heading == "Sign in to Native on your device"
    return page


def test_a_device_signs_in_what_its_owner_allowed(issuer: str, native: Registered, member: Member) -> None:
    device, browser = Device(issuer, native), PlainBrowser()
    assert device.shown["verification_uri"] == issuer.removesuffix("oidc") + "device"
    page = Page(browser.press("Continue", enter_code(browser, device, member)))
    assert page.heading == "Your device is signed in"

    response = device.ask()
    assert response.status_code == 200, response.text
    claims = checked_claims(device.metadata, response.json(), device.client_id)
    told = requests.get(
        device.metadata["userinfo_endpoint"], timeout=60,
        headers={"Authorization": f"Bearer {response.json()['access_token']}"}).json()
    assert told["sub"] == claims["sub"]
    check_person(told, member)
    assert device.ask().json()["error"] == "invalid_grant"


def test_a_device_that_must_wait_is_told_so(issuer: str, native: Registered) -> None:
    device = Device(issuer, native)
    assert (device.ask().status_code, device.ask().json()["error"]) == (400, "slow_down")
    assert Device(issuer, native).ask().json()["error"] == "authorization_pending"


def test_a_device_whose_owner_said_no_hears_it(
    issuer: str, native: Registered, open_school: OpenSchool
) -> None:
    device, browser = Device(issuer, native), PlainBrowser()
    page = Page(browser.press("Cancel", enter_code(browser, device, open_school.school.people["managed"])))
    assert page.heading == "Your device is not signed in"
    assert device.ask().json()["error"] == "access_denied"


def test_a_mistyped_code_can_be_corrected(issuer: str, native: Registered) -> None:
    device, browser = Device(issuer, native), PlainBrowser()
    page = browser.open(device.shown["verification_uri"])
    page = Page(browser.press("Continue", page, user_code="BCDF-GHJK"))
    assert (page.status, page.form("Continue").fields["user_code"]) == (422, "BCDF-GHJK")
    typed = device.shown["user_code"].lower().replace("-", " ")
    assert browser.follow(browser.press("Continue", page, user_code=typed)).heading.startswith("Sign in")
