"""An installation of Lanyard in a temporary folder, with an imported roster, an administrator, an app and its key."""

import html
import json
import os
import re
import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import requests
from joserfc import jwt
from joserfc.jwk import ECKey

LANYARD = str(Path(__file__).parent.parent / ".build/release/lanyard")
CLIENT = "com.example.bench"
RETURN_URL = "http://127.0.0.1:9/callback"
PASSWORD = "correct-horse-1"


class Installation:
    def __init__(self, folder: Path, database: str | None = None):
        """`database`: the address of an empty database of PostgreSQL; without it, SQLite in the folder."""
        self.folder = folder
        self.data = folder / "data"
        self.database = database
        self.environment = os.environ | ({"LANYARD_DATABASE": database} if database else {})
        self.process = None
        self.base = None

    def sql(self, *statements: str) -> list[list[str]]:
        """Runs statements that both databases understand, past the server. The rows of the last one, as texts."""
        if self.database:
            options = ["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--field-separator=\t", "--set=ON_ERROR_STOP=1"]
            command = ["psql", *options, *(f"--command={statement}" for statement in statements), self.database]
            printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            return [line.split("\t") for line in printed.splitlines()]
        with closing(sqlite3.connect(self.data / "lanyard.sqlite", timeout=60)) as connection, connection:
            for statement in statements:
                rows = connection.execute(statement).fetchall()
        return [[str(value) for value in row] for row in rows]

    @property
    def pids(self) -> list[int]:
        """Of the server, and of the processes in which PostgreSQL works for it."""
        if not self.database:
            return [self.pid]
        name = urlsplit(self.database).path.strip("/")
        backends = self.sql(
            f"SELECT pid FROM pg_stat_activity WHERE datname = '{name}' AND backend_type = 'client backend' "
            "AND pid <> pg_backend_pid()")
        return [self.pid, *(int(pid) for [pid] in backends)]

    # The command line

    def lanyard(self, *arguments):
        done = subprocess.run(
            [LANYARD, *arguments, "--data", str(self.data)], capture_output=True, text=True, check=False,
            env=self.environment,
        )
        if done.returncode != 0:
            raise RuntimeError(f"lanyard {' '.join(arguments)}: {done.stderr or done.stdout}")
        return done.stdout

    def sample(self, name, people, classes, members) -> Path:
        out = self.folder / name
        subprocess.run(
            [LANYARD, "sample", "--people", str(people), "--classes", str(classes), "--members", str(members),
             "--out", str(out)],
            check=True, stdout=subprocess.DEVNULL,
        )
        return out

    def set_up(self):
        """Makes an organization, its administrator, and an app on its list."""
        link = json.loads(self.lanyard("init", "--name", "Bench", "--domain", "bench.example", "--json"))["link"]
        self.serve()
        browser = requests.Session()
        page = browser.get(self.base + urlsplit(link).path)
        form = fields(page.text)
        form |= {
            "given_name": "Bench", "family_name": "Admin", "username": "admin@bench.example", "password": PASSWORD,
        }
        browser.post(self.base + urlsplit(link).path, data=form).raise_for_status()
        self.browser = browser
        self.stop()
        team = json.loads(self.lanyard("app", "team", "create", "Bench Team", "--json"))
        self.team = team["id"]
        self.lanyard(
            "app", "create", "Bench", "--team", self.team, "--client-id", CLIENT, "--return-url", RETURN_URL,
            "--scope", "edu.users.read", "--scope", "edu.classes.read", "--development", "--json",
        )
        key_file = self.folder / "key.p8"
        self.key = json.loads(
            self.lanyard("key", "create", "Bench", "--team", self.team, "--out", str(key_file), "--json")
        )["key"]["keyID"]
        self.private_key = key_file.read_text()
        self.lanyard("access", "allow", CLIENT)

    # The server

    def serve(
        self, cpu: int | None = None, *, port: int = 0, base_url: str | None = None, program: tuple[str, ...] = (LANYARD,),
    ):
        """`cpu`: the only processor that the server may use. `port`: 0 for one that is free. `program`: perhaps behind another one,
        which measures it."""
        environment = dict(self.environment)
        environment["LANYARD_RATE_LIMIT_REQUESTS_PER_SECOND"] = "100000"
        environment["LANYARD_RATE_LIMIT_BURST"] = "100000"
        environment["LANYARD_WRONG_PASSWORDS_BURST"] = "100000"
        environment["LANYARD_CONNECTIONS_PER_ADDRESS"] = "900"
        start = time.perf_counter()
        pinned = [] if cpu is None else ["taskset", "-c", str(cpu)]
        self.process = subprocess.Popen(
            [*pinned, *program, "serve", "--port", str(port), *([] if base_url is None else ["--base-url", base_url]),
             "--development", "--log-level", "error", "--data", str(self.data)],
            stdout=subprocess.PIPE, text=True, env=environment,
        )
        line = self.process.stdout.readline()
        self.ready_after = time.perf_counter() - start
        self.base = line.strip().rpartition(" ")[2]
        if not self.base.startswith("http"):
            raise RuntimeError(f"the server did not start: {line}")
        return self

    @property
    def pid(self):
        return self.process.pid

    def stop(self):
        if self.process:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(timeout=30)
            self.process = None

    # OAuth

    def client_secret(self):
        now = int(time.time())
        return jwt.encode(
            {"alg": "ES256", "kid": self.key},
            {"iss": self.team, "iat": now, "exp": now + 86_400, "aud": "https://appleid.apple.com", "sub": CLIENT},
            ECKey.import_key(self.private_key),
        )

    def sign_in(self):
        browser = requests.Session()
        form = fields(browser.get(self.base + "/sign-in").text)
        form |= {"username": "admin@bench.example", "password": PASSWORD}
        answer = browser.post(self.base + "/sign-in", data=form)
        answer.raise_for_status()
        return browser

    def code(self, browser) -> str:
        page = browser.get(
            self.base + "/auth/oauth2/v2/authorize",
            params={
                "client_id": CLIENT, "redirect_uri": RETURN_URL, "response_type": "code",
                "scope": "edu.users.read edu.classes.read", "state": "s",
            },
        )
        page.raise_for_status()
        form = {"csrf_token": fields(page.text)["csrf_token"], "decision": "allow"}
        answer = browser.post(page.url, data=form, allow_redirects=False)
        return parse_qs(urlsplit(answer.headers["Location"]).query)["code"][0]

    def sign_in_app(self, client_id: str, return_url: str) -> str:
        """Makes an app for signing in, with a fixed secret; returns the secret."""
        self.lanyard(
            "app", "create", client_id, "--team", self.team, "--client-id", client_id, "--return-url", return_url,
            "--scope", "name", "--scope", "email", "--development", "--json",
        )
        return json.loads(self.lanyard("app", "client", client_id, "--secret", "--json"))["clientSecret"]

    def agree(self, browser, authorize_url: str):
        """Gives the person's consent to an app, so that later requests show no page."""
        page = browser.get(authorize_url)
        page.raise_for_status()
        form = {"csrf_token": fields(page.text)["csrf_token"], "decision": "continue"}
        browser.post(page.url, data=form, allow_redirects=False).raise_for_status()

    def exchange(self, session, secret, code):
        answer = session.post(
            self.base + "/auth/oauth2/v2/token", data=self.exchange_form(secret, code),
            headers={"Content-Type": "application/x-www-form-urlencoded"},
        )
        answer.raise_for_status()
        return answer.json()

    def token_form(self, secret, **fields) -> str:
        return urlencode({"client_id": CLIENT, "client_secret": secret, **fields})

    def exchange_form(self, secret, code) -> str:
        return self.token_form(secret, grant_type="authorization_code", code=code, redirect_uri=RETURN_URL)


def fields(page: str) -> dict:
    """The hidden fields of the page's forms."""
    found = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page)
    return {name: html.unescape(value) for name, value in found}
