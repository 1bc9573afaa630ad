"""What leaves the browser when a key is made there, and what "Send again" and the snippets of the portal do."""

import json
import subprocess
import sys
from base64 import b64encode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote_plus

import pytest
from app_page import LISTEN, html
from chromium import Chromium
from console import enter, follow
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key
from database import execute, query
from foreign_client import verified_claims
from lanyard_tool import Tool
from local_site import LocalSite
from processes import free_port, wait_until
from receiver import Receiver
from scene import RegisteredApp
from test_journey import saved
from test_portal import begin_team, connect
from visit import Visit


def sent(browser: Chromium) -> str:
    """All that the browser has sent since the last reading of its log: addresses, headers and bodies, without escapes."""
    parts = []
    for entry in browser.driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] not in ("Network.requestWillBeSent", "Network.webSocketFrameSent"):
            continue
        found = message["params"]
        parts.append(json.dumps(found))
        if found.get("request", {}).get("hasPostData"):
            body = found["request"].get("postData")
            assert body, "the body of a request is not in the log"
            parts.append(unquote_plus(body))
    return "".join("\n".join(parts).replace("\\n", "").replace("\\r", "").split())


def spellings(data: bytes) -> set[str]:
    """What bytes look like within longer text: in hexadecimal, and in both alphabets of base 64, wherever they begin."""
    found = {data.hex(), data.hex().upper()}
    for encode in (b64encode, urlsafe_b64encode):
        for start in range(3):
            text = encode(b"\0" * start + data).decode()
            # The characters at either end depend on the neighbours.
            found.add(text[4 if start else 0:][:32])
    return found


def test_the_private_half_of_a_key_never_leaves_the_browser(visit: Visit, downloads: Path) -> None:
    browser = begin_team(visit, "Secret Team")
    follow(browser, "Keys")
    browser.fill("name", "Server")
    sent(browser)
    browser.button("Make a key in this browser").click()
    file = saved(downloads, "key.p8")
    browser.press("Register a key")
    follow(browser, "Identifiers")
    record = sent(browser)

    key = load_pem_private_key(file.read_bytes(), None)
    assert isinstance(key, EllipticCurvePrivateKey)
    public = key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    # The record has what was sent: the public half is in it.
    assert any(spelling in record for spelling in spellings(public[1:33]))
    secret = key.private_numbers().private_value.to_bytes(32)
    assert [spelling for spelling in spellings(secret) if spelling in record] == []
    assert "PRIVATE" not in record
    # Nor is it left behind there.
    kept = browser.driver.execute_script("return JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])")
    assert kept.startswith("[{},{},")
    assert Tool(visit.scene.folder).json("key", "list", "--team", "Secret Team")["keys"][0]["name"] == "Server"


@dataclass(frozen=True)
class Developed:
    """An app whose team the administrator of the scene belongs to, who also lets it read the roster."""

    registered: RegisteredApp
    site: LocalSite
    notification_port: int
    # The page of the app in the portal.
    page: str


@pytest.fixture
def developed(visit: Visit, monkeypatch: pytest.MonkeyPatch) -> Iterator[Developed]:
    monkeypatch.setenv("AUTHLIB_INSECURE_TRANSPORT", "1")
    scene, tool = visit.scene, Tool(visit.scene.folder)
    administrator = scene.account("administrator")
    port, name = free_port(), "Snippet"
    scopes = ("edu.users.read", "edu.classes.read", "name", "email")
    with LocalSite() as site:
        # Snippets for a shell have to quote what stands in its query.
        return_url = f"{site.origin}/callback?school=maple&plan=free"
        team = tool.json("app", "team", "create", f"{name} {port}")["id"]
        tool.json("app", "team", "add-member", team, administrator.username)
        app = tool.json(
            "app", "create", name, "--team", team, "--client-id", f"example.snippet{port}", "--development",
            "--return-url", return_url, "--notification-url", f"http://127.0.0.1:{port}/n",
            *(part for scope in scopes for part in ("--scope", scope)))
        key_file = scene.folder / f"snippet{port}.p8"
        key = tool.json("key", "create", name, "--team", team, "--out", key_file)["key"]
        client_id = app["clientIDs"][0]
        tool.json("access", "allow", client_id, "--org", scene.organization_id)
        registered = RegisteredApp(
            name, client_id, team, key["keyID"], key_file.read_text(), return_url, scopes)
        yield Developed(registered, site, port, f"/developer/teams/{team}/apps/{client_id}")
        tool.json("app", "remove", client_id, "--yes")


