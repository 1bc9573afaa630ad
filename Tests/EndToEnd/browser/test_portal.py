"""The developer portal: somebody begins a team, registers an app, makes a key in the browser, and uses both."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from busy_school import NAMES
from chromium import Chromium
from console import enter, follow, shoot
from foreign_client import ForeignClient, verified_claims
from lanyard_tool import Tool
from plain_browser import PlainBrowser
from processes import free_port
from receiver import Receiver
from sample_png import write_png
from scene import Account, RegisteredApp
from visit import Visit, plain


def begin_team(visit: Visit, name: str) -> Chromium:
    """A team with one member, who is at its page of identifiers."""
    account = visit.scene.account("parent") if any(a.role == "parent" for a in visit.scene.accounts) else None
    account = account or visit.scene.account("administrator")
    tool = Tool(visit.scene.folder)
    tool.run("app", "team", "create", name)
    tool.run("app", "team", "add-member", name, account.username)
    browser = visit.browser
    browser.open(f"{visit.scene.base_url}/developer")
    visit.sign_in(account)
    if browser.heading == "Developer portal":
        follow(browser, name)
    return browser


RETURN_URL = "https://app.example/callback"


def register(browser: Chromium, name: str, client_id: str, domains: str = "", notification_url: str = "") -> None:
    browser.open(re.sub(r"/apps.*", "/apps/add", browser.url))
    browser.fill("name", name)
    browser.fill("clientIDs", client_id)
    browser.driver.find_element("css selector", "input[value='edu.users.read']").click()
    browser.fill("domains", domains)
    browser.fill("returnURLs", RETURN_URL)
    browser.fill("notificationURL", notification_url)
    browser.press("Review")


def with_key(visit: Visit, folder: Path, name: str, client_id: str) -> RegisteredApp:
    """An app that `register` has registered, with a key of its team."""
    tool, file = Tool(visit.scene.folder), folder / f"{client_id}.p8"
    team = tool.json("app", "show", client_id)["teamID"]
    key = tool.json("key", "create", name, "--team", team, "--out", file)["key"]
    return RegisteredApp(name, client_id, team, key["keyID"], file.read_text(), RETURN_URL, ("edu.users.read",))


def connect(visit: Visit, app: RegisteredApp, administrator: Account | None = None) -> ForeignClient:
    """The organization of an administrator, the scene's if none is given, lets the app read its roster."""
    client = ForeignClient(visit.scene.base_url, app)
    asked = client.authorize_url(" ".join(scope for scope in app.scopes if scope.startswith("edu.")))
    client.exchange(PlainBrowser().consent(asked, administrator or visit.scene.account("administrator")))
    return client


def test_a_developer_registers_an_app_and_makes_a_key(visit: Visit, tmp_path: Path) -> None:
    browser = begin_team(visit, "Portal Team")
    shoot(browser, "portal-apps")
    register(browser, "Quill", "example.quill", domains="app.example\nwww.app.example")
    assert browser.heading == "Register Quill"
    assert "Domains: app.example, www.app.example" in browser.text
    assert "https://app.example/callback" in browser.text
    shoot(browser, "portal-review")
    browser.press("Register")
    assert browser.heading == "Quill"
    assert "www.app.example" in browser.text
    shoot(browser, "portal-app")

    follow(browser, "Keys")
    browser.fill("name", "Server")
    # What the page offers to save, as a test can get at it.
    browser.driver.execute_script(
        "URL.createObjectURL = blob => { blob.text().then(text => window.saved = text); return '#' }")
    browser.button("Make a key in this browser").click()
    private = browser.wait(lambda driver: driver.execute_script("return window.saved"), "a key is made")
    assert "BEGIN PUBLIC KEY" in browser.driver.find_element("id", "publicKey").get_attribute("value")
    browser.press("Register a key")
    shoot(browser, "portal-keys")
    key_id = browser.texts("tbody td")[0]

    # The snippets work as they stand.
    browser.open(f"{visit.scene.base_url}/developer")
    if browser.heading == "Developer portal":
        follow(browser, "Portal Team")
    follow(browser, "Quill")
    browser.press("Snippets")
    shoot(browser, "portal-snippets")
    _, secret, token, swift, _ = browser.texts("pre")
    assert "example.quill" in swift
    (tmp_path / "key.p8").write_text(private)
    made = subprocess.run(
        [sys.executable, "-c", secret.replace("KEY_ID", key_id)], cwd=tmp_path, capture_output=True, text=True,
        check=True).stdout.strip()
    answer = json.loads(
        subprocess.run(
            ["bash", "-c", token.replace("curl ", "curl -s ")], env={"SECRET": made, "CODE": "c-nothing", "PATH": "/usr/bin:/bin"},
            capture_output=True, text=True, check=True).stdout)
    # The client is who it says; only the code is none.
    assert answer["error"] == "invalid_grant"


