"""A provider that is not ours, and whose page of signing in is a program: a browser shows it."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import requests
from processes import run
from single_sign_on.openid.extension import EXTENSION, NOT_INTERACTIVE, RETURN_URL, Extension
from single_sign_on.openid.glewlwyd import CLIENT, Glewlwyd, glewlwyd

OPTIONS = {"client_id": CLIENT, "scope": "openid", "state": "of-the-app"}


@pytest.fixture(scope="module")
def provider(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Glewlwyd]:
    with glewlwyd(tmp_path_factory.mktemp("glewlwyd"), [RETURN_URL, "http://127.0.0.1/callback"]) as running:
        yield running


def test_a_page_that_is_no_form_is_shown_in_a_browser(extension: Extension, provider: Glewlwyd) -> None:
    answer = extension.ask(provider.issuer, "login", browser=provider.browser, options=OPTIONS | {"nonce": "n"})
    assert answer.status == 200
    page, = answer.pages
    assert "code_challenge_method=S256" in page
    assert answer.forms == []
    assert answer.json["id_token"].count(".") == 2
    assert "refresh_token" not in answer.json


def test_tokens_are_kept_and_renewed_without_a_browser(
    start_extension: Callable[..., Extension], provider: Glewlwyd
) -> None:
    first = start_extension()
    token = first.ask(provider.issuer, "login", browser=provider.browser, options=OPTIONS).json["access_token"]
    first.kill()
    second = start_extension()
    assert second.ask(provider.issuer, "refresh", options=OPTIONS).json["access_token"] == token
    # An API has refused the token: another comes of the refresh token.
    answer = second.ask(provider.issuer, "refresh", options=OPTIONS | {"access_token": token})
    assert answer.json["access_token"] != token
    assert answer.json["state"] == "of-the-app"


def test_who_closes_the_browser_cancels(extension: Extension, provider: Glewlwyd) -> None:
    answer = extension.ask(provider.issuer, "login", browser=lambda page, back: None, options=OPTIONS)
    assert answer.kind == "canceled"


def test_refresh_shows_nothing(extension: Extension, provider: Glewlwyd) -> None:
    answer = extension.ask(provider.issuer, "refresh", browser=provider.browser, options=OPTIONS)
    assert answer.error["code"] == NOT_INTERACTIVE
    assert answer.pages == []


@pytest.mark.parametrize("change", [("state=", "state=x"), ("code=", "code=x")])
def test_an_answer_that_was_changed_gives_no_tokens(
    extension: Extension, provider: Glewlwyd, change: tuple[str, str]
) -> None:
    answer = extension.ask(
        provider.issuer, "login", browser=lambda page, back: provider.browser(page, back).replace(*change),
        options=OPTIONS)
    assert answer.kind == "failed"
    assert extension.ask(provider.issuer, "refresh", options=OPTIONS).kind == "failed"


def test_the_page_is_left_to_the_browser_in_requests_of_the_web(extension: Extension, provider: Glewlwyd) -> None:
    url = (f"{provider.issuer}/auth?client_id={CLIENT}&response_type=code&scope=openid&redirect_uri={RETURN_URL}"
           "&state=s&nonce=n&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256")
    assert extension.ask(url, person=lambda form: None).kind == "doNotHandle"


@pytest.mark.parametrize("method", ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"])
@pytest.mark.parametrize("dpop", [False, True])
def test_the_client_shows_who_it_is(
    start_extension: Callable[..., Extension], provider: Glewlwyd, tmp_path: Path, method: str, dpop: bool
) -> None:
    """The provider demands a nonce in the proofs of the device's key."""
    client = f"{method}-{dpop}"
    jwk = json.loads(run(EXTENSION, "device-key", "--data", tmp_path / "extension").stdout)
    known = {"private_key_jwt": {"jwks": {"keys": [jwk]}}, "none": {}}.get(method, {"password": "secret"})
    provider.add_client(
        client, RETURN_URL, confidential=method != "none", token_endpoint_auth_method=[method], **known)
    data = {"clientID": client, "clientAuthentication": method, "dpop": dpop}
    data |= {"clientSecret": "secret"} if "secret" in method else {}
    options = OPTIONS | {"client_id": client}
    extension = start_extension()
    answer = extension.ask(provider.issuer, "login", browser=provider.browser, options=options, data=data)
    assert answer.json["token_type"].lower() == ("dpop" if dpop else "bearer")
    token = answer.json["access_token"]
    answer = extension.ask(provider.issuer, "refresh", options=options | {"access_token": token}, data=data)
    assert answer.json["access_token"] != token

    if not dpop:
        return
    # The app uses the token with proofs that the extension makes; others get none.
    url = f"{provider.issuer}/userinfo"
    token = answer.json["access_token"]
    wanted = {"method": "GET", "url": url, "access_token": token}
    nonce = requests.get(url, headers={
        "Authorization": f"DPoP {token}",
        "DPoP": extension.ask(provider.issuer, "dpopProof", options=wanted, data=data).json["dpop"]}, timeout=60)
    proof = extension.ask(
        provider.issuer, "dpopProof", options=wanted | {"nonce": nonce.headers["DPoP-Nonce"]}, data=data).json["dpop"]
    shown = requests.get(url, headers={"Authorization": f"DPoP {token}", "DPoP": proof}, timeout=60)
    assert shown.ok, (shown.status_code, shown.headers)
    other = extension.ask(provider.issuer, "dpopProof", options=wanted, data=data, caller="org.example.other")
    assert "not one of this app" in other.error["message"]
