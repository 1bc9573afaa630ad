"""A team's own school: its administrator comes in with what the portal has shown, and finds the team's apps and no others; an
app of the team reads what the developer has made of it."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from console import follow, shoot
from foreign_client import ForeignClient
from test_portal import begin_team, connect, register, with_key
from visit import Visit

NEW_PASSWORD = "maple-leaf-2468"


def shown_once(browser) -> SimpleNamespace:
    """The user name and the password on the page."""
    _, user_name, password = browser.texts(".slip dd")
    return SimpleNamespace(username=user_name, password=password)


def enter_sandbox(visit: Visit, head: SimpleNamespace) -> None:
    """As in a private window; from then on the administrator has `NEW_PASSWORD`."""
    browser = visit.browser
    browser.driver.delete_all_cookies()
    browser.open(f"{visit.scene.base_url}/manager")
    visit.sign_in(head)
    browser.fill("new_password", NEW_PASSWORD)
    browser.press("Save and continue")


def given_names(client: ForeignClient) -> set[str]:
    return {user["givenName"] for user in client.crawl("users")}


def test_an_app_reads_what_the_developer_has_changed_in_the_sandbox(
    new_visit: Visit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUTHLIB_INSECURE_TRANSPORT", "1")
    visit, base_url = new_visit, new_visit.scene.base_url
    browser = begin_team(visit, "Change Team")
    register(browser, "Quill", "example.quill")
    browser.press("Register")
    app = with_key(visit, tmp_path, "Quill", "example.quill")
    follow(browser, "Sandbox")
    browser.press("Make a sandbox")
    head = shown_once(browser)
    enter_sandbox(visit, head)
    browser.open(f"{base_url}/manager/access/data-sharing/add")
    browser.press("Add Quill")
    browser.press("Add Quill")
    client = connect(visit, app, SimpleNamespace(username=head.username, password=NEW_PASSWORD))
    before = given_names(client)
    assert "Given100" in before and "Nadia" not in before

    browser.open(f"{base_url}/manager/people?text=Given100")
    browser.leave(lambda: browser.driver.find_element("css selector", "tbody th a").click())
    browser.press("Edit")
    browser.fill("firstName", "Renata")
    browser.press("Save")
    assert browser.heading.startswith("Renata"), browser.text
    after = given_names(client)
    assert after == before - {"Given100"} | {"Renata"}


def test_a_developer_tries_an_app_in_a_school_of_the_team(new_visit: Visit) -> None:
    visit = new_visit
    browser = begin_team(visit, "Sandbox Team")
    register(browser, "Quill", "example.quill")
    browser.press("Register")
    follow(browser, "Sandbox")
    assert browser.heading == "Sandbox"
    shoot(browser, "portal-sandbox-none")
    page = browser.url
    browser.press("Make a sandbox")
    assert browser.heading == "The administrator of your sandbox"
    shoot(browser, "portal-sandbox-opened")
    first = shown_once(browser)
    browser.open(page)
    assert first.username in browser.text and first.password not in browser.text
    shoot(browser, "portal-sandbox")
    # Whoever has lost the password makes a new one.
    browser.press("New password for the administrator")
    head = shown_once(browser)
    assert head.username == first.username and head.password != first.password
    developers = browser.driver.get_cookies()

    browser.driver.delete_all_cookies()
    browser.open(f"{visit.scene.base_url}/manager")
    visit.sign_in(first)
    assert browser.driver.find_element("id", "password")  # the first one is void
    enter_sandbox(visit, head)
    assert "Sandbox Team (sandbox)" in browser.text
    shoot(browser, "sandbox-console")
    browser.open(f"{visit.scene.base_url}/manager/people")
    assert "Given100" in browser.text and "Nadia" not in browser.text
    browser.open(f"{visit.scene.base_url}/manager/access/data-sharing/add")
    # The demo's own app is another team's.
    assert "Quill" in browser.text and "Quizzler" not in browser.text
    for path in ("settings", "imports"):
        browser.open(f"{visit.scene.base_url}/manager/{path}")
        links = browser.texts("main a")
        assert "Domains" not in links and not any("pick" in link.lower() for link in links), links

    browser.driver.delete_all_cookies()
    for cookie in developers:
        browser.driver.add_cookie(cookie)
    browser.open(page)
    follow(browser, "Remove the sandbox")
    shoot(browser, "portal-sandbox-remove")
    browser.press("Remove the sandbox")
    assert browser.driver.find_elements("xpath", "//button[normalize-space()='Make a sandbox']")
    browser.driver.delete_all_cookies()
    browser.open(f"{visit.scene.base_url}/manager")
    visit.sign_in(SimpleNamespace(username=head.username, password=NEW_PASSWORD))
    assert "closed" in browser.text
