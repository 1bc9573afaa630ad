"""The school changes its mind."""

from administration import revoke_consent
from database import query
from processes import wait_until
from visit import Visit, plain


def test_revoking_the_consent_empties_quizzler_within_seconds(connected_visit: Visit) -> None:
    visit, browser, scene = connected_visit, connected_visit.browser, connected_visit.scene
    # The notice is for whoever has connected the school.
    visit.go_to_consent_page()
    browser.press("Allow")
    visit.wait_for_classes()
    browser.open(scene.quizzler_url)
    assert scene.organization_name in browser.text

    revoke_consent(scene)

    def is_disconnected(_) -> bool:
        browser.reload()
        return "has disconnected" in browser.text

    browser.wait(is_disconnected, "Quizzler has heard of it", timeout=10, is_exact=True)
    assert plain(browser.text).startswith(
        f"{scene.organization_name} has disconnected. "
        "Everything Quizzler had stored about its people and classes is deleted.")
    assert browser.texts(".card") == []
    assert scene.connections() == {}
    stored = scene.quizzler_file.read_text()
    assert not [person.email for person in scene.district().people.values() if person.email and person.email in stored]


def test_an_administrator_stops_sharing_on_the_account_page(connected_visit: Visit) -> None:
    visit, browser, scene = connected_visit, connected_visit.browser, connected_visit.scene
    browser.open(f"{scene.base_url}/account")
    visit.sign_in(scene.account("administrator"))
    assert f"Apps connected to {scene.organization_name}" in plain(browser.text)
    browser.driver.find_element("css selector", "section[aria-labelledby=connected] summary").click()
    browser.press("Stop sharing with Quizzler")
    assert plain(browser.heading) == "Stop sharing with Quizzler?"
    browser.press("Stop sharing")
    assert f"Quizzler can no longer read anything about {scene.organization_name}." in plain(browser.text)
    wait_until(lambda: scene.connections() == {}, 10, "Quizzler has heard of it")


def test_another_language_keeps_what_was_typed(visit: Visit) -> None:
    browser = visit.browser
    visit.begin_connecting()
    browser.fill("username", "nadia")
    browser.fill("password", "not to be kept")
    browser.press("한국어")
    username = browser.driver.find_element("name", "username")
    assert browser.language == "ko" and username.get_attribute("value") == "nadia"
    assert browser.driver.find_element("name", "password").get_attribute("value") == ""
    browser.reload()
    assert browser.driver.find_element("name", "username").get_attribute("value") == ""
    browser.press("English")


def test_the_school_can_connect_again_afterwards(connected_visit: Visit) -> None:
    visit, browser, scene = connected_visit, connected_visit.browser, connected_visit.scene
    revoke_consent(scene)
    visit.go_to_consent_page()
    browser.press("Allow")

    assert browser.heading == scene.organization_name
    visit.wait_for_classes()
    # The notice about the end of the earlier consent may come late; it must not end the new one.
    waiting = "SELECT id FROM notification WHERE next_attempt_at IS NOT NULL"
    wait_until(lambda: not query(scene.database, waiting), 10, "Quizzler has heard of it")
    browser.open(scene.quizzler_url)
    assert scene.organization_name in browser.texts(".card h3")
