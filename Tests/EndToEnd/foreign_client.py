"""An app's server without any code of Lanyard: it uses requests, Authlib, and joserfc, Authlib's library for JOSE."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import requests
from authlib.integrations.requests_client import OAuth2Session
from joserfc import jwt
from joserfc.jwk import ECKey, KeySet

from scene import RegisteredApp

PRODUCTION_SCOPES = "edu.users.read edu.classes.read"


def client_secret(app: RegisteredApp, audience: str, lifetime: int = 300, **claims: Any) -> str:
    """The ES256 token with which an app authenticates."""
    now = int(time.time())
    return jwt.encode(
        {"alg": "ES256", "kid": app.key_id},
        {"iss": app.team_id, "iat": now, "exp": now + lifetime, "aud": audience, "sub": app.client_id} | claims,
        ECKey.import_key(app.key_pem),
    )


def verified_claims(token: str, base_url: str) -> dict[str, Any]:
    """The claims of a token, after its signature was verified with the keys that the server publishes."""
    keys = KeySet.import_key_set(requests.get(f"{base_url}/auth/oauth2/v2/keys", timeout=60).json())
    return jwt.decode(token, keys, algorithms=["RS256"]).claims


@dataclass
class ForeignClient:
    base_url: str
    app: RegisteredApp
    # How often the server answered 429.
    throttled: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.oauth = OAuth2Session(
            self.app.client_id,
            client_secret(self.app, audience=self.base_url),
            token_endpoint_auth_method="client_secret_post",
            revocation_endpoint_auth_method="client_secret_post",
            redirect_uri=self.app.return_url,
            code_challenge_method="S256",
        )

    # The endpoints.

    @property
    def token_url(self) -> str:
        return f"{self.base_url}/auth/oauth2/v2/token"

    def authorize_url(self, scope: str = PRODUCTION_SCOPES, **parameters: str) -> str:
        self.oauth.scope = scope
        url, self.state = self.oauth.create_authorization_url(
            f"{self.base_url}/auth/oauth2/v2/authorize", **parameters)
        return url

    def exchange(self, callback_url: str, **parameters: str) -> dict[str, Any]:
        return self.oauth.fetch_token(
            self.token_url, authorization_response=callback_url, state=self.state, **parameters)

    def refresh(self) -> dict[str, Any]:
        return self.oauth.refresh_token(self.token_url, refresh_token=self.oauth.token["refresh_token"])

    def revoke(self, token: str, hint: str | None = None) -> requests.Response:
        return self.oauth.revoke_token(f"{self.base_url}/auth/oauth2/v2/revoke", token=token, token_type_hint=hint)

    # The roster.

    def get(self, path: str, **query: Any) -> requests.Response:
        """Sends a request, and repeats it after the given pause while the server answers 429."""
        while True:
            response = self.oauth.get(f"{self.base_url}/rosterapi/v1/{path}", params=query, timeout=30)
            if response.status_code != 429:
                return response
            self.throttled += 1
            assert response.headers["Retry-After"] == response.headers["X-Retry-After"]
            time.sleep(int(response.headers["Retry-After"]))

    def pages(self, path: str, parameter: str = "pageToken", **query: Any) -> Iterator[dict[str, Any]]:
        """The pages of a list. `parameter` is the name of the query parameter for the next page, which has two."""
        token: dict[str, str] = {}
        while True:
            response = self.get(path, **query, **token)
            assert response.status_code == 200, response.text
            page = response.json()
            yield page
            if not page["moreToFollow"]:
                return
            token = {parameter: page["nextPageToken"]}

    def crawl(self, path: str, parameter: str = "pageToken", **query: Any) -> list[dict[str, Any]]:
        """All elements of a list. The key of the array is the last part of the path."""
        key = path.rpartition("/")[2]
        return [element for page in self.pages(path, parameter, **query) for element in page[key]]


# Makes a client that has been authorized and has its tokens.
Connect = Callable[..., ForeignClient]
