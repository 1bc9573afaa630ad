"""glewlwyd from Debian: a provider of OpenID Connect that is not ours, whose pages need a browser with scripts."""

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import requests
from processes import Program, free_port, run

TABLES = Path("/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3")
SETTINGS = Path("/etc/glewlwyd/glewlwyd.conf")
CLIENT = "burgers"
PASSWORD = "correct-horse-1"


class Glewlwyd:
    def __init__(self, base: str):
        self.base = f"{base}/api"
        self.issuer = f"{self.base}/oidc"

    def set_up(self, return_urls: list[str], private_key: str, public_key: str) -> None:
        administrator = self.signed_in("admin", "password")
        for place, value in (
            ("mod/plugin", {"module": "oidc", "name": "oidc", "display_name": "oidc", "parameters": {
                "iss": self.issuer, "jwt-type": "rsa", "jwt-key-size": "256", "key": private_key, "cert": public_key,
                "code-duration": 600, "access-token-duration": 3600, "refresh-token-duration": 1_209_600,
                "refresh-token-rolling": True, "subject-type": "public", "allow-non-oidc": True,
                "auth-type-code-enabled": True, "auth-type-refresh-enabled": True, "auth-type-id-token-enabled": True,
                "auth-type-token-enabled": False, "auth-type-none-enabled": False, "auth-type-password-enabled": False,
                "auth-type-client-enabled": False, "auth-type-device-enabled": False,
                "pkce-allowed": True, "pkce-method-plain-allowed": False, "pkce-scopes": [], "pkce-required": True,
                "name-claim": "no", "email-claim": "no", "scope-claim": "no", "allowed-scope": ["openid"],
                "jwks-show": True, "client-jwks-parameter": "jwks",
                # Glewlwyd's names for the signed requests that authenticate a client.
                "request-parameter-allow": True, "request-parameter-ietf-strict": False,
                "oauth-dpop-allowed": True, "oauth-dpop-iat-duration": 60, "oauth-dpop-nonce-mandatory": True,
                "oauth-dpop-nonce-counter": 5,
            }}),
            ("client", {
                "client_id": CLIENT, "confidential": False, "redirect_uri": return_urls,
                "authorization_type": ["code", "refresh_token"], "scope": ["openid"],
                "token_endpoint_auth_method": ["none"], "enabled": True,
            }),
            ("user", {"username": "ana", "password": PASSWORD, "scope": ["openid"], "enabled": True}),
        ):
            administrator.post(f"{self.base}/{place}/", json=value, timeout=60).raise_for_status()

    def add_client(self, client: str, return_url: str, **settings: object) -> None:
        self.signed_in("admin", "password").post(f"{self.base}/client/", timeout=60, json={
            "client_id": client, "redirect_uri": [return_url], "authorization_type": ["code", "refresh_token"],
            "scope": ["openid"], "enabled": True} | settings).raise_for_status()

    def signed_in(self, name: str, password: str) -> requests.Session:
        session = requests.Session()
        session.post(
            f"{self.base}/auth/", json={"username": name, "password": password}, timeout=60).raise_for_status()
        return session

    def browser(self, page: str, return_url: str) -> str:
        """What the provider's scripts do in a browser, in which ana signs in and agrees."""
        session = self.signed_in("ana", PASSWORD)
        client, = parse_qs(urlsplit(page).query)["client_id"]
        session.put(f"{self.base}/auth/grant/{client}", json={"scope": "openid"}, timeout=60).raise_for_status()
        response = session.get(f"{page}&g_continue", allow_redirects=False, timeout=60)
        location = response.headers["Location"]
        assert location.startswith(return_url), location
        return location


@contextmanager
def glewlwyd(folder: Path, return_urls: list[str]) -> Iterator[Glewlwyd]:
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    database = folder / "glewlwyd.sqlite"
    with TABLES.open() as tables:
        subprocess.run(["sqlite3", database], stdin=tables, check=True)
    settings = re.sub(r"(?m)^port=.*", f"port={port}", SETTINGS.read_text())
    settings = re.sub(r"(?m)^external_url=.*", f'external_url="{base}"', settings)
    settings = settings.replace('log_mode="file"', 'log_mode="console"').replace('"INFO"', '"ERROR"')
    settings = re.sub(
        r"(?m)^@include .*glewlwyd-db.conf.*$", f'database = {{ type = "sqlite3"; path = "{database}"; }};', settings)
    (folder / "glewlwyd.conf").write_text(settings)
    program = Program("glewlwyd", "-c", folder / "glewlwyd.conf", log=folder / "glewlwyd.log")

    def answers() -> bool:
        try:
            requests.get(f"{base}/api/", timeout=2)
            return True
        except requests.RequestException:
            return False

    try:
        program.wait_until(answers, 30, "glewlwyd is ready")
        key = folder / "key.pem"
        run("openssl", "genrsa", "-out", key, "2048").check_returncode()
        provider = Glewlwyd(base)
        provider.set_up(return_urls, key.read_text(), run("openssl", "rsa", "-in", key, "-pubout").stdout)
        yield provider
    finally:
        print(program.log_text)
        program.stop()
