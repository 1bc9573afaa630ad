"""Providers whose tokens are of others, and callers that come at once: what reaches an app is what it asked for."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, OctKey
from single_sign_on.openid.extension import NOT_INTERACTIVE, Answer, Extension
from single_sign_on.openid.lying_provider import CLIENT, LyingProvider, lying_provider

OPTIONS = {"client_id": CLIENT, "scope": "openid"}


@pytest.fixture
def provider() -> Iterator[LyingProvider]:
    with lying_provider() as running:
        yield running


def claims(answer: Answer, provider: LyingProvider) -> dict:
    return jwt.decode(answer.json["id_token"], provider.key).claims


def login(extension: Extension, provider: LyingProvider, **options: str) -> Answer:
    return extension.ask(provider.issuer, "login", options=OPTIONS | options)


def refresh(extension: Extension, provider: LyingProvider, **options: str) -> Answer:
    return extension.ask(provider.issuer, "refresh", options=OPTIONS | options)


def test_the_truth_is_believed(extension: Extension, provider: LyingProvider) -> None:
    answer = login(extension, provider, nonce="n")
    assert claims(answer, provider)["nonce"] == "n"


@pytest.mark.parametrize("lie", [
    {"iss": "https://evil.example"}, {"aud": "tacos"}, {"aud": [CLIENT, "tacos"]}, {"azp": "tacos"}, {"nonce": "other"},
    {"nonce": None}, {"exp": int(time.time()) - 120}, {"iat": int(time.time()) + 3600},
], ids=str)
def test_a_token_of_another_is_refused(extension: Extension, provider: LyingProvider, lie: dict) -> None:
    provider.claims = lie
    assert "identity token is not accepted" in login(extension, provider).error["message"]
    provider.claims = {}
    # Nothing of it was saved.
    before = len(provider.asked)
    assert refresh(extension, provider).status == 200
    assert len(provider.asked) == before + 1


@pytest.mark.filterwarnings("ignore:JWS algorithm")
def test_a_token_that_another_key_or_none_has_signed_is_refused(extension: Extension, provider: LyingProvider) -> None:
    own, header = provider.key, provider.header
    for provider.signing_key, provider.header in [
        (ECKey.generate_key("P-256"), header), (OctKey.import_key("x" * 32), {"alg": "HS256", "kid": "1"}),
        (own, {"alg": "none"}),
    ]:
        answer = login(extension, provider)
        assert answer.kind == "failed", (provider.header, answer)


@pytest.mark.parametrize("lie", [{"sub": "bob"}, {"nonce": "of another request"}], ids=str)
def test_a_refreshed_token_is_of_the_same_person_and_request(
    extension: Extension, provider: LyingProvider, lie: dict
) -> None:
    token = login(extension, provider).json["access_token"]
    provider.claims = lie
    assert "identity token is of another" in refresh(extension, provider, access_token=token).error["message"]
    # The tokens from before are still stored.
    assert refresh(extension, provider).json["access_token"] == token


def test_who_sends_a_nonce_gets_a_token_with_it(extension: Extension, provider: LyingProvider) -> None:
    """Most providers leave it out of refreshed tokens."""
    token = login(extension, provider, nonce="n").json["access_token"]
    usual, provider.tokens = provider.tokens, lambda fields: without_nonce(provider, usual, fields)
    answer = refresh(extension, provider, nonce="n", access_token=token)
    assert claims(answer, provider)["nonce"] == "n"


def without_nonce(provider: LyingProvider, usual, fields: dict) -> dict:
    provider.claims = {"nonce": None} if "refresh_token" in fields else {}
    return usual(fields)


def test_a_refresh_token_is_used_once(extension: Extension, provider: LyingProvider) -> None:
    """Many providers take one that comes twice for a stolen one, and end everything that it gave."""
    token = login(extension, provider, nonce="n").json["access_token"]
    provider.delay = 0.5
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(
            lambda options: refresh(extension, provider, access_token=token, **options),
            [{}, {"nonce": "n"}, {"state": "a"}, {"state": "b"}]))
    used = [fields["refresh_token"] for fields in provider.redeemed if "refresh_token" in fields]
    assert len(used) == len(set(used)), used
    assert token not in [answer.json["access_token"] for answer in answers]


@pytest.mark.parametrize("operation", ["login", "refresh"])
def test_an_app_that_wants_somebody_to_be_asked_gets_nothing_silently(
    extension: Extension, provider: LyingProvider, operation: str
) -> None:
    answer = extension.ask(provider.issuer, operation, options=OPTIONS | {"prompt": "login"})
    assert answer.error["code"] == NOT_INTERACTIVE
    assert provider.asked == []


@pytest.mark.parametrize("option", ["audience", "resource", "acr_values", "claims"])
def test_a_token_for_one_api_is_not_given_for_another(
    extension: Extension, provider: LyingProvider, option: str
) -> None:
    first = login(extension, provider, **{option: "https://a.example"}).json["access_token"]
    assert refresh(extension, provider, **{option: "https://a.example"}).json["access_token"] == first
    assert refresh(extension, provider, **{option: "https://b.example"}).json["access_token"] != first
    assert provider.asked[-1][option] == "https://b.example"


def test_a_nonce_that_another_request_has_brought_is_taken(extension: Extension, provider: LyingProvider) -> None:
    """Two at once are told the same one."""
    provider.dpop_nonce, provider.waiting, provider.token_type = "first", threading.Barrier(2), "DPoP"
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(
            lambda caller: extension.ask(
                provider.issuer, "login", caller=caller, options=OPTIONS, data={"dpop": True}), ["one", "two"]))
    assert [answer.kind for answer in answers] == ["response", "response"], answers


def test_a_token_that_is_not_bound_is_refused(extension: Extension, provider: LyingProvider) -> None:
    answer = extension.ask(provider.issuer, "login", options=OPTIONS, data={"dpop": True})
    assert "bound to this device" in answer.error["message"]
