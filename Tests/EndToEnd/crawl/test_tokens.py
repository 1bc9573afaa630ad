"""Codes and tokens, seen by Authlib."""

from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from authlib.integrations.base_client import OAuthError
from foreign_client import Connect, ForeignClient, client_secret, verified_claims
from plain_browser import PlainBrowser
from scene import Scene, Server


def test_the_exchange_gives_tokens_and_a_signed_identity(scene: Scene, server: Server) -> None:
    client = ForeignClient(server.base_url, scene.app)
    callback = PlainBrowser().consent(client.authorize_url(nonce="n-0S6_WzA2Mj"), scene.account("administrator"))
    assert callback.startswith(scene.app.return_url)
    tokens = client.exchange(callback)

    assert tokens["token_type"] == "Bearer"
    assert tokens["expires_in"] == 3600
    claims = verified_claims(tokens["id_token"], server.base_url)
    assert claims["iss"] == server.base_url
    assert claims["aud"] == scene.app.client_id
    assert claims["org_id"] == scene.organization_id
    assert claims["nonce"] == "n-0S6_WzA2Mj"
    assert claims["iat"] <= claims["exp"]

    administrator = client.get(f"users/{claims['sub']}").json()
    assert administrator["email"] == scene.account("administrator").email


def test_a_refresh_gives_an_access_token_and_keeps_the_refresh_token(connect: Connect) -> None:
    client = connect()
    before = dict(client.oauth.token)
    for _ in range(2):
        answer = requests.post(
            client.token_url,
            data={
                "grant_type": "refresh_token",
                "refresh_token": before["refresh_token"],
                "client_id": client.app.client_id,
                "client_secret": client_secret(client.app, audience="https://appleid.apple.com"),
            },
            timeout=60,
        )
        assert answer.status_code == 200
        assert set(answer.json()) == {"access_token", "token_type", "expires_in", "id_token"}

    client.refresh()
    assert client.get("users", limit=1).status_code == 200


def test_a_revoked_token_ends_reading_and_refreshing_at_once(connect: Connect) -> None:
    client = connect()
    token = client.oauth.token["refresh_token"]
    for _ in range(2):
        answer = client.revoke(token, "refresh_token")
        assert (answer.status_code, answer.content) == (200, b"")
    assert client.get("users", limit=1).status_code == 401
    with pytest.raises(OAuthError, match="invalid_grant"):
        client.refresh()


def test_a_code_works_once_and_its_second_use_ends_what_it_gave(scene: Scene, server: Server) -> None:
    client = ForeignClient(server.base_url, scene.app)
    callback = PlainBrowser().consent(client.authorize_url(), scene.account("administrator"))
    client.exchange(callback)
    assert client.get("organization").status_code == 200

    with pytest.raises(OAuthError, match="invalid_grant"):
        client.exchange(callback)
    assert client.get("organization").status_code == 401


def test_allowing_twice_gives_a_new_code_in_place_of_the_first(scene: Scene, server: Server) -> None:
    """As a browser without scripts does at a double click: it drops the first answer and sends the form again."""
    client = ForeignClient(server.base_url, scene.app)
    browser = PlainBrowser()
    page = browser.sign_in(browser.open(client.authorize_url()), scene.account("administrator"))
    first, second = (browser.press("Allow", page).headers["Location"] for _ in range(2))

    with pytest.raises(OAuthError, match="invalid_grant"):
        client.exchange(first)
    client.exchange(second)
    assert client.get("organization").status_code == 200


def test_not_allowing_leads_back_with_an_error_and_the_state(scene: Scene, server: Server) -> None:
    client = ForeignClient(server.base_url, scene.app)
    callback = PlainBrowser().consent(client.authorize_url(), scene.account("administrator"), button="Don’t Allow")
    query = parse_qs(urlsplit(callback).query)
    assert query == {"error": ["access_denied"], "state": [client.state]}


@pytest.mark.parametrize(
    "claims",
    [
        {"aud": "https://example.org"}, {"sub": "COM.EXAMPLE.QUIZZLER"}, {"iss": "AAAAAAAAAA"}, {"exp": 1},
        {"exp": 2**40},
    ],
    ids=["audience", "subject in capitals", "team", "expired", "too far ahead"],
)
def test_a_client_secret_with_a_wrong_claim_is_refused(client: ForeignClient, claims: dict) -> None:
    answer = requests.post(
        client.token_url,
        data={
            "grant_type": "refresh_token",
            "refresh_token": client.oauth.token["refresh_token"],
            "client_id": client.app.client_id,
            "client_secret": client_secret(client.app, audience=client.base_url, **claims),
        },
        timeout=60,
    )
    assert (answer.status_code, answer.json()) == (400, {"error": "invalid_client"})


def test_one_scope_alone_reads_what_it_names(connect: Connect, client: ForeignClient) -> None:
    # The narrower consent replaces the wide one, also for tokens that were issued before; so restore it at the end.
    try:
        narrow = connect(scope="edu.classes.read")
        assert narrow.get("classes", limit=1).status_code == 200
        assert narrow.get("organization").status_code == 200
        assert narrow.get("locations").status_code == 200
        assert narrow.get("users", limit=1).status_code == 403
        one = narrow.get("classes", limit=1).json()["classes"][0]
        assert narrow.get(f"classes/{one['id']}/users").status_code == 403
    finally:
        connect()


def test_the_test_scope_shows_made_up_people_only(connect: Connect, scene: Scene) -> None:
    client = connect(scope="edu.rosterapi.test.read", role="developer")
    assert client.get("organization").json()["id"] != scene.organization_id
    users = client.crawl("users")
    assert len(users) > 100
    real = {(person.given_name, person.family_name) for person in scene.district().people.values()}
    assert not [user for user in users if (user["givenName"], user.get("familyName")) in real]
    ids = {user["id"] for user in users}
    for one in client.crawl("classes"):
        assert ids.issuperset(one["studentIds"] + one["instructorIds"])