def test_an_app_is_told_at_the_address_that_the_developer_has_filled_in(
    visit: Visit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUTHLIB_INSECURE_TRANSPORT", "1")
    browser, scene, port = begin_team(visit, "Bell Team"), visit.scene, free_port()
    url = f"http://127.0.0.1:{port}/notifications"
    register(browser, "Bell", "example.bell", notification_url=url)
    assert f"Notifications go to {url}" in browser.text
    browser.press("Register")
    assert url in browser.text
    follow(browser, "Notifications")
    assert f"Sent to {url}" in browser.text

    tool = Tool(scene.folder)
    tool.json("access", "allow", "example.bell", "--org", scene.organization_id)
    connect(visit, with_key(visit, tmp_path, "Bell", "example.bell"))
    with Receiver(port) as receiver:
        tool.json("consent", "revoke", "example.bell", "--yes", "--org", scene.organization_id)
        assert receiver.arrived.wait(20)

        def is_delivered(_) -> bool:
            browser.reload()
            return any("Delivered" in row for row in browser.texts("tbody tr"))

        browser.wait(is_delivered, "the delivery is noted")
    claims = verified_claims(receiver.payloads[0], scene.base_url)
    assert claims["aud"] == "example.bell" and claims["events"][0]["type"] == "consent-revoked"


def test_a_client_gets_a_secret_and_becomes_public(visit: Visit) -> None:
    browser = begin_team(visit, "Client Team")
    register(browser, "Blot", "example.blot")
    browser.press("Register")
    assert "Key of the team" in browser.texts("tbody td")
    follow(browser, "example.blot")
    shoot(browser, "portal-client")
    choose(browser, "secret", of="authentication")
    browser.press("Save")
    assert "authenticates with this secret alone" in browser.text
    browser.press("Make a new secret")
    [secret] = browser.texts("pre")
    follow(browser, "Blot")
    assert "Secret" in browser.texts("tbody td") and secret not in browser.text
    follow(browser, "example.blot")
    choose(browser, "none", of="authentication")
    browser.press("Save")
    assert "The secret stops working at once." in browser.text
    shoot(browser, "portal-client-confirm")
    browser.press("Save")
    assert "None: PKCE proves it" in browser.texts("tbody td")


def test_what_is_registered_can_be_changed_and_taken_away(visit: Visit) -> None:
    browser = begin_team(visit, "Second Team")
    follow(browser, "Set up a configuration")
    right_to_left, emoji, long = NAMES["arabic"], NAMES["emoji"], NAMES["long"]
    register(browser, right_to_left, "example.ink")
    assert plain(browser.heading) == f"Register {right_to_left}"
    browser.press("Register")
    assert plain(browser.heading) == right_to_left
    # A page cuts what is longer than 80 characters.
    for name, shown in {emoji: emoji, long: f"{long[:79]}…", "Ink": "Ink"}.items():
        browser.press("Edit")
        browser.fill("name", name)
        browser.press("Save")
        assert browser.heading == shown and not browser.overflows
    browser.press("Edit")
    # Each of these takes four bytes.
    camels = 500 * "🐪"
    browser.fill("name", camels)
    browser.press("Save")
    assert "The app name is longer than 1024 bytes." in browser.text
    assert browser.driver.find_element("id", "name").get_attribute("value") == camels
    browser.fill("name", "Ink")
    browser.fill("returnURLs", "http://app.example/callback")
    browser.press("Save")
    assert "This was not done" in browser.text or "The server says" in browser.text
    assert browser.driver.find_element("id", "returnURLs").get_attribute("value") == "http://app.example/callback"
    browser.fill("domains", "*.app.example")
    browser.fill("returnURLs", "https://app.example/other")
    browser.press("Save")
    assert "name each subdomain" in browser.text
    browser.fill("domains", "rival.example")
    browser.press("Save")
    assert "lack app.example, where the return URL https://app.example/other is" in browser.text
    browser.fill("domains", "app.example")
    browser.press("Save")
    assert "https://app.example/other" in browser.text
    browser.press("Undo")
    browser.press("Go on")
    assert "https://app.example/callback" in browser.text
    follow(browser, "Remove the app")
    browser.press("Remove")
    assert "Ink" not in browser.text


def test_a_consent_is_tried_with_each_request_and_answer(visit: Visit, tmp_path: Path) -> None:
    browser = begin_team(visit, "Trial Team")
    browser.open(re.sub(r"/apps.*", "/apps/add", browser.url))
    browser.fill("name", "Trial")
    browser.fill("clientIDs", "example.trial")
    for scope in ("edu.rosterapi.test.read", "name", "email"):
        browser.driver.find_element("css selector", f"input[value='{scope}']").click()
    browser.press("Review")
    browser.press("Register")
    address = browser.url.partition("?")[0]
    key = tmp_path / "key.p8"
    subprocess.run(
        f"openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out {key}", shell=True, check=True,
        capture_output=True)
    public = tmp_path / "key.pub"
    subprocess.run(["openssl", "ec", "-in", key, "-pubout", "-out", public], check=True, capture_output=True)
    follow(browser, "Keys")
    browser.fill("name", "Trial")
    browser.driver.find_element("id", "file").send_keys(str(public))
    browser.press("Register a key")
    assert "Trial" in browser.texts("tbody th")

    # The test school, which the developer may read without anybody's leave.
    browser.open(address)
    follow(browser, "Try it")
    browser.press("Add the address")
    choose(browser, "roster")
    browser.press("Show the request")
    assert "/auth/oauth2/v2/authorize" in browser.text and "edu.rosterapi.test.read" in browser.text
    shoot(browser, "portal-try-request")
    follow(browser, "Send it")
    browser.press("Allow")
    assert browser.heading == "The answer"
    browser.driver.find_element("id", "file").send_keys(str(key))
    browser.button("Exchange").click()
    browser.wait(lambda driver: "classes?limit=1" in driver.find_element("tag name", "main").text, "classes are read")
    browser.wait(lambda driver: len(driver.find_elements("css selector", "[data-steps] pre")) == 7, "all answers came")
    steps = [one.text for one in browser.driver.find_elements("css selector", "[data-steps] pre")]
    assert steps[1].startswith("200") and "access_token" in steps[1] and "← secret" in steps[1]
    assert steps[4].startswith("200") and '"familyName"' in steps[4]
    assert steps[6].startswith("200") and "classes" in steps[6]
    shoot(browser, "portal-try-answer")
    # A code counts once, and the page says what the server says.
    browser.button("Exchange").click()
    browser.wait(lambda driver: "invalid_grant" in driver.find_element("tag name", "main").text, "the refusal is shown")

    # A file that is no key.
    other = tmp_path / "other.p8"
    other.write_text("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")
    browser.driver.find_element("id", "file").send_keys(str(other))
    browser.button("Exchange").click()
    browser.wait(lambda driver: "no private key" in driver.find_element("tag name", "main").text, "it is refused")

    # A sign-in: the identity token is opened.
    browser.open(f"{address}/try")
    choose(browser, "sign-in")
    browser.press("Show the request")
    follow(browser, "Send it")
    browser.driver.find_element("css selector", "input[name='email_choice'][value='share']").click()
    browser.press("Continue")
    assert browser.heading == "The answer" and "user" in browser.text
    browser.driver.find_element("id", "file").send_keys(str(key))
    browser.button("Exchange").click()
    browser.wait(lambda driver: "Inside the identity token" in driver.find_element("tag name", "main").text, "opened")
    assert "nonce" in browser.driver.find_elements("css selector", "[data-steps] pre")[2].text
    # Whoever is not in the team sees nothing of it.
    answer = browser.url
    browser.driver.delete_all_cookies()
    browser.open(answer)
    visit.sign_in(visit.scene.account("instructor"))
    assert browser.heading == "You may not do this"


def choose(browser: Chromium, value: str, of: str = "trial") -> None:
    browser.driver.find_element("css selector", f"input[name='{of}'][value='{value}']").click()


def test_an_app_has_an_icon_and_names_in_several_languages(visit: Visit, tmp_path: Path) -> None:
    browser = begin_team(visit, "Icon Team")
    browser.open(re.sub(r"/apps.*", "/apps/add", browser.url))
    browser.fill("name", "Letters")
    browser.fill("name_ja", "レターズ")
    browser.fill("clientIDs", "example.letters\nexample.letters.web")
    browser.driver.find_element("css selector", "input[value='name']").click()
    browser.fill("returnURLs", "https://letters.example/callback")
    browser.press("Review")
    browser.press("Register")
    assert "レターズ" in browser.text
    follow(browser, "Icon")
    script = tmp_path / "script.png"
    script.write_text("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>")
    browser.driver.find_element("id", "picture").send_keys(str(script))
    browser.press("Save")
    assert "is not a PNG file" in browser.text
    browser.driver.find_element("id", "picture").send_keys(str(write_png(tmp_path / "icon.png", colour=b"\x0a\x80\x40")))
    browser.press("Save")
    icon = browser.driver.find_element("css selector", ".title img.badge")
    browser.wait(lambda driver: driver.execute_script("return arguments[0].naturalWidth", icon) == 128, "it is shown")
    shoot(browser, "portal-icon")

    # An identifier is taken away, and comes back.
    browser.driver.find_element("css selector", "a[href$='/clients/example.letters.web/remove']").click()
    browser.press("Remove")
    assert "example.letters.web" not in browser.text
    browser.press("Undo")
    browser.press("Go on")
    assert "example.letters.web" in browser.text

    # People see both where they sign in.
    base = visit.scene.base_url
    query = "response_type=code&client_id=example.letters&redirect_uri=https://letters.example/callback"
    browser.open(f"{base}/auth/authorize?{query}&scope=name&response_mode=form_post&locale=ja_JP")
    assert "レターズ" in browser.text and "Letters" not in browser.text
    assert browser.driver.find_elements("css selector", "img.badge")
    shoot(browser, "portal-icon-sign-in")


def test_an_offer_is_declined(visit: Visit) -> None:
    browser = begin_team(visit, "Giving Team")
    browser.open(re.sub(r"/apps.*", "/apps/add", browser.url))
    register(browser, "Gift", "example.gift")
    browser.press("Register")
    tool = Tool(visit.scene.folder)
    tool.run("app", "team", "create", "Taking Team")
    tool.run("app", "team", "add-member", "Taking Team", visit.scene.account("instructor").username)
    team = tool.json("app", "team", "show", "--team", "Taking Team")["id"]
    tool.run("app", "offer", "Gift", "--team", team)
    browser.driver.delete_all_cookies()
    browser.open(f"{visit.scene.base_url}/developer")
    visit.sign_in(visit.scene.account("instructor"))
    assert "offers you the app Gift" in browser.text
    follow(browser, "Decline")
    browser.press("Decline")
    assert "offers you the app Gift" not in browser.text


def test_a_stranger_to_a_team_sees_nothing_of_it(visit: Visit) -> None:
    browser = begin_team(visit, "Third Team")
    address = browser.url
    browser.driver.delete_all_cookies()
    browser.open(address)
    visit.sign_in(visit.scene.account("instructor"))
    assert browser.heading == "You may not do this"
    assert "Third Team" not in browser.text


def test_a_colleague_joins_with_a_code(visit: Visit) -> None:
    browser = begin_team(visit, "Fourth Team")
    follow(browser, "Team")
    # The only member cannot leave.
    assert "Leave" not in browser.text
    shoot(browser, "portal-members")
    browser.press("Invite somebody")
    code = browser.texts("pre")[0]
    browser.driver.delete_all_cookies()
    enter(visit, "instructor", "/developer/join")
    browser.fill("code", "nonsense")
    browser.press("Join a team")
    assert browser.driver.find_element("id", "code").get_attribute("value") == "nonsense"
    browser.fill("code", code)
    browser.press("Join a team")
    assert browser.heading == "Identifiers"
    follow(browser, "Team")
    assert len(browser.texts("tbody tr")) == 2
    follow(browser, "Leave")
    assert browser.heading == "Leave Fourth Team" and "Keys and secrets stay in force" in browser.text
    shoot(browser, "portal-members-leave")
    browser.press("Leave")
    browser.open(f"{visit.scene.base_url}/developer")
    assert "Fourth Team" not in browser.text
