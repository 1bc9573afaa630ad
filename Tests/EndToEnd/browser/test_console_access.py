"""Access Management and Apps in the console: who may sign in where, which apps read, and what they see of whom."""

from datetime import UTC, datetime

import pytest
import requests
from console import enter, heading, shoot
from database import execute
from foreign_client import ForeignClient
from lanyard_tool import Tool
from plain_browser import PlainBrowser
from test_console_settings import facts
from visit import Visit, words

SIGN_IN = "/manager/access/sign-in"
SHARING = "/manager/access/data-sharing"


def names(browser) -> list[str]:
    return browser.texts("tbody th bdi")


def choose(browser, value: str) -> None:
    browser.driver.find_element("css selector", f"input[value='{value}']").click()


def follow(browser, text: str) -> None:
    browser.leave(lambda: browser.driver.find_element("partial link text", text).click())


def search(browser, text: str) -> None:
    # By its id: the sidebar's field has the same name.
    field = browser.driver.find_element("id", "text")
    field.clear()
    field.send_keys(text)
    browser.press("Search")


def open_app(browser, visit: Visit) -> None:
    browser.open(f"{visit.scene.base_url}/manager/apps")
    follow(browser, "Quizzler")
    assert browser.heading == "Quizzler"


BLOCKED = "blocked.heading"


def sign_in_to_quizzler(visit: Visit, browser: PlainBrowser) -> str:
    """What a pupil is told who wants to sign in to Quizzler, by its key in the catalogue of pages."""
    page = browser.open(f"{visit.scene.quizzler_url}/sign-in")
    if page.heading.startswith("Sign in"):
        page = browser.sign_in(page, visit.scene.account("student"))
    told = {
        words("en", key, organization=visit.scene.organization_name, app="Quizzler"): key
        for key in (BLOCKED, "creation.heading")}
    return told.get(page.plain_heading, page.plain_heading)


def test_only_certain_apps_are_allowed_and_the_list_is_searched(connected_visit: Visit) -> None:
    visit, pupil = connected_visit, PlainBrowser()
    assert sign_in_to_quizzler(visit, pupil) == "creation.heading"
    browser = enter(visit, "administrator", "/manager/access")
    shoot(browser, "access")
    follow(browser, "Sign in with Lanyard")
    shoot(browser, "access-sign-in")
    choose(browser, "listed")
    browser.press("See what follows")
    assert browser.heading == "Allow only certain apps"
    assert "because the list is empty" in browser.text
    assert "Quizzler reads nothing about" in browser.text
    shoot(browser, "access-confirm")
    browser.press("Allow only certain apps")
    assert "The change is in effect" in browser.text
    assert sign_in_to_quizzler(visit, pupil) == BLOCKED

    browser.press("Add apps")
    search(browser, "chess")
    assert "No app matches" in browser.text
    search(browser, "QUIZ")
    assert names(browser) == ["Quizzler"]
    shoot(browser, "access-add")
    follow(browser, "Add Quizzler")
    assert "can sign in to Quizzler from the next attempt on" in browser.text
    browser.press("Add Quizzler")
    assert names(browser) == ["Quizzler"]
    assert sign_in_to_quizzler(visit, pupil) == "creation.heading"

    # What somebody has begun does not go on, and signing in anew does not help.
    follow(browser, "Remove Quizzler")
    browser.press("Remove Quizzler")
    assert sign_in_to_quizzler(visit, pupil) == BLOCKED
    assert sign_in_to_quizzler(visit, PlainBrowser()) == BLOCKED
    browser.press("Undo")
    browser.press("Go on")
    assert names(browser) == ["Quizzler"] and sign_in_to_quizzler(visit, pupil) == "creation.heading"
    follow(browser, "Remove Quizzler")
    browser.press("Remove Quizzler")
    assert "stand here once you add them" in browser.text
    choose(browser, "all")
    browser.press("See what follows")
    browser.press("Allow all apps")
    assert browser.driver.find_element("css selector", "input[value=all]").is_selected()


