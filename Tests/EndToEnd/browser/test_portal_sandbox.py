"""A team's own school: its administrator comes in with what the portal has shown, and finds the team's apps and no others."""

from types import SimpleNamespace

from console import follow, shoot
from test_portal import begin_team, register
from visit import Visit

NEW_PASSWORD = "maple-leaf-2468"


def shown_once(browser) -> SimpleNamespace:
    """The user name and the password on the page."""
    _, user_name, password = browser.texts(".slip dd")
    return SimpleNamespace(username=user_name, password=password)


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

    # As in a private window.
    browser.driver.delete_all_cookies()
    browser.open(f"{visit.scene.base_url}/manager")
    visit.sign_in(first)
    assert browser.driver.find_element("id", "password")  # the first one is void
    visit.sign_in(head)
    browser.fill("new_password", NEW_PASSWORD)
    browser.press("Save and continue")
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