def test_a_notification_that_was_refused_is_sent_again_at_once(visit: Visit, developed: Developed) -> None:
    app, scene = developed.registered, visit.scene
    connect(visit, app)
    with Receiver(developed.notification_port, status=503) as refusing:
        Tool(scene.folder).json("consent", "revoke", app.client_id, "--yes", "--org", scene.organization_id)
        assert refusing.arrived.wait(20)
        wait_until(
            lambda: query(scene.database, "SELECT 1 FROM notification WHERE attempts = 1"), 20, "the refusal is noted")
    # The next attempt by itself is a day away.
    execute(scene.database, "UPDATE notification SET next_attempt_at = next_attempt_at + 86400")
    browser = enter(visit, "administrator", f"{developed.page}/notifications")
    [row] = browser.texts("tbody tr")
    assert "consent-revoked" in row and "503" in row
    with Receiver(developed.notification_port) as receiver:
        browser.press("Send again")
        assert receiver.arrived.wait(20)

        def is_delivered(_) -> bool:
            browser.reload()
            return "Delivered" in browser.texts("tbody tr")[0]

        browser.wait(is_delivered, "the delivery is noted")
    first, again = (verified_claims(each.payloads[0], scene.base_url) for each in (refusing, receiver))
    assert first["jti"] == again["jti"] and again["aud"] == app.client_id
    assert again["events"][0]["type"] == "consent-revoked" and again["events"][0]["org_id"] == scene.organization_id
    # What it said is not stored any more, so nothing is offered that could not be done.
    assert len(receiver.payloads) == 1 and "Send again" not in browser.text


def shell(script: str, folder: Path, **environment: str) -> dict:
    """Runs a snippet for a shell; returns the JSON that it prints."""
    done = subprocess.run(
        ["bash", "-ec", script], cwd=folder, env={"PATH": "/usr/bin:/bin"} | environment, capture_output=True, text=True,
        timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_snippets_sign_somebody_in_and_read_the_roster(visit: Visit, developed: Developed, tmp_path: Path) -> None:
    app, scene, browser = developed.registered, visit.scene, visit.browser
    enter(visit, "administrator", developed.page)
    browser.press("Snippets")
    page, secret, token, swift, roster = browser.texts("pre")
    for snippet in (page, secret, token, swift):
        assert app.client_id in snippet

    # In a page of the app, without a change: the button signs somebody in.
    browser.open(developed.site.show("/", html(LISTEN, page)))
    pressed = browser.wait(
        lambda driver: driver.find_elements("css selector", "#appleid-signin [role=button]"), "the button is drawn")[0]
    pressed.click()
    driver = browser.driver
    popup = browser.wait(lambda _: [each for each in driver.window_handles if each != browser.window], "a window opens")[0]
    driver.switch_to.window(popup)
    if browser.driver.find_elements("css selector", "input[name='email_choice']"):
        browser.driver.find_element("css selector", "input[name='email_choice'][value='share']").click()
    browser.button("Continue").click()
    driver.switch_to.window(browser.window)
    heard = browser.wait(lambda _: driver.execute_script("return heard.find(e => e.name == 'AppleIDSignInOnSuccess')"),
                         "the page hears who signed in")
    code = heard["detail"]["authorization"]["code"]

    # On a server: Python makes the secret, and curl exchanges that code.
    (tmp_path / "key.p8").write_text(app.key_pem)
    made = subprocess.run(
        [sys.executable, "-c", secret.replace("KEY_ID", app.key_id)], cwd=tmp_path, capture_output=True, text=True,
        check=True).stdout.strip()
    answer = shell(token.replace("curl ", "curl -s "), tmp_path, SECRET=made, CODE=code)
    claims = jwt_claims(answer["id_token"])
    assert claims["aud"] == app.client_id and claims["email"] == scene.account("administrator").email

    # With a token of an organization that has agreed, curl reads its pupils.
    client = connect(visit, app)
    users = shell(roster.replace("curl ", "curl -s "), tmp_path, ACCESS_TOKEN=client.oauth.token["access_token"])["users"]
    assert len(users) == 10 and all("Student" in one["roles"] for one in users)


def jwt_claims(token: str) -> dict:
    part = token.split(".")[1]
    return json.loads(urlsafe_b64decode(part + "=" * (-len(part) % 4)))
