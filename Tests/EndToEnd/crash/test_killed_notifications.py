"""A notification waits in the database until the app has heard it, whatever happens to the server meanwhile."""

from urllib.parse import urlsplit

import pytest
from administration import revoke_consent
from database import execute, query
from foreign_client import ForeignClient, verified_claims
from plain_browser import PlainBrowser
from processes import wait_until
from receiver import Receiver
from scene import Scene, Server


@pytest.fixture
def port(scene: Scene, server: Server, monkeypatch: pytest.MonkeyPatch) -> int:
    """The port of the app's server, at which nobody listens yet. The organization has consented."""
    monkeypatch.setenv("AUTHLIB_INSECURE_TRANSPORT", "1")
    client = ForeignClient(server.base_url, scene.app)
    client.exchange(PlainBrowser().consent(client.authorize_url(), scene.account("administrator")))
    return urlsplit(scene.app.return_url).port


def waiting(scene: Scene) -> list[tuple[str, int]]:
    """The ids of undelivered notifications and how often each was tried."""
    return query(scene.database, "SELECT jti, attempts FROM notification")


def let_time_pass(scene: Scene) -> None:
    """A minute, for the notifications: whoever had taken one is not at it any more, and the next attempt is due."""
    execute(scene.database, "UPDATE notification SET next_attempt_at = next_attempt_at - 60")


def check(payload: str, jti: str, scene: Scene, server: Server) -> None:
    claims = verified_claims(payload, server.base_url)
    assert claims["jti"] == jti
    assert claims["aud"] == scene.app.client_id
    assert claims["iss"] == f"{server.base_url}/auth/oauth2/v2"
    [event] = claims["events"]
    assert event["type"] == "consent-revoked"
    assert event["org_id"] == scene.organization_id
    assert set(event["scopes"].split(" ")) == {"edu.users.read", "edu.classes.read"}
    assert isinstance(event["event_time"], int)
    assert event["sub"]


def test_a_notification_survives_a_kill_while_the_app_is_away(scene: Scene, server: Server, port: int) -> None:
    revoke_consent(scene)
    wait_until(lambda: [tries for _, tries in waiting(scene) if tries > 0], 20, "the first attempt has failed")
    [(jti, _)] = waiting(scene)
    server.kill()

    let_time_pass(scene)
    with Receiver(port) as receiver:
        server.start()
        assert receiver.arrived.wait(20)
        wait_until(lambda: not waiting(scene), 10, "the delivery is recorded")
    assert len(receiver.payloads) == 1
    check(receiver.payloads[0], jti, scene, server)


def test_a_notification_survives_a_kill_in_the_middle_of_its_delivery(
    scene: Scene, server: Server, port: int
) -> None:
    with Receiver(port, answers=False) as silent:
        revoke_consent(scene)
        assert silent.arrived.wait(15)
        [(jti, _)] = waiting(scene)
        server.kill()
    assert waiting(scene) == [(jti, 0)]

    let_time_pass(scene)
    with Receiver(port) as receiver:
        server.start()
        assert receiver.arrived.wait(20)
        wait_until(lambda: not waiting(scene), 10, "the delivery is recorded")
    for payload in (*silent.payloads, *receiver.payloads):
        check(payload, jti, scene, server)
