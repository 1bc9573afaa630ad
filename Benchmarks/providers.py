"""Three OpenID Connect providers with the same setup: SQLite, RS256 with RSA-2048, a client with a fixed secret, and
codes to be redeemed for an identity token, an access token and a refresh token.

Each runs on a single given processor.
"""

import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import requests

from installation import Installation

CLIENT = "com.example.beside"
RETURN_URL = "http://127.0.0.1:9/callback"
GLEWLWYD_TABLES = "/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3"
GLEWLWYD_SETTINGS = Path("/etc/glewlwyd/glewlwyd.conf")


class Lanyard:
    def __init__(self, folder: Path, cpu: int):
        self.here = Installation(folder)
        folder.mkdir()
        self.here.set_up()
        self.secret = self.here.sign_in_app(CLIENT, RETURN_URL)
        self.here.serve(cpu=cpu)
        self.token_url = f"{self.here.base}/oidc/token"

    def codes(self, count: int) -> list[str]:
        url = f"{self.here.base}/oidc/authorize?" + urlencode({
            "client_id": CLIENT, "redirect_uri": RETURN_URL, "response_type": "code", "scope": "openid",
            "state": "s", "nonce": "abc",
        })
        browser = self.here.sign_in()
        self.here.agree(browser, url)
        return [code_in(browser.get(f"{url}&prompt=none", allow_redirects=False)) for _ in range(count)]

    def stop(self):
        self.here.stop()


class Glewlwyd:
    """Glewlwyd from Debian, with the tables and settings of its package and the defaults of its OpenID Connect plugin."""

    def __init__(self, folder: Path, cpu: int):
        folder.mkdir()
        port = free_port()
        database = folder / "glewlwyd.sqlite"
        subprocess.run(["sqlite3", str(database)], stdin=open(GLEWLWYD_TABLES), check=True)
        settings = re.sub(r"(?m)^port=.*", f"port={port}", GLEWLWYD_SETTINGS.read_text())
        settings = settings.replace('log_mode="file"', 'log_mode="console"').replace('"INFO"', '"ERROR"')
        settings = re.sub(
            r"(?m)^@include .*glewlwyd-db.conf.*$", f'database = {{ type = "sqlite3"; path = "{database}"; }};', settings)
        (folder / "glewlwyd.conf").write_text(settings)
        self.base = f"http://127.0.0.1:{port}/api"
        self.process = start(["glewlwyd", "-c", str(folder / "glewlwyd.conf")], cpu, port)
        self.secret = "secret"
        self.token_url = f"{self.base}/oidc/token"
        self.set_up(*rsa_key(folder))

    def set_up(self, private_key: str, public_key: str):
        administrator = self.signed_in("admin", "password")
        for place, value in (
            ("mod/plugin", {"module": "oidc", "name": "oidc", "display_name": "oidc", "parameters": {
                "iss": f"{self.base}/oidc", "jwt-type": "rsa", "jwt-key-size": "256",
                "key": private_key, "cert": public_key,
                "code-duration": 600, "access-token-duration": 3600, "refresh-token-duration": 1_209_600,
                "refresh-token-rolling": True, "subject-type": "public", "allow-non-oidc": True,
                "auth-type-code-enabled": True, "auth-type-refresh-enabled": True, "auth-type-id-token-enabled": True,
                "auth-type-token-enabled": False, "auth-type-none-enabled": False, "auth-type-password-enabled": False,
                "auth-type-client-enabled": False, "auth-type-device-enabled": False, "pkce-allowed": False,
                "name-claim": "no", "email-claim": "no", "scope-claim": "no", "request-parameter-allow": False,
            }}),
            ("client", {
                "client_id": CLIENT, "password": self.secret, "confidential": True, "redirect_uri": [RETURN_URL],
                "authorization_type": ["code", "refresh_token"], "scope": ["openid"],
                "token_endpoint_auth_method": ["client_secret_basic"], "enabled": True,
            }),
            ("user", {"username": "person", "password": "correct-horse-1", "scope": ["openid"], "enabled": True}),
        ):
            administrator.post(f"{self.base}/{place}/", json=value).raise_for_status()

    def signed_in(self, name: str, password: str) -> requests.Session:
        session = requests.Session()
        session.post(f"{self.base}/auth/", json={"username": name, "password": password}).raise_for_status()
        return session

    def codes(self, count: int) -> list[str]:
        person = self.signed_in("person", "correct-horse-1")
        person.put(f"{self.base}/auth/grant/{CLIENT}", json={"scope": "openid"}).raise_for_status()
        url = f"{self.base}/oidc/auth?g_continue&" + urlencode({
            "client_id": CLIENT, "redirect_uri": RETURN_URL, "response_type": "code", "scope": "openid",
            "state": "s", "nonce": "abc",
        })
        return [code_in(person.get(url, allow_redirects=False)) for _ in range(count)]

    def stop(self):
        stop(self.process)


class DjangoOAuthToolkit:
    """From PyPI, under gunicorn with one process. The client's secret is not hashed, because Django's hash would cost more
    than all the rest."""

    def __init__(self, folder: Path, cpu: int):
        folder.mkdir()
        port = free_port()
        rsa_key(folder)
        self.environment = os.environ | {
            "PROVIDER_FOLDER": str(folder), "PROVIDER_CLIENT": CLIENT, "PROVIDER_RETURN_URL": RETURN_URL,
            "PYTHONPATH": str(Path(__file__).parent),
        }
        self.python("migrate")
        self.process = start(
            [sys.executable, "-m", "gunicorn", "--bind", f"127.0.0.1:{port}", "--worker-class", "gthread", "--threads",
             "4", "--log-level", "error", "django_provider:application"],
            cpu, port, self.environment)
        self.secret = "secret"
        self.token_url = f"http://127.0.0.1:{port}/o/token/"

    def python(self, *arguments: str) -> str:
        return subprocess.run(
            [sys.executable, "-m", "django_provider", *arguments], env=self.environment, capture_output=True, text=True,
            check=True,
        ).stdout

    def codes(self, count: int) -> list[str]:
        return self.python("codes", str(count)).split()

    def stop(self):
        stop(self.process)


def code_in(answer: requests.Response) -> str:
    return parse_qs(urlsplit(answer.headers["Location"]).query)["code"][0]


def rsa_key(folder: Path) -> tuple[str, str]:
    key = folder / "key.pem"
    subprocess.run(["openssl", "genrsa", "-out", str(key), "2048"], capture_output=True, check=True)
    public = subprocess.run(
        ["openssl", "rsa", "-in", str(key), "-pubout"], capture_output=True, text=True, check=True).stdout
    return key.read_text(), public


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(command: list[str], cpu: int, port: int, environment=None) -> subprocess.Popen:
    """Starts a command, and returns when the port answers."""
    process = subprocess.Popen(
        ["taskset", "-c", str(cpu), *command], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 30
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return process
        except OSError:
            if process.poll() is not None or time.monotonic() > end:
                stop(process)
                raise RuntimeError(f"{command[0]} did not start") from None
            time.sleep(0.05)


def stop(process: subprocess.Popen):
    process.terminate()
    process.wait(timeout=30)