def connect_again(visit: Visit, monkeypatch: pytest.MonkeyPatch) -> ForeignClient:
    """Calls in the name of Quizzler, whose own server does not say what it is answered."""
    monkeypatch.setenv("AUTHLIB_INSECURE_TRANSPORT", "1")
    client = ForeignClient(visit.scene.base_url, visit.scene.app)
    client.exchange(PlainBrowser().consent(client.authorize_url(), visit.scene.account("administrator")))
    return client


def test_an_app_off_the_list_reads_nothing_from_the_next_call_on(
    connected_visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    visit = connected_visit
    client = connect_again(visit, monkeypatch)
    assert client.get("users", limit=1).status_code == 200
    browser = enter(visit, "administrator", SHARING)
    assert names(browser) == ["Quizzler"] and "Connected" in browser.text
    shoot(browser, "access-data-sharing")
    follow(browser, "Remove Quizzler")
    assert "reads nothing about" in browser.text
    browser.press("Remove Quizzler")
    assert names(browser) == []
    assert client.get("users", limit=1).status_code == client.get("classes", limit=1).status_code == 403
    open_app(browser, visit)
    assert "Access Management does not allow the app" in browser.text
    browser.open(f"{visit.scene.base_url}{SHARING}/add")
    follow(browser, "Add Quizzler")
    browser.press("Add Quizzler")
    assert client.get("users", limit=1).status_code == 200
    open_app(browser, visit)
    assert "Can read" in browser.text


def day(time: datetime) -> str:
    return f"{time.day} {time:%B %Y}"


def test_the_page_of_an_app_says_who_consented_to_what_and_what_was_read(connected_visit: Visit) -> None:
    visit, scene = connected_visit, connected_visit.scene
    # Otherwise all of it would be of today.
    given = datetime(2024, 2, 29, 12, tzinfo=UTC)
    execute(scene.database, "UPDATE consent SET granted_at = ?", int(given.timestamp()))
    [consent] = Tool(scene.folder).json("consent", "list", "--org", scene.organization_id)["consents"]
    browser = enter(visit, "administrator", "/manager/apps")
    open_app(browser, visit)
    shown, district = facts(browser), scene.district()
    assert shown["Consent given by"] == scene.account("administrator").username
    assert shown["Consent given on"] == day(given) == "29 February 2024"
    assert shown["May read"].split() == ["Classes", "People"] and shown["State"] == "Can read"
    assert shown["Last read"] == day(datetime.fromisoformat(consent["lastReadAt"]))
    assert int(shown["Records read in 30 days"].replace(",", "")) >= len(district.people) + len(district.classes)
    assert shown["Sees"] == f"People: {len(district.people):,}. Classes: {len(district.classes)}."


def test_an_app_sees_less_and_one_sees_what_it_sees(connected_visit: Visit) -> None:
    visit = connected_visit
    browser = enter(visit, "administrator", "/manager/apps")
    shoot(browser, "apps")
    open_app(browser, visit)
    shoot(browser, "app")
    browser.press("Change what it sees")
    shoot(browser, "app-sharing")
    choose(browser, "Instructor")
    choose(browser, "email")
    browser.press("See who appears and disappears")
    assert "disappear for Quizzler" in browser.text
    shoot(browser, "app-sharing-confirm")
    browser.press("Save")
    assert "The change is in effect" in browser.text and "Kept from the app" in browser.text

    browser.press("View as this app")
    follow(browser, "Instructors")
    assert '"users"' in browser.text and "@" not in browser.texts("pre")[0]
    shoot(browser, "app-view")
    follow(browser, "Students")
    assert "This answer is about 0 people" in browser.text
    open_app(browser, visit)
    follow(browser, "Why does it see somebody")
    browser.fill("person", visit.scene.account("student").username)
    browser.press("Why?")
    assert "shares only some places, grades, roles or classes" in browser.text
    shoot(browser, "app-why")
    browser.fill("person", "nobody@nowhere.example")
    browser.press("Why?")
    assert "has no person" in browser.text or "There is no person" in browser.text

    open_app(browser, visit)
    browser.press("Change what it sees")
    browser.fill("people", visit.scene.account("instructor").username)
    browser.driver.find_elements("css selector", "main form.stack button.primary")[-1].click()
    browser.wait(lambda _: heading(browser).startswith("Change what"), "the preview is there")
    assert "1 person disappears for Quizzler" in browser.text
    browser.press("Save")
    browser.press("Change what it sees")
    browser.press("Show to the app again")
    assert "1 person appears for Quizzler" in browser.text
    browser.press("Save")
    assert "The change is in effect" in browser.text


def test_a_consent_gets_a_last_day_is_renewed_and_revoked(connected_visit: Visit) -> None:
    visit = connected_visit
    browser = enter(visit, "administrator", "/manager/apps")
    follow(browser, "How long consents last")
    choose(browser, "day")
    browser.fill("day", "13-99")
    browser.press("Save")
    assert "This was not done" not in browser.heading and "is none of year" in browser.text
    choose(browser, "year")
    browser.press("Save")
    open_app(browser, visit)
    assert "No end" in browser.text
    follow(browser, "Set the last day")
    # The page says until when a renewal lasts: after a later day than that, none is offered.
    assert "Renewed today, the consent would last until" in browser.text
    browser.driver.execute_script("document.getElementById('lastDay').value = '2001-01-01'")
    browser.press("Save")
    assert "is over already" in browser.text
    browser.driver.execute_script("document.getElementById('lastDay').value = '2099-01-01'")
    browser.press("Save")
    assert "2099" in browser.text and "Renew the consent" not in browser.text
    follow(browser, "Revoke the consent")
    assert "reads nothing about" in browser.text and "Nothing takes this back" in browser.text
    shoot(browser, "app-revoke")
    browser.press("Revoke the consent")
    assert "there is no consent in force" in browser.text
    browser.open(f"{visit.scene.base_url}/manager/apps")
    assert names(browser) == []
    follow(browser, "Consents that have ended")
    assert names(browser) == ["Quizzler"]


def test_others_are_refused_and_garbage_is_not_found(visit: Visit) -> None:
    browser = enter(visit, "instructor", SIGN_IN)
    assert browser.heading == "You may not do this"
    for path in (SHARING, "/manager/apps", "/manager/apps/1", "/manager/apps/1/sharing", "/manager/apps/1/revoke"):
        browser.open(f"{visit.scene.base_url}{path}")
        assert browser.heading in ("You may not do this", "Not found"), path
    session = requests.Session()
    for cookie in browser.driver.get_cookies():
        session.cookies.set(cookie["name"], cookie["value"])
    answer = session.post(
        f"{visit.scene.base_url}{SIGN_IN}/mode", data={"mode": "listed", "confirmed": "yes"}, timeout=30)
    assert answer.status_code in (400, 403)


def test_an_administrator_gets_not_found_for_garbage(visit: Visit) -> None:
    browser = enter(visit, "administrator", "/manager/apps/999999")
    assert browser.heading == "Not found"
    for path in ("/manager/apps/x", f"{SIGN_IN}/apps/999999/add", "/manager/apps/999999/why?person=x"):
        browser.open(f"{visit.scene.base_url}{path}")
        assert browser.heading in ("Not found", "There is no page here"), path


def test_a_stale_page_changes_nothing(connected_visit: Visit) -> None:
    visit = connected_visit
    browser = enter(visit, "administrator", SIGN_IN)
    choose(browser, "listed")
    browser.press("See what follows")
    page = browser.url
    window = browser.driver.current_window_handle
    browser.driver.switch_to.new_window("tab")
    try:
        browser.open(f"{visit.scene.base_url}{SIGN_IN}/add")
        follow(browser, "Add Quizzler")
        browser.press("Add Quizzler")
    finally:
        browser.driver.close()
        browser.driver.switch_to.window(window)
    assert browser.url == page
    browser.press("Allow only certain apps")
    assert browser.heading == "Somebody else has changed this"
