"""A server that is killed while apps exchange codes: no code is redeemed twice, and what was handed out is worth
something afterwards."""

import random
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from hashlib import sha256
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from database import assert_sound, query
from foreign_client import PRODUCTION_SCOPES, client_secret
from plain_browser import PlainBrowser
from scene import Scene, Server

KILLS = 10
CODES_EACH = 10
WORKERS = 6


@dataclass
class Redemption:
    """What became of one code. A lost answer leaves no trace here."""

    code: str
    granted: list[dict] = field(default_factory=list)
    refused: int = 0


class AppServer:
    """An app that redeems codes and does not give up when an answer is lost."""

    def __init__(self, scene: Scene, server: Server):
        self.scene = scene
        self.server = server
        self.secret = client_secret(scene.app, audience="https://appleid.apple.com", lifetime=3600)

    def token(self, **fields: str) -> requests.Response:
        """One call of the token endpoint, on a connection of its own."""
        data = {"client_id": self.scene.app.client_id, "client_secret": self.secret} | fields
        return requests.post(f"{self.server.base_url}/auth/oauth2/v2/token", data=data, timeout=20)

    def exchange(self, code: str) -> requests.Response:
        return self.token(grant_type="authorization_code", code=code, redirect_uri=self.scene.app.return_url)

    def redeem(self, redemption: Redemption) -> None:
        deadline = time.monotonic() + 60
        while True:
            assert time.monotonic() < deadline, "the server does not come back"
            try:
                answer = self.exchange(redemption.code)
            except requests.RequestException:
                time.sleep(0.02)
                continue
            if answer.status_code == 200:
                redemption.granted.append(answer.json())
            else:
                assert_refused(answer)
                redemption.refused += 1
            return


def assert_refused(answer: requests.Response) -> None:
    assert (answer.status_code, answer.json()) == (400, {"error": "invalid_grant"})


def codes(scene: Scene, server: Server) -> Iterator[str]:
    """Codes, each from an Allow of its own."""
    browser = PlainBrowser()
    authorize = requests.Request(
        "GET",
        f"{server.base_url}/auth/oauth2/v2/authorize",
        params={
            "client_id": scene.app.client_id,
            "redirect_uri": scene.app.return_url,
            "response_type": "code",
            "scope": PRODUCTION_SCOPES,
        },
    ).prepare()
    while True:
        callback = browser.consent(authorize.url, scene.account("administrator"))
        yield parse_qs(urlsplit(callback).query)["code"][0]


@pytest.mark.parametrize("contenders", [1, 2], ids=["one app server", "two app servers with the same code"])
def test_no_code_is_redeemed_twice_by_a_server_that_is_killed(
    scene: Scene, server: Server, chance: random.Random, contenders: int
) -> None:
    app = AppServer(scene, server)
    source = codes(scene, server)
    batches = [[Redemption(next(source)) for _ in range(CODES_EACH)] for _ in range(KILLS + 1)]
    redemptions = [redemption for batch in batches for redemption in batch]

    seconds = 0.0
    interrupted = 0
    with ThreadPoolExecutor(WORKERS) as workers:
        for batch in batches:
            started = time.monotonic()
            tasks = [workers.submit(app.redeem, redemption) for redemption in batch for _ in range(contenders)]
            if seconds:
                time.sleep(chance.uniform(0, seconds))
                server.kill()
                struck = sum(not task.done() for task in tasks)
                interrupted += struck
                if not struck:
                    # The machine is quicker than it was.
                    seconds *= 0.5
                server.start()
            for task in tasks:
                task.result(timeout=90)
            seconds = seconds or time.monotonic() - started  # of the first batch, which nobody disturbs
    assert interrupted >= KILLS

    # In the database: every code is spent, and each gave one grant, in the same instant.
    assert_sound(scene.database)
    rows = query(scene.database, "SELECT code_hash, redeemed_at, grant_id FROM authorization_code")
    grant_of = {code_hash: grant_id for code_hash, redeemed_at, grant_id in rows if redeemed_at}
    grants = dict(query(scene.database, "SELECT id, revoked_at FROM access_grant"))
    assert len(rows) == len(redemptions)
    assert sorted(grant_of.values()) == sorted(grants)
    assert len(grants) == len(redemptions)

    # At the apps: at most one got tokens, and they are good, unless the code came once more. Then somebody else may
    # have seen it, and what it gave is revoked.
    for redemption in redemptions:
        assert len(redemption.granted) <= 1
        assert len(redemption.granted) + redemption.refused == contenders
        grant = grant_of[sha256(redemption.code.encode()).digest()]
        assert (grants[grant] is not None) == (redemption.refused > 0)
        for tokens in redemption.granted:
            answer = app.token(grant_type="refresh_token", refresh_token=tokens["refresh_token"])
            assert answer.status_code == (400 if redemption.refused else 200), answer.text

    # And none works once more, however its first answer was lost.
    for redemption in redemptions:
        assert_refused(app.exchange(redemption.code))
