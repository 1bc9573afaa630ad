"""The developer portal: somebody begins a team, registers an app, makes a key in the browser, and uses both."""

import json
import re
import subprocess
import sys
from pathlib import Path

import requests
from chromium import Chromium
from console import enter, follow, shoot
from lanyard_tool import Tool
from visit import Visit


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


def register(browser: Chromium, name: str, client_id: str) -> None:
    browser.open(re.sub(r"/apps.*", "/apps/add", browser.url))
    browser.fill("name", name)
    browser.fill("clientIDs", client_id)
    browser.driver.find_element("css selector", "input[value='edu.users.read']").click()
    browser.fill("returnURLs", "https://app.example/callback")
    browser.press("Review")


def test_a_developer_registers_an_app_and_makes_a_key(visit: Visit, tmp_path: Path) -> None:
    browser = begin_team(visit, "Portal Team")
    shoot(browser, "portal-apps")
    register(browser, "Quill", "example.quill")
    assert browser.heading == "Register Quill"
    assert "https://app.example/callback" in browser.text
    shoot(browser, "portal-review")
    browser.press("Register")
    assert browser.heading == "Quill"
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
    _, secret, token, _ = browser.texts("pre")
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


def test_what_is_registered_can_be_changed_and_taken_away(visit: Visit) -> None:
    browser = begin_team(visit, "Second Team")
    follow(browser, "Set up a configuration")
    register(browser, "Ink", "example.ink")
    browser.press("Register")
    browser.press("Edit")
    browser.fill("returnURLs", "http://app.example/callback")
    browser.press("Save")
    assert "This was not done" in browser.text or "The server says" in browser.text
    assert browser.driver.find_element("id", "returnURLs").get_attribute("value") == "http://app.example/callback"
    browser.fill("returnURLs", "https://app.example/other")
    browser.press("Save")
    assert "https://app.example/other" in browser.text
    browser.press("Undo")
    browser.press("Go on")
    assert "https://app.example/callback" in browser.text
    follow(browser, "Remove the app")
    browser.press("Remove")
    assert "Ink" not in browser.text


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


def test_pages_of_the_portal_ask_nobody_else(visit: Visit) -> None:
    page = requests.get(f"{visit.scene.base_url}/developer", allow_redirects=False, timeout=30)
    assert page.status_code == 303
